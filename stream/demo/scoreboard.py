"""What was injected against what was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from schemas.taxonomy import Failure
from stream.demo.queries import CLASSES, Found
from stream.demo.queue import Queued
from stream.demo.rates import UNKNOWN, Rate
from stream.demo.traffic import Truth
from stream.demo.world import PROMPTS, SPIKE_PROMPT, SPIKE_TENANT, TENANTS

MIN_RECALL: Final = 0.2
"""A class counts as found when at least this share of its injected traces was named so."""
MIN_INJECTED: Final = 20
"""Fewer say nothing: three of three are missed by chance in one run of eight where half are found."""


@dataclass(frozen=True, slots=True)
class Line:
    """One class: traces injected, traces named so, and how far the two agree."""

    injected: int
    found: int
    right: int

    @property
    def precision(self) -> float | None:
        """Of those named so, the share that was; null where none was named so."""
        return self.right / self.found if self.found else None

    @property
    def recall(self) -> float | None:
        """Of those injected, the share that was named so; null where none was injected."""
        return self.right / self.injected if self.injected else None


@dataclass(frozen=True, slots=True)
class Alarm:
    """An incident against what was injected."""

    found: Found
    onset_error_s: float | None
    """How far its onset lies behind the spike's first trace; null where there was no spike."""
    delay_s: float | None
    """From the spike's first trace to the incident."""
    injected_cases: int
    """Of its cases, those into which a hallucination was injected."""

    def facts(self) -> dict[str, Any]:
        """As the demo's JSON object has it."""
        found = self.found
        return {
            "incident": found.incident_id,
            "status": found.status,
            "severity": found.severity,
            "measure": found.measure,
            "segment": found.segment,
            "explained_by": found.explained_by,
            "release": found.release,
            "summary": found.summary,
            "baseline": _rounded(found.baseline),
            "value": _rounded(found.value),
            "traces": found.traces,
            "onset": datetime.fromtimestamp(found.onset, UTC).isoformat(timespec="milliseconds"),
            "onset_error_seconds": _seconds(self.onset_error_s),
            "detection_delay_seconds": _seconds(self.delay_s),
            "cases": list(found.cases),
            "cases_injected": self.injected_cases,
            "cases_injected_share": _rounded(self.injected_cases / len(found.cases)) if found.cases else None,
        }


