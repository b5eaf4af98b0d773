"""The trace: one answered question, as an application published it (contract, version 1).

Required are `trace_id`, `question` and `answer` (the last two may be null). Everything else may be
missing. Three absences are kept apart, because they mean different things:

* ``retrieval is None``: no retrieval was seen;
* ``retrieval.chunks == []``: it ran and found nothing (the only *empty recall*);
* ``chunk.text is None`` (or ``retrieval.chunks is None``): the source did not record it.

Numbers that are not finite (NaN, infinities) describe no measurement and are read as null.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

SCHEMA_VERSION: Literal[1] = 1
MAX_ID_CHARS = 512


def _finite_or_none(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _in_utc(value: datetime) -> datetime:
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value


def _empty_if_null(value: object) -> object:
    return [] if value is None else value


Measure = Annotated[float, AfterValidator(_finite_or_none)] | None  # most are null: nothing is called for it
Text = str | None
Moment = Annotated[datetime, AfterValidator(_in_utc)] | None


class _Part(BaseModel):
    """Unknown keys of a part are ignored: only the trace itself keeps its unknown keys."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class Release(_Part):
    """What was running when the answer was given; each part can be blamed on its own."""

    app: Text = None
    prompt: Text = None
    index: Text = None
    embedding_model: Text = None
    reranker: Text = None
    generator: Text = None


class Message(_Part):
    """One earlier turn of the conversation."""

    role: str
    content: Text = None


class Chunk(_Part):
    """One retrieved passage. `text` is null where the source did not record it."""

    id: Text = None
    doc_id: Text = None
    text: Text = None
    score: Measure = None
    rerank_score: Measure = None
    rank: int | None = None


class Retrieval(_Part):
    """What the retriever was asked for and what it returned."""

    top_k: int | None = None
    min_score: Measure = None
    latency_ms: Measure = None
    error: Text = None
    prompt_context: Text = None
    chunks: list[Chunk] | None = None


class Generation(_Part):
    """What the model reported about its answer."""

    model: Text = None
    finish_reason: Text = None
    latency_ms: Measure = None
    ttft_ms: Measure = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: Measure = None
    error: Text = None


class Feedback(_Part):
    """What the user said of the answer: -1, 0 or 1, and perhaps why."""

    rating: int | None = None
    comment: Text = None


class Evaluation(_Part):
    """What an evaluator said under some name: a number, a label, or both, and perhaps why."""

    name: Annotated[str, Field(min_length=1)]
    score: Measure = None
    label: Text = None
    comment: Text = None
    source: Text = None


class Gold(_Part):
    """The truth, for canaries and labelled traffic only."""

    chunk_ids: list[str] | None = None
    answer: Text = None
    should_refuse: bool | None = None


class Trace(BaseModel):
    """One answered question. Unknown top-level keys are kept (see `unknown`), not refused."""

    model_config = ConfigDict(extra="allow", coerce_numbers_to_str=True)

    schema_version: Literal[1] = SCHEMA_VERSION
    trace_id: Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)]
    timestamp: Moment = None
    app: Text = None
    tenant: Text = None
    environment: Text = None
    intent: Text = None
    language: Text = None
    release: Release | None = None
    conversation_id: Text = None
    turn: int | None = None
    history: Annotated[list[Message], BeforeValidator(_empty_if_null)] = []
    question: Text
    rewritten_query: Text = None
    retrieval: Retrieval | None = None
    generation: Generation | None = None
    answer: Text
    feedback: Feedback | None = None
    gold: Gold | None = None
    extra: dict[str, Any] | None = None

    @property
    def unknown(self) -> dict[str, Any]:
        """Keys this version does not know, merged over those already kept under `extra`."""
        return {**(self.extra or {}), **(self.model_extra or {})}


class LateFeedback(BaseModel):
    """Feedback that arrives after (or before) its trace, as a message of its own.

    `evaluations` are by evaluators, and not by users; with them, `feedback` may say nothing.
    """

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)

    trace_id: Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)]
    timestamp: Moment = None
    feedback: Feedback
    evaluations: list[Evaluation] = []

    @property
    def holds_feedback(self) -> bool:
        """Whether a user spoke. Empty feedback alone takes back what was said before."""
        return self.feedback != Feedback() or not self.evaluations
