"""What people name a golden set by: a file, or NAME, or NAME@VERSION in the store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from judges.golden import NAME, GoldenFileBroken, GoldenSet, load
from sinks.golden import GoldenSetDamaged, GoldenStore, NoSuchGoldenSet
from stream.errors import RagpulseError
from stream.files.lines import FileProblem


class GoldenRefused(RagpulseError):
    """No golden set by that name, or a file that is none."""

    exit_code = 2


def resolve(reference: str, store: Callable[[], GoldenStore]) -> GoldenSet:
    """The set that is meant; `store` is asked for where no file is. Raises GoldenRefused, FileProblem."""
    if is_file(reference):
        return load_file(Path(reference))
    name, _, version = reference.partition("@")
    if not NAME.fullmatch(name):
        raise GoldenRefused(f"{reference} is neither a file that is there nor a name of a golden set.")
    try:
        return store().load(name, version)
    except (NoSuchGoldenSet, GoldenSetDamaged) as error:
        raise GoldenRefused(str(error)) from error


def is_file(reference: str) -> bool:
    """Whether a file is meant: one that is there, or what could only be one."""
    return Path(reference).is_file() or "/" in reference or reference.endswith(".jsonl")


def load_file(path: Path) -> GoldenSet:
    """A set from its file. Raises FileProblem where it cannot be opened, GoldenRefused where it is none."""
    try:
        return load(path)
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error
    except GoldenFileBroken as error:
        raise GoldenRefused(f"{error}.") from error


__all__ = ["GoldenRefused", "is_file", "load_file", "resolve"]
