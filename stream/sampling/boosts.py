"""What speaks for a closer look at a trace, and the rate that each reason brings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from schemas.scored import Judged
from stream.sampling import reasons
from stream.sampling.memory import Releases, Traffic
from stream.sampling.segments import language_of
from stream.settings.sampling import SamplingSettings


@dataclass(slots=True, frozen=True)
class Other:
    """What another scorer says of the same trace."""

    judged: Judged
    known_share: float = 1.0
    """Below which numbers the other scorer looks: where it chooses its traces by the same hash, a trace of
    a higher number would not be known to be disputed, and its probability is no higher than this."""


def boosts(settings: SamplingSettings) -> Callable[[Judged, Sequence[Other], float], list[tuple[str, float]]]:
    """A function of a trace, of what others say of it and of the time: each reason with its rate."""
    releases, traffic = Releases(settings.new_release_s), Traffic()

    def find(judged: Judged, others: Sequence[Other], now: float) -> Iterator[tuple[str, float]]:
        trace, verdict = judged.trace, judged.verdict
        if verdict.failure is not None or verdict.parametric_leak:
            yield reasons.SUSPECTED, settings.suspected_rate
        chance = judged.scores.hallucination
        if chance is not None and settings.uncertain_low <= chance <= settings.uncertain_high:
            yield reasons.UNCERTAIN, settings.uncertain_rate
        if trace.feedback is not None and trace.feedback.rating == -1:
            yield reasons.THUMBS_DOWN, settings.thumbs_down_rate
        if releases.is_new(trace, now):
            yield reasons.NEW_RELEASE, settings.new_release_rate
        segment = (trace.app, trace.tenant, language_of(judged))
        if traffic.per_hour(segment, now) < settings.rare_segment_per_hour:
            yield reasons.RARE_SEGMENT, settings.rare_segment_rate
        shares = [one.known_share for one in others if one.judged.verdict.failure != verdict.failure]
        if shares:
            yield reasons.DISAGREEMENT, min(settings.disagreement_rate, max(shares))

    return lambda judged, others, now: list(find(judged, others, now))


__all__ = ["Other", "boosts"]