@dataclass(slots=True)
class Scoreboard:
    """The whole comparison. `published` are the traces that the broker confirmed."""

    published: int
    scored: int
    dead: int
    dead_expected: int
    rows: int
    seconds: float
    feedback_published: int = 0
    feedback_rows: int = 0
    repeats: int = 0
    restarts: dict[str, int] = field(default_factory=dict)
    seed: int = 0
    scorer_version: str = ""
    by_class: dict[str, Line] = field(default_factory=dict)
    by_language: dict[str, dict[str, Line]] = field(default_factory=dict)
    before: Rate = UNKNOWN
    after: Rate = UNKNOWN
    injected_before: Rate = UNKNOWN
    injected_after: Rate = UNKNOWN
    interrupted: bool = False
    incidents: list[Alarm] = field(default_factory=list)
    queue: Queued | None = None

    def compare_incidents(
        self, found: Iterable[Found], spike_at: float | None, truths: Mapping[str, Truth]
    ) -> None:
        """Fill in what the watch found. `spike_at`: of the spike's first trace, seconds since 1970."""
        self.incidents = [
            Alarm(
                found=one,
                onset_error_s=None if spike_at is None else one.onset - spike_at,
                delay_s=None if spike_at is None else one.detected_at - spike_at,
                injected_cases=sum(
                    case in truths and truths[case].failure == Failure.HALLUCINATION for case in one.cases
                ),
            )
            for one in found
        ]

    def compare(self, truths: Mapping[str, Truth], verdicts: Mapping[str, str]) -> None:
        """Fill in the lines from what was injected and what was said, by trace_id."""
        self.by_class = _lines(truths, verdicts)
        for language in ("en", "zh"):
            own = {i: t for i, t in truths.items() if t.language == language}
            self.by_language[language] = _lines(own, {i: v for i, v in verdicts.items() if i in own})
        tenant = {i: t for i, t in truths.items() if t.tenant == SPIKE_TENANT}
        before = {i: t for i, t in tenant.items() if not t.spiking}
        after = {i: t for i, t in tenant.items() if t.spiking}
        self.before, self.after = _hallucinated(before, verdicts), _hallucinated(after, verdicts)
        self.injected_before = _hallucinated(before, {i: t.failure for i, t in before.items()})
        self.injected_after = _hallucinated(after, {i: t.failure for i, t in after.items()})

    def findings(self) -> list[str]:
        """What is wrong, one sentence each; empty when all is well."""
        wrong = []
        if self.interrupted:
            wrong.append("The run was interrupted before its end.")
        if not self.published == self.scored == self.rows:
            wrong.append(
                f"{self.published} traces were published, {self.scored} scored, {self.rows} stored: "
                "these should be the same."
            )
        if self.dead != self.dead_expected:
            wrong.append(f"{self.dead} dead letters, where {self.dead_expected} were injected as broken.")
        if self.feedback_rows != self.feedback_published:
            wrong.append(
                f"Late feedback on {self.feedback_published} traces was published, but "
                f"{self.feedback_rows} pieces found their trace."
            )
        if self.rows != self.published:
            return wrong  # what never came was not misjudged
        for name, line in self.by_class.items():
            if line.injected >= MIN_INJECTED and line.right < MIN_RECALL * line.injected:
                wrong.append(f"{name} was injected {line.injected} times and recognised {line.right} times.")
        return wrong

    def unjudged(self) -> list[str]:
        """Classes of which too few were injected to say whether they are found."""
        return [name for name, line in self.by_class.items() if line.injected < MIN_INJECTED]

    def summary(self) -> dict[str, Any]:
        """The one JSON object of `ragpulse demo --json`."""
        return {
            "published": self.published,
            "scored": self.scored,
            "dead": self.dead,
            "rows": self.rows,
            "seconds": round(self.seconds, 2),
            "rate": round(self.published / self.seconds, 2) if self.seconds else None,
            "by_class": _plain(self.by_class),
            "by_language": {language: _plain(lines) for language, lines in self.by_language.items()},
            "dead_expected": self.dead_expected,
            "feedback": {"published": self.feedback_published, "rows": self.feedback_rows},
            "repeats": self.repeats,
            "spike": {
                "tenant": SPIKE_TENANT,
                "from_prompt": PROMPTS[next(t.app for t in TENANTS if t.name == SPIKE_TENANT)],
                "to_prompt": SPIKE_PROMPT,
                "before": _rate(self.before),
                "after": _rate(self.after),
                "injected_before": _rate(self.injected_before),
                "injected_after": _rate(self.injected_after),
            },
            "incidents": [alarm.facts() for alarm in self.incidents],
            "annotation": self.queue.facts() if self.queue else None,
            "restarts": self.restarts,
            "scorer_version": self.scorer_version,
            "simulated": True,
            "seed": self.seed,
            "findings": self.findings(),
            "unjudged": self.unjudged(),
        }


def _lines(truths: Mapping[str, Truth], verdicts: Mapping[str, str]) -> dict[str, Line]:
    injected = Counter(truth.failure for truth in truths.values())
    found = Counter(verdicts.values())
    right = Counter(truth.failure for i, truth in truths.items() if verdicts.get(i) == truth.failure)
    return {name: Line(injected[name], found[name], right[name]) for name in CLASSES}


def _hallucinated(truths: Mapping[str, Truth], said: Mapping[str, str]) -> Rate:
    known = [said[i] for i in truths if i in said]
    return Rate(known.count(Failure.HALLUCINATION.value), len(known))


def _plain(lines: Mapping[str, Line]) -> dict[str, dict[str, Any]]:
    return {
        name: {
            "injected": line.injected,
            "found": line.found,
            "precision": _rounded(line.precision),
            "recall": _rounded(line.recall),
        }
        for name, line in lines.items()
    }


def _rate(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval or (None, None)
    return {"rate": _rounded(rate.value), "low": _rounded(low), "high": _rounded(high), "n": rate.total}


def _seconds(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


__all__ = ["MIN_INJECTED", "MIN_RECALL", "Alarm", "Line", "Scoreboard"]
