"""The decision for one trace: its probability first, then its number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from schemas.row import Sampling
from schemas.scored import Judged
from stream.sampling import reasons
from stream.sampling.boosts import Other, boosts
from stream.sampling.draw import draw
from stream.sampling.segments import segments
from stream.sampling.thinning import Bucket, Squeeze
from stream.settings.sampling import SamplingSettings

Clock = Callable[[], float]
"""Seconds since whenever; it may stand still, and steps back do no harm."""


class Choose(Protocol):
    """Decides for one judged trace; `others` is what further scorers say of it."""

    def __call__(self, judged: Judged, others: Sequence[Other] = ()) -> Sampling: ...


def sampler(settings: SamplingSettings, clock: Clock) -> Choose:
    """A function that decides for each trace, in the order in which a worker sees them.

    Without limits, raising a rate only ever adds traces. What it remembers is its own: limits hold for each
    sampler by itself.
    """
    segment_of, boosts_of = segments(settings), boosts(settings)
    floor, salt = settings.floor_rate, settings.salt
    limit = Bucket(settings.per_minute) if settings.per_minute else None

    def choose(judged: Judged, others: Sequence[Other] = ()) -> Sampling:
        now = clock()
        boosted = boosts_of(judged, others, now)  # first: what it remembers is of all traffic
        segment = segment_of(judged)
        if segment.excluded:
            return Sampling(False, 0.0, (reasons.EXCLUDED,))
        if not (judged.trace.answer or "").strip():
            return Sampling(False, 0.0, (reasons.NO_ANSWER,))
        wanted = [(reasons.CONTROL, segment.rate), *boosted]
        highest = max(floor, *(rate for _, rate in wanted))
        buckets = [bucket for bucket in (limit, segment.bucket) if bucket]
        squeeze = Squeeze.of(buckets, floor, now)
        probability = squeeze(highest)
        for bucket in buckets:
            bucket.add(probability)
        number = draw(judged.trace.trace_id, salt)
        if number >= probability:
            return Sampling(False, probability, (reasons.CAPPED,) if number < highest else ())
        return Sampling(True, probability, tuple(why for why, rate in wanted if number < squeeze(rate)))

    return choose


__all__ = ["Choose", "Clock", "sampler"]
