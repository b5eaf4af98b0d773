"""What the user asked, what was asked before, and what went to the retriever instead."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from schemas.formats.assembly.limits import Limit
from schemas.formats.assembly.passages import Found, letters
from schemas.formats.assembly.prompts import bare_question, context_beside_question, last_user, said_before
from schemas.formats.assembly.tools import which_search
from schemas.formats.assembly.tree import Tree
from schemas.formats.conventions.common import is_hidden, query_in
from schemas.formats.messages import ASSISTANT
from schemas.formats.reading import Asked, read_question, said
from schemas.formats.step import Kind, Step
from schemas.formats.values import is_cut_json, parse
from schemas.trace import Message

_OUTER: Final = (Kind.CHAIN, Kind.AGENT)
_QUERY_NAMES: Final = re.compile(
    r"quer|question|search|standalone|rewrit|rephras|condens|检索|改写|问题", re.I
)
_PASSAGE_LETTERS: Final = 20
"""A shorter passage may stand in a question by chance."""
_QUERY_CHARS: Final = 10_000
MAX_QUESTION_CHARS: Final = 100_000


@dataclass(slots=True)
class Question:
    """What was found. `cut` names what was recorded as a beginning only."""

    question: str | None = None
    history: list[Message] = field(default_factory=list)
    rewritten: str | None = None
    cut: dict[str, str] = field(default_factory=dict)


def find_question(
    tree: Tree, path: list[int], final: int | None, found: Found | None, limit: Limit
) -> Question:
    """The question: what the application was asked; else what a model was asked; else what was searched."""
    result = Question()
    conversation = _first_conversation(tree)
    query = (found.query if found else None) or _asked_of_a_tool(tree, final) or _rewrite_handed_on(tree)
    by_model = _is_asked_by_a_model(tree, found)
    _take(result, _from_inputs(tree, path, limit, result), limit)
    if result.question is None:
        asked = _from_prompts(conversation, None if by_model else query, limit, result)
        _take(result, None if asked and _holds_passages(asked.question, found) else asked, limit)
    models_first = by_model or _model_spoke_before(tree, found)
    if result.question is None and query and not models_first and _stands_alone(tree, found):
        _take(result, Asked(query), limit)
    if not result.history:
        result.history = _earlier_turns(tree, conversation, final)
    if query and (result.question is not None or models_first) and not _alike(query, result.question):
        if limit.cuts(query):
            result.cut["rewritten_query"] = query
        else:
            result.rewritten = query
    result.history = [turn for turn in result.history if not limit.cuts(turn.content)]
    return result


def _asked_of_a_tool(tree: Tree, final: int | None) -> str | None:
    """What a model asked a search for since the user's last words, where only the conversation shows it."""
    messages = (tree.steps[final].messages if final is not None else None) or []
    asked = last_user(messages)
    since = next((i for i, message in enumerate(messages) if message is asked), 0)
    calls = [call for message in messages[since:] for call in message.calls]
    known = which_search(tree, {call.name for call in calls})
    return next((query_in(call.arguments) for call in calls if call.name in known), None)


def _rewrite_handed_on(tree: Tree) -> str | None:
    """What a model wrote and the application then embedded, or asked a later step."""
    written: dict[str, int] = {}
    for step in tree.steps:
        if step.kind is Kind.LLM and step.reply:
            written.setdefault(letters(step.reply), step.span.start_ns)
    for step in tree.steps if written else ():
        for text in _asked_of(step):
            began = written.get(letters(text)) if len(text) <= _QUERY_CHARS else None
            if began is not None and began < step.span.start_ns and letters(text):
                return text
    return None


def _asked_of(step: Step) -> list[str]:
    """What an embedding, or a step of a chain, was given as a query, by its names."""
    if step.kind is Kind.EMBEDDING:
        return [step.query] if step.query else []
    given = parse(step.input) if step.kind is Kind.CHAIN else None
    if not isinstance(given, dict):
        return []
    inner = parse(given.get("inputs"))
    held = inner if isinstance(inner, dict) else given
    return [text for name, text in held.items() if isinstance(text, str) and _QUERY_NAMES.search(str(name))]


