"""Judges against people, and against each other: from wherever labels and verdicts are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from judges.calibration.between import Between, compare_judges
from judges.calibration.calibrate import Bar, Calibration, calibrate
from judges.calibration.labels import About, Label, Said
from sinks.clickhouse.client import ClickHouse
from stream.calibrate.from_files import read_label_lines, read_verdict_lines
from stream.calibrate.from_store import (
    find_shared,
    read_about,
    read_labels,
    read_verdicts,
)
from stream.calibrate.stored import store_calibration
from stream.distill.from_store import Period


@dataclass(frozen=True, slots=True)
class Sources:
    """Where labels and verdicts are: in files, or (none given) in the store."""

    period: Period
    labels: Sequence[str] = ()
    verdicts: Sequence[str] = ()
    judge: str = ""
    """Only this judge; empty: all."""
    most: int = 100_000
    """Of traces that several judges judged."""


@dataclass(slots=True)
class _Read:
    labels: list[Label] = field(default_factory=list)
    said: list[Said] = field(default_factory=list)
    about: dict[str, About] = field(default_factory=dict)


def calibrate_judges(
    client: ClickHouse | None, sources: Sources, bar: Bar, *, seed: int, now: datetime
) -> tuple[Calibration, int]:
    """Compare judges with people; returns what was measured, and how many rows of it were stored.

    Stored are measurements of verdicts that are in the store themselves. `client` may be null where both
    labels and verdicts come from files. Raises FileProblem, SinkError.
    """
    found = Calibration()
    read = _Read()
    for path in sources.labels:
        read.labels += read_label_lines(path, found.left_out)
    if not sources.labels and client is not None:
        read.labels = read_labels(client, sources.period)
    ids = {label.trace_id for label in read.labels}
    for path in sources.verdicts:
        read.said += [one for one in read_verdict_lines(path, found.left_out) if _wanted(one, sources)]
    if not sources.verdicts and client is not None:
        read.said = read_verdicts(client, ids, sources.judge)
    if client is not None:
        read.about = read_about(client, ids)
    measured = calibrate(read.labels, read.said, read.about, bar, seed=seed)
    measured.left_out += found.left_out
    stored = 0
    if client is not None and not sources.verdicts:
        stored = store_calibration(client, measured.measured, bar, now)
    return measured, stored


def compare_stored_judges(client: ClickHouse | None, sources: Sources, *, seed: int) -> list[Between]:
    """Compare judges with each other. Raises FileProblem, SinkError."""
    read = _Read()
    if sources.verdicts:
        for path in sources.verdicts:
            read.said += read_verdict_lines(path, Calibration().left_out)
    elif client is not None:
        read.said = read_verdicts(client, find_shared(client, sources.period, sources.most))
    if client is not None:
        read.about = read_about(client, {one.trace_id for one in read.said})
    return compare_judges(read.said, read.about, seed=seed)


def _wanted(said: Said, sources: Sources) -> bool:
    return sources.judge in ("", said.key.judge)


__all__ = ["Sources", "calibrate_judges", "compare_stored_judges"]
