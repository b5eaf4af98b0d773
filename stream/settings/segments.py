"""Which attributes of spans say what a trace is counted under."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import StringConstraints

from schemas.formats.assembly import DEFAULT, Segments
from stream.settings.section import Section

Names = list[Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]] | None


class SegmentSettings(Section):
    """For each of our names the attributes to look at, in this order; null: as `Segments` has them.

    An attribute of a span or of a resource by its name; `metadata:KEY` for a key of the metadata that
    frameworks keep in places of their own. A list replaces the built-in one.
    """

    app: Names = None
    tenant: Names = None
    environment: Names = None
    intent: Names = None
    language: Names = None
    conversation_id: Names = None
    user_id: Names = None
    release: Names = None
    prompt: Names = None
    index: Names = None
    tags: Names = None

    def mapping(self) -> Segments:
        """The built-in mapping with what was set in place of it."""
        return replace(DEFAULT, **{name: tuple(names) for name, names in self if names is not None})
