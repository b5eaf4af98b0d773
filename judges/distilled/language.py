"""Which language a text is in, by the scripts it is written in.

Counting scripts beats statistical detectors on the short questions of real traffic: kana or hangul
decide at once; otherwise Chinese characters are weighed against Latin words.
"""

from __future__ import annotations

import re

SUPPORTED = ("zh", "en")

_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7af]")
_LATIN_WORD = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_OTHER_SCRIPT = re.compile(r"[\u0370-\u03ff\u0400-\u04ff\u0590-\u06ff\u0900-\u0dff\u0e00-\u0eff]")
SAMPLE_CHARS = 2_000
"""A language shows in its first lines; a gigabyte need not be read for it."""

_ALIASES = {
    "chinese": "zh",
    "english": "en",
    "cn": "zh",
    "eng": "en",
    "zho": "zh",
    "中文": "zh",
    "英文": "en",
}


def normalise(tag: str | None) -> str | None:
    """A language tag in its short form: zh-CN, zh_Hans, Chinese → zh. Null stays null."""
    if not tag or not tag.strip():
        return None
    short = re.split(r"[-_.]", tag.strip().lower())[0]
    return _ALIASES.get(short, short[:16])


def detect(*texts: str | None) -> str | None:
    """`zh`, `en`, `ja`, `ko`, `other`, or null where there is no letter. The first text that tells wins."""
    for text in texts:
        if text:
            language = _detect_one(text[:SAMPLE_CHARS])
            if language:
                return language
    return None


def _detect_one(text: str) -> str | None:
    if text.isascii():
        return "en" if _LATIN_WORD.search(text) else None
    han = len(_HAN.findall(text))
    kana = len(_KANA.findall(text))
    hangul = len(_HANGUL.findall(text))
    latin = len(_LATIN_WORD.findall(text))
    other = len(_OTHER_SCRIPT.findall(text))
    if kana and kana * 8 >= han:
        return "ja"
    if hangul and hangul >= han:
        return "ko"
    if other > 4 * latin and other > han:
        return "other"
    if han and han >= latin / 2:
        return "zh"
    return "en" if latin else None
