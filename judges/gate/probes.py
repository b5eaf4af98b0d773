"""Counterfactual probes: a fact that an answer states is replaced in all chunks, and it is asked again.

Whoever answers from the chunks states the new fact; whoever answers from memory states the old one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

from judges.corruption.change import Change, Kind, says_the_same
from judges.corruption.change_date import change_date
from judges.corruption.change_number import change_number
from judges.corruption.swap_entity import swap_entity
from judges.gate.override import Outcome, ProbeResult
from judges.gate.ranking import folded
from judges.golden import GoldenCase
from schemas.trace import Chunk

_WAYS: Final[tuple[Callable[[str, Random, Sequence[str]], Change | None], ...]] = (
    change_number,
    swap_entity,
    change_date,
)
_TRIES: Final = 12
"""Draws of each way and chunk: most replace something that the answer does not state."""
_FIGURE: Final = re.compile(r"\d[\d,]*(?:\.\d+)?|[零〇一二两三四五六七八九十百千万亿]+")
_SHOWN_CHARS: Final = 300


@dataclass(frozen=True, slots=True)
class Probe:
    """A case to be asked again, over chunks in which `before` was replaced by `after`."""

    case: GoldenCase
    kind: Kind
    before: str
    after: str
    chunks: tuple[dict[str, str | None], ...]
    """id and text of each."""


def make_probe(case: GoldenCase, chunks: Sequence[Chunk], answer: str, random: Random) -> Probe | None:
    """A probe on a fact that `answer` states and the chunks hold; null where none was found."""
    texts = [chunk.text for chunk in chunks if chunk.text]
    if len(texts) < len(chunks) or not texts or case.should_refuse:
        return None
    gold = set(case.gold_chunk_ids)
    first = sorted(range(len(chunks)), key=lambda at: (chunks[at].id not in gold, at))
    for at in first:
        for way in _WAYS:
            for _ in range(_TRIES):
                change = way(texts[at], random, texts)
                if change is not None and _is_fair(change, texts, answer):
                    altered = [_replaced(text, change) for text in texts]
                    named = tuple(
                        {"id": chunk.id, "text": text} for chunk, text in zip(chunks, altered, strict=True)
                    )
                    return Probe(case, change.kind, change.before, change.after, named)
    return None


def read_outcome(probe: Probe, answer: str | None, *, refused: bool) -> ProbeResult:
    """What an answer to a probe says; null is no answer."""
    outcome = Outcome.FAILED
    if answer:
        old, new = (states(answer, fact, probe.kind) for fact in (probe.before, probe.after))
        if new and not old:
            outcome = Outcome.FOLLOWED
        elif old and not new:
            outcome = Outcome.OVERRODE
        else:
            outcome = Outcome.REFUSED if refused else Outcome.UNCLEAR
    shown = (answer or "")[:_SHOWN_CHARS]
    return ProbeResult(probe.case.case_id, probe.kind.value, probe.before, probe.after, outcome, shown)


def states(text: str, fact: str, kind: Kind) -> bool:
    """Whether a text states a fact: a figure in any spelling, anything else as it is written.

    >>> states("可以退三十天", "30", Kind.NUMBER), states("within 300 days", "30", Kind.NUMBER)
    (True, False)
    """
    if kind is Kind.NUMBER or fact.isdigit():
        return any(says_the_same(match[0].strip(","), fact) for match in _FIGURE.finditer(text))
    return re.search(_alone(folded(fact)), folded(text)) is not None


def _is_fair(change: Change, texts: Sequence[str], answer: str) -> bool:
    """The answer states what is replaced, and nothing else says what it is replaced by."""
    before, after, kind = change.before, change.after, change.kind
    if not before.strip() or not after.strip() or not states(answer, before, kind):
        return False
    if states(answer, after, kind) or any(states(text, after, kind) for text in texts):
        return False
    return not any(states(_replaced(text, change), before, kind) for text in texts)


def _replaced(text: str, change: Change) -> str:
    return re.sub(_alone(change.before), lambda _: change.after, text)


def _alone(fact: str) -> str:
    """A pattern for a fact that is no piece of a longer word or number."""
    left = r"(?<![A-Za-z0-9])(?<!\d[.,])" if fact[:1].isascii() and fact[:1].isalnum() else ""
    right = r"(?![A-Za-z0-9])(?![.,]\d)" if fact[-1:].isascii() and fact[-1:].isalnum() else ""
    return left + re.escape(fact) + right


__all__ = ["Probe", "make_probe", "read_outcome", "states"]
