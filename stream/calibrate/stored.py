"""What was measured of judges, stored; and whether a judge's verdicts count, read back.

judges = calibrated_judges(client)
judges.trusts(JudgeKey("strict", "qwen-max", "faithfulness", "1"), "hallucination", "zh")
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from judges.calibration.calibrate import Bar, Measured
from judges.calibration.labels import JudgeKey
from schemas.row import encode
from schemas.scored import rounded
from sinks.clickhouse.client import ClickHouse
from stream.distill.from_store import in_utc

_NEWEST: Final = """
SELECT judge, model, rubric, rubric_version, measure, language, n, kappa, low, high, reason, calibrated, at
FROM judge_calibration
ORDER BY at DESC, inserted_at DESC
LIMIT 1 BY judge, model, rubric, rubric_version, measure, language
"""


@dataclass(frozen=True, slots=True)
class Standing:
    """The newest measurement of a judge in one measure and language (empty: all)."""

    key: JudgeKey
    measure: str
    language: str
    n: int
    kappa: float | None
    low: float | None
    high: float | None
    calibrated: bool
    reason: str
    at: datetime


class CalibratedJudges:
    """Which judges' verdicts count, and why others do not."""

    def __init__(self, standings: Iterable[Standing] = ()) -> None:
        self._standings = {(s.key, s.measure, s.language): s for s in standings}

    def __iter__(self) -> Iterator[Standing]:
        return iter(self._standings.values())

    def standing(self, key: JudgeKey, measure: str = "hallucination", language: str = "") -> Standing | None:
        """The newest measurement; null where there is none, which is no calibration either."""
        return self._standings.get((key, measure, language))

    def trusts(self, key: JudgeKey, measure: str = "hallucination", language: str = "") -> bool:
        """Whether these verdicts may correct rates of traces in this language (empty: of all together).

        A judge that is good in English has shown nothing about Chinese: each language is asked for itself.
        """
        standing = self.standing(key, measure, language)
        return standing is not None and standing.calibrated


def store_calibration(client: ClickHouse, measured: Iterable[Measured], bar: Bar, at: datetime) -> int:
    """Keep what was measured; returns how many rows. Raises SinkError."""
    lines = [_line(one, bar, in_utc(at)) for one in measured]
    return client.insert_raw("judge_calibration", b"\n".join(lines)) if lines else 0


def calibrated_judges(client: ClickHouse) -> CalibratedJudges:
    """What is known of judges now. Raises SinkError."""
    return CalibratedJudges(
        Standing(
            key=JudgeKey(row["judge"], row["model"], row["rubric"], row["rubric_version"]),
            measure=row["measure"],
            language=row["language"],
            n=int(row["n"]),
            kappa=row["kappa"],
            low=row["low"],
            high=row["high"],
            calibrated=bool(row["calibrated"]),
            reason=row["reason"],
            at=row["at"],
        )
        for row in client.query(_NEWEST)
    )


def _line(one: Measured, bar: Bar, at: str) -> bytes:
    agreement, key = one.agreement, one.key
    return encode(
        {
            "judge": key.judge,
            "model": key.model,
            "rubric": key.rubric,
            "rubric_version": key.rubric_version,
            "language": one.language,
            "measure": one.measure,
            "n": agreement.n,
            "kappa": rounded(agreement.kappa.value),
            "low": rounded(agreement.kappa.low),
            "high": rounded(agreement.kappa.high),
            "raw": rounded(agreement.raw.value),
            "ac1": rounded(agreement.ac1.value),
            "traffic_kappa": rounded(one.traffic.value),
            "reason": str(one.shortfall),
            "min_kappa": bar.min_kappa,
            "min_labels": bar.min_labels,
            "calibrated": one.calibrated,
            "at": at,
        }
    )


__all__ = ["CalibratedJudges", "Standing", "calibrated_judges", "store_calibration"]
