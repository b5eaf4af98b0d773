"""Traffic in a table for the watch to look at: tenants, languages, a scorer that errs, injected faults."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from schemas.row import encode
from sinks.clickhouse.client import ClickHouse
from stream.endpoint import Health
from stream.settings import Settings
from stream.telemetry import WatchMetrics
from stream.watch.loop import WatchLoop
from stream.watch.main import compose, open_couriers, open_watcher
from tests.support.rows import trace_values

SAMPLED = 0.3
"""Share of all traces that judges see."""
TENANTS = ("acme", "globex", "initech")


@dataclass(slots=True)
class Moment:
    """What a trace of this moment is like."""

    hallucinated: float = 0.05
    chinese: float = 0.4
    scorer: str = "s-1"
    prompt: str = "p7"


@dataclass(slots=True)
class Stored:
    """What was injected, by trace_id."""

    bad: set[str] = field(default_factory=set)
    tenants: dict[str, str] = field(default_factory=dict)


def store_traffic(
    client: ClickHouse,
    minutes: float,
    per_second: float,
    moment: Callable[[float, str], Moment],
    *,
    seed: int = 0,
    until: float | None = None,
) -> Stored:
    """Insert traffic that ends now. `moment` is told the seconds before the end, and the tenant."""
    rng, end, stored = random.Random(seed), until or time.time(), Stored()
    lines = []
    for number in range(round(minutes * 60 * per_second)):
        before = minutes * 60 - number / per_second
        tenant = rng.choice(TENANTS)
        like = moment(before, tenant)
        chinese, bad = rng.random() < like.chinese, rng.random() < like.hallucinated
        trace_id = f"t-{seed}-{number}"
        lines.append(_line(trace_id, end - before, tenant, like, chinese, bad, rng))
        stored.tenants[trace_id] = tenant
        if bad:
            stored.bad.add(trace_id)
    client.insert_raw("traces", b"\n".join(lines))
    return stored


def _line(
    trace_id: str, at: float, tenant: str, like: Moment, chinese: bool, bad: bool, rng: random.Random
) -> bytes:
    """The scorer finds four in five, cries wolf on one in twenty, and is harsher on Chinese."""
    seen = rng.random() < (0.8 if bad else 0.05 + 0.05 * chinese)
    p = rng.uniform(0.6, 1.0) if seen else rng.uniform(0.0, 0.3)
    if like.scorer != "s-1":
        p = p**0.6
    values: dict[str, Any] = {
        "timestamp": datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds"),
        "tenant": tenant,
        "environment": "prod",
        "language": "zh" if chinese else "en",
        "release_prompt": like.prompt,
        "question": f"question {rng.getrandbits(60):x}",
        "answer": f"answer {rng.getrandbits(60):x}",
        "failure": "hallucination" if p >= 0.5 else "healthy",
        "failure_confidence": 0.9,
        "hallucination": round(p, 4),
        "faithfulness": round(1.0 - p, 4),
        "coverage": "full",
        "refusal": rng.random() < 0.05,
        "scorer_version": like.scorer,
        "sampled": rng.random() < SAMPLED,
        "sample_probability": SAMPLED,
    }
    return encode(trace_values(trace_id, **values))


def store_verdicts(client: ClickHouse, stored: Stored, languages: tuple[str, ...] = ("en", "zh")) -> None:
    """A judge who is always right says what the sampled traces are; calibrated in these languages."""
    key = {"judge": "strict", "model": "m", "rubric": "faithfulness", "rubric_version": "1"}
    rows = client.query(
        "SELECT trace_id, app, toString(timestamp) AS timestamp, toString(received_at) AS created_at "
        "FROM traces FINAL WHERE sampled"
    )
    bad = {str(row["trace_id"]): row["trace_id"] in stored.bad for row in rows}
    verdicts = [
        {**row, **key, "failure": "hallucination" if bad[row["trace_id"]] else "healthy",
         "hallucination": float(bad[row["trace_id"]]), "faithfulness": float(not bad[row["trace_id"]]),
         "sample_probability": SAMPLED}
        for row in rows
    ]  # fmt: skip
    client.insert_raw("verdicts", b"\n".join(encode(verdict) for verdict in verdicts))
    known = [
        {**key, "language": language, "measure": measure, "n": 200, "kappa": 0.9, "calibrated": True,
         "at": "2026-11-30T12:00:00Z"}
        for language in languages
        for measure in ("hallucination", "failure")
    ]  # fmt: skip
    client.insert_raw("judge_calibration", b"\n".join(encode(row) for row in known))


def watch_settings(dsn: str, **watch: Any) -> Settings:
    """Settings of a watch over this store, without budgets: what is usual is all that counts."""
    sections: dict[str, Any] = {
        "clickhouse": {"dsn": dsn, "timeout_s": 20.0},
        "watch": {"interval_s": 0.1, "budgets": {}, "replay_hours": 3.0} | watch,
    }
    return Settings(**sections)


def open_loop(settings: Settings) -> WatchLoop:
    """The process without its thread and signals."""
    metrics = WatchMetrics()
    couriers = open_couriers(settings.watch, metrics)
    return compose(settings, open_watcher(settings.watch), couriers, metrics, Health())
