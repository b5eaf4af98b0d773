"""Runs of the probe set in table `judge_probes`: written, and read back in order."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any, Final

from judges.llm.probes import PROBE_SET, ProbeAnswer, ProbeRun
from schemas.row import encode, stamp
from schemas.scored import rounded
from schemas.tame import tame
from sinks.clickhouse.client import ClickHouse
from stream.judging.rows import Identity

_NAME_CHARS: Final = 200
RECENT: Final = 60
"""Runs that are looked at: of one a day, two months."""

_RUNS: Final = f"""
WITH runs AS (
    SELECT run, any(at) AS began, max(begins_baseline) AS begins FROM judge_probes
    WHERE judge = {{judge:String}} AND model = {{model:String}} AND rubric = {{rubric:String}}
        AND rubric_version = {{rubric_version:String}} AND probe_set = {{probe_set:String}}
    GROUP BY run
), begun AS (SELECT max(began) AS since FROM runs WHERE begins)
SELECT run, at, served_by, begins_baseline, probe, language, expected, said, faithfulness, hallucination,
    error
FROM judge_probes FINAL
WHERE judge = {{judge:String}} AND model = {{model:String}} AND run IN (
    SELECT run FROM (
        (SELECT run FROM runs WHERE began >= (SELECT since FROM begun) ORDER BY began LIMIT {RECENT // 2})
        UNION ALL
        (SELECT run FROM runs ORDER BY began DESC LIMIT {RECENT // 2})
    )
)
ORDER BY at, run, probe
"""
_NEWEST: Final = """
SELECT max(at) AS newest, count() AS rows FROM judge_probes
WHERE judge = {judge:String} AND model = {model:String} AND probe_set = {probe_set:String}
"""


def write_run(client: ClickHouse, run: ProbeRun) -> None:
    """Store every answer of a run. Raises SinkError."""
    name = blake2b(f"{run.judge} {run.model} {run.at.isoformat()}".encode(), digest_size=8).hexdigest()
    share = None if run.usage.cost_usd is None else run.usage.cost_usd / max(len(run.answers), 1)
    shared = {
        "run": name,
        "at": stamp(run.at),
        "judge": run.judge,
        "model": run.model,
        "served_by": run.served_by[:_NAME_CHARS],
        "rubric": run.rubric,
        "rubric_version": run.rubric_version,
        "probe_set": run.probe_set,
        "begins_baseline": run.begins_baseline,
        "cost_usd": share,
    }
    lines = [encode(tame(shared | _fields(answer), keep_digits=False)) for answer in run.answers]
    if lines:
        client.insert_raw("judge_probes", b"\n".join(lines))


def read_runs(client: ClickHouse, who: Identity) -> list[ProbeRun]:
    """The runs of a judge, oldest first: those of its baseline, and the newest. Raises SinkError."""
    key = {
        "judge": who.judge,
        "model": who.model,
        "rubric": who.rubric,
        "rubric_version": who.rubric_version,
        "probe_set": PROBE_SET,
    }
    runs: dict[str, ProbeRun] = {}
    for row in client.query(_RUNS, key):
        if row["run"] not in runs:
            runs[row["run"]] = ProbeRun(
                who.judge,
                who.model,
                who.rubric,
                who.rubric_version,
                _moment(row["at"]),
                [],
                served_by=row["served_by"],
                begins_baseline=bool(row["begins_baseline"]),
            )
        runs[row["run"]].answers.append(_answer(row))
    return list(runs.values())


def last_run_at(client: ClickHouse, judge: str, model: str) -> datetime | None:
    """When this judge was last probed, by whoever did. Raises SinkError."""
    row = client.query(_NEWEST, {"judge": judge, "model": model, "probe_set": PROBE_SET})[0]
    return _moment(row["newest"]) if row["rows"] else None


def _fields(answer: ProbeAnswer) -> dict[str, Any]:
    return {
        "probe": answer.probe,
        "language": answer.language,
        "expected": answer.expected,
        "said": answer.said or "",
        "faithfulness": rounded(answer.faithfulness),
        "hallucination": rounded(answer.hallucination),
        "error": answer.error,
    }


def _answer(row: Mapping[str, Any]) -> ProbeAnswer:
    return ProbeAnswer(
        row["probe"],
        row["language"],
        row["expected"],
        row["said"] or None,
        row["faithfulness"],
        row["hallucination"],
        row["error"],
    )


def _moment(value: datetime) -> datetime:
    return value if value.tzinfo else value.replace(tzinfo=UTC)


__all__ = ["last_run_at", "read_runs", "write_run"]
