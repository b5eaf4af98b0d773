"""The traces of a window with what judges said of some of them, from ClickHouse."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, Final

import numpy as np

from judges.calibration.labels import JudgeKey
from sinks.clickhouse.client import ClickHouse
from sinks.clickhouse.measured import all_measured
from stream.calibrate.stored import CalibratedJudges, calibrated_judges
from stream.watch.corrected import CORRECTED, LEAST_JUDGED, Judged, Said
from stream.watch.reader import as_batch
from stream.watch.records import COLUMNS

_VERDICTS: Final = f"""
SELECT app, trace_id, judge, model, rubric, rubric_version, language, failure,
    {all_measured(("hallucination", "faithfulness"))}
FROM weighted_verdicts
WHERE timestamp >= fromUnixTimestamp64Milli({{since:Int64}}, 'UTC')
  AND timestamp < fromUnixTimestamp64Milli({{until:Int64}}, 'UTC')
"""
_WITHIN: Final = """
FROM traces FINAL
WHERE timestamp >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
  AND timestamp < fromUnixTimestamp64Milli({until:Int64}, 'UTC')
"""
_COUNT: Final = f"SELECT count() AS n {_WITHIN}"
# Thinned out by a hash of its own: that of the draw for judges must not have a say in it.
_TRACES: Final = f"""
SELECT
    trace_id, if(conversation_id = '', trace_id, conversation_id) AS conversation,
    toUnixTimestamp64Milli(timestamp) AS at, {", ".join(COLUMNS)},
    {all_measured(("hallucination", "faithfulness"))}, failure, refusal, quadrant, coverage, scorer_version,
    sample_probability AS probability
{_WITHIN}
  AND cityHash64('rates', trace_id) % {{one_in:UInt64}} = 0
ORDER BY at
"""


def read_judged(client: ClickHouse, since: float, until: float, rows_at_once: int) -> Judged | None:
    """Null where judges said too little. Of several, the calibrated one that said most, else whoever did.

    One that is calibrated nowhere corrects nothing: it is trusted for no language. Raises SinkError.
    """
    period: dict[str, Any] = {"since": round(since * 1000), "until": round(until * 1000)}
    rows = client.query(_VERDICTS, period)
    if len(rows) < LEAST_JUDGED:
        return None
    judges = calibrated_judges(client)
    by_judge: dict[JudgeKey, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        by_judge[JudgeKey(row["judge"], row["model"], row["rubric"], row["rubric_version"])].append(row)
    trusted = {key: _trusted(judges, key, said) for key, said in by_judge.items()}
    judge = max(by_judge, key=lambda key: (any(trusted[key].values()), len(by_judge[key])))
    (counted,) = client.query(_COUNT, period)
    one_in = max(1, -(-int(counted["n"]) // rows_at_once))
    columns = client.columns(_TRACES, period | {"one_in": one_in})
    probability = np.array(columns.get("probability", ()), dtype=np.float64)
    batch = as_batch(columns, range(len(probability)), weight=one_in)
    verdicts = {(str(row["app"]), str(row["trace_id"])): _said(row) for row in by_judge[judge]}
    said = np.empty(len(batch), dtype=np.object_)
    said[:] = [verdicts.get(key) for key in zip(batch.columns["app"], batch.trace_id, strict=True)]
    return Judged(
        batch=batch,
        probability=probability,
        clusters=np.unique(batch.conversation.astype(str), return_inverse=True)[1],
        said=said,
        trusted=trusted[judge],
    )


def _trusted(judges: CalibratedJudges, key: JudgeKey, said: list[dict[str, Any]]) -> dict[str, set[str]]:
    languages = {str(row["language"]) for row in said}
    return {
        measure: {language for language in languages if judges.trusts(key, measure, language)}
        for measure in set(CORRECTED.values())
    }


def _said(row: dict[str, Any]) -> Said:
    return Said(str(row["failure"]), row["hallucination"], row["faithfulness"])


__all__ = ["read_judged"]
