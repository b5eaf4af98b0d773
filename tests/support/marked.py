"""Sentences with marked personal data, and what a run of the redaction finds of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from judges.redaction import Item, redact

DATA = Path(__file__).parents[1] / "data" / "redaction"
_MARKED = re.compile(r"⟦(\w+)\|([^⟧]*)⟧")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and what is marked in it."""

    language: str
    text: str
    items: tuple[Item, ...]
    held: bool
    """Whether nothing was tuned on it."""


@dataclass(slots=True)
class Measured:
    """Counts by language and kind."""

    marked: Counter[tuple[str, str]] = field(default_factory=Counter)
    found: Counter[tuple[str, str]] = field(default_factory=Counter)
    missed: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, what was missed, and the sentence."""
    wrong: list[tuple[str, str, str]] = field(default_factory=list)
    """Kind, what was taken out for it, and the sentence."""
    taken: int = 0

    @property
    def recall(self) -> float:
        """Marked items that nothing is left of, of all."""
        return self.found.total() / self.marked.total()

    @property
    def precision(self) -> float:
        """Stretches taken out that touch something marked, of all."""
        return 1 - len(self.wrong) / self.taken


def read_marked() -> list[Sentence]:
    """Every marked sentence that something was tuned on, or that was tuned on after it was measured."""
    first = [_parse(*line, held=bool(n % 2)) for n, line in enumerate(_lines("marked.txt"))]
    return first + [_parse(*line, held=False) for line in _lines("second.marked.txt")]


def read_clean() -> list[Sentence]:
    """Every sentence without anything to take out, of the same sets."""
    first = [_parse(*line, held=bool(n % 2)) for n, line in enumerate(_lines("clean.txt"))]
    return first + [_parse(*line, held=False) for line in _lines("second.clean.txt")]


def read_held() -> tuple[list[Sentence], list[Sentence]]:
    """Sentences that nothing was tuned on: marked ones, and ones without anything to take out."""
    marked = [_parse(*line, held=True) for line in _lines("held.marked.txt")]
    return marked, [_parse(*line, held=True) for line in _lines("held.clean.txt")]


def _lines(name: str) -> Iterator[tuple[str, str]]:
    for line in (DATA / name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("# "):
            language, _, text = line.partition("\t")
            yield language, text.replace("\\n", "\n").replace("¦", "")


def _parse(language: str, marked: str, *, held: bool) -> Sentence:
    parts: list[str] = []
    items: list[Item] = []
    place = length = 0
    for match in _MARKED.finditer(marked):
        before = marked[place : match.start()]
        length += len(before)
        items.append(Item(match[1], length, length + len(match[2])))
        length += len(match[2])
        parts += (before, match[2])
        place = match.end()
    parts.append(marked[place:])
    return Sentence(language, "".join(parts), tuple(items), held)


def measure(sentences: Iterable[Sentence]) -> Measured:
    """What redaction makes of the sentences."""
    measured = Measured()
    for sentence in sentences:
        items = redact(sentence.text).items
        gone = {place for item in items for place in range(item.start, item.end)}
        for item in sentence.items:
            measured.marked[sentence.language, item.kind] += 1
            value = sentence.text[item.start : item.end]
            if all(
                place in gone or not sentence.text[place].isalnum() for place in range(item.start, item.end)
            ):
                measured.found[sentence.language, item.kind] += 1
            else:
                measured.missed.append((item.kind, value, sentence.text))
        for item in items:
            measured.taken += 1
            if not any(item.start < other.end and other.start < item.end for other in sentence.items):
                measured.wrong.append((item.kind, sentence.text[item.start : item.end], sentence.text))
    return measured
