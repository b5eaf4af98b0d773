"""Case by case against the baseline: what passed and fails now, and the other way round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judges.gate.baseline import Baseline
from judges.gate.result import CaseResult


@dataclass(frozen=True, slots=True)
class Turned:
    """A case that does not do as it did. `before` are the keys of the checks that failed then."""

    result: CaseResult
    before: tuple[str, ...]
    answered_before: str


@dataclass(frozen=True, slots=True)
class Diff:
    """All cases of which something changed."""

    broke: tuple[Turned, ...] = ()
    """Passed, and fail now."""
    mended: tuple[Turned, ...] = ()
    still_failing: tuple[str, ...] = ()


def diff_of(results: Sequence[CaseResult], baseline: Baseline | None) -> Diff:
    """The diff; empty without a baseline. A case that nobody answered then is no part of it."""
    if baseline is None:
        return Diff()
    known = [
        (one, Turned(one, past.failed, past.answer))
        for one in results
        if (past := baseline.cases.get(one.case_id)) is not None
    ]
    return Diff(
        broke=tuple(turned for one, turned in known if not one.passed and not turned.before),
        mended=tuple(turned for one, turned in known if one.passed and turned.before),
        still_failing=tuple(one.case_id for one, turned in known if not one.passed and turned.before),
    )


__all__ = ["Diff", "Turned", "diff_of"]
