"""The texts that this library carries: read once, by file and section."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from random import Random

_HEADER = re.compile(r"\[([a-z][a-z_ -]*)\]")
_SLOT = re.compile(r"(?<!\{)\{([a-z]+)\}(?!\})")


@cache
def read_bank(name: str) -> dict[str, tuple[str, ...]]:
    """The lines of `data/<name>.txt` by section; `#` starts a comment line.

    >>> sorted(read_bank("groups"))
    ['en', 'zh']
    """
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    text = files("judges.corruption").joinpath("data", f"{name}.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        header = _HEADER.fullmatch(line.strip())
        if header:
            current = sections.setdefault(header[1], [])
        elif line.strip() and not line.startswith("#"):
            current.append(line.strip())
    return {section: tuple(lines) for section, lines in sections.items()}


@cache
def read_groups(language: str) -> dict[str, tuple[str, ...]]:
    """The closed groups of words of one language, by name.

    >>> read_groups("en")["metal"]
    ('gold', 'silver', 'bronze')
    """
    groups = {}
    for line in read_bank("groups")[language]:
        name, _, words = line.partition(":")
        groups[name] = tuple(word.strip() for word in words.split(","))
    return groups


@cache
def read_words(section: str) -> tuple[str, ...]:
    """The words of one section of `data/words.txt`.

    >>> read_words("verbs")[:3]
    ('accept', 'add', 'affect')
    """
    return tuple(word for line in read_bank("words")[section] for word in line.split())


def fill(line: str, **slots: str) -> str:
    """A line of a bank with its `{slots}` filled; slots that are not given, and `{{…}}`, stay.

    >>> fill("{a} {b} {{a}}", a="x")
    'x {b} {{a}}'
    """
    return _SLOT.sub(lambda match: slots.get(match[1], match[0]), line).replace("\\n", "\n")


def pick(name: str, section: str, random: Random, **slots: str) -> str:
    """One line of a section, drawn at random and filled."""
    return fill(random.choice(read_bank(name)[section]), **slots)
