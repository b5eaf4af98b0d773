"""Word lists, read once: words, and names. `tools/build_name_lists.py` says where they come from."""

from __future__ import annotations

from collections import Counter
from functools import cache
from importlib.resources import files
from typing import Final

_DATA: Final = files("judges.redaction") / "data"
_FROM: Final = ("en", "world", "many")
"""Lists of names: a census, ours, and those of many countries."""


@cache
def chinese_words() -> frozenset[str]:
    """Chinese words of two characters, and those of three that begin like a name."""
    return frozenset(_read("words.zh.txt") + _read("words.now.zh.txt"))


@cache
def words_or_names() -> frozenset[str]:
    """Chinese words of two characters that a dictionary calls names, for their surname is a word."""
    return frozenset(_read("words.or.names.zh.txt")) - chinese_words()


@cache
def minority_names() -> frozenset[str]:
    """Given names of minorities of China in Chinese characters."""
    return frozenset(_read("given.minorities.zh.txt"))


@cache
def words_with() -> Counter[str]:
    """In how many Chinese words each character occurs."""
    return Counter(character for word in chinese_words() for character in word)


@cache
def english_words() -> frozenset[str]:
    """English words that are written in small letters, in small letters."""
    return frozenset(_read("words.en.txt"))


@cache
def given_names() -> frozenset[str]:
    """Given names that are hardly ever anything else, in small letters."""
    return frozenset(name for name in _given() if not name.endswith("~")) - _ambiguous()


@cache
def any_given_names() -> frozenset[str]:
    """Given names, also those that are words or places (Mark, Jordan), in small letters."""
    return frozenset(name.rstrip("~") for name in _given()) | _ambiguous()


@cache
def family_names() -> frozenset[str]:
    """Surnames in Latin letters, in small letters."""
    return frozenset(name.rstrip("~") for kind in _FROM for name in _read(f"surnames.{kind}.txt"))


@cache
def _given() -> list[str]:
    return [name for kind in _FROM for name in _read(f"given.{kind}.txt")]


@cache
def _ambiguous() -> frozenset[str]:
    return frozenset(_read("given.ambiguous.txt"))


def _read(name: str) -> list[str]:
    text = (_DATA / name).read_text(encoding="utf-8")
    return " ".join(line for line in text.splitlines() if not line.startswith("#")).split()
