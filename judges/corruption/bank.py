"""The texts that this library carries: read once, by file and section."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


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
        if line.startswith("[") and line.rstrip().endswith("]"):
            current = sections.setdefault(line.strip()[1:-1], [])
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
