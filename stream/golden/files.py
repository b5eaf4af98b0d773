"""Golden files that people edit: checked, sealed, stored, and written without anybody's phone number."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from judges.golden import GoldenSet, Reading, read, save
from judges.golden.golden_set import VERSION
from judges.golden.redacting import redact_case
from stream.files.lines import FileProblem


def read_golden(path: Path) -> Reading:
    """A file as far as it can be read. Raises FileProblem where it cannot be opened."""
    try:
        return read(path.read_bytes())
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error


def write_golden(golden: GoldenSet, path: Path) -> None:
    """Write a file, whole or not at all. Raises FileProblem."""
    try:
        save(golden, path)
    except OSError as error:
        raise FileProblem(f"{path} cannot be written (--out): {error.strerror}.") from error


def require_place(path: Path) -> None:
    """Raise FileProblem where a file can hardly be written: before anything is stored that it should hold."""
    folder = path.parent
    if not folder.is_dir():
        raise FileProblem(f"{path} cannot be written (--out): there is no folder {folder}; make it first.")
    if path.is_dir() or not os.access(folder, os.W_OK):
        raise FileProblem(
            f"{path} cannot be written (--out): choose a file in a folder that may be written to."
        )


def seal(reading: Reading, *, who: str, when: datetime, why: str) -> GoldenSet:
    """What was edited, as a version of its own that grew from the one in the header."""
    parent = reading.version_said if VERSION.fullmatch(reading.version_said) else reading.golden.parent
    return replace(reading.golden, parent=parent, who=who, when=when, why=why)


def redacted(golden: GoldenSet) -> tuple[GoldenSet, Counter[str]]:
    """The set as it may leave the house: the same version where it is clean, else one grown from it."""
    taken: Counter[str] = Counter()
    cases = []
    for case in golden.cases:
        clean, found = redact_case(case)
        cases.append(clean)
        taken += found
    clean_set = golden.with_cases(cases)
    if clean_set.version != golden.version:
        clean_set = replace(clean_set, parent=golden.version)
    return clean_set, taken


__all__ = ["read_golden", "redacted", "require_place", "seal", "write_golden"]
