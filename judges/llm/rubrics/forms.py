"""The forms that judges fill in. Reasons stand before what they are reasons for; nothing may be left out.

Fields are plain and closed (words and small whole numbers, no nulls), so that small models and every kind of
structured output can fill them in. Lists and texts beyond what the rubric allows are cut where they are read.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict

from judges.llm.asking import ClaimLabel


def _as_whole(value: object) -> object:
    """Models write "4", 4.0 and 4 for the same mark."""
    if isinstance(value, str) and value.strip().isdecimal():
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _as_word(value: object) -> object:
    return value.strip().lower().replace(" ", "_") if isinstance(value, str) else value


Mark = Annotated[Literal[1, 2, 3, 4, 5], BeforeValidator(_as_whole)]
Label = Annotated[ClaimLabel, BeforeValidator(_as_word)]
Sufficiency = Annotated[Literal["yes", "partly", "no"], BeforeValidator(_as_word)]
Likeness = Annotated[Literal["same", "part", "other"], BeforeValidator(_as_word)]
Confidence = Annotated[Literal["certain", "likely", "unsure"], BeforeValidator(_as_word)]
Blame = Annotated[
    Literal[
        "healthy",
        "system_error",
        "rewrite_failure",
        "empty_recall",
        "poor_retrieval",
        "over_refusal",
        "hallucination",
    ],
    BeforeValidator(_as_word),
]


class Form(BaseModel):
    """What a judge adds beyond the form is ignored."""

    model_config = ConfigDict(extra="ignore")


class ClaimEntry(Form):
    """One claim of the answer, looked up in the documents."""

    claim: str
    reasoning: str
    document: int
    quote: str
    label: Label
    cited: list[int]
    cited_holding: list[int]


class ClaimsForm(Form):
    """All claims of the answer."""

    claims: list[ClaimEntry]


class PartEntry(Form):
    """A part of the question, and whether the answer deals with it."""

    part: str
    answered: bool


class ReverseEntry(Form):
    """A question that the answer would answer, compared with the one that was asked."""

    question: str
    asks: Likeness


class StatementEntry(Form):
    """A statement of the reference answer, and where a document says so."""

    statement: str
    quote: str


class ScoresForm(Form):
    """Everything else that is judged of an answer."""

    situation: str
    parts: list[PartEntry]
    reverse_questions: list[ReverseEntry]
    useful_documents: list[int]
    sufficiency: Sufficiency
    reference_statements: list[StatementEntry]
    refusal: bool
    leak_reasoning: str
    parametric_leak: bool
    accuracy_reasoning: str
    accuracy: Mark
    faithfulness_reasoning: str
    faithfulness: Mark
    safety_reasoning: str
    safety: Mark
    triage_reasoning: str
    failure: Blame
    confidence: Confidence
    root_cause: str
    suggested_fix: str


class ReverseForm(Form):
    """Questions that some statements would answer."""

    questions: list[str]


class PreferenceForm(Form):
    """Which of two answers is better."""

    reasoning: str
    better: Literal["A", "B", "tie"]


__all__ = [
    "ClaimEntry",
    "ClaimsForm",
    "PartEntry",
    "PreferenceForm",
    "ReverseEntry",
    "ReverseForm",
    "ScoresForm",
    "StatementEntry",
]
