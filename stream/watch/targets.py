"""Absolute objectives and error budgets: what a rate may be at all, whatever is usual. Pure.

A budget is the share of traces that may be so in the long run. It burns at rate / budget; alerts follow the
multiwindow scheme of Beyer et al., "The Site Reliability Workbook" (2018), chapter 5: a long window says that
it matters, a short one that it still goes on. Here the lower end of the interval must burn that fast, so that
three bad traces of five wake nobody.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from stream.watch.bins import BIN_S, MEASURES
from stream.watch.changes import Changes, N, interval_of
from stream.watch.records import Finding, Kind, Measure, SegmentKey, Severity

_HOUR_S: Final = 3_600.0
_FULL: Final = 0.9
"""Of the long window must be known before it says anything."""


@dataclass(slots=True, frozen=True)
class Alarm:
    """A pair of windows, and how fast the budget burns in both of them."""

    long_s: float
    short_s: float
    burn: float
    severity: Severity


ALARMS: Final = (
    Alarm(_HOUR_S, 300.0, 14.4, "page"),
    Alarm(6 * _HOUR_S, 1_800.0, 6.0, "page"),
    Alarm(24 * _HOUR_S, 2 * _HOUR_S, 3.0, "ticket"),
)
_OBJECTIVE: Final = Alarm(_HOUR_S, 300.0, 1.0, "page")


class Targets:
    """Of all traffic and of each app: where budgets are agreed on."""

    def __init__(
        self, objectives: Mapping[Measure, float], budgets: Mapping[Measure, float], least: float
    ) -> None:
        self._objectives = objectives
        self._budgets = budgets
        self._least = least

    def findings(
        self, changes: Changes, at: float, held: Collection[tuple[SegmentKey, Measure]] = ()
    ) -> Iterator[Finding]:
        """Whatever burns too fast, and the state of what did (`held`)."""
        first = changes.tally.first
        if first is None:
            return
        for place, segment in enumerate(changes.watched.keys):
            if segment is None or not {column for column, _ in segment.parts} <= {"app"}:
                continue
            for measure, most in self._budgets.items():
                yield from self._look(
                    changes, at, first, place, segment, measure, most, "budget", ALARMS, held
                )
            for measure, most in self._objectives.items():
                yield from self._look(
                    changes, at, first, place, segment, measure, most, "objective", (_OBJECTIVE,), held
                )

    def _look(
        self,
        changes: Changes,
        at: float,
        first: float,
        place: int,
        segment: SegmentKey,
        measure: Measure,
        most: float,
        kind: Kind,
        alarms: tuple[Alarm, ...],
        held: Collection[tuple[SegmentKey, Measure]],
    ) -> Iterator[Finding]:
        number, effect = MEASURES.index(measure), changes.effect(measure, place)
        for alarm in alarms:
            if at - first < _FULL * alarm.long_s:
                continue
            sums = [
                changes.tally.total(at - s, at + BIN_S, (number, place))
                for s in (alarm.long_s, alarm.short_s)
            ]
            (value, low, high), (_, low_now, _) = (interval_of(one, effect) for one in sums)
            fires = low > alarm.burn * most and low_now > alarm.burn * most and sums[0][N] >= self._least
            if fires or (segment, measure) in held:
                yield Finding(
                    segment, measure, kind, at, at - alarm.long_s, value / most, alarm.burn, fires,
                    calm=low_now <= most, baseline=most, value=value, low=low, high=high,
                    traces=round(sums[0][N]), severity=alarm.severity,
                )  # fmt: skip
                return


__all__ = ["ALARMS", "Alarm", "Targets"]
