"""Which traces the encoder reads: those the cheap scorer is unsure of, and never more than their share.

Pure: no clock but the one that is passed in, no chance. A trace is uncertain where its probability of a
hallucination, or its context sufficiency, lies in a band around one half.
Of these, a share of *all* traces at most is sent, picked by a
hash of the trace_id: the same traces give the same choice on every machine, and the choice does not depend
on what the scores are within the band. A time budget then bounds what it may cost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from schemas.scored import Judged

_SALT = b"encoder"
_HASH_BYTES = 8
BURST_TRACES = 50.0
"""Most of the share that quiet times can save up, in traces."""
BURST_SECONDS = 10.0
"""Most of the time budget that quiet times can save up: that of so many seconds."""


@dataclass(frozen=True, slots=True)
class Band:
    """Probabilities (0..1) within which the cheap scorer counts as unsure."""

    low: float = 0.3
    high: float = 0.7

    def __post_init__(self) -> None:
        """Raises ValueError where the band is none."""
        if not 0.0 <= self.low <= self.high <= 1.0:
            raise ValueError(f"the encoder's band needs 0 <= low <= high <= 1, not {self.low}..{self.high}")

    def holds(self, probability: float | None) -> bool:
        """Whether it is uncertain. What was not measured is not: there is nothing to read, or nothing to
        read it against."""
        return probability is not None and self.low <= probability <= self.high


@dataclass(frozen=True, slots=True)
class Doubt:
    """What makes a trace uncertain: either measure within its band, where there is one."""

    hallucination: Band | None
    sufficiency: Band | None = None

    def holds(self, judged: Judged) -> bool:
        """Whether a trace is uncertain."""
        scores = judged.scores
        return any(
            band is not None and band.holds(measured)
            for band, measured in (
                (self.hallucination, scores.hallucination),
                (self.sufficiency, scores.context_sufficiency),
            )
        )


class Share:
    """Picks at most a share (0..1) of all traces, counted over batches; keeps nothing but its credit."""

    def __init__(self, share: float, burst: float = BURST_TRACES) -> None:
        if not 0.0 <= share <= 1.0:
            raise ValueError(f"the encoder's share of traces is within 0..1, not {share}")
        self.share, self.burst, self.credit = share, burst, 0.0

    def pick(self, uncertain: Sequence[str], seen: int) -> set[str]:
        """Of the trace_ids of uncertain traces among `seen` new ones, those to send, by their hash."""
        self.credit = min(self.credit + self.share * seen, max(self.burst, self.share * seen))
        chosen = sorted(set(uncertain), key=draw)[: int(self.credit + 1e-9)]
        self.credit -= len(chosen)
        return set(chosen)


class TimeBudget:
    """A token bucket of seconds: at most `share` of the time that passes may be spent.

    `clock` gives seconds, from any beginning. A share of 1 or more never refuses.

    >>> now = 0.0
    >>> budget = TimeBudget(0.25, lambda: now, burst=4.0)
    >>> budget.allows(), budget.spend(3.0), budget.allows()
    (True, None, False)
    >>> now = 12.0
    >>> budget.allows()
    True
    """

    def __init__(self, share: float, clock: Callable[[], float], burst: float = BURST_SECONDS) -> None:
        if share < 0.0:
            raise ValueError(f"the encoder's share of time is not negative: {share}")
        self.share, self.clock = share, clock
        self._most = share * burst
        self._left = self._most
        self._at = clock()

    def allows(self) -> bool:
        """Whether there is any time left. What was overdrawn must pass first."""
        now = self.clock()
        self._left = min(self._most, self._left + self.share * max(0.0, now - self._at))
        self._at = now
        return self.share >= 1.0 or self._left > 0.0

    def spend(self, seconds: float) -> None:
        """Take what a call has cost; it may overdraw the budget."""
        self._left -= seconds


def draw(trace_id: str) -> float:
    """The number of a trace in [0, 1) that decides its turn: uniform over traces, the same everywhere."""
    digest = blake2b(trace_id.encode(errors="surrogatepass"), digest_size=_HASH_BYTES, key=_SALT).digest()
    return int.from_bytes(digest) / 2.0 ** (8 * _HASH_BYTES)


def choose(batch: Sequence[Judged], doubt: Doubt, share: Share) -> list[int]:
    """Indexes of the traces of a batch to send, in the order of their turn."""
    uncertain = [i for i, judged in enumerate(batch) if doubt.holds(judged)]
    sent = share.pick([batch[i].trace.trace_id for i in uncertain], len(batch))
    chosen = [i for i in uncertain if batch[i].trace.trace_id in sent]
    return sorted(chosen, key=lambda i: draw(batch[i].trace.trace_id))
