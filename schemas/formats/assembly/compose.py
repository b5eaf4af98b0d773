"""The parts of a trace put together, with what they belong to: segments, release, feedback, marks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from schemas.bounds import MAX_TURNS, SPAN_KEY
from schemas.formats.assembly.feedback import as_json, read_feedback
from schemas.formats.assembly.marks import INCOMPLETE_KEY, Marks
from schemas.formats.assembly.question import Question
from schemas.formats.assembly.segments import Segments, Sources
from schemas.formats.assembly.tree import Tree
from schemas.formats.span import Span
from schemas.formats.step import Evaluation, Kind
from schemas.tame import tame
from schemas.trace import Generation, Release, Retrieval, Trace

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STEP_TAG: Final = re.compile(r"(?:seq:step|map:key|graph:step|condition|branch):")
"""Tags that LangChain gives its own steps."""
_OTEL_SPAN: Final = re.compile(r"[0-9a-f]{16}")
_INDEXING: Final = (Kind.EMBEDDING, Kind.RERANKER)
NO_ROOT: Final = "no_root"


@dataclass(slots=True)
class Parts:
    """What was found in the steps. `answered_by` is the model's full name."""

    question: Question
    answer: str | None
    retrieval: Retrieval | None
    generation: Generation | None
    answered_by: str | None
    evaluations: list[Evaluation]
    marks: Marks


def compose(
    tree: Tree,
    spans: Sequence[Span],
    path: list[int],
    segments: Segments,
    parts: Parts,
    incomplete: str | None,
) -> Trace:
    """The trace. `path` leads from the application's own root to the answer."""
    told = [metadata for i in path if (metadata := tree.steps[i].metadata)]
    sources = Sources(_outer_first(tree, path, spans), segments, told)
    extra = _extra(tree, path, sources, segments, parts)
    incomplete = incomplete or (None if any(not span.parent_id for span in spans) else NO_ROOT)
    if incomplete:
        extra[INCOMPLETE_KEY] = incomplete
    if _OTEL_SPAN.fullmatch(root := tree.steps[path[0]].span.span_id):
        extra[SPAN_KEY] = root
    parts.marks.into(extra)
    return Trace(
        trace_id=spans[0].trace_id,
        timestamp=read_moment(tree.steps[path[0]].span.start_ns),
        app=sources.find(segments.app),
        tenant=sources.find(segments.tenant),
        environment=sources.find(segments.environment),
        intent=sources.find(segments.intent),
        language=sources.find(segments.language),
        release=_release(tree, sources, segments, parts.answered_by),
        conversation_id=sources.find(segments.conversation_id),
        history=parts.question.history[-MAX_TURNS:],
        question=parts.question.question,
        rewritten_query=parts.question.rewritten,
        retrieval=parts.retrieval,
        generation=parts.generation,
        answer=parts.answer,
        feedback=read_feedback(parts.evaluations),
        gold=next((step.gold for step in tree.steps if step.gold), None),
        extra=tame(extra) or None,
    )


def _extra(tree: Tree, path: list[int], sources: Sources, segments: Segments, parts: Parts) -> dict[str, Any]:
    """What has no field of ours: the user, tags, metadata, evaluations."""
    tags = sources.find_list(segments.tags) or next(
        (tree.steps[i].tags for i in path if tree.steps[i].tags), None
    )
    found = {
        "user_id": sources.find(segments.user_id),
        "tags": [tag for tag in tags or () if not _STEP_TAG.match(tag)],
        "metadata": sources.outer_metadata,
        "evaluations": [as_json(evaluation) for evaluation in parts.evaluations],
    }
    return {name: value for name, value in found.items() if value}


def _outer_first(tree: Tree, path: list[int], spans: Sequence[Span]) -> list[Span]:
    """The spans on the way to the answer, then all others that speak, then the rest."""
    on_path = set(path)
    ordered = [tree.steps[i].span for i in path]
    ordered += [step.span for i, step in enumerate(tree.steps) if i not in on_path]
    if len(ordered) < len(spans):
        known = {id(span) for span in ordered}
        ordered += [span for span in spans if id(span) not in known]
    return ordered


def _release(tree: Tree, sources: Sources, segments: Segments, answered_by: str | None) -> Release | None:
    models: dict[Kind, str] = {}
    for step in tree.steps:
        if step.kind in _INDEXING and step.kind not in models and (model := step.snapshot):
            models[step.kind] = model
    prompts = [step.prompt_version for step in tree.steps if step.prompt_version]
    found = {
        "app": sources.find(segments.release),
        "prompt": prompts[-1] if prompts else sources.find(segments.prompt),
        "index": sources.find(segments.index),
        "embedding_model": models.get(Kind.EMBEDDING),
        "reranker": models.get(Kind.RERANKER),
        "generator": answered_by,
    }
    return Release(**found) if any(found.values()) else None


def read_moment(ns: int) -> datetime | None:
    """Nanoseconds since 1970 as a time; null for none, and for one that no calendar has."""
    if not ns:
        return None
    try:
        return _EPOCH + timedelta(microseconds=ns // 1_000)
    except OverflowError:
        return None


__all__ = ["NO_ROOT", "Parts", "compose", "read_moment"]
