"""Text that some program broke: mojibake, glued columns, markup residue, leaks, dumps and loops.

Each check returns a reason or null. All are linear in the text, of which the first `SAMPLE_CHARS`
characters are read: a parser that breaks a page breaks its beginning too. One count of what kinds of
characters there are (`count_kinds`) settles most texts; only what it leaves in doubt is searched.
"""

from __future__ import annotations

import re

from judges.distilled.reading.glued import is_glued, is_unheard_of
from judges.distilled.reading.kinds import Kind, count_kinds
from judges.distilled.reading.loops import repeats_endlessly
from judges.distilled.reading.wording.closed import OUTAGE

SAMPLE_CHARS = 4_000
MIN_CHARS = 12

# Numbers of glyphs or characters instead of the characters themselves.
_GLYPH = re.compile(r"\(cid:\d{1,6}\)|/g\d{1,4}\b|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}", re.IGNORECASE)
_LATIN1_RUN = re.compile(
    "[\u00a0-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e"
    "\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122\x80-\x9f]{2,}"
)
_HTML = re.compile(
    r"</?(?:t[dhr]|table|tbody|thead|div|span|p|br|li|ul|a|font)\b[^<>]{0,80}/?>?"
    r"|(?:row|col)span\s?=|&(?:lt|gt|nbsp|amp|quot|#\d{2,5});",
    re.IGNORECASE,
)
_LATEX = re.compile(
    r"\\(?:begin|end|frac|hline|multicolumn|mathrm|mathbf|partial|sum|nolimits|left|right|text|in|array|cdot|sqrt"
    r"|int|alpha|beta)\b|\$\$|(?:&\s{0,4}){2,}|\\\\"
)
_EMPTY_CELLS = re.compile(r"\bNaN\b|Unnamed: ?\d+|□|[¦│┃]|(?:\|\s{0,4}){2,}|\.{8,}|(?:_ ?){8,}")
_SYMBOL_IN_WORD = re.compile(r"(?<=\S)[#$%&*+~^|<>{}=@\\](?=\S)")

_SPECIAL_TOKEN = re.compile(
    r"<\|[a-z_]{2,24}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|<pad>|\[(?:PAD|CLS|SEP|UNK|MASK)\]"
    r"|\[object Object\]|^\s*<(?:s|bos)>|</s>\s*$|<(?:eos|unk)>\s*$",
    re.IGNORECASE,
)
_PLACEHOLDER = re.compile(
    r"(?:^|[:：\n])\s{0,4}\{\{?\s{0,4}(?:context|question|query|chunks?|documents?|passages?|history|input|answer"
    r"|user_input|prompt)\s{0,4}\}",
    re.IGNORECASE,
)
_ROLE_DUMP = re.compile(r"\b(?:human|assistant|system)\s?:\s?\{", re.IGNORECASE)
_DUMP = re.compile(
    r"\s{0,9}(?:Traceback \(most recent call last\)|[\w.]{1,80}(?:Error|Exception|Timeout)\b\s?[:(]"
    r"|<!DOCTYPE html|<html|HTTP/\d|\d{3} (?:Internal|Bad|Service|Gateway|Too)\b)",
    re.IGNORECASE,
)
_STACK = re.compile(r"\bat [\w$.]{1,120}\([\w.]{1,60}:\d{1,6}\)|File \"[^\"\n]{1,200}\", line \d")
_ERROR_KEY = re.compile(
    r"\"(?:status|error|code|message|detail|trace_id|request_id|errcode|errmsg)\"\s{0,4}:", re.IGNORECASE
)
_ERROR_WORD = re.compile(
    r"error|fail|exception|timeout|\b50\d\b|\b42\d\b|\b40\d\b|unavailable|denied|exceeded|错误|失败|超时|异常",
    re.IGNORECASE,
)


