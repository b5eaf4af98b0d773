"""Which attributes say what a trace is counted under: application, tenant, session, release.

A mapping, so that an installation can name its own attributes; the first that is there wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from schemas.formats.span import Span
from schemas.formats.values import parse, unquote

_PLACE: Final = re.compile(
    r"(?:metadata|(?:langfuse\.(?:trace|observation)|langsmith|ai\.telemetry)\.metadata"
    r"|traceloop\.association\.properties|ai\.settings\.context)(?=\.|$)"
)
"""Where metadata is kept: as JSON under that name, or as attributes below it."""
_NOISE: Final = ("ls_", "lc_", "langgraph_", "checkpoint", "__")
"""What frameworks add to it for themselves."""


@dataclass(slots=True, frozen=True)
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


DEFAULT: Final = Segments()


class Sources:
    """The attributes of a trace's spans, its own root first, and the resources they came from."""

    def __init__(self, spans: Iterable[Span]) -> None:
        self._spans = list(spans)
        self._known: dict[str, Any] = {}
        for span in reversed(self._spans):  # the outer spans' words stand, and resources behind all of them
            self._known.update(span.resource)
        for span in reversed(self._spans):
            self._known.update(span.attributes)
        self.metadata = _merged(self._spans)
        first = next((held for span in self._spans if (held := dict(_metadata_of(span)))), {})
        self.outer_metadata = {key: value for key, value in first.items() if not key.startswith(_NOISE)}

    def find(self, names: Iterable[str]) -> str | None:
        """The first value under any of these names, as text."""
        for name in names:
            value = self._lookup(name)
            if isinstance(value, str) and value:
                return value
            if isinstance(value, int | float) and not isinstance(value, bool):
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
        _, _, key = name.partition(":")
        if key:
            return self.metadata.get(key)
        value = self._known.get(name)
        if value != "":
            return value
        places = [held for span in self._spans for held in (span.attributes, span.resource)]
        return next((held[name] for held in places if held.get(name) not in (None, "")), None)


def _merged(spans: list[Span]) -> dict[str, Any]:
    """All metadata of a trace; the outer spans' words stand."""
    found: dict[str, Any] = {}
    for span in spans:
        for key, value in _metadata_of(span):
            found.setdefault(key, value)
    return found


def _metadata_of(span: Span) -> Iterator[tuple[str, Any]]:
    for name, value in span.attributes.items():
        place = _PLACE.match(name)
        if place is None:
            continue
        if place.end() < len(name):
            yield name[place.end() + 1 :], unquote(value)
        elif isinstance(held := parse(value), Mapping):
            yield from ((str(key), inner) for key, inner in held.items())


__all__ = ["DEFAULT", "Segments", "Sources"]
