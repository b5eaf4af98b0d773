"""One golden case: a question with what is true of it, and what an answer to it must hold up to."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import orjson

from schemas.golden import Kind

LONGEST_ID: Final = 512
_TURN_KEYS: Final = frozenset({"role", "content"})


class CaseRefused(ValueError):
    """A case that is none: what is wrong, in words."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of the conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """A question, and the truth. Nothing in it says anything about a person: it was redacted."""

    case_id: str
    question: str
    kind: Kind
    language: str = ""
    intent: str = ""
    tenant: str = ""
    permissions: tuple[str, ...] = ()
    """What the asker may see; empty where everybody may see everything."""
    history: tuple[Turn, ...] = ()
    gold_chunk_ids: tuple[str, ...] = ()
    """Chunks that hold the answer, in no order."""
    gold_texts: Mapping[str, str] = field(default_factory=dict)
    """Their texts by id, as far as they were recorded: ids change when documents are indexed anew."""
    reference_answer: str | None = None
    should_refuse: bool = False
    must_contain: tuple[str, ...] = ()
    must_not_contain: tuple[str, ...] = ()
    minima: Mapping[str, float] = field(default_factory=dict)
    """Floors by name of a metric, 0 to 1."""
    trace_id: str = ""
    """Where it came from; empty where somebody wrote it."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON: keys in a fixed order; what is empty is left out."""
        fields: dict[str, Any] = {
            "case_id": self.case_id,
            "kind": self.kind.value,
            "language": self.language,
            "intent": self.intent,
            "tenant": self.tenant,
            "permissions": list(self.permissions),
            "history": [{"role": turn.role, "content": turn.content} for turn in self.history],
            "question": self.question,
            "should_refuse": self.should_refuse,
            "reference_answer": self.reference_answer,
            "gold_chunk_ids": sorted(self.gold_chunk_ids),
            "gold_texts": dict(sorted(self.gold_texts.items())),
            "must_contain": list(self.must_contain),
            "must_not_contain": list(self.must_not_contain),
            "minima": {name: float(floor) for name, floor in sorted(self.minima.items())},
            "trace_id": self.trace_id,
        }
        return {key: value for key, value in fields.items() if value or key in _ALWAYS}

    @property
    def digest(self) -> str:
        """Hash of the content (SHA-256, 64 bits of it), whatever the order of keys in a file."""
        content = orjson.dumps(self.as_dict(), option=orjson.OPT_SORT_KEYS)
        return hashlib.sha256(content).hexdigest()[:16]


_ALWAYS: Final = frozenset({"case_id", "kind", "question", "should_refuse"})


def read_case(value: Any) -> GoldenCase:
    """A case from JSON. Raises CaseRefused: an unknown key is a slip of the pen, and not passed over."""
    if not isinstance(value, dict):
        raise CaseRefused("no JSON object")
    unknown = sorted(value.keys() - GoldenCase.__dataclass_fields__.keys())
    if unknown:
        raise CaseRefused(f"there is no field {unknown[0]!r}")
    case_id, question = _text(value, "case_id"), _text(value, "question")
    if not case_id.strip() or len(case_id) > LONGEST_ID:
        raise CaseRefused(f"case_id must have 1 to {LONGEST_ID} characters")
    if not question.strip():
        raise CaseRefused("no question")
    return GoldenCase(
        case_id=case_id,
        question=question,
        kind=_kind(value),
        language=_text(value, "language"),
        intent=_text(value, "intent"),
        tenant=_text(value, "tenant"),
        permissions=_texts(value, "permissions"),
        history=_history(value),
        gold_chunk_ids=tuple(sorted(set(_texts(value, "gold_chunk_ids")))),
        gold_texts=_gold_texts(value),
        reference_answer=_text(value, "reference_answer") or None,
        should_refuse=_flag(value, "should_refuse"),
        must_contain=_texts(value, "must_contain"),
        must_not_contain=_texts(value, "must_not_contain"),
        minima=_minima(value),
        trace_id=_text(value, "trace_id"),
    )


def _kind(value: dict[str, Any]) -> Kind:
    said = _text(value, "kind")
    try:
        return Kind(said)
    except ValueError:
        raise CaseRefused(f"kind {said[:40]!r} is none of {', '.join(Kind)}") from None


def _text(value: dict[str, Any], key: str) -> str:
    text = value.get(key)
    if text is None:
        return ""
    if not isinstance(text, str):
        raise CaseRefused(f"{key} must be a text")
    return text


def _texts(value: dict[str, Any], key: str) -> tuple[str, ...]:
    texts = value.get(key)
    if texts is None:
        return ()
    if not isinstance(texts, list) or not all(isinstance(one, str) and one.strip() for one in texts):
        raise CaseRefused(f"{key} must be a list of texts, none of them empty")
    return tuple(texts)


def _flag(value: dict[str, Any], key: str) -> bool:
    flag = value.get(key)
    if flag is not None and not isinstance(flag, bool):
        raise CaseRefused(f"{key} must be true or false")
    return bool(flag)


def _history(value: dict[str, Any]) -> tuple[Turn, ...]:
    turns = value.get("history")
    if turns is None:
        return ()
    if not isinstance(turns, list) or not all(isinstance(t, dict) and t.keys() == _TURN_KEYS for t in turns):
        raise CaseRefused("history must be a list of objects with role and content")
    return tuple(Turn(_text(turn, "role"), _text(turn, "content")) for turn in turns)


def _gold_texts(value: dict[str, Any]) -> dict[str, str]:
    texts = value.get("gold_texts")
    if texts is None:
        return {}
    if not isinstance(texts, dict) or not all(isinstance(text, str) for text in texts.values()):
        raise CaseRefused("gold_texts must be an object of texts by chunk id")
    strange = sorted(texts.keys() - set(_texts(value, "gold_chunk_ids")))
    if strange:
        raise CaseRefused(f"gold_texts holds {strange[0]!r}, which is not among gold_chunk_ids")
    return dict(sorted(texts.items()))


def _minima(value: dict[str, Any]) -> dict[str, float]:
    minima = value.get("minima")
    if minima is None:
        return {}
    if not isinstance(minima, dict):
        raise CaseRefused("minima must be an object of numbers by metric")
    for name, floor in minima.items():
        number = isinstance(floor, int | float) and not isinstance(floor, bool)
        if not number or not math.isfinite(floor) or not 0 <= floor <= 1:
            raise CaseRefused(f"minima: {name} must be a number from 0 to 1")
    return {name: float(floor) for name, floor in sorted(minima.items())}


__all__ = ["LONGEST_ID", "CaseRefused", "GoldenCase", "Kind", "Turn", "read_case"]
