"""Traces of the demo's traffic with the truth about them: what a judge can be examined by without labels."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from schemas.formats.own import decode
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace
from stream.demo.traffic import Traffic

LANGUAGES: Final = ("en", "zh")
KINDS: Final = (HEALTHY, Failure.HALLUCINATION.value)
"""What the local judge is asked to tell apart."""
_PATIENCE: Final = 200
"""Traces drawn for each one that is wanted."""


@dataclass(frozen=True, slots=True)
class KnownTrace:
    """A trace, and whether a hallucination was injected into its answer."""

    trace: Trace
    language: str
    hallucinated: bool


def known_traces(seed: int, each: int) -> list[KnownTrace]:
    """`each` of every kind and language, taking turns, from simulated traffic that the seed settles."""
    found: defaultdict[tuple[str, str], list[KnownTrace]] = defaultdict(list)
    wanted = [(language, kind) for kind in KINDS for language in LANGUAGES]
    for message in Traffic(seed).traces(max(each, 1) * _PATIENCE):
        truth = message.truth
        if truth is None or truth.failure not in KINDS:
            continue
        for decoded in decode(message.value):
            if isinstance(decoded, Trace):
                known = KnownTrace(decoded, truth.language, truth.failure == Failure.HALLUCINATION)
                found[truth.language, truth.failure].append(known)
        if all(len(found[one]) >= each for one in wanted):
            break
    return [found[one][turn] for turn in range(each) for one in wanted if turn < len(found[one])]


__all__ = ["KINDS", "LANGUAGES", "KnownTrace", "known_traces"]