def find_broken_answer(answer: str, *, suspect: bool = True) -> str | None:
    """Why an answer is the work of a broken program: `leak`, `dump`, `outage`, `loop`, `garbled` or null.

    `suspect` says whether `shape.find_suspects` flags its characters; else it is not read that closely.
    """
    text = answer[:SAMPLE_CHARS]
    if _leaks(text) or (len(answer) > SAMPLE_CHARS and _leaks(answer[-SAMPLE_CHARS:])):
        return "leak"
    if _is_dump(text):
        return "dump"
    if _is_outage(text):
        return "outage"
    if repeats_endlessly(answer):
        return "loop"
    return "garbled" if suspect and find_broken_text(text) else None


def find_broken_text(text: str) -> str | None:
    """Why a passage cannot be read: `mojibake`, `residue`, `columns`, `symbols` or null."""
    text = text[:SAMPLE_CHARS]
    kinds = count_kinds(text)
    visible = len(text) - kinds[Kind.SPACE]
    if visible < MIN_CHARS:
        return None
    if _is_mojibake(text, kinds, visible):
        return "mojibake"
    if kinds[Kind.MARKUP] * 12 > visible and _is_residue(text, visible):
        return "residue"
    if is_glued(text):
        return "columns"
    if kinds[Kind.LETTER] * 2 < visible and _is_noise(text, kinds, visible):
        return "symbols"
    return None


def _is_mojibake(text: str, kinds: list[int], visible: int) -> bool:
    """Bytes read in the wrong encoding, or characters that a program replaced by others."""
    if 25 * (kinds[Kind.LOST] + kinds[Kind.CONTROL]) > visible:
        return True
    if kinds[Kind.QUESTION] * 2 > visible:
        return True
    if kinds[Kind.LATIN1] * 6 > visible and sum(map(len, _LATIN1_RUN.findall(text))) * 4 > visible:
        return True  # runs of accented letters and signs, unlike any language
    if kinds[Kind.RARE_HAN] * 6 > kinds[Kind.HAN] and is_unheard_of(text):
        return True
    return kinds[Kind.MARKUP] * 8 > visible and sum(map(len, _GLYPH.findall(text))) * 3 > visible


def _is_residue(text: str, visible: int) -> bool:
    """Markup and empty cells where the words should be."""
    covered = 0
    for pattern in (_HTML, _LATEX, _EMPTY_CELLS):
        hits = [len(m.group(0)) for m in pattern.finditer(text)]
        covered += sum(hits) if len(hits) >= 2 else 0
    return covered * 4 > visible


def _is_noise(text: str, kinds: list[int], visible: int) -> bool:
    """Signs inside words all over. JSON, code, tables of figures and formulas are full of signs by nature."""
    if text.lstrip()[:1] in "{[<|" or kinds[Kind.DIGIT] * 3 > len(text) or text.count("\n") * 30 > len(text):
        return False
    return len(_SYMBOL_IN_WORD.findall(text)) * 12 > visible


def _leaks(text: str) -> bool:
    """Special tokens of a model, or the template that it was given."""
    if ("<" in text or "[" in text) and _SPECIAL_TOKEN.search(text):
        return True
    return "{" in text and (_PLACEHOLDER.search(text) or _ROLE_DUMP.search(text)) is not None


def _is_dump(text: str) -> bool:
    """A stack trace, an error page, or an error as JSON."""
    if _DUMP.match(text) or ("Traceback (most" in text):
        return True
    if ((":" in text and "at " in text) or 'File "' in text) and _STACK.search(text):
        return True
    opens = text.lstrip()[:1] in ("{", "[")
    return opens and bool(_ERROR_KEY.search(text[:400]) and _ERROR_WORD.search(text[:800]))


def _is_outage(text: str) -> bool:
    """A message of the service in place of an answer: every sentence of it."""
    stripped = text.strip()
    return 2 <= len(stripped) < 160 and OUTAGE.fits(stripped)


__all__ = ["find_broken_answer", "find_broken_text", "is_glued", "repeats_endlessly"]
