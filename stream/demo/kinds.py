"""How each class of trace comes about. One function a class; each writes one draft.

The retriever, the rewriter and the model are simulated, the texts are ours. Within a class the kinds
vary; lengths, latencies, scores and politeness are drawn alike for all classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from schemas.taxonomy import HEALTHY, Failure
from stream.demo import spoil
from stream.demo.draft import Desk, Draft
from stream.demo.knowledge import Case

_FOLLOW_UPS = 0.3
_LACKING = 0.6
"""Of empty recalls and irrelevant chunks: how many are about what no article holds, for `report gaps`."""
_RETRIEVAL_ERRORS = (
    "TimeoutError: search exceeded 5000 ms",
    "ConnectionRefusedError: vector store at 10.0.3.7:6333",
    "IndexNotFound: collection is being rebuilt",
)
_GENERATION_ERRORS = (
    "RateLimitError: 429 too many requests",
    "APIConnectionError: connection reset by peer",
    "ContentFilterError: the completion was blocked",
    "TimeoutError: no token within 30 s",
)
_RESIDUES = (
    "{{{{context}}}}\n\nQuestion: {question}\nAnswer:",
    "<|im_start|>assistant\n{answer}<|im_end|>\n<|im_start|>user",
    '{{"tool": "search", "arguments": {{"query": "{question}", "top_k": 5}}}}',
    "### Instruction: answer only from the context.\n### Response: {{answer}}",
)


def write_healthy(desk: Desk) -> Draft:
    """Good chunks, a right answer."""
    case, draft = _start(desk, "healthy")
    draft.pieces = desk.shelf.hits(case)
    draft.answer = desk.answer(desk.random.choice(case.asked.answers), draft.pieces)
    return draft


def write_rewrite_failure(desk: Desk) -> Draft:
    """A follow-up that reached the retriever unresolved, or resolved to something else."""
    case = desk.case(follow_up=True)
    draft = desk.ask(case, desk.random.choice(("missing", "unchanged", "wrong_entity")))
    stranger = case.article
    if draft.kind == "wrong_entity":
        while (other := desk.case(follow_up=True)).article.domain == stranger.domain:
            pass
        draft.rewritten = other.asked.rewrite
        draft.pieces = [p for p in desk.shelf.hits(other) if p.article.domain != stranger.domain]
    else:
        draft.rewritten = draft.question if draft.kind == "unchanged" else None
        draft.pieces = desk.shelf.strangers(stranger)
    draft.answer = _answer_from_wrong_chunks(desk, case, draft)
    return draft


def write_empty_recall(desk: Desk) -> Draft:
    """Nothing usable came back; the model declines, or answers all the same."""
    kind = desk.random.choice(("no_chunks", "no_chunks", "blank_chunks", "below_min_score"))
    case, draft = _start(desk, kind, lacking=_LACKING)
    if draft.kind == "no_chunks":
        draft.pieces = []
    elif draft.kind == "blank_chunks":
        draft.pieces = desk.shelf.strangers(case.article)[: desk.random.randint(1, 4)]
        for piece in draft.pieces:
            piece.text = desk.random.choice(("", " ", "\n", "\n \n", "\u3000"))
    else:
        draft.pieces = desk.shelf.strangers(case.article)
        draft.below_min_score = True
    if desk.random.random() < 0.6:
        draft.answer = desk.refuse(case)
    else:
        draft.answer = desk.be_polite(desk.random.choice(case.asked.answers + case.asked.wrong))
    return draft


def write_poor_retrieval(desk: Desk) -> Draft:
    """A clear question, chunks that do not hold the answer."""
    kind = desk.random.choice(("related", "irrelevant"))
    case, draft = _start(desk, kind, lacking=_LACKING if kind == "irrelevant" else 0.0)
    related = draft.kind == "related"
    draft.pieces = desk.shelf.near_misses(case) if related else desk.shelf.strangers(case.article)
    draft.answer = _answer_from_wrong_chunks(desk, case, draft)
    return draft


def write_hallucination(desk: Desk) -> Draft:
    """Good chunks, and an answer that says something else or something more."""
    case, draft = _start(desk, desk.random.choice(("contradicted", "contradicted", "number", "invented")))
    draft.pieces = desk.shelf.hits(case)
    core = _wrong_core(desk, case, draft)
    draft.answer = desk.answer(core, draft.pieces)
    return draft


def write_over_refusal(desk: Desk) -> Draft:
    """The answer lies in the chunks, and the model declines."""
    manner = desk.random.choice(("plain", "soft", "partial", "safety", "clarifying", "redirecting"))
    case, draft = _start(desk, manner)
    draft.pieces = desk.shelf.hits(case)
    draft.answer = desk.refuse(case, (manner,))
    return draft


def write_system_error(desk: Desk) -> Draft:
    """Something broke: an error, a cut, an empty or endless answer, a template, unreadable chunks."""
    case, draft = _start(desk, desk.random.choice(tuple(_BREAKS)))
    draft.pieces = desk.shelf.hits(case)
    draft.answer = desk.answer(desk.random.choice(case.asked.answers), draft.pieces)
    _BREAKS[draft.kind](desk, draft)
    return draft


def _start(desk: Desk, kind: str, lacking: float = 0.0) -> tuple[Case, Draft]:
    if lacking and desk.random.random() < lacking:
        case = desk.lacking()
        return case, desk.ask(case, kind)
    case = desk.case(follow_up=desk.random.random() < _FOLLOW_UPS)
    return case, desk.ask(case, kind)


def _answer_from_wrong_chunks(desk: Desk, case: Case, draft: Draft) -> str:
    """Half the time the model says that it is not there; else it copies, or answers from memory."""
    roll = desk.random.random()
    if roll < 0.5 or not draft.pieces:
        return desk.refuse(case)
    if roll < 0.85:
        return desk.copy_from(desk.random.choice(draft.pieces[:2]))
    return desk.be_polite(desk.random.choice(case.asked.answers + case.asked.wrong))


def _wrong_core(desk: Desk, case: Case, draft: Draft) -> str:
    right = desk.random.choice(case.asked.answers)
    if draft.kind == "number":
        known = " ".join(piece.text for piece in draft.pieces or ())
        changed = spoil.change_number(right, known, desk.random)
        if changed:
            return changed
        draft.kind = "contradicted"
    if draft.kind == "invented":
        return desk.library.joint.join((right, desk.random.choice(desk.phrases.invented)))
    return desk.random.choice(case.asked.wrong)


def _break_generation(desk: Desk, draft: Draft) -> None:
    draft.generation_error = desk.random.choice(_GENERATION_ERRORS)
    draft.finish_reason = "error"
    draft.answer = desk.random.choice((None, None, desk.random.choice(desk.phrases.busy)))


def _break_retrieval(desk: Desk, draft: Draft) -> None:
    draft.retrieval_error = desk.random.choice(_RETRIEVAL_ERRORS)
    draft.pieces = desk.random.choice((None, []))
    draft.answer = desk.random.choice(desk.phrases.refusals["plain"] + desk.phrases.busy)


def _cut(desk: Desk, draft: Draft) -> None:
    draft.finish_reason = "length"
    draft.answer = spoil.cut_off(draft.answer or "", desk.random)


def _empty(desk: Desk, draft: Draft) -> None:
    draft.answer = desk.random.choice(("", " ", "\n"))


def _loop(desk: Desk, draft: Draft) -> None:
    draft.answer = spoil.loop(draft.answer or "", desk.random.choice(desk.phrases.loops), desk.random)


def _leak_template(desk: Desk, draft: Draft) -> None:
    draft.answer = desk.random.choice(_RESIDUES).format(question=draft.question, answer=draft.answer)


def _garble_chunks(desk: Desk, draft: Draft) -> None:
    for piece in draft.pieces or ():
        piece.text = spoil.garble(piece.text, desk.library.language, desk.random)


_BREAKS: Final[dict[str, Callable[[Desk, Draft], None]]] = {
    "generation_error": _break_generation,
    "retrieval_error": _break_retrieval,
    "cut_off": _cut,
    "empty_answer": _empty,
    "loop": _loop,
    "template": _leak_template,
    "garbled_chunks": _garble_chunks,
}

WRITERS: Final[dict[str, Callable[[Desk], Draft]]] = {
    HEALTHY: write_healthy,
    Failure.SYSTEM_ERROR: write_system_error,
    Failure.REWRITE_FAILURE: write_rewrite_failure,
    Failure.EMPTY_RECALL: write_empty_recall,
    Failure.POOR_RETRIEVAL: write_poor_retrieval,
    Failure.OVER_REFUSAL: write_over_refusal,
    Failure.HALLUCINATION: write_hallucination,
}

__all__ = ["WRITERS"]
