"""Monitored text made harmless to show, and visibly so: nothing is dropped in silence.

A judge reads text that strangers wrote. Three things in it could reach beyond the place it is shown at:
characters that people do not see and models do (zero-width, bidirectional, tag characters), the tokens by
which chat templates mark who speaks (`<|im_start|>`, `[INST]`, `</s>` …), and whatever looks like the mark
that ends a block. The first become a visible count, the brackets of the others become look-alikes; every line
is then set behind a bar, so that none can pass for a heading, a fence or a turn of ours. What the text *says*
is left as it is, orders and base64 included: where it stands tells the judge that it is data.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from schemas.tame import tame_text

_SHORT: Final = 8192
"""Characters: longer texts are not remembered."""
BAR: Final = "| "
"""Stands before every line of monitored text."""
HIDDEN_MARK: Final = "⟨hidden×{}⟩"
CONTROL_MARK: Final = "⟨control×{}⟩"
MARKS: Final = re.compile(r"⟨(?:hidden|control)×\d+⟩")
"""What stands where characters were taken out."""

INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e0fff"
)
"""The body of a character class: zero-width, bidirectional, tag and filler characters, and selectors that no
emoji needs. One selector behind an emoji (U+FE0E, U+FE0F) is left alone; several hide data."""
_HIDDEN = re.compile(f"[{INVISIBLE}]+|[\ufe0e\ufe0f]{{2,}}")
_CONTROL = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]+")
_BREAK = re.compile("\r\n|[\r\x0c\x85\u2028\u2029]")
_BARS = "|｜│┃❘∣ǀ"
_TAG = re.compile(rf"[<＜﹤]((?:\s{{0,3}}[/!?{_BARS}]|[^\W\d])[^<>＜＞﹤﹥\n]{{0,80}})[>＞﹥]")
_OPENS = re.compile(rf"[<＜﹤](?=\s{{0,3}}[/!?{_BARS}]|[^\W\d])")
"""The bracket of anything that could be a tag or a special token."""
_CLOSES = re.compile(rf"(?<=[{_BARS}])[>＞﹥]")
_RUN = re.compile("[<＜﹤]{2,}|[>＞﹥]{2,}")
_SQUARE = re.compile(r"[\[［﹇]([^\[\]［］﹇﹈\n]{1,24})[\]］﹈]")
_SPECIAL = re.compile(
    r"\W*(?:INST|SYS(?:TEM(?:_PROMPT)?)?|USER|ASSISTANT|TOOL(?:_CALLS?|_RESULTS?)?|AVAILABLE_TOOLS|[BE]O[ST]"
    r"|CLS|SEP|PAD|UNK|[A-Z]{0,8}MASK)\W*",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"^(\s{0,8}(?:#{1,6}|\*{1,3}|>|-{3,})\s{0,4})"
    r"(?=(?:system|user|human|assistant|developer|tool|instructions?|response|系统|用户|助手|指令|开发者|工具)\b)",
    re.IGNORECASE | re.MULTILINE,
)
"""A heading that names a speaker."""


def neutralise(text: str) -> str:
    """`text` with everything taken out of it that could act, and a visible sign where it was.

    What was neutralised once stays as it is.
    """
    return _remembered(text) if len(text) <= _SHORT else _neutralise(text)


def _neutralise(text: str) -> str:
    text = _BREAK.sub("\n", tame_text(text))
    text = _HIDDEN.sub(lambda m: HIDDEN_MARK.format(len(m[0])), text)
    text = _CONTROL.sub(lambda m: CONTROL_MARK.format(len(m[0])), text)
    text = _RUN.sub(lambda m: ("‹" if m[0][0] in "<＜﹤" else "›") * len(m[0]), text)
    text = defang_tags(text)
    text = _SQUARE.sub(_defang_square, text)
    return _ROLE.sub(lambda m: re.sub(r"[#*>-]", "·", m[1]), text)


_remembered = lru_cache(maxsize=1024)(_neutralise)
"""Each text of a trace is shown in two questions or three, and measured before."""


def defang_tags(text: str) -> str:
    """The brackets of what could be a tag or a special token, as look-alikes."""
    return _CLOSES.sub("›", _OPENS.sub("‹", _TAG.sub(r"‹\1›", text)))


def _defang_square(match: re.Match[str]) -> str:
    """`[INST]` and its like, in whatever letters, between other brackets; `[1]` and `[note]` as they are."""
    special = _SPECIAL.fullmatch(unicodedata.normalize("NFKC", match[1]))
    return f"⟦{match[1]}⟧" if special else match[0]


def behind_bars(text: str) -> str:
    """Every line of a text behind a bar."""
    return BAR + text.replace("\n", "\n" + BAR)


__all__ = ["BAR", "INVISIBLE", "MARKS", "behind_bars", "defang_tags", "neutralise"]
