"""What a token, a unit and a weight are, written out slowly: the definition that the kernels are held to.

No arrays and no hash tables: strings, lists and one loop at a time. Only the tables of characters, the word
lists, the reading of a number's digits and the frequencies are shared with the scorer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from judges.distilled.measuring import codepoints as cp
from judges.distilled.measuring.lexicon import DENIAL, HEDGE, NEGATION, STOP, WORD_LISTS
from judges.distilled.measuring.numbers import ALONE, MEASURES, NUMERALS, TAILS, number_values
from judges.distilled.measuring.spoken import find_spoken_spans
from judges.distilled.measuring.units import MAX_IDF, read_idf

BITS = (1 << 64) - 1
BASE = 0x9E3779B97F4A7C15
WINDOW = 48
SENTENCE_ENDS = "。！？!?；\n\r…\0{}[]"
CLAUSE_ENDS = "，,；;：、()（）—|"
SPACES = " \t\n\r\0\"'”’)」』"


@dataclass(slots=True)
class Token:
    """One token; `form` is what it is compared by, `spelled` its folded characters."""

    text: int
    start: int
    end: int
    kind: int
    spelled: str
    form: str | float
    word: int
    key: int
    sentence: int
    clause: int
    window: int
    capital: bool
    adjacent: bool
    opens: bool
    values: tuple[float, ...] = ()
    flags: int = 0
    weight: float = 0.0


@dataclass(slots=True)
class Unit:
    form: object
    key: int
    first: int
    last: int


@dataclass(slots=True)
class _Text:
    """All texts, one after another."""

    joined: str
    folded: str
    kind: list[int]
    starts: list[int] = field(default_factory=list)


def mix(key: int) -> int:
    mixed = ((key ^ (key >> 29)) * 0xBF58476D1CE4E5B9) & BITS
    return mixed ^ (mixed >> 32)


def pair(left: int, right: int) -> int:
    return mix((left * 0xD6E8FEB86659FD93 + (right ^ (right << 17 & BITS))) & BITS)


def hash_word(characters: str, salt: int = 0) -> int:
    return mix(sum(ord(c) * pow(BASE, j + 1, 1 << 64) for j, c in enumerate(characters[:64])) & BITS ^ salt)


def hash_value(value: float) -> int:
    bits = int(np.array([value + 0.0]).view(np.uint64)[0])
    return mix(bits ^ 0xA5A55A5A12349876)


def read_tokens(texts: list[str]) -> list[Token]:
    """The tokens of all texts, with flags and weights."""
    joined = "".join(text + "\0" for text in texts)
    codes = [min(ord(c), cp.SIZE - 1) for c in joined]
    folded = "".join(chr(int(cp.FOLD[c])) for c in codes)
    kind = [int(cp.CLASS[ord(c)]) for c in folded]
    for i, k in enumerate(list(kind)):
        if k == cp.APOSTROPHE:
            letters = 0 < i < len(joined) - 1 and is_letter(folded[i - 1]) and is_letter(folded[i + 1])
            kind[i] = cp.LETTER if letters else cp.GAP
    text = _Text("".join(map(chr, codes)), folded, kind)
    at = 0
    for one in texts:
        text.starts.append(at)
        at += len(one) + 1
    tokens = _number_windows(_merge(text, _split(text), _find_numbers(text)))
    _read_number_words(tokens)
    _flag(tokens)
    for token in tokens:
        token.weight = _weigh(token)
    return tokens


def is_letter(character: str) -> bool:
    return int(cp.CLASS[ord(character)]) == cp.LETTER


def _split(text: _Text) -> list[tuple[int, int]]:
    """Runs of letters and of digits, and single Chinese characters."""
    runs: list[tuple[int, int]] = []
    for i, kind in enumerate(text.kind):
        if kind == cp.GAP:
            continue
        goes_on = i > 0 and runs and runs[-1][1] == i and text.kind[i - 1] == kind and kind != cp.HAN
        hump = kind == cp.LETTER and i > 0 and _changed(text, i) and not _changed(text, i - 1)
        if goes_on and not hump:
            runs[-1] = (runs[-1][0], i + 1)
        else:
            runs.append((i, i + 1))
    return runs


def _changed(text: _Text, i: int) -> bool:
    return text.joined[i] != text.folded[i] != "'"


def _find_numbers(text: _Text) -> list[tuple[int, int]]:
    folded, n = text.folded, len(text.folded)

    def digit(i: int) -> bool:
        return 0 <= i < n and text.kind[i] == cp.DIGIT

    def plain(i: int) -> bool:
        joint = folded[i] in ".,:" and 0 < i < n - 1 and digit(i - 1) and digit(i + 1)
        return digit(i) or folded[i] in NUMERALS or joint

    part = [plain(i) for i in range(n)]
    for i in range(1, n - 2):
        if folded[i : i + 2] == "分之" and plain(i - 1) and plain(i + 2):
            part[i] = part[i + 1] = True
    spans: list[tuple[int, int]] = []
    i = 0
    while i < n:
        end = i
        while end < n and part[end]:
            end += 1
        counted = end - i == 1 and folded[i] in ALONE and folded[min(end, n - 1)] in MEASURES
        if any(digit(j) for j in range(i, end)) or end - i >= 2 or counted:
            spans.append((i, _reach(text, end)))
        i = max(end, i + 1)
    spoken = find_spoken_spans(np.array([ord(c) for c in folded], dtype=np.uint32))
    spans = [s for s in spans if not any(a < s[1] and s[0] < b for a, b in spoken)]
    return sorted([*spans, *spoken])


def _reach(text: _Text, end: int) -> int:
    folded = text.folded
    begin = end + 1 if folded[end : end + 1] == " " else end
    for tail in TAILS:
        after = begin + len(tail)
        if folded.startswith(tail, begin) and (after >= len(folded) or text.kind[after] != cp.LETTER):
            return after
    return end


def _merge(text: _Text, runs: list[tuple[int, int]], spans: list[tuple[int, int]]) -> list[Token]:
    tokens: list[Token] = []
    done = 0
    for first, last in runs:
        if first < done:
            continue
        covering = [s for s in spans if s[0] <= first < s[1] and not any(s[0] <= r[0] < first for r in runs)]
        values = number_values(text.folded[covering[0][0] : covering[0][1]]) if covering else ()
        end = covering[0][1] if values else last
        done = end if values else first
        tokens.append(_make_token(text, first, end if values else last, values, tokens))
    return tokens


def _make_token(text: _Text, first: int, last: int, values: tuple[float, ...], before: list[Token]) -> Token:
    spelled = text.folded[first:last]
    kind = cp.DIGIT if values else text.kind[first]
    stem, short = _stem(spelled) if kind == cp.LETTER else (spelled, False)
    word = hash_value(values[0]) if values else hash_word(spelled)
    owner = max(i for i, start in enumerate(text.starts) if start <= first)
    offset = text.starts[owner]
    return Token(
        text=owner,
        start=first - offset,
        end=last - offset,
        kind=kind,
        spelled=spelled,
        form=values[0] + 0.0 if values else stem + "~" * short,
        word=word,
        key=word if values else hash_word(stem, 0x100007F4B if short else 0),
        sentence=sum(_ends_sentence(text, i) for i in range(first)),
        clause=sum(_ends_sentence(text, i) or _ends_clause(text, i) for i in range(first)),
        window=0,
        capital=kind == cp.LETTER and text.joined[first] != text.folded[first],
        adjacent=bool(before) and text.starts[before[-1].text] + before[-1].end == first,
        opens=False,
        values=values,
    )


def _stem(word: str) -> tuple[str, bool]:
    """plural, -ed, -ing, -ly, then silent e, y, double letters; three letters stay."""
    if not 4 <= len(word) <= 64:
        return word, False
    stem = word

    def cut(ending: str) -> None:
        nonlocal stem
        if stem.endswith(ending) and len(stem) - len(ending) >= 3:
            stem = stem[: -len(ending)]

    cut("'s")
    if stem.endswith("s") and stem[-2] not in "sui'":
        if stem.endswith("ies"):
            cut("es")
        cut("s")
    for ending in ("ed", "ing", "ly", "e"):
        cut(ending)
    short = stem[-1] in "yi" and len(stem) == 4
    cut(stem[-1] if stem[-1] in "yi" else "\0")
    if len(stem) >= 4 and stem[-1] == stem[-2]:
        stem = stem[:-1]
    return stem if len(word) - len(stem) <= 5 else word[:-5], short


def _ends_sentence(text: _Text, i: int) -> bool:
    joined, kind, n = text.joined, text.kind, len(text.joined)
    if joined[i] in SENTENCE_ENDS:
        return True
    if text.folded[i] != "." or not 1 < i < n - 1 or joined[i + 1] not in SPACES:
        return False
    initial = kind[i - 1] == cp.LETTER and kind[i - 2] != cp.LETTER
    listed = kind[i - 1] == cp.DIGIT and joined[i - 2] in SPACES
    return not initial and not listed


def _ends_clause(text: _Text, i: int) -> bool:
    within = 0 < i < len(text.joined) - 1 and text.kind[i - 1] == cp.DIGIT == text.kind[i + 1]
    return text.joined[i] in CLAUSE_ENDS and not within


def _number_windows(tokens: list[Token]) -> list[Token]:
    window = clause = -1
    raw: tuple[int, int] | None = None
    within = 0
    for i, token in enumerate(tokens):
        token.opens = i == 0 or tokens[i - 1].sentence != token.sentence
        within = 0 if token.opens else within + 1
        window += within % WINDOW == 0
        if raw != (token.clause, window):
            clause += 1
        raw = (token.clause, window)
        token.window, token.clause = window, clause
    return tokens


def _read_number_words(tokens: list[Token]) -> None:
    meant = {word: float(value) for word, value in (e.split("=") for e in WORD_LISTS["numbers en"])}
    for token in tokens:
        if not token.values and token.spelled in meant:
            token.values, token.form, token.kind = (meant[token.spelled],), meant[token.spelled], cp.DIGIT
            token.key = hash_value(token.values[0])


def _flag(tokens: list[Token]) -> None:
    sections = {
        "stop en": STOP, "stop zh": STOP, "negation en": NEGATION, "negation zh": NEGATION,
        "denial in records": DENIAL, "hedge en": HEDGE,
    }  # fmt: skip
    lists = [({spell(w) for w in WORD_LISTS[section]}, flag) for section, flag in sections.items()]
    for token in tokens:
        for words, flag in lists:
            if token.spelled in words:
                token.flags |= flag
    for before, token in pairwise(tokens):
        both = before.kind == token.kind == cp.HAN and token.adjacent
        if both and before.spelled + token.spelled in set(map(spell, WORD_LISTS["stop pairs zh"])):
            before.flags |= STOP
            token.flags |= STOP
    for i, token in enumerate(tokens):
        following = tokens[min(i + 1, len(tokens) - 1)]
        if token.kind == cp.HAN and token.spelled + following.spelled in map(
            spell, WORD_LISTS["not negation zh"]
        ):
            token.flags &= ~NEGATION


def spell(word: str) -> str:
    return "".join(chr(int(cp.FOLD[ord(c)])) for c in word)


def _weigh(token: Token) -> float:
    if token.values:
        return 1.0 if abs(token.values[0]) <= 2 else 5.0
    return 0.0 if token.flags & STOP else idf(token.word if token.kind == cp.HAN else token.key)


def idf(key: int) -> float:
    table = read_idf()
    return min(float(table.idf[table.steps[key >> 44]]), MAX_IDF)


def list_units(tokens: list[Token]) -> list[Unit]:
    """Words, numbers, and pairs of neighbouring Chinese characters; function words are none."""
    units: list[Unit] = []
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else None
        after = tokens[i + 1] if i + 1 < len(tokens) else None
        paired = before is not None and token.kind == before.kind == cp.HAN and token.adjacent
        follows = after is not None and token.kind == after.kind == cp.HAN and after.adjacent
        stop = bool(token.flags & STOP)
        if before is not None and paired and not (stop and before.flags & STOP):
            form = ("pair", before.spelled, token.spelled)
            units.append(Unit(form, pair(before.word, token.word), i - 1, i))
        elif token.values or not (stop or paired or follows):
            units.append(Unit(token.form, token.key, i, i))
    return units
