"""From a tree of steps to the parts of a trace: the question, the retrieval, the generation, the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from schemas.formats.assembly.compose import Parts, compose
from schemas.formats.assembly.context import build_retrieval
from schemas.formats.assembly.limits import Limit, find_limit
from schemas.formats.assembly.marks import Marks
from schemas.formats.assembly.passages import Found, gather, letters
from schemas.formats.assembly.question import Question, find_question
from schemas.formats.assembly.roles import completed_generation, find_generation, own_root
from schemas.formats.assembly.segments import Segments
from schemas.formats.assembly.tree import Tree
from schemas.formats.conventions.common import is_hidden
from schemas.formats.reading import read_answer
from schemas.formats.span import Span
from schemas.formats.step import Evaluation, Kind, Step
from schemas.formats.values import is_cut_json
from schemas.trace import Generation, Retrieval, Trace

_OUTER: Final = (Kind.CHAIN, Kind.AGENT)
_HAS_ERRORS_OF_ITS_OWN: Final = (Kind.RETRIEVER, Kind.RERANKER, Kind.TOOL)


def build_trace(
    tree: Tree,
    spans: Sequence[Span],
    segments: Segments,
    evaluations: list[Evaluation],
    incomplete: str | None,
) -> Trace | None:
    """The trace; null where neither a retrieval nor an answer was seen."""
    limit, marks = find_limit(spans), Marks()
    path = _main_path(tree)
    answer = _outer_answer(tree, path, limit, marks)
    final = find_generation(tree, answer or marks.beginnings.get("answer"))
    if final is not None:
        path = _below_own_root(tree, tree.path(final))
    found = gather(tree, final)
    if final is None and answer is not None and found is not None and _is_context(answer, found, tree, path):
        answer = None
    generation_step = completed_generation(tree, final) if final is not None else None
    question = find_question(tree, path, final, found, limit)
    if generation_step is not None and (answer is None or _same_words(answer, generation_step.reply)):
        answer = _shown_answer(generation_step.reply, limit, marks)
    answered = answer is not None or "answer" in marks.counts
    asked = question.question is not None or "question" in question.cut
    failed = any(tree.steps[i].error for i in path)
    silent = generation_step is None or _is_silent(generation_step)
    if found is None and silent and not (asked and (answered or failed)):
        return None
    retrieval = build_retrieval(tree, path, found, generation_step, limit, marks)
    generation = _generation(tree, path, generation_step, retrieval, answer)
    _note_unrecorded(question, answer, generation, generation_step, marks)
    answered_by = generation_step.snapshot if generation_step else None
    parts = Parts(question, answer, retrieval, generation, answered_by, evaluations, marks)
    return compose(tree, spans, path, segments, parts, incomplete)


def _main_path(tree: Tree) -> list[int]:
    """From the topmost step down to the last call of a model, else to the first retrieval, else the root."""
    final = find_generation(tree, None)
    if final is None:
        final = next((i for i, step in enumerate(tree.steps) if step.kind is Kind.RETRIEVER), None)
    if final is None:
        outer = [i for i in tree.roots if tree.steps[i].kind in _OUTER]
        final = next((i for i in outer if tree.steps[i].output is not None), None)
    if final is None:  # it gave up: down to where it says what it was asked
        final = next(
            (i for i, step in enumerate(tree.steps) if step.error and step.kind in _OUTER and step.input),
            None,
        )
    if final is None:
        final = next((i for i in tree.roots if tree.steps[i].kind in _OUTER), tree.roots[0])
    return _below_own_root(tree, tree.path(final))


def _below_own_root(tree: Tree, path: list[int]) -> list[int]:
    root = own_root(tree)
    return path[path.index(root) :] if root in path else path


def _outer_answer(tree: Tree, path: list[int], limit: Limit, marks: Marks) -> str | None:
    """What the application gave back: the topmost output that reads as an answer."""
    for i in path:
        step = tree.steps[i]
        if step.kind not in _OUTER or step.output is None:
            continue
        if is_cut_json(step.output):
            continue
        found = _shown_answer(read_answer(step.output), limit, marks)
        if found is not None:
            return found
    return None


def _is_context(answer: str, found: Found, tree: Tree, path: list[int]) -> bool:
    """Whether an inner step's output is the passages put together, and not an answer: its root is missing."""
    if not tree.steps[path[0]].span.parent_id:
        return False
    texts = [letters(document.text) for document in found.documents or () if document.text]
    whole = letters(answer)
    return bool(texts) and all(text in whole for text in texts)


def _same_words(answer: str, reply: str | None) -> bool:
    """Whether only white space around it was added on the way out."""
    return reply is not None and answer != reply and answer.strip() == reply.strip()


def _shown_answer(text: str | None, limit: Limit, marks: Marks) -> str | None:
    if text is None or is_hidden(text):
        return None
    if limit.cuts(text):
        marks.cut("answer", text)
        return None
    marks.counts.pop("answer", None)
    marks.beginnings.pop("answer", None)
    return text


def _generation(
    tree: Tree, path: list[int], step: Step | None, retrieval: Retrieval | None, answer: str | None
) -> Generation | None:
    if step is not None:
        return Generation(
            model=step.model,
            finish_reason=step.finish_reason,
            latency_ms=step.span.duration_ms,
            ttft_ms=step.ttft_ms,
            input_tokens=step.input_tokens,
            output_tokens=step.output_tokens,
            cost_usd=step.cost_usd,
            error=None if _is_of_another(tree, step) else step.error,
        )
    failed = next((tree.steps[i].error for i in path if tree.steps[i].error), None)
    if failed and answer is None and not (retrieval and retrieval.error):
        return Generation(error=failed)  # the application gave up before it could answer
    return None


def _is_of_another(tree: Tree, step: Step) -> bool:
    """Whether a model that did reply only has the error of a search or a tool: some libraries hand it on."""
    return bool(step.reply) and any(
        other.error == step.error for other in tree.steps if other.kind in _HAS_ERRORS_OF_ITS_OWN
    )


def _is_silent(step: Step) -> bool:
    """Whether a span is only called a model's: what it was given is shown, and is nothing of a call."""
    told = (step.model, step.reply, step.error, step.input_tokens, step.output_tokens, step.messages)
    shows = step.input is not None and not is_cut_json(step.input)
    return shows and all(value is None for value in told)


def _ended(step: Step) -> bool:
    """Whether anything tells how a call ended: else its reply is not empty, but unknown."""
    return any(value is not None for value in (step.output, step.finish_reason, step.output_tokens))


def _note_unrecorded(
    question: Question, answer: str | None, generation: Generation | None, step: Step | None, marks: Marks
) -> None:
    """Tell a null that was never recorded from one that is the truth: a failure, or an empty reply."""
    if question.question is None and "question" not in question.cut:
        marks.unrecorded.append("question")
    missing = answer is None and "answer" not in marks.counts and not (generation and generation.error)
    if missing and (step is None or not step.messages or not _ended(step)):
        marks.unrecorded.append("answer")
    for name, beginning in question.cut.items():
        marks.cut(name, beginning)


__all__ = ["build_trace"]
