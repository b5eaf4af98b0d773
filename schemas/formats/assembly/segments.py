"""Which attributes say what a trace is counted under: application, tenant, session, release.

A mapping, so that an installation can name its own attributes; the first that is there wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final

from schemas.formats.shape import Shape
from schemas.formats.span import Attributes, Span
from schemas.formats.values import parse, unquote

_PLACE: Final = re.compile(
    r"(?:metadata|(?:langfuse\.(?:trace|observation)|langsmith|ai\.telemetry)\.metadata"
    r"|mastra\.metadata|(?:traceloop|lmnr)\.association\.properties|ai\.settings\.context)(?=\.|$)"
)
"""Where metadata is kept: as JSON under that name, or as attributes below it."""
Place = tuple[str, str | None]
"""An attribute that is metadata, and the key that its name holds; null where it holds all keys as JSON."""
_METADATA: Final = "metadata:"
_NOISE: Final = (
    "ls_",
    "lc_",
    "langgraph_",
    "checkpoint",
    "__",
    "LANGSMITH_",
    "LANGCHAIN_",
    "LANGGRAPH_",
    "user_api_key",
)
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
        "gen_ai.session.id", "gen_ai.thread.id",
        "spring.ai.chat.client.conversation.id", "metadata:session_id", "metadata:sessionId",
        "metadata:langfuse_session_id", "metadata:thread_id", "metadata:threadId", "genkit:sessionId",
        "metadata:conversation_id",
        "mlflow.trace.session",
    )  # fmt: skip
    user_id: tuple[str, ...] = (
        "user.id", "enduser.id", "langfuse.user.id", "gen_ai.user.id", "gen_ai.user", "llm.user",
        "metadata:user_id",
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
        "mastra.tags",
        "langfuse.trace.tags",
        "langsmith.span.tags",
        "metadata:tags",
        "tags",
    )

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return _all_names(self)


@cache
def _all_names(segments: Segments) -> frozenset[str]:
    return frozenset(name for item in fields(segments) for name in getattr(segments, item.name))


DEFAULT: Final = Segments()


class Sources:
    """The attributes of a trace's spans that matter to segments, its own root first, and their resources."""

    def __init__(
        self, spans: Iterable[Span], segments: Segments, told: Iterable[Mapping[str, Any]] = ()
    ) -> None:
        self.metadata: dict[str, Any] = {}
        self.outer_metadata: dict[str, Any] = {}
        self._known: dict[str, Any] = {}
        self._read: set[str] = set()
        wanted = segments.names
        resources = {}
        for span in spans:  # the outer spans' words stand
            resources[id(span.resource)] = span.resource
            named, places = _placed(span.shape, wanted)
            if named:
                self._note(named, span.attributes)
            if places:
                self._note_metadata(places, span.attributes)
        for held in told:  # what conventions found inside of other values
            self._add_metadata({str(key): value for key, value in held.items()})
        for resource in resources.values():  # behind all spans
            self._note(wanted.intersection(resource), resource)
        self._known.update((_METADATA + key, value) for key, value in self.metadata.items())

    def _note(self, names: Iterable[str], held: Attributes) -> None:
        known = self._known
        for name in names:
            if known.get(name) in (None, ""):
                known[name] = held[name]

    def _note_metadata(self, places: Sequence[Place], attributes: Attributes) -> None:
        found: dict[str, Any] = {}
        for name, key in places:
            if key is not None:
                if key not in self.metadata:
                    found[key] = unquote(attributes[name])
                continue
            value = attributes[name]
            if isinstance(value, str):
                if value in self._read:  # some libraries write the same on every span
                    continue
                self._read.add(value)
            if isinstance(held := parse(value), Mapping):
                found.update((str(inner), value) for inner, value in held.items())
        if found:
            self._add_metadata(found)

    def _add_metadata(self, found: dict[str, Any]) -> None:
        found = {key: value for key, value in found.items() if value is not None and value != ""}
        if not self.metadata:
            self.outer_metadata = {key: value for key, value in found.items() if not key.startswith(_NOISE)}
        for key, value in found.items():
            self.metadata.setdefault(key, value)

    def find(self, names: Iterable[str]) -> str | None:
        """The first value under any of these names, as text."""
        known = self._known
        for name in names:
            value = known.get(name)
            if value is None:
                continue
            if isinstance(value, str):
                if value:
                    return value
            elif isinstance(value, (int, float)) and not isinstance(value, bool):
                return str(value)
        return None

    def find_list(self, names: Iterable[str]) -> list[str] | None:
        """The same for a list of texts, which may be JSON or separated by commas."""
        for name in names:
            value = parse(self._known.get(name))
            if isinstance(value, list):
                return [str(item) for item in value if isinstance(item, (str, int))]
            if isinstance(value, str) and value:
                return [part.strip() for part in value.split(",") if part.strip()]
        return None


def _placed(shape: Shape, wanted: frozenset[str]) -> tuple[Sequence[str], Sequence[Place]]:
    """Which of its names are wanted, and which are metadata."""
    found: tuple[Sequence[str], Sequence[Place]] | None = shape.kept.get(wanted)
    if found is None:
        named = [name for name in shape.names if name in wanted]
        matches = ((name, _PLACE.match(name)) for name in shape.names)
        places = [
            (name, name[match.end() + 1 :] if match.end() < len(name) else None)
            for name, match in matches
            if match is not None
        ]
        found = shape.kept[wanted] = (named, places)
    return found


__all__ = ["DEFAULT", "Segments", "Sources"]
