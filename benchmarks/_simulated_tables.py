"""Tables as they are after a week of traffic, made by the engine itself: for benchmarks of queries.

Traces are those of the demo, repeated under new ids and times, with apps, tenants, intents and releases in
the numbers and the skew that a company has. Texts that no dashboard reads are cut short.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from judges.distilled import load_scorer
from schemas.row import Provenance, Sampling, encode, trace_row
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.rollup import compute, compute_hours
from stream.demo.traffic import Traffic
from stream.pipeline import judge_batch

DAYS: Final = 7
AT_ONCE: Final = 100_000
"""Traces of one insert, in order of time."""
_POOL: Final = 2_000
_MINUTES_AT_ONCE: Final = 120
_HOURS_AT_ONCE: Final = 12
_SHORT: Final = 200
"""Characters that are left of texts that no dashboard reads."""
_SETTINGS: Final = {"max_insert_threads": 2, "max_partitions_per_insert_block": 0, "max_execution_time": 0}

_SOME: Final = """
WITH
    {begin:Float64} + number * {step:Float64} AS at,
    salt -> (cityHash64(number, salt) % 1000000) / 1e6 AS u,
    1 + (u('app') >= 0.55) + (u('app') >= 0.8) + (u('app') >= 0.92) + (u('app') >= 0.98) AS app_number,
    toUInt32(20 * pow(u('tenant'), 3)) AS tenant_number,
    toUInt32((at - {begin:Float64}) / 86400) AS day,
    fromUnixTimestamp64Milli(toInt64(1000 * at), 'UTC') AS moment
"""
"""Skewed: the busiest app has half of the traffic, the busiest of 20 tenants a third."""

_OVERRIDES: Final = {
    "trace_id": "concat(lower(hex(cityHash64(number, 'a'))), lower(hex(cityHash64(number, 'b'))))",
    "timestamp": "moment",
    "received_at": "moment + toIntervalMillisecond(20)",
    "scored_at": "moment + toIntervalMillisecond(60)",
    "inserted_at": "moment + toIntervalMillisecond(900)",
    "app": "['helpdesk', 'docs', 'shop', 'hr', 'legal'][app_number]",
    "tenant": "concat('tenant-', toString(tenant_number))",
    "environment": "if(u('environment') < 0.95, 'prod', 'staging')",
    "intent": "concat('intent-', toString(toUInt32(12 * pow(u('intent'), 2))))",
    "language": "if(u('language') < 0.05, 'de', pool.language)",
    "release_app": "concat('v', toString(40 + day))",
    "release_prompt": "concat('p', toString(7 + (day >= 3) + (day >= 5 AND app_number = 2)))",
    "release_index": "concat('kb-', toString(day))",
    "release_embedding_model": "['bge-m3', 'e5', 'bge-m3', 'e5', 'e5'][app_number]",
    "release_reranker": "if(app_number <= 2, 'rr-1', '')",
    "release_generator": "if(tenant_number % 7 = 3, 'm-2', 'm-1')",
    "conversation_id": "if(u('turns') < 0.4, concat('c-', toString(intDiv(number, 3))), '')",
    "sampled": "u('sample') < 0.02",
    "sample_probability": "0.02",
    "hit_at_k": "if(u('gold') < 0.01, 1, NULL)",
    "mrr": "if(u('gold') < 0.01, 0.7, NULL)",
    "recall_at_k": "if(u('gold') < 0.01, 0.8, NULL)",
    "ndcg": "if(u('gold') < 0.01, 0.75, NULL)",
    "feedback_rating": "if(u('asked') < 0.05, toInt8(if(u('up') < 0.8, 1, -1)), NULL)",
}

_TWICE: Final = "INSERT INTO traces SELECT * FROM traces WHERE cityHash64(trace_id, 'twice') % 200 = 0"
"""Deliveries that came again."""
_VERDICTS: Final = """
INSERT INTO verdicts (
    trace_id, timestamp, app, tenant, language, judge, model, rubric, rubric_version, failure, hallucination,
    faithfulness, sample_probability, sample_reasons, cost_usd, latency_ms, disagreement, error, created_at,
    inserted_at
)
SELECT trace_id, timestamp, app, tenant, language, 'panel', 'm', 'rag', '1',
    if(draw % 10 = 0, 'empty_recall', failure), hallucination, faithfulness, sample_probability, ['control'],
    0.002, 900 + draw % 2000, (draw % 100) / 100, if(draw % 50 = 1, 'timeout', NULL),
    timestamp + INTERVAL 1 MINUTE, timestamp + INTERVAL 1 MINUTE
FROM (SELECT *, cityHash64(trace_id, 'verdict') AS draw FROM traces WHERE sampled) WHERE draw % 20 != 0
"""

_RATES: Final = """
INSERT INTO rates (
    at, window_s, measure, segment, app, tenant, language, traces, measured, cheap_value, cheap_low,
    cheap_high, value, low, high, level, method, baseline, evidence, scorer_version, computed_at
)
WITH
    concat('app=helpdesk,tenant=tenant-', toString(place)) AS tenants,
    if(place < 2, if(place = 0, '', 'app=helpdesk'), tenants) AS segment,
    0.1 + (cityHash64(at, place, measure) % 1000) / 20000 AS rate
SELECT
    at, window_s, measure, segment, if(place = 0, '', 'helpdesk'),
    if(place < 2, '', concat('tenant-', toString(place))), '', 900, 880, rate, rate - 0.02, rate + 0.02,
    rate, rate - 0.02, rate + 0.02, 0.95, 'cheap', 0.12, 1.5, 's', at