def _take(result: Question, asked: Asked | None, limit: Limit) -> None:
    if asked is None or is_hidden(asked.question) or len(asked.question) > MAX_QUESTION_CHARS:
        return
    if limit.cuts(asked.question):
        result.cut.setdefault("question", asked.question)
        return
    result.question = asked.question
    result.history = result.history or asked.history
    result.cut.pop("question", None)


def _from_inputs(tree: Tree, path: list[int], limit: Limit, result: Question) -> Asked | None:
    """From the topmost step down towards the answer: the first input that reads as a question."""
    for i in path:
        step = tree.steps[i]
        if step.kind not in _OUTER or step.input is None or is_cut_json(step.input):
            continue
        asked = read_question(step.input)
        if asked is not None:
            if limit.cuts(asked.question):
                result.cut.setdefault("question", asked.question)
                continue
            if context_beside_question(asked.question):  # a whole prompt was handed in
                asked.question = bare_question(asked.question) or asked.question
            return asked
    return None


def _first_conversation(tree: Tree) -> Step | None:
    """The first call of a model that has a user in it: of the rewrite, where there is one."""
    models = (s for s in tree.steps if s.kind in (Kind.LLM, Kind.AGENT) and s.messages)
    return next((step for step in models if last_user(step.messages or [])), None)


def _from_prompts(step: Step | None, query: str | None, limit: Limit, result: Question) -> Asked | None:
    if step is None or step.messages is None:
        return None
    last = last_user(step.messages)
    if last is None:
        return None
    if limit.cuts(last.text):
        if not context_beside_question(last.text):
            result.cut.setdefault("question", last.text)
        return None
    question = bare_question(last.text)
    if query and letters(query) in letters(last.text):
        marked = question is not None and letters(question) != letters(last.text)
        if not marked or letters(query) == letters(question or ""):
            question = query
    if question is None:
        return None
    return Asked(question, _turns_before(step))


def _earlier_turns(tree: Tree, conversation: Step | None, final: int | None) -> list[Message]:
    """Turns before the question, where only the messages of a model's call hold them."""
    for step in (conversation, tree.steps[final] if final is not None else None):
        if step is not None and (turns := _turns_before(step)):
            return turns
    return []


def _turns_before(step: Step) -> list[Message]:
    """What was said ahead of the last question, where somebody answered: else it is instructions."""
    last = last_user(step.messages or [])
    turns = said(said_before(step.messages or [], last)) if last is not None else []
    return turns if any(turn.role == ASSISTANT for turn in turns) else []


def _stands_alone(tree: Tree, found: Found | None) -> bool:
    """Whether nothing is known to be missing around the first search that might have rewritten it."""
    if found is None or not found.steps:
        return False
    span = tree.steps[found.steps[0]].span
    return not span.parent_id or span.parent_id in tree.span_ids


def _is_asked_by_a_model(tree: Tree, found: Found | None) -> bool:
    """Whether the query is a model's: the argument of a tool, or of its provider's own search."""
    return found is not None and any(
        tree.steps[i].tool_name or tree.steps[i].kind is Kind.LLM for i in found.steps
    )


def _holds_passages(question: str, found: Found | None) -> bool:
    """Whether a text is a prompt without any mark: what was retrieved stands in it."""
    texts = [document.text for document in (found.documents or ()) if document.text] if found else []
    held = [found.context] if found and found.context else texts
    whole = letters(question) if held else ""
    return any(len(part) >= _PASSAGE_LETTERS and part in whole for part in map(letters, held))


def _model_spoke_before(tree: Tree, found: Found | None) -> bool:
    """Whether a model was called ahead of the retrieval: it may have rewritten the question."""
    if found is None or not found.steps:
        return False
    first = min(tree.steps[i].span.start_ns for i in found.steps)
    return any(step.kind is Kind.LLM and step.span.start_ns < first for step in tree.steps)


def _alike(query: str, question: str | None) -> bool:
    if question is None or query == question:
        return question is not None
    return " ".join(query.split()).casefold() == " ".join(question.split()).casefold()


__all__ = ["Question", "find_question"]
