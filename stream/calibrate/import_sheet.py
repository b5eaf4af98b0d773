"""Labels from a returned sheet into table `annotations`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from schemas.row import encode
from sinks.clickhouse.client import ClickHouse
from stream.calibrate.read_sheet import BrokenRow, FilledRow, read_sheet
from stream.distill.from_store import in_utc

_ITEMS: Final = """
SELECT item, sheet, trace_id, timestamp, app, tenant, language FROM calibration_sheets FINAL
WHERE item IN {items:Array(String)}
"""


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of a sheet."""

    stored: int
    blank: int
    broken: list[BrokenRow]
    """Not stored, by line; the others are."""


def import_sheet(client: ClickHouse, path: Path, annotator: str, weight: float, now: datetime) -> Imported:
    """Store what an annotator said. The same sheet again replaces it. Raises FileProblem, SinkError."""
    returned = read_sheet(path)
    known = _known(client, [row.item for row in returned.rows])
    lines, broken = [], list(returned.broken)
    for row in returned.rows:
        about = known.get(row.item)
        if about is None:
            broken.append(BrokenRow(row.line, f"no sheet that was drawn here has an item {row.item!r}"))
        else:
            lines.append(_line(row, about, annotator, weight, now))
    if lines:
        client.insert_raw("annotations", b"\n".join(lines))
    return Imported(len(lines), returned.blank, sorted(broken, key=lambda one: one.line))


def _known(client: ClickHouse, items: list[str]) -> dict[str, Mapping[str, Any]]:
    found: dict[str, Mapping[str, Any]] = {}
    for start in range(0, len(items), 500):
        for row in client.query(_ITEMS, {"items": items[start : start + 500]}):
            found[row["item"]] = row
    return found


def _line(row: FilledRow, about: Mapping[str, Any], annotator: str, weight: float, now: datetime) -> bytes:
    return encode(
        {
            "trace_id": about["trace_id"],
            "timestamp": in_utc(about["timestamp"]),
            "app": about["app"],
            "tenant": about["tenant"],
            "language": about["language"],
            "annotator": annotator,
            "annotated_at": in_utc(now),
            "failure": row.failure or "",
            "hallucination": row.hallucination,
            "context_sufficient": row.context_sufficient,
            "refusal": row.refusal or "",
            "ratings": row.ratings,
            "spans": "",
            "note": row.note,
            "weight": weight,
            "guideline": f"sheet {about['sheet']}",
        }
    )


__all__ = ["Imported", "import_sheet"]
