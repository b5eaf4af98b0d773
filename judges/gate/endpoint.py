"""How a candidate system is asked over HTTP, and what its replies mean. Pure: nothing is sent here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from judges.golden import GoldenCase
from schemas.trace import MAX_ID_CHARS

FIELDS: Final = ("case_id", "question", "history", "language", "intent", "tenant", "permissions", "chunks")
"""What a request may carry of a case; `chunks` only with a probe, and null without."""
_SLOT: Final = re.compile(r"\{(" + "|".join(FIELDS) + r")\}")
Chunks = Sequence[Mapping[str, Any]]


class ReplyRefused(ValueError):
    """A reply that no answer can be read from: what is wrong, in words."""


class ReplyPaths(BaseModel):
    """Where things stand in a reply: names joined by dots, numbers for places in lists."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    answer: str = "answer"
    chunks: str = "chunks"
    chunk_id: str = "id"
    chunk_text: str = "text"
    chunk_score: str = "score"
    chunk_rerank_score: str = "rerank_score"
    rewritten_query: str = "rewritten_query"
    error: str = "error"


class EndpointOptions(BaseModel):
    """Section `endpoint`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    url: str
    headers: dict[str, str] = {}
    """A value $NAME is taken from the environment, so that no key stands in the file."""
    request: dict[str, Any] = {
        "case_id": "{case_id}",
        "question": "{question}",
        "history": "{history}",
        "language": "{language}",
        "tenant": "{tenant}",
        "permissions": "{permissions}",
    }
    """The body that is sent; {question} and others stand for what a case says."""
    chunks_key: str | None = None
    """Where in the body the chunks of a probe go (joined by dots); null where the system takes none."""
    response: ReplyPaths = ReplyPaths()
    concurrency: Annotated[int, Field(ge=1, le=256)] = 4
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 60.0
    retries: Annotated[int, Field(ge=0, le=20)] = 2
    """How often a request is sent again: after no connection, no answer in time, 408, 425, 429 and 5xx."""

    @model_validator(mode="after")
    def _chunks_have_a_place(self) -> Self:
        if self.chunks_key is not None:
            _put(_filled(self.request, dict.fromkeys(FIELDS)), self.chunks_key.split("."), [])
        return self


def request_body(options: EndpointOptions, case: GoldenCase, chunks: Chunks | None = None) -> dict[str, Any]:
    """What is sent for a case; with `chunks`, what the system is to answer from."""
    facts: dict[str, Any] = {
        "case_id": case.case_id,
        "question": case.question,
        "history": [{"role": turn.role, "content": turn.content} for turn in case.history],
        "language": case.language or None,
        "intent": case.intent or None,
        "tenant": case.tenant or None,
        "permissions": list(case.permissions),
        "chunks": None if chunks is None else [dict(chunk) for chunk in chunks],
    }
    body: dict[str, Any] = _filled(options.request, facts)
    if chunks is not None and options.chunks_key:
        _put(body, options.chunks_key.split("."), facts["chunks"])
    return body


def trace_of(options: EndpointOptions, case: GoldenCase, reply: Any) -> dict[str, Any]:
    """A reply as a trace (version 1, as JSON). Raises ReplyRefused where there is no answer and no error."""
    paths = options.response
    if not isinstance(reply, dict | list):
        raise ReplyRefused("the reply is JSON, but no object")
    answer, error = _at(reply, paths.answer), _at(reply, paths.error)
    if answer is _ABSENT and error in (_ABSENT, None):
        raise ReplyRefused(f"the reply holds no {paths.answer!r} (endpoint.response.answer)")
    if answer is not _ABSENT and answer is not None and not isinstance(answer, str):
        raise ReplyRefused(f"{paths.answer!r} of the reply is no text")
    rewritten = _at(reply, paths.rewritten_query)
    return {
        "trace_id": case.case_id[:MAX_ID_CHARS],
        "question": case.question,
        "history": [{"role": turn.role, "content": turn.content} for turn in case.history],
        "language": case.language or None,
        "intent": case.intent or None,
        "tenant": case.tenant or None,
        "rewritten_query": rewritten if isinstance(rewritten, str) else None,
        "retrieval": _retrieval(paths, reply),
        "generation": None if error in (_ABSENT, None, "") else {"error": str(error)},
        "answer": answer if isinstance(answer, str) else None,
    }


def _retrieval(paths: ReplyPaths, reply: Any) -> dict[str, Any] | None:
    found = _at(reply, paths.chunks)
    if found is _ABSENT or found is None:
        return None
    if not isinstance(found, list):
        raise ReplyRefused(f"{paths.chunks!r} of the reply is no list")
    return {"chunks": [_chunk(paths, one, rank) for rank, one in enumerate(found, 1)]}


def _chunk(paths: ReplyPaths, one: Any, rank: int) -> dict[str, Any]:
    if isinstance(one, str):
        return {"text": one, "rank": rank}
    if not isinstance(one, dict):
        raise ReplyRefused(f"chunk {rank} of the reply is neither an object nor a text")
    named = {
        "id": paths.chunk_id,
        "text": paths.chunk_text,
        "score": paths.chunk_score,
        "rerank_score": paths.chunk_rerank_score,
    }
    values = {name: _at(one, path) for name, path in named.items()}
    return {name: None if value is _ABSENT else value for name, value in values.items()} | {"rank": rank}


class _Absent:
    """Not there, unlike null."""


_ABSENT: Final = _Absent()


def _at(value: Any, path: str) -> Any:
    for name in path.split("."):
        if isinstance(value, dict) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return _ABSENT
    return value


def _filled(template: Any, facts: Mapping[str, Any]) -> Any:
    if isinstance(template, dict):
        return {key: _filled(value, facts) for key, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, facts) for value in template]
    if not isinstance(template, str):
        return template
    whole = _SLOT.fullmatch(template)
    if whole:
        return facts[whole[1]]
    return _SLOT.sub(lambda slot: str(facts[slot[1]] or ""), template)


def _put(body: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        inside = body.setdefault(name, {})
        if not isinstance(inside, dict):
            raise ValueError(f"chunks_key leads through {name!r}, which is no object")
        body = inside
    body[path[-1]] = value


__all__ = ["FIELDS", "Chunks", "EndpointOptions", "ReplyPaths", "ReplyRefused", "request_body", "trace_of"]
