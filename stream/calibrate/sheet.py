"""A blinded sheet for annotators, drawn from the judged traces of a period: some of every kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import blake2b
from typing import Any, Final

from judges.calibration.strata import Drawn, Stratum, draw, is_uncertain
from schemas.restore import TRACE_COLUMNS, TextsGone, trace_from_row
from schemas.row import encode
from schemas.taxonomy import HEALTHY
from sinks.clickhouse.client import ClickHouse
from stream.calibrate.items import SheetItem
from stream.distill.from_store import Period, in_utc
from stream.errors import RagpulseError
from stream.worker.cuts import CUT_SIGNAL

_PAGE: Final = 200
_POPULATION: Final = 200_000
"""Traces looked at, the newest: enough for any sheet."""

_WHOLE: Final = f"""timestamp >= {{since:DateTime64(3, 'UTC')}} AND timestamp < {{until:DateTime64(3, 'UTC')}}
    AND ({{app:String}} = '' OR app = {{app:String}})
    AND history != '' AND NOT JSONHas(signals, '{CUT_SIGNAL}')"""
_JUDGED: Final = f"""
SELECT v.trace_id AS trace_id, t.language AS language, v.failure AS failure, v.confidence AS confidence,
    v.chance AS hallucination, v.disagreement AS disagreement
FROM (
    SELECT trace_id, argMax(failure, (role = 'verdict', created_at)) AS failure,
        argMax(tuple(failure_confidence), (role = 'verdict', created_at)).1 AS confidence,
        argMax(tuple(hallucination), (role = 'verdict', created_at)).1 AS chance,
        max(disagreement) AS disagreement
    FROM verdicts FINAL
    WHERE ifNull(error, '') = '' AND ({{judge:String}} = '' OR judge = {{judge:String}})
        AND timestamp >= {{since:DateTime64(3, 'UTC')}} AND timestamp < {{until:DateTime64(3, 'UTC')}}
    GROUP BY trace_id
) AS v
INNER JOIN (SELECT trace_id, language FROM traces FINAL WHERE {_WHOLE}) AS t ON v.trace_id = t.trace_id
ORDER BY trace_id LIMIT 1 BY trace_id LIMIT {{limit:UInt32}}
"""
_SCORED: Final = f"""
SELECT trace_id, language, failure, failure_confidence AS confidence, hallucination,
    CAST(NULL, 'Nullable(Float32)') AS disagreement
FROM traces FINAL WHERE {_WHOLE}
ORDER BY timestamp DESC, trace_id LIMIT 1 BY trace_id LIMIT {{limit:UInt32}}
"""
_TEXTS: Final = f"""
SELECT {", ".join(TRACE_COLUMNS)} FROM traces FINAL
WHERE {_WHOLE} AND trace_id IN {{ids:Array(String)}}
ORDER BY trace_id, timestamp DESC LIMIT 1 BY trace_id
"""


class NothingToLabel(RagpulseError):
    """No trace of the period could go on a sheet."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet that was drawn: its name, its items in order, and from how many traces."""

    name: str
    items: list[SheetItem]
    drawn: list[Drawn]
    population: int


def draw_sheet(
    client: ClickHouse,
    period: Period,
    size: int,
    seed: int,
    at: datetime,
    *,
    judge: str = "",
    unjudged: bool = False,
) -> Sheet:
    """Draw a sheet and remember, beside the traces, which item is which and how likely it was drawn.

    From the traces that judges (or one of them) have judged; with `unjudged` from all of them, by what the
    cheap scorer said. Raises NothingToLabel, SinkError.
    """
    parameters = period.parameters | {"limit": _POPULATION}
    rows = client.query(_SCORED if unjudged else _JUDGED, parameters | ({} if unjudged else {"judge": judge}))
    population = {row["trace_id"]: _stratum(row) for row in rows}
    if not population:
        raise NothingToLabel(
            "No trace of this period has a verdict and its texts still: judge some (ragpulse judge), choose "
            "another --since, or draw from all scored traces with --unjudged."
        )
    drawn = draw(population, size, seed)
    traces = {row["trace_id"]: row for row in _texts(client, period, [one.trace_id for one in drawn])}
    name = _name(at, seed, [one.trace_id for one in drawn])
    items, lines, kept = [], [], []
    for number, one in enumerate((one for one in drawn if one.trace_id in traces), 1):
        row = traces[one.trace_id]
        try:
            trace = trace_from_row(row)
        except (TextsGone, ValueError):  # gone since the draw; the others stand for it
            continue
        item = f"{name}-{number:03}"
        items.append(SheetItem(item, one.stratum.language, trace))
        lines.append(_line(name, item, one, row, at))
        kept.append(one)
    client.insert_raw("calibration_sheets", b"\n".join(lines))
    return Sheet(name, items, kept, len(population))


def _stratum(row: Mapping[str, Any]) -> Stratum:
    return Stratum(
        row["failure"] or HEALTHY,
        row["language"],
        is_uncertain(row["hallucination"], row["confidence"], row["disagreement"]),
    )


def _texts(client: ClickHouse, period: Period, ids: list[str]) -> Iterator[Mapping[str, Any]]:
    for start in range(0, len(ids), _PAGE):
        yield from client.query(_TEXTS, period.parameters | {"ids": ids[start : start + _PAGE]})


def _name(at: datetime, seed: int, ids: list[str]) -> str:
    """Letters first: a spreadsheet must not take it for a number or a date."""
    digest = blake2b(f"{at.isoformat()} {seed} {ids}".encode(errors="surrogatepass"), digest_size=4)
    return f"cal{digest.hexdigest()}"


def _line(sheet: str, item: str, one: Drawn, row: Mapping[str, Any], at: datetime) -> bytes:
    return encode(
        {
            "sheet": sheet,
            "item": item,
            "trace_id": one.trace_id,
            "timestamp": in_utc(row["timestamp"]),
            "app": row["app"],
            "tenant": row["tenant"],
            "language": one.stratum.language,
            "stratum": str(one.stratum),
            "probability": one.probability,
            "drawn_at": in_utc(at),
        }
    )


__all__ = ["NothingToLabel", "Sheet", "draw_sheet"]
