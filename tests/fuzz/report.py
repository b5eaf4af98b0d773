"""What fuzzing tried and found, as a table for people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks._documents import put
from tests.fuzz.guided import Guided


@dataclass(frozen=True, slots=True)
class Tried:
    """One kind of input: how many, in how long, what came of them, and the failures' words."""

    kind: str
    inputs: int
    seconds: float
    came: str
    failures: tuple[str, ...] = ()


def show_tried(tried: Sequence[Tried], seed: int) -> str:
    """A table of what chance made."""
    lines = ["| input | tried | seconds | what came of it | failures |", "|---|---|---|---|---|"]
    lines += [
        f"| {one.kind} | {one.inputs:,} | {one.seconds:.0f} | {one.came} | {len(one.failures)} |"
        for one in tried
    ]
    total, failed = sum(one.inputs for one in tried), sum(len(one.failures) for one in tried)
    said = f"{total:,} inputs by chance from seed {seed}: {failed} failures."
    return "\n".join([said, "", *lines, *_told(f for one in tried for f in one.failures)])


def show_guided(guided: Sequence[Guided], seed: int) -> str:
    """A table of what coverage guided."""
    lines = [
        "| target | seconds | inputs | edges, at first and at the end | slowest, s | memory, MB | failures |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += [
        f"| {one.target} | {one.seconds} | {one.inputs:,} | {one.edges[0]:,}, {one.edges[1]:,} "
        f"| {'under 1' if one.slowest_s < 1 else one.slowest_s} | {one.peak_mb} | {int(bool(one.failure))} |"
        for one in guided
    ]
    seconds, inputs = sum(one.seconds for one in guided), sum(one.inputs for one in guided)
    said = (
        f"{seconds / 60:.0f} minutes guided by coverage (atheris, seed {seed}), {inputs:,} inputs: "
        f"{sum(bool(one.failure) for one in guided)} failures."
    )
    return "\n".join([said, "", *lines, *_told(one.failure for one in guided if one.failure)])


def _told(failures: object) -> list[str]:
    found = list(failures)  # type: ignore[call-overload]
    return ["", *(f"Failed: `{str(one)[-300:]!r}`" for one in found)] if found else []


def write_report(path: Path, name: str, text: str) -> None:
    """Put a text into a document: between the marks of that name, or at the end where there are none."""
    put(path, "make fuzz", name, text)


FUZZ: Final = "fuzz"
GUIDED: Final = "coverage-guided fuzzing"

__all__ = ["FUZZ", "GUIDED", "Tried", "show_guided", "show_tried", "write_report"]
