"""Reads the wording files of `judges/distilled/data`: words and rules of one purpose in one language.

    == words ==                        roles and their words; a line that is indented goes on
    TELL: answer say confirm

    == shorthand ==                    parts of patterns, used as {CANNOT}
    CANNOT = (can ADVERB* not|unable to)

    == speaker ==                      a group of rules: a pattern, and below it what it recognises
    SPEAKER ..2 {CANNOT} ..2 TELL
        > I'm afraid I can't really tell you that.

Lines that begin with `#` are comments.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files
from itertools import chain

from judges.distilled.reading.wording.grammar import Grammar, Rule

WORDS, SHORTHAND = "words", "shorthand"


def read_grammar(*names: str) -> Grammar:
    """The grammar that `data/NAME.txt` of all names make up. Raises `ValueError` without examples."""
    vocabulary: dict[str, str] = {}
    shorthand: dict[str, str] = {}
    groups: dict[str, list[Rule]] = {}
    for section, line in chain.from_iterable(_read_entries(name) for name in names):
        if section == WORDS:
            role, _, words = line.partition(":")
            vocabulary[role] = words
        elif section == SHORTHAND:
            short, _, pattern = line.partition("=")
            shorthand[short.strip()] = pattern.strip().format_map(shorthand)
        else:
            pattern, *examples = (part.strip() for part in line.split("\n> "))
            if not examples:
                raise ValueError(f"rule without an example: {pattern}")
            groups.setdefault(section, []).append(Rule(pattern.format_map(shorthand), tuple(examples)))
    return Grammar(vocabulary, **groups)


def _read_entries(name: str) -> Iterator[tuple[str, str]]:
    """The section of each entry, and the entry with what is indented below it."""
    text = files("judges.distilled").joinpath("data", name + ".txt").read_text(encoding="utf-8")
    section, entry = "", ""
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line.startswith(" "):
            stripped = line.strip()
            entry += ("\n" if stripped.startswith("> ") else " ") + stripped
            continue
        if entry:
            yield section, entry
        entry = ""
        if line.startswith("=="):
            section = line.strip("= ")
        else:
            entry = line
    if entry:
        yield section, entry
