"""A question to a judge, its answer, and the ways in which there may be none: no vendor, no network."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel

Filled = TypeVar("Filled", bound=BaseModel)
"""The form that a judge fills in. Its reasoning fields stand before its scores."""


class Reason(StrEnum):
    """Why a request gave no answer: a closed set, counted and stored under these names."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    RATE_LIMITED = "rate_limited"
    SERVER_ERROR = "server_error"
    UNAUTHORIZED = "unauthorized"
    BAD_REQUEST = "bad_request"
    REFUSED = "refused"
    """The model declined to answer, or a content filter did."""
    EMPTY = "empty"
    CUT = "cut"
    """The answer ended at its length limit or with the connection."""
    UNREADABLE = "unreadable"
    """No JSON in it, even after one repair turn."""
    INVALID = "invalid"
    """JSON that does not fit the form, even after one repair turn."""
    TOO_LONG = "too_long"
    """The question does not fit the model's context: not measured."""
    OVER_BUDGET = "over_budget"
    CIRCUIT_OPEN = "circuit_open"
    """The endpoint failed so often that it is left alone for a while."""
    STATE = "state"
    """The file that keeps what was spent cannot be used; without it nothing is asked."""
    NOT_JUDGEABLE = "not_judgeable"
    """The trace has nothing that this rubric could judge, such as an answer or a context."""


RETRYABLE = frozenset(
    {Reason.TIMEOUT, Reason.CONNECTION, Reason.RATE_LIMITED, Reason.SERVER_ERROR, Reason.CUT,
     Reason.CIRCUIT_OPEN, Reason.STATE}
)  # fmt: skip
"""What may be different next time."""


@dataclass(slots=True, frozen=True)
class Message:
    """One turn of a conversation with a judge."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(slots=True, frozen=True)
class Ask(Generic[Filled]):
    """One question: what is said, and the form that the answer must fill in.

    `purpose` names it in metrics ("claims", "scores", "triage" …); `tenant` is whose budget pays; `trace_id`
    says whom it is about, in logs alone. None of them changes the answer, so none is in the cache key.
    """

    purpose: str
    messages: tuple[Message, ...]
    form: type[Filled]
    tenant: str = ""
    trace_id: str = ""
    max_output_tokens: int = 1024
    fresh: bool = False
    """Whether an answer that is kept from before will not do: whoever watches a judge must hear it speak."""


@dataclass(slots=True)
class Usage:
    """What was spent, over all calls of one or of several questions. Cost is null without a known price."""

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None
    latency_ms: float = 0.0
    estimated: bool = False
    """Whether some of it is our own estimate: the server did not say, or nobody knows how a call ended."""

    def add(self, other: Usage) -> None:
        """Count `other` as well. A cost that is known is not lost for one that is not."""
        self.calls += other.calls
        self.input_tokens += other.input_tokens
        self.output_tokens += other.output_tokens
        self.latency_ms += other.latency_ms
        self.estimated = self.estimated or other.estimated
        if other.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + other.cost_usd


How = Literal["json_schema", "json_object", "prose", "repaired"]
"""How the form came to be filled: by the server's structured output, by its JSON mode, found in prose, or
after one repair turn."""


@dataclass(slots=True, frozen=True)
class Answer(Generic[Filled]):
    """A filled form. `served_by` is the model that the server says answered; `cached` cost nothing."""

    value: Filled
    usage: Usage
    how: How = "json_schema"
    served_by: str = ""
    cached: bool = False


class JudgeFailed(Exception):
    """No answer. `usage` is what was spent all the same; `retry_after_s` is the server's own wish."""

    def __init__(
        self, reason: Reason, detail: str, usage: Usage | None = None, retry_after_s: float | None = None
    ) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.usage = usage or Usage()
        self.retry_after_s = retry_after_s

    @property
    def retryable(self) -> bool:
        """Whether another try may go better."""
        return self.reason in RETRYABLE


class Judge(Protocol):
    """Whoever can be asked: a model behind an endpoint. Safe to ask concurrently from one event loop."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    async def ask(self, ask: Ask[Filled]) -> Answer[Filled]:
        """The filled form. Raises JudgeFailed, and nothing else, when there is none."""
        ...


@dataclass(slots=True, frozen=True)
class Embedded:
    """One vector for each text, in order, all of one length; and what they cost."""

    vectors: tuple[tuple[float, ...], ...]
    usage: Usage


class Embedder(Protocol):
    """Whoever turns texts into vectors whose cosine says how alike their meanings are."""

    @property
    def name(self) -> str: ...

    async def embed(self, texts: tuple[str, ...], *, tenant: str = "", trace_id: str = "") -> Embedded:
        """A vector for each text. Raises JudgeFailed, and nothing else, when there is none."""
        ...


ClaimLabel = Literal["supported", "contradicted", "not_found"]


@dataclass(slots=True, frozen=True)
class ClaimVerdict:
    """What a judge says of one claim of the answer.

    `chunk` is the index of the chunk that `quote` was found in, -1 for the prompt's context. `verified` is
    whether the quote does occur there; where it does not, the label counts for nothing (`label` is null) and
    `claimed` keeps what it said.
    """

    text: str
    label: ClaimLabel | None
    claimed: ClaimLabel
    quote: str = ""
    chunk: int | None = None
    verified: bool = False
    void: str = ""
    """Why the label is null: "invented_quote", "unrelated_quote", "no_quote", "truncated", "not_recorded"."""


@dataclass(slots=True)
class Opinion:
    """All that one judge says of one trace under one rubric. Null means *not measured*, never a score.

    Scores are in 0..1 except `ratings`, which are on the rubric's scale of 1 to 5 by name (accuracy,
    faithfulness, safety). `failure` is a class of the taxonomy, "healthy", or null where the judge does not
    say.
    """

    judge: str
    model: str
    rubric: str
    rubric_version: str
    language: str
    failure: str | None = None
    failure_confidence: float | None = None
    faithfulness: float | None = None
    hallucination: float | None = None
    answer_relevance: float | None = None
    context_relevance: float | None = None
    context_sufficiency: float | None = None
    context_precision: float | None = None
    """Average precision of the ranking: how far up the useful chunks stand."""
    context_recall: float | None = None
    citation_precision: float | None = None
    refusal: bool | None = None
    refusal_correct: bool | None = None
    parametric_leak: bool | None = None
    ratings: dict[str, int] = field(default_factory=dict)
    claims: list[ClaimVerdict] = field(default_factory=list)
    rationale: str = ""
    root_cause: str = ""
    suggested_fix: str = ""
    truncated: list[str] = field(default_factory=list)
    """Which texts the judge saw only in part ("chunk 3", "history" …)."""
    not_measured: dict[str, str] = field(default_factory=dict)
    """Score name to why it is null: a `Reason`, "truncated", "no_context" …"""
    measured_by: dict[str, str] = field(default_factory=dict)
    """Score name to how it came about, where there is more than one way ("trace", "embeddings", "marks")."""
    usage: Usage = field(default_factory=Usage)
    served_by: str = ""


__all__ = [
    "RETRYABLE",
    "Answer",
    "Ask",
    "ClaimLabel",
    "ClaimVerdict",
    "Embedded",
    "Embedder",
    "Filled",
    "How",
    "Judge",
    "JudgeFailed",
    "Message",
    "Opinion",
    "Reason",
    "Usage",
]
