"""Values that were cut short on their way: by a limit on attributes, or with a mark.

A library that limits its attributes cuts every longer text at one length and leaves no mark. What
gives it away: no text of the trace is longer, several end at exactly that length, and JSON among
them no longer parses.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from schemas.formats.span import Span
from schemas.formats.values import is_cut_json

SHORTEST: Final = 16
COMMON: Final = frozenset(
    {64, 96, 100, 120, 128, 140, 150, 160, 200, 250, 255, 256, 280, 300, 360, 400, 500, 512, 600, 768,
     800, 1000, 1023,
     1024, 1200, 1500, 2000, 2047, 2048, 2500, 3000, 4000, 4095, 4096, 5000, 6000, 8000, 8191, 8192, 10_000,
     10_240, 12_000, 12_288, 15_000, 16_000, 16_383, 16_384, 20_000, 20_480, 24_000, 25_000, 30_000, 32_000,
     32_766, 32_767, 32_768, 40_000, 50_000, 60_000, 64_000, 65_535, 65_536, 100_000, 128_000, 131_072,
     200_000, 250_000, 256_000,
     262_144, 500_000, 524_288, 1_000_000, 1_048_576}
)  # fmt: skip
"""Lengths at which people and libraries set such limits."""
_LONG: Final = 1_000
"""From here one text of exactly a common length is enough: chance does not hit it."""
_MARK: Final = re.compile(
    r"[\[(<{\uff08【]\s*+(?:cut|truncated|cropped|shortened|trimmed|已截断|截断)[^\])>}\uff09】]{0,40}+[\])>}\uff09】]++\s*+$"
    r"|(?:\.{3}|…)\s*+(?:truncated|已截断)\s*+$|\.\.\. ?\(?\d++ (?:more )?(?:char|byte)\w*+\)?\s*+$",
    re.I,
)
_INNER: Final = frozenset({list, tuple, dict})
_MAX_DEPTH: Final = 9
_BYTES_A_CHAR: Final = 4
"""At most, in UTF-8."""
_CLOSING: Final = frozenset("])>}\uff09】")
_ENDS: Final = frozenset(".!?。\uff01\uff1f…\"'”’)\uff09]】}」』》>;\uff1b:\uff1a*`|")


class Limit:
    """What is known of a trace's limit. `chars` null: none was found."""

    def __init__(self, chars: int | None = None, in_bytes: bool = False) -> None:
        self.chars = chars
        self._in_bytes = in_bytes

    def cuts(self, text: str | None) -> bool:
        """Whether this text, taken from an attribute whole, is only a beginning."""
        if not text:
            return False
        if _may_be_marked(text) and _MARK.search(text[-80:]):
            return True
        if self.chars is None:
            return False
        if self._in_bytes and not text.isascii():
            return self.chars - 3 <= _bytes(text) <= self.chars
        return len(text) == self.chars


def _may_be_marked(text: str) -> bool:
    """Whether a mark is possible at all: it ends in a bracket, or has dots ahead of it."""
    end = text[-80:]
    return end.rstrip()[-1:] in _CLOSING or "..." in end or "…" in end


def find_limit(spans: Iterable[Span]) -> Limit:
    """The length at which the texts of a trace were cut. Events may have another limit, or none."""
    spans = list(spans)
    texts: list[str] = []
    for span in spans:
        _add_texts(span.attributes.values(), texts)
    found = _limit_of(texts)
    if found.chars is not None:
        return found
    texts = []
    for span in spans:
        for event in span.events:
            _add_texts(event.attributes.values(), texts)
    return _limit_of(texts) if texts else found


def _add_texts(values: Iterable[Any], texts: list[str], depth: int = 0) -> None:
    """The texts among values, and inside of them, that are long enough to have been cut."""
    for value in values:
        kind: type = value.__class__
        if kind is str:
            if len(value) >= SHORTEST:
                texts.append(value)
        elif kind in _INNER and depth < _MAX_DEPTH:
            _add_texts(value.values() if kind is dict else value, texts, depth + 1)


def _limit_of(texts: list[str]) -> Limit:
    lengths = list(map(len, texts))
    longest = max(lengths, default=0)
    several = longest in COMMON or lengths.count(longest) > 1  # of one text of any length nothing is known
    if several and _looks_cut({text for text in texts if len(text) == longest}, longest):
        wide = [text for text in texts if not text.isascii()]
        return Limit(longest, in_bytes=bool(wide) and max(map(_bytes, wide)) <= longest)
    return _in_bytes(texts)


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _looks_cut(at_limit: set[str], length: int) -> bool:
    if length not in COMMON and len(at_limit) < 2:
        return False  # also where there are no texts at all
    broken = sum(1 for text in at_limit if is_cut_json(text))
    if broken and (length in COMMON or len(at_limit) > 1):
        return True
    if length not in COMMON:
        return len(at_limit) > 2 and all(text.rstrip()[-1:] not in _ENDS for text in at_limit)
    unfinished = any(text.rstrip()[-1:] not in _ENDS for text in at_limit)
    return unfinished and (length >= _LONG or len(at_limit) > 1)


def _in_bytes(texts: list[str]) -> Limit:
    """A Collector cuts at bytes, and between characters: Chinese text then ends within 3 bytes of it."""
    if all(map(str.isascii, texts)):
        return Limit()
    longest = _bytes(max(texts, key=len))
    for text in texts:
        if len(text) * _BYTES_A_CHAR > longest:  # no shorter text takes more bytes
            longest = max(longest, _bytes(text))
    limit = next((size for size in range(longest, longest + 4) if size in COMMON), None)
    if limit is None:
        return Limit()
    at_limit = {text for text in texts if limit - 3 <= _bytes(text) <= limit}
    return Limit(limit, in_bytes=True) if _looks_cut(at_limit, limit) else Limit()


__all__ = ["COMMON", "Limit", "find_limit"]
