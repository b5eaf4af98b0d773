"""Reads the labelled sentences beside the tests: a label, a tab, and what it is the label of."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

DATA = Path(__file__).parent / "data"


def read_rows(name: str) -> list[list[str]]:
    """The columns of each line of `data/NAME.tsv`; a line break in a text is written as \\n."""
    lines = (DATA / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
    return [line.replace("\\n", "\n").split("\t") for line in lines if line and not line.startswith("#")]


def read_sections(name: str) -> dict[str, str]:
    """The texts of `data/NAME.txt` by their names: each stands under a line `== name ==`."""
    texts: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("== ") and line.endswith(" =="):
            current = texts.setdefault(line[3:-3], [])
        else:
            current.append(line)
    return {title: "\n".join(lines) for title, lines in texts.items()}


def share_right(found: Sequence[tuple[str, str, str]]) -> tuple[float, str]:
    """Share of (wanted, found, text) that agree, and the others as text for a failing test."""
    wrong = [f"{wanted}, found {got}: {text}" for wanted, got, text in found if wanted != got]
    return 1 - len(wrong) / len(found), "\n".join(wrong)
