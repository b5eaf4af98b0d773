"""What the demo asks of ClickHouse: the state of things while it runs, and every verdict at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from schemas.taxonomy import FAILURES, HEALTHY
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import measured
from stream.demo.rates import UNKNOWN, Rate

CLASSES: Final = (HEALTHY, *(failure.value for failure in FAILURES))

_BY_CLASS: Final = "SELECT failure, count() AS n FROM traces FINAL GROUP BY failure"
_FAITHFULNESS: Final = measured("faithfulness")
_MEASURES: Final = f"""
SELECT avg({_FAITHFULNESS}) AS mean_faithfulness, count({_FAITHFULNESS}) AS measured,
       countIf(refusal) AS refusals, count() AS n,
       countIf(parametric_leak) AS leaks, countIf(language = 'zh') AS zh
FROM traces FINAL
"""
_BY_RELEASE: Final = """
SELECT tenant, release_prompt, count() AS n, countIf(failure = 'hallucination') AS hallucinated
FROM traces FINAL GROUP BY tenant, release_prompt ORDER BY tenant, release_prompt
"""
_LAST_CASES: Final = """
SELECT failure, tenant, coalesce(question, '') AS question, coalesce(answer, '') AS answer, rule
FROM traces FINAL WHERE failure != 'healthy' ORDER BY scored_at DESC, trace_id LIMIT {limit:UInt32}
"""
_COUNTS: Final = """
SELECT (SELECT uniqExact(trace_id) FROM traces) AS rows,
       (SELECT count() FROM dead_letters FINAL WHERE by != 'judge') AS dead,
       (SELECT uniqExact(trace_id) FROM feedback) AS feedback
"""
_JOINED: Final = "SELECT count() AS n FROM traces_with_feedback WHERE feedback_was_late"
_INCIDENTS: Final = """
SELECT incident_id, status, severity, measure, segment, explained_by, release, summary, cases, traces,
    baseline, value, toUnixTimestamp64Milli(onset) / 1000 AS onset,
    toUnixTimestamp64Milli(detected_at) / 1000 AS detected_at
FROM incidents FINAL WHERE status != 'absorbed' ORDER BY detected_at, incident_id
"""
_VERDICTS: Final = "SELECT trace_id, failure FROM traces FINAL"


@dataclass(frozen=True, slots=True)
class Landed:
    """What has arrived in the store: distinct traces, dead letters, traces with late feedback."""

    rows: int = 0
    dead: int = 0
    feedback: int = 0


NOTHING_LANDED: Final = Landed()


@dataclass(frozen=True, slots=True)
class Segment:
    """One tenant under one prompt release."""

    tenant: str
    prompt: str
    hallucinated: Rate


@dataclass(frozen=True, slots=True)
class Case:
    """One trace that failed."""

    failure: str
    tenant: str
    question: str
    answer: str
    rule: str


@dataclass(frozen=True, slots=True)
class Found:
    """One incident that the watch opened. Times are seconds since 1970."""

    incident_id: str
    status: str
    severity: str
    measure: str
    segment: str
    explained_by: str
    release: str
    summary: str
    cases: tuple[str, ...]
    traces: int
    baseline: float | None
    value: float | None
    onset: float
    detected_at: float


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state of things, as the live view shows it."""

    landed: Landed = NOTHING_LANDED
    by_class: dict[str, Rate] = field(default_factory=dict)
    faithfulness: float | None = None
    """Mean over the traces in which it could be measured: so many."""
    measured: int = 0
    refusals: Rate = UNKNOWN
    leaks: Rate = UNKNOWN
    chinese: Rate = UNKNOWN
    segments: tuple[Segment, ...] = ()
    cases: tuple[Case, ...] = ()
    incidents: tuple[Found, ...] = ()


NOTHING_YET: Final = Snapshot()


def count_landed(store: ClickHouse) -> Landed:
    """How much has arrived. Raises SinkError."""
    row = store.query(_COUNTS)[0]
    return Landed(int(row["rows"]), int(row["dead"]), int(row["feedback"]))


def take_snapshot(store: ClickHouse, cases: int = 6) -> Snapshot:
    """Everything the live view shows. Raises SinkError."""
    counts = {str(row["failure"]): int(row["n"]) for row in store.query(_BY_CLASS)}
    measures = store.query(_MEASURES)[0]
    total = int(measures["n"])
    return Snapshot(
        landed=count_landed(store),
        by_class={name: Rate(counts.get(name, 0), sum(counts.values())) for name in CLASSES},
        faithfulness=_number(measures["mean_faithfulness"]),
        measured=int(measures["measured"]),
        refusals=Rate(int(measures["refusals"]), total),
        leaks=Rate(int(measures["leaks"]), total),
        chinese=Rate(int(measures["zh"]), total),
        segments=tuple(_segment(row) for row in store.query(_BY_RELEASE)),
        cases=tuple(Case(**row) for row in store.query(_LAST_CASES, {"limit": cases})),
        incidents=read_incidents(store),
    )


def count_joined_feedback(store: ClickHouse) -> int:
    """Traces whose late feedback has found them. Raises SinkError."""
    return int(store.query(_JOINED)[0]["n"])


def read_incidents(store: ClickHouse) -> tuple[Found, ...]:
    """What the watch found, the first first; parts of an incident are left out. Raises SinkError."""
    rows = store.query(_INCIDENTS)
    return tuple(Found(**{**row, "cases": tuple(row["cases"])}) for row in rows)


def read_verdicts(store: ClickHouse) -> dict[str, str]:
    """The failure class of every trace (`healthy` included). Raises SinkError."""
    return {str(row["trace_id"]): str(row["failure"]) for row in store.query(_VERDICTS)}


def _segment(row: dict[str, Any]) -> Segment:
    total = int(row["n"])
    return Segment(
        str(row["tenant"]),
        str(row["release_prompt"]),
        Rate(int(row["hallucinated"]), total),
    )


def _number(value: Any) -> float | None:
    """A mean over nothing is NaN, or null."""
    return None if value is None or value != value else float(value)


__all__ = [
    "CLASSES",
    "NOTHING_YET",
    "Case",
    "Found",
    "Landed",
    "Segment",
    "Snapshot",
    "count_joined_feedback",
    "count_landed",
    "read_incidents",
    "read_verdicts",
    "take_snapshot",
]
