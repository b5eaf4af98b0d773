"""Where a model's odds begin to mean a hallucination: fitted on traces whose truth is known."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from judges.llm.asking import JudgeFailed
from judges.llm.local.boundary import Boundary, fit_boundary
from judges.llm.local.client import AsksForNext
from judges.llm.local.opine import LocalJudge
from stream.local.traces import LANGUAGES, KnownTrace

Tell = Callable[[str, int, int], None]
"""What is being done, how far it is, and of how many."""


async def fit(server: AsksForNext, known: Sequence[KnownTrace], tell: Tell) -> dict[str, Boundary]:
    """A boundary for each language, from traces whose truth is known. Traces without odds are left out."""
    judge = LocalJudge(server, "", {})
    odds: dict[str, list[tuple[float, bool]]] = {language: [] for language in LANGUAGES}
    for done, one in enumerate(known, 1):
        try:
            weakest = (await judge.read_odds(one.trace)).weakest
        except JudgeFailed as failed:
            if failed.retryable:
                raise
            weakest = None
        if weakest is not None:
            odds[one.language].append((weakest, one.hallucinated))
        tell("fitting the boundary", done, len(known))
    found = {}
    for language, seen in odds.items():
        if len({bad for _, bad in seen}) == 2:
            found[language] = fit_boundary([value for value, _ in seen], [bad for _, bad in seen])
    return found


__all__ = ["Tell", "fit"]
