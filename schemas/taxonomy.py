"""The words ragpulse uses for failures, and how they map to other vocabularies in use.

The order of `FAILURES` is the order of blame, from upstream to downstream: only the first failed
stage of a trace is named.
"""

from __future__ import annotations

from enum import StrEnum


class Stage(StrEnum):
    """Where in the pipeline the first failure lies."""

    INGESTION = "ingestion"
    QUERY = "query"
    RETRIEVAL = "retrieval"
    GENERATION = "generation"


class Failure(StrEnum):
    """The six classes, in the order of blame."""

    SYSTEM_ERROR = "system_error"
    REWRITE_FAILURE = "rewrite_failure"
    EMPTY_RECALL = "empty_recall"
    POOR_RETRIEVAL = "poor_retrieval"
    OVER_REFUSAL = "over_refusal"
    HALLUCINATION = "hallucination"


FAILURES: tuple[Failure, ...] = tuple(Failure)
HEALTHY = "healthy"
"""How tables and reports name a trace whose `failure` is null."""


class Coverage(StrEnum):
    """Why a score is null or partial. `full` means that everything was measured on everything."""

    FULL = "full"
    TRUNCATED = "truncated"
    PROMPT_CONTEXT = "prompt_context"
    NO_CONTEXT = "no_context"
    NOT_RECORDED = "not_recorded"
    NO_ANSWER = "no_answer"
    NO_CLAIMS = "no_claims"
    NO_QUESTION = "no_question"
    SYSTEM_ERROR = "system_error"
    UNSUPPORTED_LANGUAGE = "unsupported_language"
    SCORER_ERROR = "scorer_error"


MEASURED = frozenset({Coverage.FULL, Coverage.TRUNCATED, Coverage.PROMPT_CONTEXT, Coverage.NO_QUESTION})
"""Faithfulness was measured. Under any other coverage it is null."""
UNSEEN = frozenset(
    {
        Coverage.NO_CONTEXT,
        Coverage.NOT_RECORDED,
        Coverage.NO_ANSWER,
        Coverage.UNSUPPORTED_LANGUAGE,
        Coverage.SCORER_ERROR,
    }
)
"""Too little was there to look at: a trace without a failure is not known to be healthy, only not known to
be anything else."""


class Quadrant(StrEnum):
    """Retrieval × generation: was the context sufficient, and was the answer grounded in it?

    ``lucky`` is the dangerous one: an answer asserted although the chunks do not hold it.
    """

    GOOD = "good"
    UNFAITHFUL = "unfaithful"
    LUCKY = "lucky"
    HONEST = "honest"
    OVER_REFUSED = "over_refused"


RETRIEVAL_FAILURE, INCOMPLETE_ANSWER, OFF_TOPIC = "retrieval_failure", "incomplete_answer", "off_topic"
MISSING_REJECTION = "missing_rejection"

FIVE_WAY: dict[Failure, str] = {
    Failure.SYSTEM_ERROR: INCOMPLETE_ANSWER,
    Failure.REWRITE_FAILURE: OFF_TOPIC,
    Failure.EMPTY_RECALL: RETRIEVAL_FAILURE,
    Failure.POOR_RETRIEVAL: RETRIEVAL_FAILURE,
    Failure.OVER_REFUSAL: INCOMPLETE_ANSWER,
    Failure.HALLUCINATION: "hallucination",
}
"""Ours → retrieval_failure / hallucination / incomplete_answer / off_topic / missing_rejection."""

KNOWLEDGE_BASE: dict[Failure, str | None] = {
    Failure.SYSTEM_ERROR: None,
    Failure.REWRITE_FAILURE: "retrieval miss",
    Failure.EMPTY_RECALL: "index gap",
    Failure.POOR_RETRIEVAL: "retrieval miss",
    Failure.OVER_REFUSAL: "false refusal",
    Failure.HALLUCINATION: "wrong condition",
}
"""Ours → index gap / retrieval miss / false refusal / unsupported citation / wrong condition."""

UNSUPPORTED_CITATION = "unsupported citation"


def five_way(failure: Failure | None, *, parametric_leak: bool = False) -> str | None:
    """Name a verdict in the five-way vocabulary; null for a healthy trace.

    An answer asserted over a context that does not hold it is there a missing rejection.
    """
    if failure is None:
        return None
    if parametric_leak and FIVE_WAY[failure] == RETRIEVAL_FAILURE:
        return MISSING_REJECTION
    return FIVE_WAY[failure]


def knowledge_base(failure: Failure | None, *, citation_precision: float | None = None) -> str | None:
    """Name a verdict in the knowledge-base vocabulary; null where that one has no word for it.

    A hallucination whose own citations do not hold it is there an unsupported citation.
    """
    if failure is None:
        return None
    if failure is Failure.HALLUCINATION and citation_precision is not None and citation_precision < 0.5:
        return UNSUPPORTED_CITATION
    return KNOWLEDGE_BASE[failure]
