"""One judge's opinion of one trace: two questions, and a third where embeddings measure relevance.

The first has the claims of the answer looked up in the documents; the second has everything judged, with the
claims as they stood up to their quotes. What a trace shows by itself is not asked. Where one question gets no
answer, what it would have measured is null with the reason; where none does, the opinion fails as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from judges.finding import Finding
from judges.llm.asking import (
    Answer,
    Ask,
    Embedder,
    Filled,
    Judge,
    JudgeFailed,
    Message,
    Opinion,
    Reason,
    Usage,
)
from judges.llm.claims import MAX_CLAIMS, Documents, measure_citations, measure_claims, weigh_claims
from judges.llm.forms import schema_text
from judges.llm.material import Material, PromptLimits, language_of, read_material, show_documents
from judges.llm.prompting import Block, Derive, compose
from judges.llm.relevance import MAX_QUESTIONS, by_vectors, share_answered
from judges.llm.rubrics import Rubric
from judges.llm.rubrics.forms import ClaimEntry, ClaimsForm, ReverseForm, ScoresForm
from judges.llm.scoring import RATINGS, SCORED, no_documents, take_over
from judges.llm.showing import blocks_for_claims, blocks_for_reverse, blocks_for_scores
from judges.llm.tokens import estimate, estimate_messages
from judges.llm.triaging import find_shown, settle_failure
from schemas.blank import is_blank
from schemas.bounds import was_recorded
from schemas.scored import Scores
from schemas.taxonomy import Failure
from schemas.trace import Trace

LEAST_DOCUMENTS: Final = 200
"""Tokens of documents without which it is not worth asking."""
AROUND_DOCUMENTS: Final = 60
_BY_CLAIMS: Final = ("faithfulness", "hallucination", "citation_precision")
_AWAY: Final = frozenset(
    {Reason.CIRCUIT_OPEN, Reason.UNAUTHORIZED, Reason.RATE_LIMITED, Reason.CONNECTION, Reason.STATE}
)
"""Nobody is answered at the moment: better a whole opinion later than half of one now. What was answered
before is in the cache by then."""


@dataclass(slots=True)
class _Session:
    """All that is asked of one judge about one trace."""

    judge: Judge
    rubric: Rubric
    trace: Trace
    limits: PromptLimits
    derive: Derive | None
    usage: Usage = field(default_factory=Usage)
    served_by: str = ""

    def messages(self, task: str, blocks: list[Block]) -> tuple[Message, ...]:
        return compose(self.rubric, task, blocks, derive=self.derive, max_claims=MAX_CLAIMS)

    async def ask(self, task: str, blocks: list[Block], form: type[Filled], output: int) -> Filled:
        """The filled form; what it cost is counted either way. Raises JudgeFailed."""
        messages = self.messages(task, blocks)
        needed = estimate_messages(messages, schema_text(form)) + output
        if needed > self.limits.context:
            raise JudgeFailed(Reason.TOO_LONG, f"{task}: {needed} tokens of {self.limits.context}")
        ask = Ask(
            purpose=task,
            messages=messages,
            form=form,
            tenant=self.trace.tenant or "",
            trace_id=self.trace.trace_id,
            max_output_tokens=output,
        )
        try:
            answer: Answer[Filled] = await self.judge.ask(ask)
        except JudgeFailed as failed:
            self.usage.add(failed.usage)
            raise
        self.usage.add(answer.usage)
        self.served_by = answer.served_by or self.served_by
        return answer.value

    def failed(self, failure: JudgeFailed) -> JudgeFailed:
        """The failure of the whole opinion, with all that was spent on it."""
        return JudgeFailed(failure.reason, failure.detail, self.usage, failure.retry_after_s)


async def form_opinion(
    trace: Trace,
    scores: Scores | Mapping[str, Any] | None,
    judge: Judge,
    rubric: Rubric,
    *,
    limits: PromptLimits = PromptLimits(),
    embedder: Embedder | None = None,
    derive: Derive | None = None,
) -> Opinion:
    """What `judge` says of `trace` under `rubric`. Of `scores` the language alone is used, and never shown.

    `derive` makes the word that delimits data (see `prompting`). Raises JudgeFailed where nothing could be
    judged: NOT_JUDGEABLE without an answer to judge, otherwise the reason of the last question that failed,
    with the usage of all.
    """
    material = read_material(trace, language_of(trace, scores), limits)
    opinion = Opinion(judge.name, judge.model, rubric.name, rubric.version, material.language or "")
    shown = find_shown(trace)
    if not material.answer:
        return _judge_unanswered(opinion, material, shown)
    session = _Session(judge, rubric, trace, limits, derive)
    show_documents(material, _room_for_documents(session, material))
    opinion.truncated = material.truncated
    documents = Documents(material)
    await _judge_claims(session, opinion, material, documents)
    form = await _judge_scores(session, opinion, material, documents)
    if embedder is not None and form is not None:
        await _measure_by_vectors(session, opinion, material, form, embedder)
    settle_failure(form, opinion, material, shown)
    opinion.usage, opinion.served_by = session.usage, session.served_by
    return opinion


def _judge_unanswered(opinion: Opinion, material: Material, shown: Finding | None) -> Opinion:
    """A trace without an answer: a program failed, or nobody recorded what it said. Nothing to ask."""
    if shown is None or shown.failure is not Failure.SYSTEM_ERROR:
        recorded = was_recorded(material.trace.extra, "answer")
        detail = "the trace has no answer" if recorded else "the answer was not recorded"
        raise JudgeFailed(Reason.NOT_JUDGEABLE, detail)
    settle_failure(None, opinion, material, shown)
    for name in (*_BY_CLAIMS, *SCORED):
        if name != "failure":
            opinion.not_measured[name] = "no_answer"
    return opinion


def _room_for_documents(session: _Session, material: Material) -> int:
    """Tokens that the longer of the two questions leaves for the documents."""
    blocks = blocks_for_scores(material, session.rubric, ())
    fixed = estimate_messages(session.messages("scores", blocks), schema_text(ScoresForm))
    claims = min(session.limits.answer, 40 + 2 * estimate(material.answer))  # listed in the second question
    left = session.limits.context - fixed - claims - session.limits.output - AROUND_DOCUMENTS
    if left < LEAST_DOCUMENTS:
        raise JudgeFailed(
            Reason.TOO_LONG, f"a context of {session.limits.context} tokens leaves {left} for documents"
        )
    return min(left, session.limits.documents)


async def _judge_claims(
    session: _Session, opinion: Opinion, material: Material, documents: Documents
) -> None:
    """Have the claims looked up, where there is something to look them up in."""
    why = no_documents(material)
    if why:
        opinion.not_measured |= dict.fromkeys(_BY_CLAIMS, why)
        return
    try:
        entries = await _ask_claims(session, material)
    except JudgeFailed as failed:
        if failed.reason in _AWAY or failed.reason is Reason.OVER_BUDGET:
            raise session.failed(failed) from failed
        opinion.not_measured |= dict.fromkeys(_BY_CLAIMS, str(failed.reason))
        return
    opinion.claims = weigh_claims(entries, documents, material)
    measure_claims(opinion, material)
    measure_citations(opinion, entries, material)


async def _ask_claims(session: _Session, material: Material) -> list[ClaimEntry]:
    output = min(session.limits.output, 400 + 5 * estimate(material.answer))
    blocks = blocks_for_claims(material, session.rubric)
    return (await session.ask("claims", blocks, ClaimsForm, output)).claims


async def _judge_scores(
    session: _Session, opinion: Opinion, material: Material, documents: Documents
) -> ScoresForm | None:
    """Have the rest judged. Raises where nothing at all was judged before."""
    blocks = blocks_for_scores(material, session.rubric, opinion.claims)
    try:
        form = await session.ask("scores", blocks, ScoresForm, min(session.limits.output, 1_600))
    except JudgeFailed as failed:
        if failed.reason in _AWAY or not opinion.claims:
            raise session.failed(failed) from failed
        opinion.not_measured |= dict.fromkeys(SCORED, str(failed.reason))
        return None
    take_over(form, opinion, material, documents)
    if form.refusal and opinion.faithfulness is None and not opinion.claims:
        opinion.not_measured |= {"faithfulness": "refusal", "hallucination": "refusal"}
    return form


async def _measure_by_vectors(
    session: _Session, opinion: Opinion, material: Material, form: ScoresForm, embedder: Embedder
) -> None:
    """Measure relevance by embeddings. Where that fails the judge's marks stay, and `measured_by` says so."""
    if opinion.answer_relevance is None:
        return
    try:
        blocks = blocks_for_reverse(material, session.rubric, opinion.claims)
        reverse = await session.ask("reverse", blocks, ReverseForm, 300)
        questions = [q.strip() for q in reverse.questions if not is_blank(q)][:MAX_QUESTIONS]
        texts = (material.question, *questions)
        embedded = await embedder.embed(
            texts, tenant=session.trace.tenant or "", trace_id=session.trace.trace_id
        )
    except JudgeFailed as failed:
        opinion.measured_by["answer_relevance"] = f"marks ({failed.reason})"
        return
    session.usage.add(embedded.usage)
    alike = by_vectors(embedded.vectors[0], embedded.vectors[1:])
    if alike is not None:
        opinion.answer_relevance = alike * share_answered(form.parts, material)
        opinion.measured_by["answer_relevance"] = f"embeddings ({embedder.name})"


__all__ = ["RATINGS", "form_opinion"]
