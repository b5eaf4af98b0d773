"""Text that some program broke: mojibake, glued columns, markup residue, leaks, dumps and loops.

Each check returns a reason or null. All are linear in the text, of which the first `SAMPLE_CHARS`
characters are read: a parser that breaks a page breaks its beginning too.
"""

from __future__ import annotations

import re

import numpy as np

from judges.distilled.tokens import pair, tokenize
from judges.distilled.units import is_unseen

SAMPLE_CHARS = 4_000
MIN_CHARS = 12

_REPLACEMENT = re.compile("[\ufffd\ue000-\uf8ff]|锟斤拷|(?:烫烫|屯屯)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_LATIN1_RUN = re.compile(
    "[\u00a0-\u00ff\u0152\u0153\u0160\u0161\u0178\u017d\u017e\u0192\u02c6\u02dc\u2013\u2014\u2018-\u201e\u2020-\u2022\u2026\u2030\u2039\u203a\u20ac\u2122]{2,}"
)
_LATIN1 = re.compile("[\u00a0-\u00ff]")
_CID = re.compile(r"\(cid:\d+\)|/g\d{1,4}\b|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]")
_SYMBOL_IN_WORD = re.compile(r"(?<=\S)[#$%&*+~^|<>{}=@\\](?=\S)")
_VISIBLE = re.compile(r"\S")
_HTML = re.compile(
    r"</?(?:t[dhr]|table|tbody|thead|div|span|p|br|li|ul|a|font)\b[^>]{0,80}/?>?|(?:row|col)span\s*=|&(?:lt|gt|nbsp|amp|quot|#\d{2,5});",
    re.IGNORECASE,
)
_LATEX = re.compile(
    r"\\(?:begin|end|frac|hline|multicolumn|mathrm|mathbf|partial|sum|nolimits|left|right|text|in|array|cdot|sqrt|int|alpha|beta)\b|\$\$|(?:&\s*){2,}|\\\\"
)
_TABLE = re.compile(r"\bNaN\b|Unnamed: ?\d+|□|[¦│┃]|(?:\|\s*){2,}|\.{8,}|(?:_\s?){8,}")
_LEAK = re.compile(
    r"<\|[a-z_]{2,24}\|>|</?s>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|<pad>|\[(?:PAD|CLS|SEP|UNK|MASK)\]|<(?:bos|eos|unk)>"
    r"|\{\{?\s*(?:context|question|query|chunks?|documents?|passages?|history|input|answer|user_input|prompt)\s*\}?\}"
    r"|\{%-?\s*\w+|\b(?:Human|Assistant|System)\s*:\s*\{|\[object Object\]",
    re.IGNORECASE,
)
_DUMP = re.compile(
    r"^\s*(?:Traceback \(most recent call last\)|\w+(?:\.\w+)*(?:Error|Exception)\b\s*[:(]|<!DOCTYPE html|<html|HTTP/\d|\d{3} (?:Internal|Bad|Service|Gateway|Too)\b)"
    r"|Traceback \(most recent call last\)|\bat [\w$.]+\([\w.]+:\d+\)|File \"[^\"]+\", line \d+"
    r"|^\s*[\[{].{0,200}?\"(?:status|error|code|message|detail|trace_id|request_id|errcode|errmsg)\"\s*:.{0,400}?(?:error|fail|exception|timeout|50[0-9]|42[0-9]|40[0-9]|unavailable|denied|错误|失败|超时|异常)",
    re.IGNORECASE | re.DOTALL,
)
_OUTAGE = re.compile(
    r"^\W*(?:(?:系统|服务|服务器|网络|当前访问|请求)[^。！？]{0,12}(?:繁忙|异常|错误|超时|失败|不可用|出错|故障|过多|开小差)|(?:请求|响应|连接)(?:超时|失败)|出错了|出现(?:了)?(?:一些)?(?:错误|异常))[^。！？]{0,24}[。！？!.~]*(?:[^。！？]{0,6}(?:稍后|重试|再试)[^。！？]{0,10})?[。！？!.~]*$"
    r"|^\W*(?:something went wrong|an? (?:unexpected |internal |unknown )?error (?:has )?occurred|internal server error|(?:the )?(?:service|server|system|request|model)\b[^.!?]{0,30}(?:unavailable|timed out|overloaded|failed|busy|error)|request timed out|too many requests|oops)[^\n]{0,100}$",
    re.IGNORECASE,
)
_LOOP_MIN_CHARS = 60
_JOINT = re.compile(r"([^\W\d_]+)[ \t]*\n[ \t]*([^\W\d_]+)")
_TIGHT_COMMA = re.compile(r"[a-z],[a-zA-Z]")
_LONG_WORD = re.compile(r"\b[A-Za-z]{18,}\b")
MIN_JOINTS = 4
GLUED_SHARE = 0.6


def find_broken_answer(answer: str, *, suspect: bool = True) -> str | None:
    """Why an answer is the work of a broken program: `leak`, `dump`, `outage`, `loop`, `garbled` or null.

    `suspect` says whether `shape.find_suspects` flags its characters; else it is not read that closely.
    """
    text = answer[:SAMPLE_CHARS]
    if _LEAK.search(text) or (len(answer) > SAMPLE_CHARS and _LEAK.search(answer[-SAMPLE_CHARS:])):
        return "leak"
    if _DUMP.search(text):
        return "dump"
    if len(text) < 160 and _OUTAGE.match(text.strip()):
        return "outage"
    if repeats_endlessly(answer):
        return "loop"
    return "garbled" if suspect and find_broken_text(text) else None


