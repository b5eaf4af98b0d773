"""What travels between the annotation queue and annotators: a case, and what somebody says of it.

    said = Annotation(failure="hallucination", claims=[ClaimLabel(text="…", start=0, end=9, supported=False)])

An item is made by whoever fills the queue; its payload is redacted before it is made. A label answers what it
can: null always means *not asked, or not known*, never a no.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.golden import Kind
from schemas.row import encode, stamp
from schemas.taxonomy import HEALTHY

FailureClass = Literal[
    "healthy",
    "system_error",
    "rewrite_failure",
    "empty_recall",
    "poor_retrieval",
    "over_refusal",
    "hallucination",
]
RefusalKind = Literal["full", "partial", "none"]

MOST_CLAIMS: Final = 200
MOST_CHUNKS: Final = 200
MOST_CHARACTERS: Final = 20_000
"""Of a reference answer; a note may have a fifth of it."""
_SWAYING: Final = frozenset({"failure", "first_failed_stage", "scorer_version", "because"})
"""What of a case tells an annotator the answer before they have one of their own."""


class Reason(StrEnum):
    """The policy that put a case into the queue."""

    DISAGREEMENT = "disagreement"
    """Student and judge, or the judges of a panel, say different things."""
    UNCERTAIN = "uncertain"
    """The student's probability is near the line, or its two best classes are near each other."""
    LOW_SUPPORT = "low_support"
    """What is asked often and the documents hardly support."""
    THUMBS_DOWN = "thumbs_down"
    NEW_CLUSTER = "new_cluster"
    """Many traces of a kind that was not there before."""
    STAGE = "stage"
    """Its first failed stage has too few cases: what is most surely wrong there."""
    CONTROL = "control"
    """Drawn by chance alone, whatever anybody says of it."""


class Withdrawn(StrEnum):
    """Why a case left the queue without being settled; nothing while it is in it."""

    NO = ""
    CROWDED_OUT = "crowded_out"
    """The queue is full, and others are worth more."""


class ItemRole(StrEnum):
    """What a row of table `annotations` is."""

    VOTE = "vote"
    ARBITRATION = "arbitration"
    """The last word, by somebody who had no vote."""
    SKIP = "skip"
    """This annotator cannot tell: the case goes to others."""


