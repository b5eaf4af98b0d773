"""The encoder tier: uncertain traces only, within a share of traces and of time; a score beside the cheap
one, never instead of it. One model reads claims, another looks at whether the chunks answer; either will do.

    tier = EncoderTier(settings)                 # settings: see `TierSettings`; raises EncoderMissing
    scores = tier.judge(batch)                   # one EncoderScore or None a trace, in order
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from judges.distilled.measuring.batch import Case, read_case
from judges.distilled.rewriting import RESOLVED
from judges.encoder.cascade import Band, Doubt, Share, TimeBudget, choose
from judges.encoder.combine import Fitting, to_probability
from judges.encoder.embedder import AnswerReader
from judges.encoder.loading import EncoderMissing
from judges.encoder.model import EncoderJudge
from judges.encoder.pairs import Pair, list_pairs
from schemas.scored import Judged

SUPPORTED = 0.5
MOST_PAIRS = 8
"""Claims of one trace that are read; of more, those that the chunks hold least."""


class TierSettings(Protocol):
    """What the tier is told. Without `model` and `embedder` there is no tier: it is off by default."""

    @property
    def model(self) -> str | None: ...  # a folder, or a name: reads claims
    @property
    def embedder(self) -> str | None: ...  # a folder: looks at whether the chunks answer
    @property
    def band_low(self) -> float: ...  # uncertain is a probability of a hallucination from here
    @property
    def band_high(self) -> float: ...  # to here
    @property
    def sufficiency_low(self) -> float: ...  # or a context sufficiency from here
    @property
    def sufficiency_high(self) -> float: ...  # to here
    @property
    def share(self) -> float: ...  # of all traces, at most
    @property
    def budget(self) -> float: ...  # of the time that passes, at most


@dataclass(frozen=True, slots=True)
class TierOptions:
    """Such settings with defaults, for whoever has no settings file."""

    model: str | None = None
    embedder: str | None = None
    band_low: float = 0.3
    band_high: float = 0.7
    sufficiency_low: float = 0.2
    sufficiency_high: float = 0.8
    share: float = 0.2
    budget: float = 0.25


class Reader(Protocol):
    """What reads claims: `EncoderJudge`, or anything with its two members."""

    @property
    def fitting(self) -> Fitting: ...
    def supports(self, pairs: Sequence[Pair]) -> list[float]: ...


class Answers(Protocol):
    """What looks at whether chunks answer: `AnswerReader`, or anything with its two members."""

    @property
    def version(self) -> str: ...
    def sufficiency(self, judged: Judged, question: str, language: str | None) -> float | None: ...


@dataclass(frozen=True, slots=True)
class EncoderScore:
    """What the tier says of one trace. Probabilities are in 0..1; what was not read is null."""

    trace_id: str
    version: str
    """Which models said so."""
    seconds: float
    """What reading it took, on the tier's clock."""
    claims: ClaimScore | None
    sufficiency: float | None
    """Whether the chunks hold an answer, by their vectors and by the cheap scorer together."""


@dataclass(frozen=True, slots=True)
class ClaimScore:
    """What the claims of an answer come to."""

    hallucination: float
    """The encoder's own probability that some claim is unsupported."""
    combined: float | None
    """The same from the encoder and the cheap scorer together; null where no blend was fitted."""
    faithfulness: float | None
    """Supported claims / claims; null where not all of them were read."""
    weakest: int
    """Which claim of the answer has the least support."""
    pairs: int


class EncoderTier:
    """Chooses, reads and combines. One a process; not thread-safe.

    `skipped` counts what uncertain traces were not read for: `share`, `budget`, `nothing_to_read`.
    Without `reader` and `answers`, those that the settings name are loaded.
    """

    def __init__(
        self,
        settings: TierSettings,
        reader: Reader | None = None,
        clock: Callable[[], float] = time.monotonic,
        *,
        answers: Answers | None = None,
        most: int = MOST_PAIRS,
        threads: int = 1,
    ) -> None:
        if reader is None and answers is None:
            reader, answers = _load(settings, threads)
        self.reader, self.answers, self.clock = reader, answers, clock
        self.most = most
        self.doubt = Doubt(
            Band(settings.band_low, settings.band_high) if reader else None,
            Band(settings.sufficiency_low, settings.sufficiency_high) if answers else None,
        )
        self.share = Share(settings.share)
        self.budget = TimeBudget(settings.budget, clock)
        self.skipped: Counter[str] = Counter()

    @property
    def version(self) -> str:
        """The version of the models, as in each score."""
        claims = [self.reader.fitting.version] if self.reader else []
        return "+".join([*claims, *([self.answers.version] if self.answers else [])])

    def judge(self, batch: Sequence[Judged]) -> list[EncoderScore | None]:
        """One score a trace, in order; null for those that were not read."""
        scores: list[EncoderScore | None] = [None] * len(batch)
        uncertain = sum(map(self.doubt.holds, batch))
        chosen = choose(batch, self.doubt, self.share)
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
        claims = self._read_claims(judged, case)
        resolved = judged.scores.signals.get("rewrite_state") == RESOLVED
        asked = case.rewrite if resolved and case.rewrite else case.question
        answered = self.answers.sufficiency(judged, asked, case.language) if self.answers else None
        if claims is None and answered is None:
            self.skipped["nothing_to_read"] += 1
            return None
        seconds = self.clock() - began
        self.budget.spend(seconds)
        return EncoderScore(judged.trace.trace_id, self.version, seconds, claims, answered)

    def _read_claims(self, judged: Judged, case: Case) -> ClaimScore | None:
        pairs = list_pairs(case, self.most) if self.reader else []
        if self.reader is None or not pairs:
            return None
        support = self.reader.supports(pairs)
        fitting, language = self.reader.fitting, case.language
        hallucination = fitting.hallucination(support, language)
        supported = [to_probability(s) >= SUPPORTED for s in support]
        return ClaimScore(
            hallucination=hallucination,
            combined=fitting.combined(judged.scores.hallucination, hallucination, language),
            faithfulness=sum(supported) / len(supported) if len(pairs) == len(case.claims) else None,
            weakest=pairs[min(range(len(pairs)), key=support.__getitem__)].index,
            pairs=len(pairs),
        )


def _load(settings: TierSettings, threads: int) -> tuple[Reader | None, Answers | None]:
    if settings.model is None and settings.embedder is None:
        raise EncoderMissing("the encoder tier has no model: give a folder or a name")
    reader = EncoderJudge(settings.model, threads=threads) if settings.model else None
    answers = AnswerReader.load(settings.embedder, threads=threads) if settings.embedder else None
    return reader, answers
