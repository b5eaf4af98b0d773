"""What was learned about whole traces: do the chunks hold an answer, and which stage failed first?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from judges.distilled.heads.chunk_vectors import chunk_vectors
from judges.distilled.heads.class_vectors import Context, class_vectors
from judges.distilled.heads.classes import CLASSES, ClassHead, normalise
from judges.distilled.heads.classes import forest_name as class_forest
from judges.distilled.heads.forest import Rows, logistic
from judges.distilled.heads.sufficiency import LANGUAGES, SufficiencyHead, to_logits
from judges.distilled.heads.sufficiency import forest_name as chunk_forest
from judges.distilled.heads.weights import Weights
from judges.distilled.measuring.batch import Case
from judges.distilled.measuring.features import Features
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.tokens import Ints
from judges.distilled.measuring.units import Floats
from judges.distilled.relevance import find_asked, find_rewritten
from judges.triage import triage
from schemas.scored import Scores
from schemas.taxonomy import HEALTHY

LEAST_CONTEXT: Final = 120
"""Tokens of context below which nothing is said: all that taught these heads were longer, and where one or
two sentences are all there is, rules decide."""
RULES_SAY: Final = 2.0
"""How much likelier a class is for being what the rules name: they hold where the traces that taught are
unlike what is judged."""
HeadByLanguage = Mapping[str, SufficiencyHead]


@dataclass(slots=True, frozen=True)
class Learned:
    """The heads that judge a trace as a whole, beside those that judge its claims."""

    sufficiency: HeadByLanguage
    classes: ClassHead | None

    @classmethod
    def restore(cls, weights: Weights) -> Self | None:
        """From a scorer's weights; null where they hold none. KeyError or ValueError for half of it."""
        heads = {
            language: SufficiencyHead.restore(
                weights.arrays, weights.forests[chunk_forest(language)], language
            )
            for language in LANGUAGES
            if chunk_forest(language) in weights.forests
        }
        if not heads:
            return None
        known = class_forest(CLASSES[0]) in weights.forests
        return cls(heads, ClassHead.restore(weights.forests, weights.calibration) if known else None)

    def refine(self, features: Features, scores: Sequence[Scores], support: Floats) -> Sequence[Scores]:
        """Put what was learned into scores that are otherwise complete, and give them back."""
        part = features.part
        context = judge_context(part, scores, self.sufficiency)
        vectors = class_vectors(features, scores, support, context)
        known = (measure_contexts(part) >= LEAST_CONTEXT).tolist()
        ruled = [_name_by_rules(case, score) for case, score in zip(part.cases, scores, strict=True)]
        for score, chance, familiar in zip(scores, logistic(context.traces).tolist(), known, strict=True):
            if score.context_sufficiency is not None and familiar:
                score.context_sufficiency = chance
        if self.classes is not None:
            follows = [bool(case.history) for case in part.cases]
            chances = self.classes.classify(vectors, scores, follows)
            chances = normalise(
                chances * np.where(np.array(ruled)[:, None] == np.array(CLASSES), RULES_SAY, 1.0)
            )
            for score, row, familiar in zip(scores, chances.tolist(), known, strict=True):
                if familiar and is_classified(score):
                    score.classes = dict(zip(CLASSES, row, strict=True))
        return scores


def measure_contexts(part: Part) -> Ints:
    """How many tokens the chunks of each case have."""
    first = np.array(part.layout.chunk_first, dtype=np.int64)
    last = first + np.array([len(case.chunks) for case in part.cases], dtype=np.int64)
    lengths: Ints = part.tokens.text_token[last] - part.tokens.text_token[first]
    return lengths


def _name_by_rules(case: Case, score: Scores) -> str:
    """The class that the rules of triage name."""
    failure = triage(case.trace, score).failure
    return failure.value if failure else HEALTHY


def is_classified(score: Scores) -> bool:
    """Whether enough was measured of a trace to say which stage failed first."""
    return score.context_sufficiency is not None and (score.refusal or score.hallucination is not None)


def judge_context(part: Part, scores: Sequence[Scores], heads: HeadByLanguage) -> Context:
    """Logits of chunks and traces, each by the head of its language (the first one's where it has none)."""
    asked = find_asked(part, [str(s.signals.get("rewrite_state")) for s in scores])
    covered = to_logits(np.array([s.context_sufficiency or 0.0 for s in scores]))
    rewritten = find_rewritten(part)
    vectors, owner = chunk_vectors(part, asked)
    chunks, traces = _judge(part, vectors, owner, covered, heads)
    as_rewritten = traces.copy()
    other = np.flatnonzero(asked != rewritten)
    if len(other):
        also, whose = chunk_vectors(part, rewritten, other)
        as_rewritten[other] = _judge(part, also, whose, covered, heads)[1][other]
    return Context(traces, chunks, as_rewritten)


def _judge(
    part: Part, vectors: Rows, owner: Ints, covered: Floats, heads: HeadByLanguage
) -> tuple[Floats, Floats]:
    """Logits of all chunks, and of all cases."""
    n = len(part.cases)
    chunks, traces = np.zeros(len(owner)), np.full(n, -np.inf)
    default = next(iter(heads))
    spoken = np.array([c.language if c.language in heads else default for c in part.cases])
    for language, head in heads.items():
        mine = spoken == language
        rows = np.flatnonzero(mine[owner])
        if len(rows):
            number = np.cumsum(mine) - 1
            chunks[rows] = head.judge_chunks(vectors[rows])
            judged = head.judge_traces(chunks[rows], number[owner[rows]], int(mine.sum()))
            traces[mine] = head.blend_traces(judged, covered[mine])
    return chunks, traces
