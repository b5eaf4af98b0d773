"""Counterfactual probes: a fact in the chunks was replaced. Does the answer follow the chunks, or memory?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from judges.gate.finding import ALL, Finding, Kind
from judges.gate.suite import Suite
from judges.intervals import Interval, wilson


class Outcome(StrEnum):
    """What an answer to a probe says."""

    FOLLOWED = "followed"
    """The fact that the chunks hold now."""
    OVERRODE = "overrode"
    """The fact that was replaced: it came from somewhere else."""
    UNCLEAR = "unclear"
    """Both, or neither."""
    REFUSED = "refused"
    FAILED = "failed"
    """There was no answer."""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """One probe and its outcome."""

    case_id: str
    kind: str
    """What was replaced: number, date, entity …"""
    before: str
    after: str
    outcome: Outcome
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Override:
    """All probes of a run."""

    results: tuple[ProbeResult, ...]
    wanted: int
    """How many the suite asks for."""

    def count(self, outcome: Outcome) -> int:
        """Probes that ended so."""
        return sum(one.outcome is outcome for one in self.results)

    @property
    def clear(self) -> int:
        """Probes that either followed or overrode the chunks."""
        return self.count(Outcome.FOLLOWED) + self.count(Outcome.OVERRODE)

    @property
    def rate(self) -> float | None:
        """Overriding answers among the clear ones; null without any."""
        return self.count(Outcome.OVERRODE) / self.clear if self.clear else None

    @property
    def interval(self) -> Interval:
        """Of the rate, 95 % (Wilson 1927)."""
        return wilson(self.count(Outcome.OVERRODE), self.clear)


def override_finding(suite: Suite, override: Override) -> Iterable[Finding]:
    """Too few clear probes, or an override rate that lies above what is allowed with its whole interval."""
    options, interval = suite.probes, override.interval
    if override.clear < options.least:
        told = {outcome.value: override.count(outcome) for outcome in Outcome}
        counts = ", ".join(f"{name} {n}" for name, n in told.items() if n) or "none was made"
        message = (
            f"Only {override.clear} probes came out clearly, {options.least} are needed: the override rate "
            f"was not measured ({counts})."
        )
        yield Finding(Kind.NOT_MEASURED, None, message, "override", ALL)
    elif interval.low > options.allowed:
        cases = tuple(one.case_id for one in override.results if one.outcome is Outcome.OVERRODE)
        message = (
            f"The system overrides its chunks in {override.rate:.0%} of {override.clear} probes "
            f"[{interval.low:.0%}, {interval.high:.0%}]; {options.allowed:.0%} is allowed."
        )
        yield Finding(Kind.OVERRIDE, None, message, "override", ALL, cases)


__all__ = ["Outcome", "Override", "ProbeResult", "override_finding"]