def find_broken_text(text: str) -> str | None:
    """Why a passage cannot be read: `mojibake`, `residue`, `columns`, `symbols` or null.

    To be called for texts that `shape.find_suspects` flags; it is too slow for all.
    """
    text = text[:SAMPLE_CHARS]
    visible = len(_VISIBLE.findall(text)) if not text.isascii() else len(text) - text.count(" ")
    if visible < MIN_CHARS:
        return None
    if not text.isascii():
        if 25 * len(_REPLACEMENT.findall(text)) > visible or 25 * len(_CONTROL.findall(text)) > visible:
            return "mojibake"
        if _is_latin1_mojibake(text, visible) or _is_gbk_mojibake(text):
            return "mojibake"
    elif 25 * len(_CONTROL.findall(text)) > visible:
        return "mojibake"
    cids = _CID.findall(text)
    if sum(map(len, cids)) * 3 > visible:
        return "mojibake"
    if _is_residue(text, visible):
        return "residue"
    if is_glued(text):
        return "columns"
    letters = len(_LETTERS.findall(text))
    symbols = len(_SYMBOL_IN_WORD.findall(text))
    if letters * 2 < visible and symbols * 12 > visible and not _looks_like_data(text):
        return "symbols"
    return None


def repeats_endlessly(text: str) -> bool:
    """Whether the end of a text is one phrase said over and over (at least 3 times, half the text)."""
    text = text[-6_000:].rstrip()
    if len(text) < _LOOP_MIN_CHARS:
        return False
    # A loop repeats its last words: the distance to their previous occurrence is its period.
    tail = text[-16:]
    previous = text.rfind(tail, 0, len(text) - 1)
    if previous < 0:
        return False
    period = len(text) - 16 - previous
    if period < 1:
        return False
    same = 0
    limit = len(text) - period
    while same < limit and text[limit - 1 - same] == text[-1 - same]:
        same += 1
    return (same >= 2 * period and same * 2 > len(text) and len(set(text[-period:])) > 1) or same >= 400


def is_glued(text: str) -> bool:
    """Two columns read as one: lines break inside words, or inside pairs that no text contains."""
    if text.lstrip()[:1] in "{[":
        return False
    broken = _broken_joints(text)
    if len(broken) >= MIN_JOINTS and sum(broken) >= GLUED_SHARE * len(broken):
        return True
    commas = len(_TIGHT_COMMA.findall(text))
    long = [w for w in _LONG_WORD.findall(text) if not w.isupper()]
    return text.isascii() and commas >= 3 and len(long) >= 2


def _broken_joints(text: str) -> list[bool]:
    """For each line that breaks in mid-sentence: is what it joins unheard of?

    Chinese: the pair of characters over the break. Otherwise: the word that the two halves make is
    known while one half alone is not, or both halves are unknown.
    """
    halves = [(m.group(1), m.group(2)) for m in _JOINT.finditer(text)][:60]
    if not halves:
        return []
    han = ["\u3400" <= a[-1] <= "\u9fff" and "\u3400" <= b[0] <= "\u9fff" for a, b in halves]
    words = [w for a, b in halves for w in (a, b)]
    tokens = tokenize(words)
    first = tokens.text_token[:-1]
    last = np.maximum(tokens.text_token[1:] - 1, first)
    if (tokens.text_token[1:] <= first).any():
        return []
    ends, begins = last[0::2], first[1::2]
    unheard = is_unseen(pair(tokens.word[ends], tokens.word[begins]))
    unknown = is_unseen(tokens.key[ends]) | is_unseen(tokens.key[begins])
    return [bool(u if h else k) for h, u, k in zip(han, unheard, unknown, strict=True)]


def _is_latin1_mojibake(text: str, visible: int) -> bool:
    """UTF-8 or GBK bytes read as Latin-1: runs of accented letters and signs, unlike any language."""
    runs = sum(map(len, _LATIN1_RUN.findall(text)))
    return runs * 4 > visible and len(_LATIN1.findall(text)) * 6 > visible


def _is_gbk_mojibake(text: str) -> bool:
    """UTF-8 bytes read as GBK: reading them back gives valid Chinese that is shorter by a third."""
    sample = [c for c in text if "\u3400" <= c <= "\u9fff" or c in "銆锛鈥"]
    if len(sample) < 8:
        return False
    raw = "".join(sample[:400]).encode("gb18030", "ignore")
    restored = raw.decode("utf-8", "ignore")
    chinese = sum("\u4e00" <= c <= "\u9fff" or c in "，。！？；：、“”（）" for c in restored)
    # Ordinary Chinese, read back like this, is almost never valid UTF-8.
    return chinese * 3 >= len(sample)


def _is_residue(text: str, visible: int) -> bool:
    """Markup and empty cells where the words should be."""
    covered = 0
    kinds = 0
    for pattern in (_HTML, _LATEX, _TABLE):
        hits = [len(m.group(0)) for m in pattern.finditer(text)]
        if len(hits) >= 2:
            kinds += 1
            covered += sum(hits)
    return covered * 4 > visible and kinds >= 1


def _looks_like_data(text: str) -> bool:
    """JSON, code, a table of figures or a formula: full of signs by nature."""
    digits = sum(c.isdigit() for c in text)
    return text.lstrip()[:1] in "{[<|" or digits * 3 > len(text) or text.count("\n") * 30 > len(text)
