"""Sampled traces back from table `traces`, for judges who come later."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from schemas.restore import TextsGone, trace_from_row
from schemas.row import Sampling
from sinks.clickhouse.client import ClickHouse
from stream.judging.rows import Identity
from stream.judging.sampled import Sampled
from stream.rescore.items import CONDITION, EXPIRED, UNREADABLE, Account, Period, in_utc
from stream.rescore.pages import StoredRows

COLUMNS: Final = ("sample_probability", "sample_reasons")
"""What is read beside the trace itself."""
RESCORE: Final = "rescore"
"""Reason of a trace that was judged with all others of its period: its probability is 1."""

_SAME: Final = (
    "judge = {judge:String} AND model = {model:String} AND rubric = {rubric:String} "
    "AND rubric_version = {rubric_version:String} AND role = 'verdict' AND error IS NULL"
)
JUDGED: Final = f"SELECT app, timestamp, trace_id FROM verdicts FINAL WHERE {_SAME} AND {CONDITION}"
"""Which traces of a period have a verdict by these judges under this rubric."""
JUDGED_AMONG_ALL: Final = f"{JUDGED} AND has(sample_reasons, '{RESCORE}')"


class StoredSamples:
    """The sampled traces of a period that these judges have not judged yet (`again`: all of them).

    `everything`: every trace of the period, sampled or not, each with probability 1, so that rates over
    them need no weights.
    """

    def __init__(
        self,
        client: ClickHouse,
        period: Period,
        identity: Identity,
        *,
        again: bool = False,
        everything: bool = False,
    ) -> None:
        done = JUDGED_AMONG_ALL if everything else JUDGED
        self._everything = everything
        self._rows = StoredRows(
            client,
            period,
            done=None if again else done,
            parameters=parameters_of(identity),
            only="1" if everything else "sampled",
            columns=COLUMNS,
        )

    def batches(self, account: Account) -> Iterator[list[Sampled]]:
        """Bounded in rows and in bytes. Raises SinkError."""
        for rows in self._rows.pages(account):
            yield [one for one in (self._read(row, account) for row in rows) if one]

    def _read(self, row: Mapping[str, Any], account: Account) -> Sampled | None:
        try:
            sampled = sampled_from_row(row)
        except TextsGone:  # since they were counted
            account.left_out[EXPIRED] += 1
        except ValueError:
            account.left_out[UNREADABLE] += 1
        else:
            return _among_all(sampled) if self._everything else sampled
        return None


def parameters_of(identity: Identity) -> dict[str, Any]:
    """For queries that hold `JUDGED`."""
    return {
        "judge": identity.judge,
        "model": identity.model,
        "rubric": identity.rubric,
        "rubric_version": identity.rubric_version,
    }


def sampled_from_row(row: Mapping[str, Any]) -> Sampled:
    """A row with the columns of a trace, `COLUMNS` and `received_at`. Raises TextsGone, ValueError."""
    return Sampled(
        trace=trace_from_row(row),
        scores={"trace_id": row["trace_id"], "language": row["language"] or None},
        sampling=Sampling(True, float(row["sample_probability"]), tuple(row["sample_reasons"])),
        received_at=in_utc(row["received_at"]),
    )


def _among_all(sampled: Sampled) -> Sampled:
    reasons = (*(one for one in sampled.sampling.reasons if one != RESCORE), RESCORE)
    return Sampled(sampled.trace, sampled.scores, Sampling(True, 1.0, reasons), sampled.received_at)


__all__ = ["COLUMNS", "JUDGED", "RESCORE", "StoredSamples", "parameters_of", "sampled_from_row"]
