"""Passages of a text, marked: claims in an answer, their evidence in a chunk.

Offsets count characters and may come from anywhere: what lies outside the text is clamped, what is empty is
left out. Where marks overlap, each piece carries all that cover it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from markupsafe import Markup, escape

_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")
"""Characters that are not seen, or that turn the order of what is read."""
_KIND: Final = re.compile(r"[a-z][a-z-]{0,30}")


@dataclass(frozen=True, slots=True)
class Mark:
    """A passage: offsets in characters, a kind (`supported`, `unsupported`, `evidence`), what is said of it.

    `label` is read out and shown on hover; `number` ties a claim to its evidence and is shown where not
    null. The number of a mark with a `name` can be led to, and leads to the mark that `leads_to` names.
    """

    start: int
    end: int
    kind: str = "evidence"
    label: str = ""
    number: int | None = None
    name: str = ""
    leads_to: str = ""


def highlight(text: str | None, marks: Iterable[Mark] = ()) -> Markup:
    """The text as HTML: escaped, with `<mark class="mark mark-KIND">` around its passages."""
    text = text or ""
    known = [kept for mark in marks if (kept := _clamp(mark, len(text))) is not None]
    edges = sorted({0, len(text), *(mark.start for mark in known), *(mark.end for mark in known)})
    pieces = [_piece(text, start, end, known) for start, end in pairwise(edges)]
    return Markup("").join(pieces)


def show_hidden(text: str) -> str:
    """Invisible and direction-changing characters become a visible sign, one for one: offsets stay true."""
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", text)


def _clamp(mark: Mark, length: int) -> Mark | None:
    start, end = max(0, min(mark.start, length)), max(0, min(mark.end, length))
    if start >= end or not _KIND.fullmatch(mark.kind):
        return None
    return replace(mark, start=start, end=end)


def _piece(text: str, start: int, end: int, marks: Sequence[Mark]) -> Markup:
    plain = escape(show_hidden(text[start:end]))
    over = [mark for mark in marks if mark.start <= start and end <= mark.end]
    if not over:
        return plain
    classes = " ".join(dict.fromkeys(f"mark-{mark.kind}" for mark in over))
    label = "; ".join(dict.fromkeys(mark.label for mark in over if mark.label))
    signs = Markup("").join(_sign(mark) for mark in over if mark.start == start and mark.number is not None)
    titled = Markup(' title="{}"').format(label) if label else Markup("")
    return Markup('<mark class="mark {}"{}>{}{}</mark>').format(classes, titled, signs, plain)


def _sign(mark: Mark) -> Markup:
    """The number that ties a claim to its evidence, and leads there and back."""
    name = Markup(' id="{}"').format(mark.name) if mark.name else Markup("")
    if not mark.leads_to:
        return Markup("<sup{}>{}</sup>").format(name, mark.number)
    return Markup('<sup{}><a href="#{}">{}</a></sup>').format(name, mark.leads_to, mark.number)


__all__ = ["Mark", "highlight", "show_hidden"]
