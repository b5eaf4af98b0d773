"""The spans of one trace to one trace of ours."""

from __future__ import annotations

from schemas.formats.assembly.assemble import NOT_RAG_REASONS, NotRag, assemble
from schemas.formats.assembly.segments import DEFAULT, Segments

__all__ = ["DEFAULT", "NOT_RAG_REASONS", "NotRag", "Segments", "assemble"]
