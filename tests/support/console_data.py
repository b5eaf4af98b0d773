"""A store with an hour of the demo's traffic in it, and all that the console's pages show beside it.

The traces are the demo's, scored by the shipped scorer; a release makes one tenant's model invent things in
the last third. What judges, people and the watch said of them is made up here, from the traces themselves,
in the words in which the real parts store it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from judges.distilled import load_scorer
from judges.intervals import wilson
from schemas.row import Provenance, Sampling, encode, stamp, trace_row
from schemas.scored import Judged
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.rollup import roll_up
from stream.demo.traffic import Traffic
from stream.pipeline import judge_batch
from stream.sampling import draw

LENGTH_S: Final = 3_300
SPIKES_AT: Final = 0.6
_JUDGED: Final = 0.3
_WINDOW_S: Final = 300
_JUDGES: Final = (("strict", "qwen-max", 0.0021), ("careful", "gpt-4o-mini", 0.0007))
INCIDENT: Final = "i-lumen-p8"
SEGMENT: Final = "app=helpdesk,tenant=lumen"


@dataclass(frozen=True, slots=True)
class Filled:
    """What lies in the store: rows of table `traces`, in order of time, and when they begin and end."""

    traces: list[dict[str, Any]]
    begin: datetime
    end: datetime

    def case(self, failure: str, language: str, **wanted: Any) -> dict[str, Any]:
        """The first trace of this class and language that has what is wanted."""
        return next(
            row
            for row in self.traces
            if row["failure"] == failure
            and row["language"] == language
            and all(row[name] == value for name, value in wanted.items())
        )

    def worst(self) -> str:
        """The trace_id of the first case of the incident, which has late feedback."""
        return str(_worst(self.traces)[0]["trace_id"])


def fill(client: ClickHouse, *, end: datetime, traces: int = 900, seed: int = 17) -> Filled:
    """Migrate, and store everything. Raises SinkError."""
    migrate(client)
    begin = end - timedelta(seconds=LENGTH_S)
    rows = [orjson.loads(line) for line in _rows(begin, traces, seed)]
    sampled = [row for row in rows if row["sampled"]]
    cases = _worst(rows)
    tables = {
        "traces": rows,
        "verdicts": [verdict for row in sampled for verdict in _verdicts(row)],
        "release_marks": list(_marks(begin)),
        "incidents": list(_incidents(rows, begin, cases)),
        "rates": list(_rates(rows, begin)),
        "judge_calibration": list(_calibrations(begin)),
        "judge_probes": list(_probes(begin)),
        "dead_letters": list(_dead(begin)),
        "feedback": [_feedback(cases[0], begin)],
    }
    for table, made in tables.items():
        client.insert_raw(table, b"\n".join(orjson.dumps(row) for row in made))
    roll_up(client)
    return Filled(rows, begin, end)


def _rows(begin: datetime, wanted: int, seed: int) -> Iterator[bytes]:
    traffic = Traffic(seed)
    traces: list[Trace] = []
    while len(traces) < wanted:
        for message in traffic.next(spiking=len(traces) > SPIKES_AT * wanted):
            if message.truth and len(traces) < wanted:
                at = begin + timedelta(seconds=len(traces) * LENGTH_S / wanted)
                traces.append(Trace.model_validate_json(message.value).model_copy(update={"timestamp": at}))
    scorer = load_scorer()
    for first in range(0, wanted, 100):
        for judged in judge_batch(traces[first : first + 100], scorer):
            when = judged.trace.timestamp or begin
            yield encode(trace_row(judged, Provenance("rag.traces", 0, first, when), _sampling(judged), when))


def _sampling(judged: Judged) -> Sampling:
    return Sampling(draw(judged.trace.trace_id, "test") < _JUDGED, _JUDGED, ("control",))


def _verdicts(row: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Two judges: one agrees with the scorer, the other doubts every fifth failure."""
    evidence = orjson.loads(row["evidence"] or "[]")
    for place, (judge, model, price) in enumerate(_JUDGES):
        doubts = place == 1 and draw(row["trace_id"], "doubt") < 0.2
        failure = "healthy" if doubts else row["failure"]
        names = ("trace_id", "timestamp", "app", "tenant", "language", "faithfulness", "hallucination")
        yield {name: row[name] for name in names} | {
            "judge": judge, "model": model, "rubric": "faithfulness", "rubric_version": "1",
            "failure": failure, "failure_confidence": 0.8, "role": "verdict",
            "claims": orjson.dumps([_claim(one, doubts) for one in evidence]).decode(),
            "rationale": "Compared each claim with the passages.",
            "root_cause": "" if failure == "healthy" else f"The first stage that failed: {failure}.",
            "suggested_fix": "" if failure == "healthy" else "Quote the passage, or decline.",
            "sample_probability": _JUDGED, "sample_reasons": ["control"], "input_tokens": 900,
            "output_tokens": 120, "calls": 2, "cost_usd": price, "latency_ms": 900.0 + 300 * place,
            "created_at": row["timestamp"],
        }  # fmt: skip


