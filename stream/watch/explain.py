"""Which part of the traffic carries a change, over counts before and since its onset. Pure.

The excess over what each kind of traffic did before (stream/watch/excess.py) is looked for in every value of
every column and, within the best, in every value of the others. The part with the greatest D² / 2V is named,
D its excess and V the variance of D: an expectation-based scan statistic (Neill 2009). Traffic that does as
before only adds to V, and a part that is too small loses D. What a shift of the mix alone would have done is
told apart (Kitagawa 1955).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stream.watch.bins import value_of
from stream.watch.excess import Cells, Excess
from stream.watch.measures import told
from stream.watch.naming import Share, releases_before, summarise
from stream.watch.places import STRATUM
from stream.watch.records import COLUMNS, RELEASE_PARTS, Mark, Measure, SegmentKey

_DEPTH: Final = 2
_CARRIES: Final = 0.7
_BETTER: Final = 3.0
"""By so much, and the logarithm of how many were tried, must a narrower part fit better."""
_IMPLIED, _TELLING = 0.95, 0.8
"""A part is nearly all of one value; its surroundings are not."""
_NEW: Final = 0.2
"""Of the share that a value has since, at most, had it before: the onset is an estimate."""
_NAMED: Final = (*(c for c in COLUMNS if c != "release_app"), "release_app")
"""Of two names of the same traces the first is taken: whose they are, then what was released. The version of
the app comes last, since it changes with all others."""
_LISTED: Final = 12
_MIX_MATTERS: Final = 0.1


@dataclass(slots=True, frozen=True)
class Explanation:
    """What is known of a change. Rates are badness, 0..1: of faithfulness, what is missing to 1."""

    segment: SegmentKey
    """That was looked into."""
    measure: Measure
    carried_by: SegmentKey
    """The smallest part that holds most of it; the segment itself where nothing smaller does."""
    share: float
    """Of the excess, that this part holds; 0 where there is none."""
    traffic: float
    """Share of the segment's traffic that this part is."""
    before: float | None
    since: float | None
    by_mix: float
    """How far the mean would have moved by the mix of traffic alone."""
    by_change: float
    """How far each kind of traffic moved by itself; the two sum to since - before."""
    splits: tuple[Share, ...]
    """Parts by one column, the greatest excess first."""
    new: tuple[str, ...]
    """Values of release parts within `carried_by` that hardly ran before, such as `prompt=p8`."""
    releases: tuple[Mark, ...]
    """The marks of the nearest release before the onset."""
    onset: float

    def facts(self) -> dict[str, Any]:
        """For the table's JSON; nothing of it is the text of a trace. `text` is all of it in words."""
        whole = sum(max(share.excess, 0.0) for share in self.splits[:1])
        return {
            "text": self.text(),
            "carried_by": self.carried_by.text,
            "share": round(self.share, 3),
            "traffic": round(self.traffic, 3),
            "before": _rounded(self.before),
            "since": _rounded(self.since),
            "by_mix": round(self.by_mix, 4),
            "by_change": round(self.by_change, 4),
            "new": list(self.new),
            "releases": [
                {
                    "mark": mark.text,
                    "previous": mark.previous,
                    "seconds_before": round(self.onset - mark.at, 1),
                    "source": mark.source,
                    "note": mark.note,
                }
                for mark in self.releases
            ],
            "splits": [share.facts(whole) for share in self.splits],
        }

    def text(self) -> str:
        """A few sentences for people."""
        before = told(self.measure, self.before) if self.before is not None else None
        since = told(self.measure, self.since) if self.since is not None else None
        said = [summarise(self.measure, self.segment, before, since, ())]
        if self.share and self.carried_by != self.segment:
            said.append(
                f"{self.carried_by.text} carries {min(self.share, 1.0):.0%} of it "
                f"with {self.traffic:.0%} of the traffic"
            )
        said += [self._released()] if self.releases or self.new else []
        moved = abs(self.by_mix) + abs(self.by_change)
        if moved and abs(self.by_mix) >= _MIX_MATTERS * moved:
            way = "more" if self.by_mix > 0 else "less"
            said.append(f"The mix of traffic alone would have made it {abs(self.by_mix):.1%} {way}")
        return ". ".join(said) + "."

    def _released(self) -> str:
        if not self.releases:
            return f"New there since then: {', '.join(self.new)}"
        gap = self.onset - self.releases[0].at
        when = f"{abs(gap):.0f} s {'before' if gap >= 0 else 'after'}"
        named = ", ".join(
            f"{mark.text} (was {mark.previous})" if mark.previous else mark.text for mark in self.releases
        )
        return f"The nearest release is {named}, {when} the estimated onset"