FROM
(
    SELECT
        toDateTime({begin:Float64} + every * number, 'UTC') AS at, window_s,
        arrayJoin(['hallucination', 'faithfulness', 'refusal', 'correct_refusal', 'over_refusal',
            'system_error', 'rewrite_failure', 'empty_recall', 'poor_retrieval']) AS measure,
        arrayJoin(range(60)) AS place
    FROM (SELECT number, {every:UInt32} AS every, {window:UInt32} AS window_s FROM numbers({count:UInt64}))
)
"""


def begin_of_week(now: datetime) -> datetime:
    """When the first trace comes: a week before the last full hour."""
    return now.replace(minute=0, second=0, microsecond=0) - timedelta(days=DAYS)


def fill(client: ClickHouse, traces: int, begin: datetime) -> Iterator[str]:
    """Fill an empty, migrated database; yields what was done, step by step."""
    _make_pool(client)
    columns = [
        str(row["name"])
        for row in client.query(
            "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'traces' "
            "AND default_kind != 'MATERIALIZED' ORDER BY position"
        )
    ]
    values = ", ".join(_OVERRIDES.get(name, f"pool.{name}") for name in columns)
    sql = (
        f"INSERT INTO traces ({', '.join(columns)}) {_SOME} SELECT {values} "
        "FROM numbers({first:UInt64}, {count:UInt64}) AS drawn "
        f"INNER JOIN pool ON pool.place = cityHash64(drawn.number, 'pool') % {_POOL}"
    )
    given = {"begin": begin.timestamp(), "step": DAYS * 86_400 / traces}
    for first in range(0, traces, AT_ONCE):
        client.command(sql, given | {"first": first, "count": min(AT_ONCE, traces - first)}, _SETTINGS)
        yield f"{first + AT_ONCE:,} traces"
    client.command(_TWICE, None, _SETTINGS)
    client.command(_VERDICTS, None, _SETTINGS)
    for window_s, every_s in ((300, 60), (3_600, 300), (86_400, 3_600)):
        count = DAYS * 86_400 // every_s
        client.command(_RATES, given | {"window": window_s, "every": every_s, "count": count}, _SETTINGS)
    yield "verdicts and rates"
    _fill_small(client, begin)
    minutes = range(int(begin.timestamp()), int(begin.timestamp()) + DAYS * 86_400, 60)
    for at in range(0, len(minutes), _MINUTES_AT_ONCE):
        compute(client, minutes[at : at + _MINUTES_AT_ONCE])
    for hours in range(0, len(minutes), 60 * _HOURS_AT_ONCE):
        compute_hours(client, minutes[hours : hours + 60 * _HOURS_AT_ONCE : 60])
    yield "rollups"


def _make_pool(client: ClickHouse) -> None:
    client.command("CREATE TABLE pool AS traces ENGINE = Memory")
    client.command("ALTER TABLE pool ADD COLUMN place UInt64")
    client.insert_raw("pool", b"\n".join(_pool_rows()))


def _pool_rows() -> Iterator[bytes]:
    now, place, traffic, scorer = datetime.now(UTC), 0, Traffic(17), load_scorer()
    while place < _POOL:
        messages = [message for message in traffic.next(spiking=False) if message.truth]
        traces = [Trace.model_validate_json(message.value) for message in messages]
        for judged in judge_batch(traces, scorer):
            row = trace_row(
                judged, Provenance("rag.traces", 0, place, now), Sampling(False, 0.02, ("control",)), now
            )
            short = {
                name: (row[name] or "")[:_SHORT] for name in ("chunks", "prompt_context", "history", "extra")
            }
            yield encode(row | short | {"place": place})
            place += 1


def _fill_small(client: ClickHouse, begin: datetime) -> None:
    def at(hours: float) -> str:
        return (begin + timedelta(hours=hours)).strftime("%Y-%m-%d %H:%M:%S.000")

    cases = [str(row["trace_id"]) for row in client.query("SELECT trace_id FROM traces LIMIT 10")]
    tables: dict[str, list[dict[str, Any]]] = {
        "incidents": [
            {
                "incident_id": f"i-{number}", "status": "resolved" if number < 166 else "open",
                "kind": "change", "severity": "page", "measure": "hallucination",
                "segment": "app=helpdesk,tenant=tenant-3",
                "app": "helpdesk", "tenant": "tenant-3", "onset": at(number),
                "detected_at": at(number + 0.02),
                "summary": "hallucination of app=helpdesk,tenant=tenant-3 rose", "cases": cases,
                "updated_at": at(number + 0.1),
            }
            for number in range(24 * DAYS)
        ],
        "release_marks": [
            {
                "at": at(hours), "app": "helpdesk", "part": "index", "value": f"kb-{hours // 24}",
                "source": "detected",
            }
            for hours in range(0, 24 * DAYS, 24)
        ],
        "judge_calibration": [
            {
                "judge": "panel", "model": "m", "rubric": "rag", "rubric_version": "1", "measure": "failure",
                "language": language, "n": 200, "kappa": 0.8, "calibrated": True, "at": at(24 * day),
            }
            for day in range(DAYS)
            for language in ("", "en", "zh")
        ],
        "judge_probes": [
            {
                "run": f"r-{hours}", "at": at(hours), "judge": "panel", "model": "m", "rubric": "rag",
                "rubric_version": "1", "probe": f"p-{number}", "language": "zh", "expected": "healthy",
                "said": "healthy",
            }
            for hours in range(0, 24 * DAYS, 6)
            for number in range(24)
        ],
    }  # fmt: skip
    for table, rows in tables.items():
        client.insert_raw(table, b"\n".join(orjson.dumps(row) for row in rows))


__all__ = ["DAYS", "begin_of_week", "fill"]
