"""How many tokens a text may cost, without anybody's tokenizer: rather too many than too few.

Tokenizers differ (a Chinese character is 0.6 tokens to one model and 2 to another), and the model behind an
endpoint may be replaced. What is counted here decides what fits and what may be spent, so it errs on the side
of more: about a quarter above what current tokenizers make of English, and half above for Chinese.
"""

from __future__ import annotations

import re
from typing import Final

CHARS_A_TOKEN: Final = 3.2
"""Of words in ASCII, with the spaces between them."""
PER_HAN: Final = 1.2
"""Chinese, Japanese and Korean characters, and their punctuation."""
PER_GIBBERISH: Final = 0.75
"""Each character of a run that is no word: base64, hashes, links."""

_HAN = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_TWO_BYTES = re.compile("[\x80-\u07ff]")
_SEPARATE = re.compile(r"[0-9!-/:-@\[-`{-~\n]")
"""Digits, marks and line ends count one each."""
_GIBBERISH = re.compile(r"[A-Za-z0-9+/=_-]{25,}")


def estimate_tokens(text: str) -> int:
    """An upper estimate of the tokens of `text`; 0 for an empty one."""
    if not text:
        return 0
    count = 0.0
    if not text.isascii():
        han, two = len(_HAN.findall(text)), len(_TWO_BYTES.findall(text))
        ascii_part = text.encode("ascii", "ignore").decode()
        rare = len(text) - len(ascii_part) - han - two
        count += han * PER_HAN + two + rare * 3.0
        text = ascii_part
    long = "".join(_GIBBERISH.findall(text))
    if long:
        count += len(long) * PER_GIBBERISH
        text = _GIBBERISH.sub(" ", text)
    separate = len(_SEPARATE.findall(text))
    count += separate + (len(text) - separate) / CHARS_A_TOKEN
    return int(count) + 1


__all__ = ["estimate_tokens"]