def explain(
    before: Cells,
    since: Cells,
    segment: SegmentKey,
    measure: Measure,
    onset: float,
    marks: Sequence[Mark] = (),
) -> Explanation:
    """What carries the change of a segment. `before` and `since`: counts on either side of the onset, of this
    segment or of more."""
    before, since = before.within(segment), since.within(segment)
    excess = Excess(before, since)
    carried = _with_implied(since, _carrier(excess, segment), segment)
    inside = excess.members(carried)
    d, n = float(excess.d.sum()), float(excess.n.sum())
    new = tuple(_new_values(before, since, carried))
    mean_before, mean_since = before.mean(), since.mean()
    moved = mean_since - mean_before if mean_before is not None and mean_since is not None else 0.0
    by_change = d / n if n and mean_before is not None else 0.0
    return Explanation(
        segment=segment,
        measure=measure,
        carried_by=carried,
        share=float(excess.d[inside].sum()) / d if d > 0 else 0.0,
        traffic=float(excess.n[inside].sum()) / n if n else 0.0,
        before=mean_before,
        since=mean_since,
        by_mix=moved - by_change,
        by_change=by_change,
        splits=tuple(_splits(excess, segment)[:_LISTED]),
        new=new,
        releases=tuple(_releases(marks, onset, carried, new)),
        onset=onset,
    )


def _carrier(excess: Excess, segment: SegmentKey) -> SegmentKey:
    named, held = segment, excess.members(segment)
    fit = excess.fit(held)
    for _ in range(_DEPTH):
        tried = list(_narrower(excess, named, held))
        if not tried or fit <= 0:
            break
        whole = float(excess.d[held].sum())
        rows = [(one, excess.members(one)) for one in tried]
        fits = [
            (excess.fit(inside), one, inside)
            for one, inside in rows
            if float(excess.d[inside].sum()) >= _CARRIES * whole
        ]
        better, one, inside = max(fits, key=lambda found: found[0], default=(-math.inf, named, held))
        if better < fit + _BETTER + math.log(len(tried)):
            break
        named, held, fit = one, inside, better
    return named


def _narrower(excess: Excess, named: SegmentKey, held: NDArray[np.bool_]) -> Iterable[SegmentKey]:
    """With one column more."""
    combos = [combo for combo, take in zip(excess.combos, held, strict=True) if take]
    for column in _NAMED:
        if not named.value(column):
            for value in sorted({value_of(combo, column) for combo in combos} - {""}):
                yield SegmentKey.of(**dict(named.parts), **{column: value})


def _with_implied(since: Cells, named: SegmentKey, segment: SegmentKey) -> SegmentKey:
    """Whose traffic it is, where a release alone was found: nearly all of it of one tenant, say."""
    added = [column for column, _ in named.parts if not segment.value(column)]
    if not any(column.startswith("release_") for column in added):
        return named
    parts = dict(named.parts)
    for column in (*STRATUM, "environment"):
        inside, around = since.within(named).shares(column), since.within(segment).shares(column)
        value, share = max(inside.items(), key=lambda item: item[1], default=("", 0.0))
        if value and column not in parts and share >= _IMPLIED and around.get(value, 0.0) < _TELLING:
            parts[column] = value
    return SegmentKey.of(**parts)


def _splits(excess: Excess, segment: SegmentKey) -> list[Share]:
    found = []
    for part in [segment, *_narrower(excess, segment, excess.members(segment))]:
        rows = excess.members(part)
        n = float(excess.n[rows].sum())
        if n > 0:
            usual = float((excess.n[rows] * excess.usual[rows]).sum()) / n
            found.append(Share(part, n, float(excess.bad[rows].sum()) / n, usual))
    return sorted(found, key=lambda share: (share.segment != segment, -share.excess))


def _new_values(before: Cells, since: Cells, carried: SegmentKey) -> list[str]:
    """Release parts whose value within the carrier hardly ran in its traffic before."""
    traffic = SegmentKey(tuple(part for part in carried.parts if not part[0].startswith("release_")))
    earlier, later = before.within(traffic), since.within(carried)
    found = []
    for part in RELEASE_PARTS:
        was, now = earlier.shares(f"release_{part}"), later.shares(f"release_{part}")
        for value, share in now.items():
            if value and share >= 0.5 and was and was.get(value, 0.0) < _NEW * share:
                found.append(f"{part}={value}")
    return found


def _releases(marks: Sequence[Mark], onset: float, carried: SegmentKey, new: Sequence[str]) -> list[Mark]:
    """The nearest release; of several near ones, that whose value is new where the change is."""
    told_of = [mark for mark in marks if mark.text in new]
    app = carried.value("app")
    return releases_before(told_of, onset, app) or releases_before(marks, onset, app)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


__all__ = ["Explanation", "explain"]
