"""Which of two answers is better: asked twice, the second time with the answers changed about.

Judges favour a place (Zheng et al. 2023, "Judging LLM-as-a-Judge", section 3.4). A preference counts only
where both orders give the same one; whatever else they give is no verdict.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from judges.llm.asking import Answer, Ask, Judge, JudgeFailed, Reason, Usage
from judges.llm.forms import schema_text
from judges.llm.material import Material, PromptLimits, language_of, read_material, show_documents
from judges.llm.prompting import Derive, compose
from judges.llm.rubrics import Rubric
from judges.llm.rubrics.forms import PreferenceForm
from judges.llm.showing import blocks_for_preference
from judges.llm.tokens import estimate_messages
from schemas.trace import Trace

Winner = Literal["first", "second", "tie"]
OUTPUT: Final = 400
ORDERS_DISAGREE, TRUNCATED = "orders_disagree", "truncated"
_MEANING: Final[dict[str, tuple[Winner, Winner]]] = {
    "A": ("first", "second"),
    "B": ("second", "first"),
    "tie": ("tie", "tie"),
}
"""What the form says, in the order given and in the other."""


@dataclass(slots=True)
class Comparison:
    """`winner` is null where there is no valid verdict, and `why` says so: the orders disagree, or an answer
    was cut. `said` is what each order preferred, in terms of the first and the second answer."""

    judge: str
    model: str
    winner: Winner | None
    said: tuple[Winner, Winner]
    reasoning: tuple[str, str]
    why: str = ""
    truncated: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    @property
    def valid(self) -> bool:
        """Whether both orders agree, on answers that were seen whole."""
        return self.winner is not None


async def compare(
    trace: Trace,
    other: str,
    judge: Judge,
    rubric: Rubric,
    *,
    limits: PromptLimits = PromptLimits(),
    derive: Derive | None = None,
) -> Comparison:
    """Compare the answer of `trace` (the first) with another one (the second) to the same question.

    Raises JudgeFailed where either order got no answer, and NOT_JUDGEABLE where there are not two answers.
    """
    first = read_material(trace, language_of(trace), limits)
    second = read_material(trace.model_copy(update={"answer": other}), first.language, limits)
    if not first.answer or not second.answer:
        raise JudgeFailed(Reason.NOT_JUDGEABLE, "a comparison needs two answers")
    cut = first.was_cut("answer") or second.was_cut("answer")
    room = replace(first, answer=f"{first.answer} {second.answer}")  # documents that speak of either
    show_documents(room, _room(first, second.answer, rubric, limits))
    orders = [(first.answer, second.answer), (second.answer, first.answer)]
    asks = [
        Ask(
            purpose="preference",
            messages=compose(rubric, "preference", blocks_for_preference(room, rubric, *pair), derive=derive),
            form=PreferenceForm,
            tenant=trace.tenant or "",
            trace_id=trace.trace_id,
            max_output_tokens=OUTPUT,
        )
        for pair in orders
    ]
    (one, two), usage = await _ask_both(judge, asks)
    said = (_MEANING[one.better][0], _MEANING[two.better][1])
    why = TRUNCATED if cut else "" if said[0] == said[1] else ORDERS_DISAGREE
    return Comparison(
        judge=judge.name,
        model=judge.model,
        winner=None if why else said[0],
        said=said,
        reasoning=(one.reasoning.strip()[:1_000], two.reasoning.strip()[:1_000]),
        why=why,
        truncated=list(dict.fromkeys([*room.truncated, *second.truncated])),
        usage=usage,
    )


def _room(material: Material, second: str, rubric: Rubric, limits: PromptLimits) -> int:
    blocks = blocks_for_preference(material, rubric, material.answer, second)
    used = estimate_messages(compose(rubric, "preference", blocks), schema_text(PreferenceForm)) + OUTPUT
    if used > limits.context:
        raise JudgeFailed(Reason.TOO_LONG, f"preference: {used} tokens of {limits.context}")
    return min(limits.documents, limits.context - used)


async def _ask_both(judge: Judge, asks: Sequence[Ask[PreferenceForm]]) -> tuple[list[PreferenceForm], Usage]:
    async def ask(question: Ask[PreferenceForm]) -> Answer[PreferenceForm] | JudgeFailed:
        try:
            return await judge.ask(question)
        except JudgeFailed as failed:
            return failed

    answers = await asyncio.gather(*map(ask, asks))
    usage = Usage()
    for answer in answers:
        usage.add(answer.usage)
    for answer in answers:
        if isinstance(answer, JudgeFailed):
            raise JudgeFailed(answer.reason, answer.detail, usage, answer.retry_after_s) from answer
    return [answer.value for answer in answers if isinstance(answer, Answer)], usage


__all__ = ["Comparison", "Winner", "compare"]
