"""Which attributes say what a trace is counted under: application, tenant, session, release.

A mapping, so that an installation can name its own attributes; the first that is there wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final

from schemas.formats.span import Span
from schemas.formats.values import parse, unquote

_PLACE: Final = re.compile(
    r"(?:metadata|(?:langfuse\.(?:trace|observation)|langsmith|ai\.telemetry)\.metadata"
    r"|traceloop\.association\.properties|ai\.settings\.context)(?=\.|$)"
)
"""Where metadata is kept: as JSON under that name, or as attributes below it."""
_METADATA: Final = "metadata:"
_NOISE: Final = ("ls_", "lc_", "langgraph_", "checkpoint", "__")
"""What frameworks add to it for themselves."""


@dataclass(frozen=True)
class Segments:
    """For each of our names, where to look: attributes of spans and resources, and `metadata:KEY`."""

    app: tuple[str, ...] = ("metadata:app", "service.name")
    tenant: tuple[str, ...] = (
        "tenant.id",
        "tenant",
        "metadata:tenant",
        "metadata:tenant_id",
        "metadata:tenantId",
    )
    environment: tuple[str, ...] = (
        "langfuse.environment", "metadata:environment", "metadata:env", "deployment.environment.name",
        "deployment.environment",
    )  # fmt: skip
    intent: tuple[str, ...] = ("intent", "metadata:intent")
    language: tuple[str, ...] = ("metadata:language", "metadata:lang")
    conversation_id: tuple[str, ...] = (
        "session.id", "gen_ai.conversation.id", "langfuse.session.id", "gcp.vertex.agent.session_id",
        "spring.ai.chat.client.conversation.id", "metadata:session_id", "metadata:sessionId",
        "metadata:langfuse_session_id", "metadata:thread_id", "metadata:conversation_id",
        "mlflow.trace.session",
    )  # fmt: skip
    user_id: tuple[str, ...] = (
        "user.id", "enduser.id", "langfuse.user.id", "gen_ai.user", "llm.user", "metadata:user_id",
        "metadata:userId",
        "metadata:langfuse_user_id", "mlflow.trace.user",
    )  # fmt: skip
    release: tuple[str, ...] = (
        "langfuse.release", "metadata:release", "langfuse.version", "app.release", "service.release",
        "release", "app.version",
        "metadata:app_version", "metadata:version", "service.version",
    )  # fmt: skip
    prompt: tuple[str, ...] = (
        "metadata:prompt_version",
        "traceloop.prompt.version_name",
        "gen_ai.prompt.version",
    )
    index: tuple[str, ...] = (
        "metadata:index", "gen_ai.data_source.id", "db.collection.name",
        "langfuse.observation.metadata.index",
    )  # fmt: skip
    tags: tuple[str, ...] = (
        "tag.tags",
        "langfuse.trace.tags",
        "langsmith.span.tags",
        "metadata:tags",
        "tags",
    )


    @cached_property
    def names(self) -> frozenset[str]:
        """All of them."""
        return frozenset(name for item in fields(self) for name in getattr(self, item.name))


DEFAULT: Final = Segments()


class Sources:
    """The attributes of a trace's spans that matter to segments, its own root first, and their resources."""

    def __init__(self, spans: Iterable[Span], segments: Segments) -> None:
        self._spans = list(spans)
        self._known: dict[str, Any] = {}
        self._note_all(segments.names)
        self.metadata: dict[str, Any] = {}
        self.outer_metadata: dict[str, Any] = {}
        for span in self._spans:  # the outer spans' words stand
            held = _metadata_of(span)
            if held and not self.metadata:
                self.outer_metadata = {key: value for key, value in held.items() if not key.startswith(_NOISE)}
            for key, value in held.items():
                self.metadata.setdefault(key, value)

    def _note_all(self, wanted: frozenset[str]) -> None:
        """What the spans say under these names: of several the outer one's, and resources behind all of them."""
        known, seen = self._known, set()
        for span in self._spans:
            attributes = span.attributes
            for name in _named(span, wanted):
                if known.get(name) in (None, ""):
                    known[name] = attributes[name]
        for span in self._spans:
            resource = span.resource
            if id(resource) in seen:
                continue
            seen.add(id(resource))
            for name in wanted.intersection(resource):
                if known.get(name) in (None, ""):
                    known[name] = resource[name]

    def find(self, names: Iterable[str]) -> str | None:
        """The first value under any of these names, as text."""
        for name in names:
            value = self._lookup(name)
            if value is None:
                continue
            if isinstance(value, str):
                if value:
                    return value
            elif isinstance(value, int | float) and not isinstance(value, bool):
                return str(value)
        return None

    def find_list(self, names: Iterable[str]) -> list[str] | None:
        """The same for a list of texts, which may be JSON or separated by commas."""
        for name in names:
            value = parse(self._lookup(name))
            if isinstance(value, list):
                return [str(item) for item in value if isinstance(item, str | int)]
            if isinstance(value, str) and value:
                return [part.strip() for part in value.split(",") if part.strip()]
        return None

    def _lookup(self, name: str) -> Any:
        if name.startswith(_METADATA):
            return self.metadata.get(name[len(_METADATA) :])
        return self._known.get(name)


def _named(span: Span, wanted: frozenset[str]) -> Sequence[str]:
    """Which of these names a span has."""
    kept = span.shape.kept
    found: Sequence[str] | None = kept.get(wanted)
    if found is None:
        found = kept[wanted] = [name for name in span.shape.names if name in wanted]
    return found


def _metadata_of(span: Span) -> dict[str, Any]:
    """What a span says in its metadata, wherever its convention keeps it."""
    found: dict[str, Any] = {}
    for name, key in _places(span):
        value = span.attributes[name]
        if key is not None:
            found[key] = unquote(value)
        elif isinstance(held := parse(value), Mapping):
            found.update((str(inner), value) for inner, value in held.items())
    return found


def _places(span: Span) -> Sequence[tuple[str, str | None]]:
    """Its attributes that are metadata: each with the key that its name holds, if it does."""
    kept = span.shape.kept
    found: Sequence[tuple[str, str | None]] | None = kept.get(_METADATA)
    if found is None:
        matches = ((name, _PLACE.match(name)) for name in span.shape.names)
        found = kept[_METADATA] = [
            (name, name[place.end() + 1 :] or None if place.end() < len(name) else None)
            for name, place in matches
            if place is not None
        ]
    return found


__all__ = ["DEFAULT", "Segments", "Sources"]
