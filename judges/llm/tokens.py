"""How many tokens a text comes to, without anybody's tokenizer: a careful estimate, and a bound that holds.

The estimate counts words, digits, Chinese characters and marks, and weighs each kind so that the vocabularies
of today's models rarely need more (docs/JUDGES.md has the errors as measured). What an endpoint then bills
teaches a factor for that endpoint. The bound needs no tokenizer either: a token of a byte-level vocabulary is
a byte at least.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from judges.llm.asking import Message
from judges.llm.completion import Completion

_SHORT: Final = 8192
"""Characters: longer texts are not remembered."""
PER_MESSAGE: Final = 8
"""What the template of a chat puts around each message, and once around them all. Measured: 4 to 6."""

_OWN_PROMPT: Final = 2_000
_LONGEST_OUTPUT: Final = 200_000
_WINDOWS: Final = (2048, 4096, 8192, 16384, 32768)

_LETTERS: Final = bytes(byte if chr(byte).isalpha() and byte < 128 else 32 for byte in range(256))
_DIGITS: Final = b"0123456789"
_MARKS: Final = bytes(byte for byte in range(33, 127) if not chr(byte).isalnum())
_ASCII: Final = bytes(range(128))
_CHINESE: Final = bytes(range(0x80, 0xE3)) + bytes(range(0xEA, 0xEF)) + bytes(range(0xF0, 0x100)) + _ASCII
"""All but the first byte of U+3000 to U+9FFF and U+F000 to U+FFFF: Chinese characters, kana, wide marks."""
_TWO_BYTES: Final = bytes(range(0xC2)) + bytes(range(0xE0, 0x100))
_RUNS: Final = bytes(
    byte if (chr(byte).isalnum() and byte < 128) or byte in b"+/=_-" else 32 for byte in range(256)
)

_PER_WORD: Final = 1.1
_PER_LONG_LETTER: Final = 0.45
"""In base64, hashes and identifiers a token is about two characters."""
_PER_DIGIT: Final = 1.2
_PER_CHINESE: Final = 0.85
_PER_MARK: Final = 0.65
_PER_LINE: Final = 1.2
_PER_TWO_BYTES: Final = 0.55
"""Cyrillic, Greek, Arabic, accented Latin."""
_PER_OTHER_BYTE: Final = 0.6


def estimate(text: str) -> int:
    """About how many tokens `text` comes to, rather too many than too few."""
    return _remembered(text) if len(text) <= _SHORT else _estimate(text)


def _estimate(text: str) -> int:
    data = text.encode("utf-8", "replace")
    length = len(data)
    foreign = len(data.translate(None, _ASCII)) if length != len(text) else 0
    chinese = len(data.translate(None, _CHINESE)) if foreign else 0
    two = len(data.translate(None, _TWO_BYTES)) if foreign else 0
    tokens = (
        _PER_WORD * len(data.translate(_LETTERS).split())
        + _PER_LONG_LETTER * sum(size - 16 for size in map(len, data.translate(_RUNS).split()) if size > 16)
        + _PER_DIGIT * (length - len(data.translate(None, _DIGITS)))
        + _PER_CHINESE * chinese
        + _PER_MARK * (length - len(data.translate(None, _MARKS)))
        + _PER_LINE * (data.count(b"\n") - data.count(b"\n\n"))
        + _PER_TWO_BYTES * two
        + _PER_OTHER_BYTE * max(0, foreign - 3 * chinese - 2 * two)
    )
    return int(tokens) + 1


_remembered = lru_cache(maxsize=2048)(_estimate)
"""The texts and forms of questions are measured again and again."""


def bound(text: str) -> int:
    """As many tokens as `text` can come to in a vocabulary whose tokens are bytes or more."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def estimate_messages(messages: Sequence[Message], schema_text: str = "") -> int:
    """About how many tokens a question takes in. `schema_text` is the form, which servers count as well."""
    said = sum(estimate(message.content) for message in messages)
    return said + PER_MESSAGE * (len(messages) + 1) + (estimate(schema_text) if schema_text else 0)


def bound_messages(messages: Sequence[Message], schema_text: str = "") -> int:
    """As many tokens as a question can take in, with twice the template's share."""
    said = sum(bound(message.content) for message in messages)
    return said + 2 * PER_MESSAGE * (len(messages) + 1) + bound(schema_text)


class Correction:
    """What an endpoint bills, as a share of our estimate: learned call by call, within reason."""

    LOWEST: Final = 0.4
    HIGHEST: Final = 2.5
    _KEEP: Final = 0.95

    def __init__(self, factor: float = 1.0) -> None:
        self.factor = min(max(factor, self.LOWEST), self.HIGHEST)

    def learn(self, estimated: int, billed: int) -> None:
        """Take one bill into account. It rises at once where the estimate was too low, and sinks slowly."""
        if estimated <= 0:
            return
        seen = min(max(billed / estimated, self.LOWEST), self.HIGHEST)
        self.factor = max(seen, self.factor * self._KEEP + seen * (1 - self._KEEP))

    def corrected(self, estimated: int) -> int:
        """An estimate after what was learned."""
        return max(1, round(estimated * self.factor))


def bill_of(
    completion: Completion, estimated: int, most_input: int, correction: Correction
) -> tuple[int, int, int, bool]:
    """What a call is counted at: tokens in, tokens out, those in that were cached, and whether we guessed.

    What the server says is believed where it can be true, and teaches `correction`. Input beyond what the
    bytes sent can come to (and a server's own prompt around them) cannot be, nor can nothing for a text.
    """
    billed = completion.input_tokens
    believed = billed is not None and 0 < billed <= most_input + _OWN_PROMPT
    if believed:
        assert billed is not None
        correction.learn(estimated, billed)
        input_tokens = billed
    else:
        input_tokens = correction.corrected(estimated)
    written = completion.output_tokens
    told = written is not None and 0 < written <= _LONGEST_OUTPUT
    output_tokens = written if told and written is not None else estimate(completion.text)
    cached = completion.cached_input if believed else 0
    return input_tokens, output_tokens, cached, not (believed and told)


def was_cut_short(estimated: int, billed: int | None) -> bool:
    """Whether a server seems to have read a question only in part: far fewer tokens than we count in it, and
    just as many as a context that servers set by themselves holds."""
    if billed is None or billed * 1.8 > estimated:
        return False
    return any(0.9 * window <= billed <= window for window in _WINDOWS)


__all__ = [
    "PER_MESSAGE",
    "Correction",
    "bill_of",
    "bound",
    "bound_messages",
    "estimate",
    "estimate_messages",
    "was_cut_short",
]
