"""Which step plays which part: the retrieval of an application's own naming, the final generation."""

from __future__ import annotations

from bisect import bisect_right

from schemas.formats.assembly.passages import Alike, letters
from schemas.formats.assembly.tools import found_by, searches, text_of
from schemas.formats.assembly.tree import Tree
from schemas.formats.conventions.common import query_in
from schemas.formats.conventions.plain import told_by_name
from schemas.formats.documents import Document, read_documents
from schemas.formats.messages import ChatMessage
from schemas.formats.reading import read_answer
from schemas.formats.step import Kind, Step
from schemas.formats.values import parse

_HIDES_LLMS = frozenset({Kind.JUDGE, Kind.RETRIEVER, Kind.RERANKER, Kind.EMBEDDING})

_GIVEN = ("nodes", "documents")


def promote(tree: Tree) -> None:
    """Let steps count as what their names say, where no library said it of any step.

    A plain function that an application traces as `search_kb`, or a tool that finds passages, is a
    retrieval only if nothing else in the trace is one.
    """
    for step in tree.steps:
        if (
            step.kind in (Kind.CHAIN, Kind.TOOL)
            and told_by_name(step.span.name).reranks
            and step.output is not None
        ):
            documents = read_documents(step.output)
            if documents:
                step.kind, step.documents = Kind.RERANKER, documents
        elif step.kind is Kind.CHAIN and (ranked := _scored_anew(step)):
            step.kind, step.documents = Kind.RERANKER, ranked
    if any(
        s.kind is Kind.RETRIEVER and (s.documents is not None or s.error or s.context) for s in tree.steps
    ):
        _promote_beside(tree)
        return
    for i, step in enumerate(tree.steps):
        if step.kind is Kind.CHAIN and told_by_name(step.span.name).retrieves:
            _as_retrieval(tree, i, loose=False)
    if any(s.kind is Kind.RETRIEVER and (s.documents is not None or s.error) for s in tree.steps):
        return
    for i, step in enumerate(tree.steps):
        if step.kind is Kind.CHAIN and _gave_back_nodes(step):
            _as_retrieval(tree, i, loose=False)
    for i, step in enumerate(tree.steps):
        if step.kind is Kind.TOOL:
            _as_retrieval(tree, i, loose=searches(tree, step))


def _promote_beside(tree: Tree) -> None:
    """Let tools that are searches count too, where others hold a retriever; not those that go with one."""
    related: set[int] = set()
    for i, step in enumerate(tree.steps):
        if step.kind is not Kind.RETRIEVER:
            continue
        for j in tree.ancestors(i):
            if j in related:
                break
            related.add(j)
        waiting = [i]
        while waiting:
            inner = [j for j in tree.children[waiting.pop()] if j not in related]
            related.update(inner)
            waiting += inner
    tools = [i for i, step in enumerate(tree.steps) if step.kind is Kind.TOOL]
    if any(i in related for i in tools):
        for i in tools:
            if i not in related and tree.steps[i].output is not None and searches(tree, tree.steps[i]):
                _as_retrieval(tree, i, loose=True)


def _as_retrieval(tree: Tree, i: int, *, loose: bool) -> None:
    step = tree.steps[i]
    models = [tree.steps[j] for j in sorted(tree.below(i)) if tree.steps[j].kind is Kind.LLM]
    if models and not isinstance(parse(step.output), list):
        return  # a chain that also generates is more than a retrieval
    if step.kind is Kind.CHAIN and _gives_an_answer(step):
        return
    documents = found_by(step)
    with_text = documents is not None and any(document.text for document in documents)
    nothing = documents == [] and (loose or isinstance(parse(step.output), list))
    if with_text or nothing or (step.error and (loose or step.kind is Kind.CHAIN)):
        step.documents = documents
    elif loose and step.output is not None:
        step.context = text_of(step)
    else:
        return
    step.kind = Kind.RETRIEVER
    step.query = _rewritten_by(models, documents) or step.query or query_in(step.input)


def _scored_anew(step: Step) -> list[Document] | None:
    """Passages that a step was given and gave back with other scores, whatever it is called; else null."""
    if not isinstance(step.input, dict) or not isinstance(step.output, list):
        return None
    given = next((held for name in _GIVEN if isinstance(held := step.input.get(name), list)), None)
    before = {document.text: document.score for document in read_documents(given) or () if document.text}
    after = (read_documents(step.output) or []) if before else []
    known = all(document.text in before and document.score is not None for document in after)
    return after if known and any(before[d.text] != d.score for d in after if d.text) else None


def _gives_an_answer(step: Step) -> bool:
    """Whether an output holds an answer beside its passages: of a `retriever_query_engine`."""
    opened = parse(step.output)
    if not isinstance(opened, dict):
        return False
    held = (opened.get(name) for name in ("message", "response", "answer"))
    return any(isinstance(told, (str, dict)) and read_answer(told) for told in held)