def _claim(one: dict[str, Any], doubts: bool) -> dict[str, Any]:
    supported = doubts or one["support"] >= 0.5
    return {
        "text": one["text"], "label": "supported" if supported else "not_found",
        "claimed": "supported" if supported else "not_found", "quote": one["text"][:40] if supported else "",
        "chunk": one["chunk"], "verified": supported, "void": "",
    }  # fmt: skip


def _worst(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Ten hallucinations of the tenant under the new prompt, the surest first."""
    bad = [r for r in rows if r["failure"] == "hallucination" and r["release_prompt"] == "p8"]
    return sorted(bad, key=lambda r: -r["failure_confidence"])[:10]


def _marks(begin: datetime) -> Iterator[dict[str, Any]]:
    at = begin + timedelta(seconds=SPIKES_AT * LENGTH_S)
    for part, value, previous in (("prompt", "p8", "p7"), ("app", "v43", "v42")):
        yield {
            "at": stamp(at), "app": "helpdesk", "part": part, "value": value, "previous": previous,
            "source": "detected", "note": "", "made_by": "watch",
        }  # fmt: skip
    yield {
        "at": stamp(begin + timedelta(minutes=6)), "app": "dev-docs", "part": "index", "value": "docs-v5",
        "previous": "docs-v4", "source": "manual", "note": "new handbook", "made_by": "ops",
    }  # fmt: skip


def _incidents(
    rows: list[dict[str, Any]], begin: datetime, cases: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    onset = begin + timedelta(seconds=SPIKES_AT * LENGTH_S + 8)
    before, since = _mean(rows, begin, onset), _mean(rows, onset, onset + timedelta(hours=1))
    one = {
        "incident_id": INCIDENT, "status": "open", "severity": "page", "kind": "change",
        "measure": "hallucination", "segment": SEGMENT, "app": "helpdesk", "tenant": "lumen",
        "onset": stamp(onset), "detected_at": stamp(onset + timedelta(seconds=94)), "traces": since[1],
        "baseline": before[0], "value": since[0], **since[2], "evidence": 21.4,
        "explained_by": f"{SEGMENT},release_prompt=p8", "release": "prompt=p8",
        "summary": f"Hallucination of {SEGMENT} rose from {before[0]:.1%} to {since[0]:.1%}, after the "
        "release of prompt=p8, app=v43",
        "explanation": orjson.dumps(_explanation(before[0], since[0])).decode(),
        "cases": [row["trace_id"] for row in cases], "notifications": 1,
        "updated_at": stamp(begin + timedelta(hours=1)),
    }  # fmt: skip
    yield one
    yield one | {
        "incident_id": "i-part", "status": "absorbed", "parent": INCIDENT, "measure": "faithfulness",
        "severity": "ticket", "evidence": 9.0, "cases": [], "summary": f"Faithfulness of {SEGMENT} fell",
    }  # fmt: skip
    yield one | {
        "incident_id": "i-old", "status": "resolved", "severity": "ticket", "measure": "empty_recall",
        "segment": "app=dev-docs", "app": "dev-docs", "tenant": "", "baseline": 0.04, "value": 0.21,
        "low": 0.12, "high": 0.33, "traces": 62, "release": "index=docs-v5",
        "onset": stamp(begin + timedelta(minutes=7)), "detected_at": stamp(begin + timedelta(minutes=10)),
        "resolved_at": stamp(begin + timedelta(minutes=24)),
        "summary": "Empty recall of app=dev-docs rose from 4.0% to 21.0%, after the release of index=docs-v5",
        "explained_by": "app=dev-docs,release_index=docs-v5", "explanation": "{}", "cases": [],
    }  # fmt: skip


def _explanation(before: float, since: float) -> dict[str, Any]:
    excess = since - before
    splits = [
        {"segment": SEGMENT, "traces": 220, "value": since, "usual": before, "excess": 220 * excess, "share":
        1.0},
        {"segment": f"{SEGMENT},release_prompt=p8", "traces": 211, "value": since + 0.02, "usual": before,
         "excess": 211 * excess, "share": 0.97},
        {"segment": f"{SEGMENT},language=zh", "traces": 108, "value": since, "usual": before,
         "excess": 104 * excess, "share": 0.47},
    ]  # fmt: skip
    return {
        "carried_by": f"{SEGMENT},release_prompt=p8", "share": 0.97, "traffic": 0.24, "before": before,
        "since": since, "by_mix": 0.002, "by_change": excess - 0.002, "new": ["prompt=p8", "app=v43"],
        "releases": [
            {"mark": "prompt=p8", "previous": "p7", "seconds_before": 8.0, "source": "detected", "note": ""}
        ],
        "splits": splits,
    }  # fmt: skip


def _mean(
    rows: list[dict[str, Any]], since: datetime, until: datetime
) -> tuple[float, int, dict[str, float]]:
    """Mean probability of a hallucination of the tenant within a time; on how many; its interval."""
    values = [
        row["hallucination"]
        for row in rows
        if row["tenant"] == "lumen"
        and row["hallucination"] is not None
        and stamp(since) <= row["timestamp"] < stamp(until)
    ]
    if not values:
        return 0.0, 0, {"low": 0.0, "high": 1.0}
    interval = wilson(sum(values), len(values))
    return sum(values) / len(values), len(values), {"low": interval.low, "high": interval.high}


def _rates(rows: list[dict[str, Any]], begin: datetime) -> Iterator[dict[str, Any]]:
    """Every minute the rate of the last five, as the watch stores it; and once what verdicts make of all
    traffic."""
    wealth = 0.0
    for minute in range(5, LENGTH_S // 60 + 1):
        at = begin + timedelta(minutes=minute)
        value, n, interval = _mean(rows, at - timedelta(seconds=_WINDOW_S), at)
        wealth = max(0.0, wealth + 12 * (value - 0.3)) if n else wealth
        yield _rate(at, SEGMENT, "hallucination", n, value, interval) | {"baseline": 0.2, "evidence": wealth}
    end = begin + timedelta(seconds=LENGTH_S)
    seen = [row["hallucination"] for row in rows if row["hallucination"] is not None]
    hits = sum(value >= 0.5 for value in seen) * 0.8
    known = wilson(hits, len(seen))
    bounds = {"low": known.low - 0.01, "high": known.high + 0.01}
    yield _rate(end, "", "hallucination", len(seen), hits / len(seen), bounds) | {
        "method": "prediction_powered", "judged": sum(row["sampled"] for row in rows),
    }  # fmt: skip


def _rate(
    at: datetime, segment: str, measure: str, n: int, value: float, interval: dict[str, float]
) -> dict[str, Any]:
    return {
        "at": stamp(at)[:19], "window_s": _WINDOW_S, "measure": measure, "segment": segment,
        "app": "helpdesk" if segment else "", "tenant": "lumen" if segment else "", "traces": n, "measured":
        n,
        "cheap_value": value, "value": value if n else None, **interval, "level": 0.95, "method": "cheap",
        "computed_at": stamp(at),
    }  # fmt: skip


def _calibrations(begin: datetime) -> Iterator[dict[str, Any]]:
    told = {
        ("strict", ""): (0.78, 0.71, 0.84, 212), ("strict", "en"): (0.81, 0.72, 0.89, 108),
        ("strict", "zh"): (0.75, 0.65, 0.84, 104), ("careful", ""): (0.55, 0.45, 0.64, 212),
        ("careful", "en"): (0.66, 0.53, 0.77, 108), ("careful", "zh"): (0.43, 0.29, 0.57, 104),
    }  # fmt: skip
    models = {judge: model for judge, model, _ in _JUDGES}
    for (judge, language), (kappa, low, high, n) in told.items():
        for measure in ("hallucination", "failure"):
            yield {
                "judge": judge, "model": models[judge], "rubric": "faithfulness", "rubric_version": "1",
                "language": language, "measure": measure, "n": n, "kappa": kappa, "low": low, "high": high,
                "raw": 0.9, "ac1": kappa + 0.05, "min_kappa": 0.6, "min_labels": 100,
                "calibrated": low >= 0.6, "reason": "" if low >= 0.6 else "below_min_kappa",
                "at": stamp(begin + timedelta(minutes=3)),
            }  # fmt: skip
    yield {
        "judge": "careful", "model": "gpt-4o-mini", "rubric": "helpfulness", "rubric_version": "2",
        "measure": "hallucination", "language": "zh", "n": 0, "kappa": None, "reason": "no_items",
        "min_kappa": 0.6, "min_labels": 100, "calibrated": False, "at": stamp(begin),
    }  # fmt: skip


def _probes(begin: datetime) -> Iterator[dict[str, Any]]:
    for run in range(2):
        for number in range(24):
            wrong = number % (12 if run == 0 else 6) == 5
            yield {
                "run": f"r{run}", "at": stamp(begin + timedelta(minutes=20 * run)), "judge": "strict",
                "model": "qwen-max", "rubric": "faithfulness", "rubric_version": "1", "probe": f"p-{number}",
                "language": "zh" if number % 2 else "en", "expected": "healthy",
                "said": "hallucination" if wrong else "healthy", "begins_baseline": run == 0,
            }  # fmt: skip


def _dead(begin: datetime) -> Iterator[dict[str, Any]]:
    for offset in range(3):
        yield {
            "reason": "not_json", "detail": "", "topic": "rag.traces", "partition": 0, "offset": offset,
            "timestamp": stamp(begin + timedelta(minutes=9)), "size": 120, "by": "worker",
            "died_at": stamp(begin + timedelta(minutes=9)),
        }  # fmt: skip


def _feedback(case: dict[str, Any], begin: datetime) -> dict[str, Any]:
    at = stamp(begin + timedelta(hours=1))
    return {
        "trace_id": case["trace_id"], "timestamp": case["timestamp"], "received_at": at, "rating": -1,
        "comment": "That is not what your own page says.",
    }  # fmt: skip


def just_now() -> datetime:
    """The end of a store that is filled now."""
    return datetime.now(UTC).replace(microsecond=0)


__all__ = ["INCIDENT", "SEGMENT", "Filled", "fill", "just_now"]
