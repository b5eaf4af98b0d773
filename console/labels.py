"""What an annotator sends in the form of a case, and what an annotation looks like in it: pure.

Fields: `failure`, `claim.START.END`, `gold` (once a chunk), `context_sufficient`, `should_refuse`, `refusal`,
`kind`, `reference_answer`, `note`. Yes, no and *cannot tell* are `yes`, `no`, `unknown`; empty is *not said*.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, get_args

from pydantic import ValidationError

from schemas.annotation import Annotation, ClaimLabel, FailureClass, RefusalKind
from schemas.golden import Kind

CLASSES: Final[tuple[str, ...]] = get_args(FailureClass)
REFUSALS: Final[tuple[str, ...]] = get_args(RefusalKind)
KINDS: Final[tuple[str, ...]] = tuple(kind.value for kind in Kind)
_YES_NO: Final[Mapping[str, bool | None]] = {"yes": True, "no": False, "unknown": None}


class LabelRefused(ValueError):
    """What was sent is no label. `word` names the sentence, `cause` says what the schema says of it."""

    def __init__(self, word: str, cause: str = "") -> None:
        super().__init__(word)
        self.word, self.cause = word, cause


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """One claim of the answer as it is shown: its number, its text, its characters in the answer."""

    number: int
    text: str
    start: int
    end: int

    @property
    def field(self) -> str:
        """The name of its field."""
        return f"claim.{self.start}.{self.end}"


@dataclass(frozen=True, slots=True)
class Said:
    """What the form says: `one` by field, and the chunks that were ticked."""

    one: Mapping[str, str] = field(default_factory=dict)
    gold: frozenset[str] = frozenset()

    def get(self, name: str) -> str:
        """A field's value; empty where nothing was said."""
        return self.one.get(name, "")


def said_in(fields: Sequence[tuple[str, Any]]) -> Said:
    """The fields of a form that was sent; files are no answers."""
    texts = [(name, value) for name, value in fields if isinstance(value, str)]
    one = {name: _plain(value) for name, value in texts if name != "gold"}
    return Said(one, frozenset(value for name, value in texts if name == "gold"))


def said_of(annotation: Annotation | None) -> Said:
    """An annotation as the form shows it again."""
    if annotation is None:
        return Said()
    one = {
        "failure": annotation.failure or "",
        "context_sufficient": _word(annotation.context_sufficient),
        "should_refuse": _word(annotation.should_refuse),
        "refusal": annotation.refusal or "",
        "kind": annotation.kind.value if annotation.kind else "",
        "reference_answer": annotation.reference_answer,
        "note": annotation.note,
    }
    for claim in annotation.claims:
        one[f"claim.{claim.start}.{claim.end}"] = _word(claim.supported) or "unknown"
    return Said(one, frozenset(annotation.gold_chunk_ids))


def annotation_of(said: Said, claims: Sequence[ShownClaim], chunk_ids: Collection[str]) -> Annotation:
    """The label that a form says, of a case with these claims and chunks. Raises LabelRefused.

    Who finds every claim supported says by that that nothing is made up.
    """
    labels = tuple(_claim_label(claim, said) for claim in claims if said.get(claim.field) in _YES_NO)
    all_supported = len(labels) == len(claims) > 0 and all(label.supported for label in labels)
    values = {
        "failure": said.get("failure") or None,
        "hallucination": False if all_supported else None,
        "context_sufficient": _YES_NO.get(said.get("context_sufficient")),
        "refusal": said.get("refusal") or None,
        "claims": labels,
        "gold_chunk_ids": tuple(chunk for chunk in dict.fromkeys(chunk_ids) if chunk in said.gold),
        "should_refuse": _YES_NO.get(said.get("should_refuse")),
        "reference_answer": said.get("reference_answer").strip(),
        "kind": said.get("kind") or None,
        "note": said.get("note").strip(),
    }
    _require_sound(values)
    try:
        return Annotation.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_input=False)[0]
        cause = f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}"
        raise LabelRefused("queue.refused.invalid", cause) from None


def _require_sound(values: Mapping[str, Any]) -> None:
    """The mistakes that people make, in words of their own."""
    if not any(value not in (None, (), "") for name, value in values.items() if name != "note"):
        raise LabelRefused("queue.refused.nothing")
    wrong = any(claim.supported is False for claim in values["claims"])
    if values["failure"] == "hallucination" and values["hallucination"] is False:
        raise LabelRefused("queue.refused.all_supported")
    if values["failure"] == "healthy" and wrong:
        raise LabelRefused("queue.refused.healthy_unsupported")


def _claim_label(claim: ShownClaim, said: Said) -> ClaimLabel:
    supported = _YES_NO[said.get(claim.field)]
    return ClaimLabel(text=claim.text, start=claim.start, end=claim.end, supported=supported)


def _word(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _plain(text: str) -> str:
    """Browsers send line ends in pairs; half characters cannot be stored."""
    return text.replace("\r\n", "\n").encode("utf-8", "replace").decode()


__all__ = [
    "CLASSES", "KINDS", "REFUSALS", "LabelRefused", "Said", "ShownClaim", "annotation_of", "said_in",
    "said_of",
]  # fmt: skip