def _gave_back_nodes(step: Step) -> bool:
    """Whether a step was given a query and gave back a list of scored passages, whatever it is called."""
    opened = parse(step.output)
    if not isinstance(opened, list) or query_in(step.input) is None:
        return False
    if not opened:  # only where the input's name tells that it is a retriever's
        given = parse(step.input)
        return isinstance(given, dict) and "str_or_query_bundle" in given
    documents = read_documents(opened) or []
    return bool(documents) and all(d.text and d.id and d.score is not None for d in documents)


def _rewritten_by(models: list[Step], documents: list[Document] | None) -> str | None:
    """What a model inside a retrieval made of the question; not one that looked at the passages."""
    texts = [letters(document.text)[:40] for document in documents or () if document.text]
    for model in models:
        prompt = letters("".join(message.text for message in model.messages or ()))
        if prompt and model.reply and not any(text in prompt for text in texts):
            return model.reply
    return None


def own_root(tree: Tree) -> int | None:
    """The step that its library calls the application's own, though it may have a parent."""
    return next((i for i, step in enumerate(tree.steps) if step.as_root), None)


def find_generation(tree: Tree, answer: str | None) -> int | None:
    """The call of a model that gave the answer; null where none can have.

    Not those that rewrote the query, judged, reranked, or spoke before anything was retrieved.
    """
    places = tree.outermost(Kind.LLM)
    places = [i for i in places if tree.above(i).isdisjoint(_HIDES_LLMS)]
    outside = [i for i in places if Kind.TOOL not in tree.above(i)]
    places = _without_echoes(tree, outside or places)
    if not places:
        return _speaking_agent(tree)
    searches = [s for s in tree.steps if s.kind is Kind.RETRIEVER]
    if answer is not None:
        matching = [i for i in places if tree.steps[i].reply == answer]
        if not matching:
            wanted = letters(answer)
            matching = [i for i in places if _same(letters(tree.steps[i].reply or ""), wanted)]
        if matching:
            return matching[-1]
    if searches:
        first = min(step.span.start_ns for step in searches)
        queries = Alike(step.query for step in searches if step.query)
        places = [
            i
            for i in places
            if (tree.steps[i].span.start_ns >= first or _holds_a_search(tree, i))
            and (tree.steps[i].reply or " ") not in queries
        ]
    speaking = [i for i in places if tree.steps[i].reply or tree.steps[i].error]
    if places and answer is None and not tree.steps[places[-1]].reply:
        return places[-1]  # the last one failed, called a tool, or hides what it said
    return speaking[-1] if speaking else places[-1] if places else None


def _without_echoes(tree: Tree, places: list[int]) -> list[int]:
    """Without spans that say nothing and lie in time within one that does: of one call, by another library.

    A client may write spans of its own beside those of whoever instruments it (Anthropic's SDK).
    """
    steps = [tree.steps[i] for i in places]
    speaking = [(s.span.start_ns, s.span.end_ns) for s in steps if s.messages or s.reply]
    if not speaking or len(speaking) == len(steps):
        return places
    ends: list[int] = []  # of the speaking ones in order of their start: the latest end so far
    for _, end in speaking:
        ends.append(max(end, ends[-1]) if ends else end)
    starts = [start for start, _ in speaking]

    def echoes(step: Step) -> bool:
        before = bisect_right(starts, step.span.start_ns)
        silent = not step.messages and not step.reply and not step.error
        return silent and before > 0 and ends[before - 1] >= step.span.end_ns

    return [i for i, step in zip(places, steps, strict=True) if not echoes(step)]


def _same(reply: str, answer: str) -> bool:
    if not reply or not answer:
        return False
    return reply == answer or (len(reply) > 8 and reply in answer) or (len(answer) > 8 and answer in reply)


def _holds_a_search(tree: Tree, i: int) -> bool:
    """Whether a step is a model's whole turn, its tools included (Mastra)."""
    return any(tree.steps[j].kind is Kind.RETRIEVER for j in tree.below(i))


def _speaking_agent(tree: Tree) -> int | None:
    """Where only agents are recorded: the innermost that names its model."""
    agents = [
        i for i, step in enumerate(tree.steps) if step.kind is Kind.AGENT and (step.model or step.reply)
    ]
    return agents[-1] if agents else None


def completed_generation(tree: Tree, i: int) -> Step:
    """The call, with what only another library's span inside it recorded."""
    step = tree.steps[i]
    for j in sorted(tree.below(i), reverse=True):
        if tree.steps[j].kind is Kind.LLM:
            inner = tree.steps[j]
            if _tells_more(inner.messages or [], step.messages or []):
                step.messages = inner.messages
            step.fill(inner)
    return step


def _tells_more(inner: list[ChatMessage], outer: list[ChatMessage]) -> bool:
    """Whether what tools were asked stands in the inner messages alone (LiteLLM)."""
    return bool(
        outer
        and len(inner) >= len(outer)
        and any(message.calls for message in inner)
        and not any(message.calls for message in outer)
    )


__all__ = ["completed_generation", "find_generation", "own_root", "promote"]
