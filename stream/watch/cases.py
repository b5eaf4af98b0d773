"""Ten cases worth looking at: where the answer is furthest from its documents, each kind once.

The gap between answer and documents is the probability of an unsupported claim times what the weakest claim
lacks in support. Where that is not measured (an error, an empty retrieval), the confidence of the verdict
stands for it. Of texts that are nearly the same, and of one conversation, only the worst is shown.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

MOST: Final = 10
_SHINGLE: Final = 4
"""Characters: words of English, phrases of Chinese."""
_ALIKE: Final = 0.6
"""Of the shingles of the shorter text that the other one has too."""
_COMPARED_CHARACTERS: Final = 1_000


@dataclass(slots=True, frozen=True)
class Candidate:
    """A trace that may be shown. Its text is compared and goes nowhere."""

    trace_id: str
    conversation: str = ""
    """Empty: of none."""
    probability: float | None = None
    """Of an unsupported claim."""
    support: float | None = None
    """Of the claim with the least of it, 0..1."""
    confidence: float = 0.0
    """Of the verdict."""
    text: str = ""
    """Question and answer."""

    @property
    def gap(self) -> float:
        """0..1: how far the answer is from its documents."""
        if self.probability is None:
            return self.confidence
        return self.probability * (1.0 - (self.support if self.support is not None else 0.5))


@dataclass(slots=True, frozen=True)
class Case:
    """A trace that is shown."""

    trace_id: str
    gap: float
    alike: int = 0
    """How many others it stands for."""


def worst_cases(candidates: Iterable[Candidate], most: int = MOST) -> list[Case]:
    """The worst, the worst first; each kind and each conversation once, as long as there are enough kinds.

    The same candidates give the same cases, in whatever order they come.
    """
    ranked = sorted(candidates, key=lambda one: (-one.gap, one.trace_id))
    shown: list[tuple[Candidate, frozenset[str]]] = []
    alike: list[int] = []
    left: list[Candidate] = []
    for one in ranked:
        pieces = _shingles(one.text)
        kind = next((n for n, other in enumerate(shown) if _same_kind(one, pieces, other)), None)
        if kind is not None:
            alike[kind] += 1
            left.append(one)
        elif len(shown) < most:
            shown.append((one, pieces))
            alike.append(0)
    cases = [
        Case(one.trace_id, round(one.gap, 4), count) for (one, _), count in zip(shown, alike, strict=True)
    ]
    more = [Case(one.trace_id, round(one.gap, 4)) for one in left[: most - len(cases)]]
    return cases + more


def _same_kind(one: Candidate, pieces: frozenset[str], other: tuple[Candidate, frozenset[str]]) -> bool:
    if one.conversation and one.conversation == other[0].conversation:
        return True
    fewer = min(len(pieces), len(other[1]))
    return fewer > 0 and len(pieces & other[1]) >= _ALIKE * fewer


def _shingles(text: str) -> frozenset[str]:
    """What it is made of; digits count as alike, so that order numbers do not make a kind."""
    plain = "".join("0" if c.isdigit() else c for c in text[:_COMPARED_CHARACTERS].casefold() if c.isalnum())
    if len(plain) <= _SHINGLE:
        return frozenset((plain,)) if plain else frozenset()
    return frozenset(plain[start : start + _SHINGLE] for start in range(len(plain) - _SHINGLE + 1))


__all__ = ["MOST", "Candidate", "Case", "worst_cases"]