class ClaimLabel(BaseModel):
    """One claim of the answer: `start` and `end` are character offsets in the answer that was shown.

    `supported` null: the annotator cannot tell.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(max_length=MOST_CHARACTERS)
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    supported: bool | None = None

    @model_validator(mode="after")
    def _ends_after_its_start(self) -> ClaimLabel:
        if self.end < self.start:
            raise ValueError("a claim ends before it starts")
        return self


class Annotation(BaseModel):
    """What one annotator says of one case. At least one thing must be said."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    failure: FailureClass | None = None
    hallucination: bool | None = None
    context_sufficient: bool | None = None
    refusal: RefusalKind | None = None
    claims: tuple[ClaimLabel, ...] = Field(default=(), max_length=MOST_CLAIMS)
    gold_chunk_ids: tuple[str, ...] = Field(default=(), max_length=MOST_CHUNKS)
    should_refuse: bool | None = None
    reference_answer: str = Field(default="", max_length=MOST_CHARACTERS)
    kind: Kind | None = None
    """Of golden case: what the rules would find by themselves need not be said."""
    note: str = Field(default="", max_length=MOST_CHARACTERS // 5)

    @model_validator(mode="after")
    def _says_something_sound(self) -> Annotation:
        if self == Annotation.model_construct(note=self.note):
            raise ValueError("the label says nothing; skip the case instead")
        if self.failure == "hallucination" and self.hallucination is False:
            raise ValueError("the class is hallucination, and yet hallucination is false")
        if self.failure == HEALTHY and self.hallucination:
            raise ValueError("the class is healthy, and yet hallucination is true")
        return self

    @property
    def is_hallucination(self) -> bool | None:
        """What is said of hallucination, be it by the class alone or by the claims."""
        if self.hallucination is not None:
            return self.hallucination
        if self.failure == "hallucination" or any(claim.supported is False for claim in self.claims):
            return True
        if self.failure == HEALTHY:
            return False
        return None


@dataclass(frozen=True, slots=True)
class AnnotationItem:
    """One case of the queue, as it lies in table `annotation_items`. Its payload is redacted."""

    item_id: str
    trace_id: str
    timestamp: datetime
    """Of the trace."""
    app: str = ""
    tenant: str = ""
    language: str = ""
    intent: str = ""
    failure: str = HEALTHY
    """As scored."""
    first_failed_stage: str = ""
    scorer_version: str = ""
    reason: str = Reason.CONTROL.value
    reasons: tuple[str, ...] = ()
    value: float = 0.0
    """0 to 1: how much an annotator's time is worth here."""
    because: str = ""
    """The value in words."""
    control: bool = False
    probability: float = 1.0
    """With which a control was drawn; 1 for all others."""
    cluster: str = ""
    duplicates: int = 0
    """Further traces that say nearly the same."""
    duplicate_ids: tuple[str, ...] = ()
    votes_wanted: int = 1
    payload: Mapping[str, Any] = field(default_factory=dict)
    """`trace` (the contract's JSON), `scores` (the contract of `ragpulse score`), `verdicts` (rows)."""
    redactions: Mapping[str, int] = field(default_factory=dict)
    withdrawn: str = Withdrawn.NO.value
    created_at: datetime = datetime(1970, 1, 1, tzinfo=UTC)

    @property
    def trace(self) -> Mapping[str, Any]:
        """The trace, redacted; empty where it is not there."""
        return self.payload.get("trace") or {}

    def as_row(self, updated_at: datetime) -> dict[str, Any]:
        """The columns of table `annotation_items`."""
        return {
            **self.as_facts(),
            "timestamp": stamp(self.timestamp),
            "created_at": stamp(self.created_at),
            "updated_at": stamp(updated_at),
            "payload": encode(dict(self.payload)).decode(),
        }

    def as_facts(self, *, blind: bool = False) -> dict[str, Any]:
        """Plain values, as JSON takes them. `blind`: without what scorer and judges said, in any field."""
        payload = {"trace": self.payload.get("trace")} if blind else dict(self.payload)
        facts = {
            "item_id": self.item_id,
            "trace_id": self.trace_id,
            "timestamp": self.timestamp.isoformat(),
            "app": self.app,
            "tenant": self.tenant,
            "language": self.language,
            "intent": self.intent,
            "failure": self.failure,
            "first_failed_stage": self.first_failed_stage,
            "scorer_version": self.scorer_version,
            "reason": self.reason,
            "reasons": list(self.reasons),
            "value": round(self.value, 4),
            "because": self.because,
            "control": self.control,
            "probability": self.probability,
            "cluster": self.cluster,
            "duplicates": self.duplicates,
            "duplicate_ids": list(self.duplicate_ids),
            "votes_wanted": self.votes_wanted,
            "payload": payload,
            "redactions": dict(self.redactions),
            "withdrawn": self.withdrawn,
            "created_at": self.created_at.isoformat(),
        }
        return {name: value for name, value in facts.items() if not (blind and name in _SWAYING)}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> AnnotationItem:
        """A row of the table again. Columns that were not read keep their defaults."""
        known = {name: row[name] for name in cls.__slots__ if name in row}
        for name in ("reasons", "duplicate_ids"):
            known[name] = tuple(known.get(name, ()))
        if isinstance(known.get("payload"), str):
            known["payload"] = _read_payload(known["payload"])
        for name in ("timestamp", "created_at"):
            if isinstance(known.get(name), datetime):
                known[name] = in_utc(known[name])
        return cls(**known)


def _read_payload(text: str) -> dict[str, Any]:
    """What an item shows; empty where it is no JSON object: somebody may have written it by hand."""
    try:
        said = orjson.loads(text or "{}")
    except orjson.JSONDecodeError:
        return {}
    return said if isinstance(said, dict) else {}


def annotation_row(
    said: Annotation | None,
    item: AnnotationItem,
    annotator: str,
    at: datetime,
    *,
    role: ItemRole = ItemRole.VOTE,
    weight: float = 1.0,
    guideline: str = "",
    seconds: float | None = None,
    source: str = "",
) -> dict[str, Any]:
    """The columns of table `annotations`. A skip (`said` null) weighs nothing, so that nobody learns from it.

    `spans` repeats where the answer is wrong, for whoever learns from offsets.
    """
    wrong = [claim for claim in said.claims if claim.supported is False] if said else []
    return {
        "trace_id": item.trace_id,
        "item_id": item.item_id,
        "timestamp": stamp(item.timestamp),
        "app": item.app,
        "tenant": item.tenant,
        "language": item.language,
        "annotator": annotator,
        "role": role.value,
        "annotated_at": stamp(at),
        "failure": (said.failure if said else None) or "",
        "hallucination": said.is_hallucination if said else None,
        "context_sufficient": said.context_sufficient if said else None,
        "refusal": (said.refusal if said else None) or "",
        "spans": _json([[claim.start, claim.end] for claim in wrong]) if wrong else "",
        "claims": _json([claim.model_dump() for claim in said.claims]) if said and said.claims else "",
        "gold_chunk_ids": list(said.gold_chunk_ids) if said else [],
        "should_refuse": said.should_refuse if said else None,
        "reference_answer": said.reference_answer if said else "",
        "kind": said.kind.value if said and said.kind else "",
        "note": said.note if said else "",
        "weight": weight if said else 0.0,
        "guideline": guideline,
        "seconds": seconds,
        "source": source,
    }


def annotation_from_row(row: Mapping[str, Any]) -> Annotation | None:
    """What a row of table `annotations` says; null where it says nothing that we read (a skip)."""
    try:
        return Annotation.model_validate(
            {
                "failure": row["failure"] or None,
                "hallucination": row["hallucination"],
                "context_sufficient": row["context_sufficient"],
                "refusal": row["refusal"] or None,
                "claims": orjson.loads(row["claims"]) if row.get("claims") else (),
                "gold_chunk_ids": tuple(row.get("gold_chunk_ids") or ()),
                "should_refuse": row.get("should_refuse"),
                "reference_answer": row.get("reference_answer") or "",
                "kind": row.get("kind") or None,
                "note": row.get("note") or "",
            }
        )
    except ValueError:
        return None


def in_utc(moment: datetime) -> datetime:
    """A time of the tables, which are in UTC, with that said."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


__all__ = [
    "Annotation", "AnnotationItem", "ClaimLabel", "FailureClass", "ItemRole", "Reason", "RefusalKind",
    "Withdrawn", "annotation_from_row", "annotation_row", "in_utc",
]  # fmt: skip
