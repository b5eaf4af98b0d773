"""What a file that cannot be read may be instead, told from its first unreadable line."""

from __future__ import annotations

import codecs
from typing import Final

_OPENS: Final = (b"{", b"[", b"[{")
_WIDE: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def hint_for(data: bytes, name: str) -> str | None:
    """How to turn the file into one that can be read; null where its first line tells nothing."""
    begin = data[:200]
    if begin.startswith(_WIDE) or _every_other_is_zero(begin):
        return f"{name} looks like UTF-16; UTF-8 is read here: iconv -f UTF-16 -t UTF-8 {name}"
    if data.strip() in _OPENS:
        each = "'.[]'" if data.strip().startswith(b"[") else "."
        return (
            f"{name} looks like JSON over several lines; one trace a line is read here: jq -c {each} {name}"
        )
    return None


def _every_other_is_zero(begin: bytes) -> bool:
    return len(begin) >= 4 and (not any(begin[::2]) or not any(begin[1::2]))


__all__ = ["hint_for"]
