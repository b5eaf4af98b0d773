"""One turn of the filler: look at what came in, choose, redact, and write the queue anew where it changed.

It knows nothing of topics and threads. What it knows lies in the tables: started again it goes on from when
the queue was last written to, and what it does twice comes out the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from judges.annotation.filling import (
    MOST_IDS,
    Chosen,
    Filled,
    Known,
    Limits,
    choose,
    controls_wanted,
)
from judges.annotation.policy import Evidence
from judges.redaction import redact
from schemas.annotation import AnnotationItem, Withdrawn, in_utc
from schemas.restore import TextsGone
from schemas.row import encode
from sinks.annotation.queue import is_open, standing_of
from sinks.annotation.reading import Case, reach_back, read_cases, read_items, read_questions
from sinks.clickhouse.client import ClickHouse
from stream import logs
from stream.annotation.building import TooLong, build_item, payload_of_row
from stream.annotation.crowds import Crowds
from stream.annotation.handed_in import HandedIn
from stream.annotation.reader import Period, Reader, said_of
from stream.settings import AnnotationSettings

NEW_SHARE: Final = 0.25
"""The newest part of the window, in which what was not there before counts as new."""
SLACK_S: Final = 15.0
"""Rows become visible some time after the stamp of their insert."""
_INSERT_ROWS: Final = 50


@dataclass(slots=True)
class Turned:
    """What one turn did."""

    traces: int = 0
    """That came in."""
    entered: list[AnnotationItem] = field(default_factory=list)
    merged: int = 0
    """Traces that joined a case as near-duplicates."""
    left: int = 0
    left_out: int = 0
    """Candidates for which there was no room."""
    unusable: dict[str, int] = field(default_factory=dict)
    """Chosen traces that no case could be made of, by reason."""
    open: list[Case] = field(default_factory=list)
    """The open cases before this turn."""

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return {
            "traces": self.traces,
            "entered": len(self.entered),
            "controls": sum(item.control for item in self.entered),
            "merged": self.merged,
            "left": self.left,
            "left_out": self.left_out,
            "unusable": self.unusable,
            "open_before": len(self.open),
        }


class Filler:
    """Fills the queue of one database. One is enough; two do the same work twice."""

    def __init__(self, client: ClickHouse, settings: AnnotationSettings) -> None:
        self._client, self._settings = client, settings
        self._reader = Reader(client)
        self._reached: datetime | None = None
        self._limits = Limits(
            cap=settings.cap,
            per_turn=settings.per_turn,
            stage_share=settings.stage_share,
            class_share=settings.class_share,
            control_share=settings.control_share,
            half_life_s=settings.half_life_h * 3_600.0,
        )

    def turn(self, handed_in: Sequence[HandedIn] = (), *, slack_s: float | None = None) -> Turned:
        """Do one turn, with the cases that came over the topic. Raises SinkError: then do it again."""
        now = self._reader.now()
        period = self._period(now, slack_s)
        cases = read_cases(self._client, reach_back(now, self._settings.max_age_days))
        known = self._known(cases, now)
        evidence = self._gather(period, handed_in, now)
        filled = choose(evidence, known, self._limits)
        controls = self._draw(period, len(filled.enter), known)
        if controls:
            drawn = {one.trace_id for one in controls}
            filled = choose(
                [*controls, *(one for one in evidence if one.trace_id not in drawn)], known, self._limits
            )
        turned = Turned(traces=self._reader.count(period), left_out=filled.left_out)
        turned.open = [case for case in cases if is_open(case)]
        self._build(filled, handed_in, now, turned)
        self._update(filled, now, turned)
        self._reached = period.until
        return turned

    def _period(self, now: datetime, slack_s: float | None) -> Period:
        until = now - timedelta(
            seconds=min(SLACK_S, self._settings.interval_s) if slack_s is None else slack_s
        )
        earliest = now - timedelta(hours=self._settings.window_hours)
        since = self._reached
        if since is None:
            written = self._reader.reached()
            since = written - timedelta(seconds=2 * self._settings.interval_s) if written else earliest
        return Period(max(since, earliest), until)

    def _known(self, cases: Sequence[Case], now: datetime) -> list[Known]:
        questions = read_questions(self._client, [case.item.item_id for case in cases])
        return [
            Known(
                standing=standing_of(case, now),
                trace_id=case.item.trace_id,
                app=case.item.app,
                question=questions.get(case.item.item_id, ""),
                is_open=is_open(case),
                withdrawn=bool(case.item.withdrawn),
                duplicate_ids=case.item.duplicate_ids,
            )
            for case in cases
        ]

    def _gather(self, period: Period, handed_in: Sequence[HandedIn], now: datetime) -> list[Evidence]:
        """All that some policy may speak for: what came in, what was said late, what was handed in."""
        heads = {row["trace_id"]: row for row in self._reader.candidates(period)}
        late = [trace_id for trace_id in self._reader.late(period) if trace_id not in heads]
        heads |= {row["trace_id"]: row for row in self._reader.heads(late)}
        window = Period(now - timedelta(hours=self._settings.window_hours), now)
        asked, _ = self._reader.crowds(window)
        crowds = Crowds(asked, now - timedelta(hours=self._settings.window_hours * NEW_SHARE))
        ratings, verdicts = self._reader.ratings(heads), self._reader.verdicts(heads)
        found = []
        for trace_id, row in heads.items():
            one = evidence_of(row, ratings.get(trace_id), verdicts.get(trace_id, ()))
            found.append(replace(one, crowd=crowds.of(one.app, one.question)))
        there = {one.trace_id: one for one in found}
        for case in handed_in:
            # The tables know the scores of all traces; the topic knows what the judges said of this one.
            stored = there.get(case.evidence.trace_id)
            merged = replace(stored, said=(*stored.said, *case.evidence.said)) if stored else case.evidence
            there[merged.trace_id] = merged
        return list(there.values())

    def _draw(self, period: Period, entering: int, known: Sequence[Known]) -> list[Evidence]:
        """Controls: so many that their share holds, each trace with the same probability."""
        traces = self._reader.count(period)
        if not traces:
            return []
        inside = [one.standing for one in known if one.is_open]
        controls = sum(one.control for one in inside)
        wanted = controls_wanted(len(inside) - controls + entering, controls, self._limits)
        probability = min(1.0, wanted / traces)
        rows = self._reader.controls(period, probability, self._limits.per_turn)
        ids = [row["trace_id"] for row in rows]
        ratings, verdicts = self._reader.ratings(ids), self._reader.verdicts(ids)
        return [
            replace(
                evidence_of(row, ratings.get(row["trace_id"]), verdicts.get(row["trace_id"], ())),
                control=probability,
            )
            for row in rows
        ]

    def _build(self, filled: Filled, handed_in: Sequence[HandedIn], now: datetime, turned: Turned) -> None:
        """Make cases of the chosen traces and store them, some at a time: a turn may be killed anywhere."""
        ids = [one.evidence.trace_id for one in filled.enter]
        rows, verdicts = self._reader.whole(ids), self._reader.verdicts(ids)
        brought = {case.evidence.trace_id: case.payload for case in handed_in}
        items: list[AnnotationItem] = []
        for one in filled.enter:
            item = self._item(one, rows, verdicts, brought, now, turned)
            if item is not None:
                items.append(item)
        for start in range(0, len(items), _INSERT_ROWS):
            self._store(items[start : start + _INSERT_ROWS], now)
        turned.entered = items

    def _item(
        self,
        one: Chosen,
        rows: Mapping[str, Mapping[str, Any]],
        verdicts: Mapping[str, Sequence[Mapping[str, Any]]],
        brought: Mapping[str, Mapping[str, Any]],
        now: datetime,
        turned: Turned,
    ) -> AnnotationItem | None:
        trace_id = one.evidence.trace_id
        try:
            if trace_id in rows:
                payload: Mapping[str, Any] = payload_of_row(rows[trace_id], verdicts.get(trace_id, ()))
            elif trace_id in brought:
                payload = brought[trace_id]
            else:
                raise TextsGone("the trace is no longer stored")
            return build_item(one, payload, self._settings.votes, now)
        except (TextsGone, TooLong) as error:
            reason = type(error).__name__
        except ValueError as error:
            reason = "unreadable"
            logs.get().warning("no case can be made of a trace", trace_id=trace_id, why=type(error).__name__)
        turned.unusable[reason] = turned.unusable.get(reason, 0) + 1
        return None

    def _update(self, filled: Filled, now: datetime, turned: Turned) -> None:
        """Write anew what near-duplicates joined, and what others crowd out."""
        changed = sorted({*filled.merged, *filled.leave})
        items = read_items(self._client, changed)
        rows = []
        for item_id in changed:
            item = items.get(item_id)
            if item is None:
                continue
            joined = [one for one in filled.merged.get(item_id, ()) if one not in item.duplicate_ids]
            turned.merged += len(joined)
            turned.left += item_id in filled.leave
            rows.append(
                replace(
                    item,
                    duplicates=item.duplicates + len(joined),
                    duplicate_ids=(*item.duplicate_ids, *joined)[:MOST_IDS],
                    withdrawn=Withdrawn.CROWDED_OUT.value if item_id in filled.leave else item.withdrawn,
                )
            )
        turned.merged += sum(len(one.alike) for one in filled.enter)
        for start in range(0, len(rows), _INSERT_ROWS):
            self._store(rows[start : start + _INSERT_ROWS], now)

    def _store(self, items: Iterable[AnnotationItem], now: datetime) -> None:
        self._client.insert_raw("annotation_items", b"\n".join(encode(item.as_row(now)) for item in items))


def evidence_of(
    row: Mapping[str, Any], late_rating: int | None, verdicts: Iterable[Mapping[str, Any]]
) -> Evidence:
    """What is known of one trace, its question redacted."""
    return Evidence(
        trace_id=row["trace_id"],
        timestamp=in_utc(row["timestamp"]),
        question=redact(row["question"]).text,
        app=row["app"],
        tenant=row["tenant"],
        language=row["language"],
        intent=row["intent"],
        failure=row["failure"],
        stage=row["first_failed_stage"],
        confidence=float(row["failure_confidence"]),
        hallucination=row["hallucination"],
        scorer_version=row["scorer_version"],
        rating=row["feedback_rating"] if late_rating is None else late_rating,
        said=said_of(verdicts),
    )


__all__ = ["NEW_SHARE", "SLACK_S", "Filler", "Turned", "evidence_of"]
