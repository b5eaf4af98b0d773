"""What is said of a trace once the encoder tier has looked at it again: pure."""

from __future__ import annotations

from dataclasses import replace

from judges.encoder.answering import reweigh
from judges.encoder.tier import EncoderScore
from judges.triage import triage
from schemas.scored import Judged


def as_judged(judged: Judged, said: EncoderScore) -> Judged:
    """What is said of a trace once the encoder has read it: its own verdict, and only what it measured.

    `hallucination` is that of encoder and serving scorer together where the model was fitted for that.
    """
    seen = replace(judged.scores, scorer_version=said.version)
    if said.claims is not None:
        own, combined = said.claims.hallucination, said.claims.combined
        seen.hallucination = own if combined is None else combined
        seen.faithfulness = said.claims.faithfulness
    if said.sufficiency is not None:
        if seen.classes and seen.context_sufficiency is not None:
            seen.classes = reweigh(seen.classes, seen.context_sufficiency, said.sufficiency)
        seen.context_sufficiency = said.sufficiency
    verdict = triage(judged.trace, seen)
    measured = replace(
        seen,
        hallucination=seen.hallucination if said.claims else None,
        faithfulness=seen.faithfulness if said.claims else None,
        context_sufficiency=said.sufficiency,
        answer_relevance=None,
        context_relevance=None,
        citation_precision=None,
    )
    return Judged(judged.trace, measured, verdict)
