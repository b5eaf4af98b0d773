"""The encoder tier: uncertain traces only, within a share of traces and of time; a score beside the cheap
one, never instead of it.

    tier = EncoderTier(settings)                 # settings: see `TierSettings`; raises EncoderMissing
    scores = tier.judge(batch)                   # one EncoderScore or None a trace, in order
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from judges.distilled.measuring.batch import read_case
from judges.encoder.cascade import Band, Share, TimeBudget, choose
from judges.encoder.combine import Fitting, to_probability
from judges.encoder.model import EncoderJudge, EncoderMissing
from judges.encoder.pairs import Pair, list_pairs
from schemas.scored import Judged

SUPPORTED = 0.5
MOST_PAIRS = 8
"""Claims of one trace that are read; of more, those that the chunks hold least."""


class TierSettings(Protocol):
    """What the tier is told. `model` null means that there is no tier: it is off by default."""

    @property
    def model(self) -> str | None: ...  # a folder, or a name
    @property
    def band_low(self) -> float: ...  # uncertain is a probability of a hallucination from here
    @property
    def band_high(self) -> float: ...  # to here
    @property
    def share(self) -> float: ...  # of all traces, at most
    @property
    def budget(self) -> float: ...  # of the time that passes, at most


@dataclass(frozen=True, slots=True)
class TierOptions:
    """Such settings with defaults, for whoever has no settings file."""

    model: str | None = None
    band_low: float = 0.3
    band_high: float = 0.7
    share: float = 0.2
    budget: float = 0.25


class Reader(Protocol):
    """What reads pairs: `EncoderJudge`, or anything with its two members."""

    @property
    def fitting(self) -> Fitting: ...
    def supports(self, pairs: Sequence[Pair]) -> list[float]: ...


@dataclass(frozen=True, slots=True)
class EncoderScore:
    """What the encoder says of one trace. Probabilities are in 0..1."""

    trace_id: str
    version: str
    """Which model said so."""
    hallucination: float
    """The encoder's own probability that some claim is unsupported."""
    combined: float | None
    """The same from the encoder and the cheap scorer together; null where no blend was fitted."""
    faithfulness: float | None
    """Supported claims / claims; null where not all of them were read."""
    weakest: int
    """Which claim of the answer has the least support."""
    pairs: int
    seconds: float
    """What reading it took, on the tier's clock."""


class EncoderTier:
    """Chooses, reads and combines. One a process; not thread-safe.

    `skipped` counts what uncertain traces were not read for: `share`, `budget`, `nothing_to_read`.
    """

    def __init__(
        self,
        settings: TierSettings,
        reader: Reader | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        most: int = MOST_PAIRS,
        threads: int = 1,
    ) -> None:
        if reader is None:
            if settings.model is None:
                raise EncoderMissing("the encoder tier has no model: give a folder or a name")
            reader = EncoderJudge(settings.model, threads=threads)
        self.reader, self.clock = reader, clock
        self.most = most
        self.band = Band(settings.band_low, settings.band_high)
        self.share = Share(settings.share)
        self.budget = TimeBudget(settings.budget, clock)
        self.skipped: Counter[str] = Counter()

    @property
    def version(self) -> str:
        """The version of the model, as in each score."""
        return self.reader.fitting.version

    def judge(self, batch: Sequence[Judged]) -> list[EncoderScore | None]:
        """One score a trace, in order; null for those that were not read."""
        scores: list[EncoderScore | None] = [None] * len(batch)
        uncertain = sum(map(self.band.holds, batch))
        chosen = choose(batch, self.band, self.share)
        self.skipped["share"] += uncertain - len(chosen)
        for done, i in enumerate(chosen):
            if not self.budget.allows():
                self.skipped["budget"] += len(chosen) - done
                break
            scores[i] = self.read(batch[i])
        return scores

    def read(self, judged: Judged) -> EncoderScore | None:
        """The score of one trace, whatever the cheap scorer says of it; null where there is nothing to
        read. The time it takes counts."""
        began = self.clock()
        case = read_case(judged.trace)
        pairs = list_pairs(case, self.most)
        if not pairs:
            self.skipped["nothing_to_read"] += 1
            return None
        support = self.reader.supports(pairs)
        seconds = self.clock() - began
        self.budget.spend(seconds)
        fitting, language = self.reader.fitting, case.language
        hallucination = fitting.hallucination(support, language)
        supported = [to_probability(s) >= SUPPORTED for s in support]
        return EncoderScore(
            trace_id=judged.trace.trace_id,
            version=fitting.version,
            hallucination=hallucination,
            combined=fitting.combined(judged.scores.hallucination, hallucination, language),
            faithfulness=sum(supported) / len(supported) if len(pairs) == len(case.claims) else None,
            weakest=pairs[min(range(len(pairs)), key=support.__getitem__)].index,
            pairs=len(pairs),
            seconds=seconds,
        )
