"""What a judge is asked, by name, version and language: texts in files, which never change once published.

`data/<name>/<version>/<language>.toml` holds a rubric; `data/published.txt` the checksum of each file. A text
that is to change becomes a new version, so that verdicts of different texts are never taken for the same.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any, Final

LANGUAGES: Final = ("zh", "en")
DEFAULT: Final = "rag"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,40}")


class UnknownRubric(ValueError):
    """There is no rubric of this name and version."""


@dataclass(slots=True, frozen=True)
class Task:
    """One question to a judge: what is said before the data, and again, shorter, behind it."""

    instructions: str
    reminder: str


@dataclass(slots=True, frozen=True)
class Rubric:
    """One rubric in one language.

    `rules` hold for all its tasks. `blocks` names the blocks of data, `words` what is said within them.
    """

    name: str
    version: str
    language: str
    rules: str
    tasks: dict[str, Task]
    blocks: dict[str, str]
    words: dict[str, str]


@lru_cache(maxsize=64)
def load(name: str = DEFAULT, language: str | None = "en", version: str | None = None) -> Rubric:
    """The rubric `name` for a trace in `language`; the newest version where none is named.

    Chinese traces are judged under the Chinese text, and all others under the English one: judges read more
    languages than rubrics are written in. The verdict keeps the trace's own language, so that agreement can
    be told apart by it. Raises UnknownRubric.
    """
    folder = files("judges.llm.rubrics").joinpath("data", name)
    if not _NAME.fullmatch(name) or not folder.is_dir():
        raise UnknownRubric(f"There is no rubric named {name!r}; there are {', '.join(names())}.")
    versions = sorted((p.name for p in folder.iterdir() if p.is_dir()), key=_by_number)
    if version is not None and version not in versions:
        raise UnknownRubric(f"Rubric {name!r} has no version {version!r}; it has {', '.join(versions)}.")
    written_in = language if language in LANGUAGES else "en"
    path = folder.joinpath(version or versions[-1], f"{written_in}.toml")
    return _read(tomllib.loads(path.read_text(encoding="utf-8")))


def names() -> list[str]:
    """The rubrics there are."""
    return sorted(p.name for p in files("judges.llm.rubrics").joinpath("data").iterdir() if p.is_dir())


def _by_number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def _read(raw: dict[str, Any]) -> Rubric:
    return Rubric(
        name=raw["name"],
        version=raw["version"],
        language=raw["language"],
        rules=raw["rules"].strip(),
        tasks={
            name: Task(task["instructions"].strip(), task["reminder"].strip())
            for name, task in raw["tasks"].items()
        },
        blocks=raw["blocks"],
        words=raw["words"],
    )


__all__ = ["DEFAULT", "LANGUAGES", "Rubric", "Task", "UnknownRubric", "load", "names"]
