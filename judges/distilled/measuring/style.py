"""How a claim and an answer are written: length, clauses, hedges, marks. Says nothing of truth by itself.

Writers who invent write differently from writers who copy, within one kind of task. The forests may use
that, but see it for whole answers only, beside what the chunks support.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from judges.distilled.kernel.compiled import compiled
from judges.distilled.measuring.alignment import changes
from judges.distilled.measuring.batch import Role
from judges.distilled.measuring.claim_measures import Measures
from judges.distilled.measuring.cover import Cover
from judges.distilled.measuring.lexicon import HEDGE, STOP
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.units import Floats

CLAUSE_WEIGHT = 3.0
"""Nats that a clause must weigh for its coverage to say something."""

MARKS = ("commas", "quotes", "brackets", "lines", "paragraphs", "colons", "dashes", "digits", "capitals",
         "semicolons", "apostrophes", "stars", "items", "letters", "letter_runs", "ended")  # fmt: skip
"""What is counted among the characters of an answer."""

_MARK = np.zeros(1 << 16, dtype=np.int8)
for _row, _chars in enumerate(
    [",，、", '"“”「」『』', "()（）[]【】", "\n", "", ":：", "-–—", "", "", ";；", "'’", "*#_"]
):
    for _char in _chars:
        _MARK[ord(_char)] = _row + 1


def measure_clauses(part: Part, cover: Cover) -> Measures:
    """What clauses and words of each claim look like: the worst clause, hedges, function words, capitals,
    and how far into its chunk, and from the claim before, its best window lies."""
    tokens, n = part.tokens, part.claims
    mine = np.flatnonzero(part.in_claim)
    claim, weight = part.group[mine], part.weight[mine]
    missing = weight * ~cover.found[mine]
    least, most, clauses = np.ones(n), np.zeros(n), np.zeros(n)
    if len(mine):
        begins = changes(claim, tokens.clause[mine])
        starts, owner = np.flatnonzero(begins), claim[begins]
        total, lost = np.add.reduceat(weight, starts), np.add.reduceat(missing, starts)
        share = np.where(total > CLAUSE_WEIGHT, 1.0 - lost / np.maximum(total, 1e-9), 1.0)
        np.minimum.at(least, owner, share)
        np.maximum.at(most, owner, lost)
        clauses = np.bincount(owner, minlength=n).astype(np.float64)
    words = np.maximum(np.bincount(claim, minlength=n), 1)

    def share_of(flags: Any) -> Floats:
        share: Floats = np.bincount(claim, flags, minlength=n) / words
        return share

    return {
        "worst_clause": least,
        "clause_missing": most,
        "clauses": clauses,
        "hedges": share_of((part.flags[mine] & HEDGE) != 0) * words,
        "function_share": share_of((part.flags[mine] & STOP) != 0),
        "capital_share": share_of(tokens.capital[mine]),
    } | _measure_places(part, cover)


def _measure_places(part: Part, cover: Cover) -> Measures:
    tokens, n = part.tokens, part.claims
    window = cover.best_window[:n]
    place = np.full(n, 0.5)
    known = np.flatnonzero(window >= 0)
    text = tokens.window_text[window[known]]
    first, last = tokens.text_window[text], tokens.text_window[text + 1]
    place[known] = (window[known] - first) / np.maximum(last - first, 1)
    leap = np.zeros(n)
    if n > 1:
        both = (window[1:] >= 0) & (window[:-1] >= 0) & (part.claim_case[1:] == part.claim_case[:-1])
        leap[1:][both] = np.clip(window[1:] - window[:-1], -20, 20)[both]
    order = np.arange(n) - part.claim_first[part.claim_case]
    left = np.diff(part.claim_first)[part.claim_case] - order
    return {"place": place, "leap": leap, "order": np.minimum(order, 20.0), "left": np.minimum(left, 20.0)}


STYLE = (
    "answer_tokens", "context_tokens", "answer_ratio", "chunks", "claim_tokens", "longest_claim",
    "claim_tokens_spread", "first_claim", "last_claim", "function_words", "word_letters", "distinct_words",
    "records", *MARKS[:13], "ended",
)  # fmt: skip
"""Columns of `measure_style`."""


def measure_style(part: Part) -> dict[str, Floats]:
    """`STYLE` of each answer: lengths in tokens (logarithms where they are of whole texts), marks a token."""
    tokens, cases = part.tokens, len(part.cases)
    answers = np.asarray(part.layout.chunk_first) - 1
    first, last = tokens.text_token[answers], tokens.text_token[answers + 1]
    length = (last - first).astype(np.float64)
    safe = np.maximum(length, 1.0)
    in_answer = np.flatnonzero(part.role == Role.ANSWER)
    owner = part.case[in_answer]
    context = np.bincount(part.case[part.in_chunk], minlength=cases).astype(np.float64)
    marks = np.zeros((len(MARKS), cases))
    _count_marks(tokens.codes, tokens.offset[answers], tokens.offset[answers + 1] - 1, _MARK, marks)
    count = dict(zip(MARKS, marks, strict=True))
    sizes = _measure_sizes(part)
    return (
        {
            "answer_tokens": np.log1p(length),
            "context_tokens": np.log1p(context),
            "answer_ratio": length / np.maximum(context, 1.0),
            "chunks": np.array([len(c.chunks) for c in part.cases], dtype=np.float64),
            "function_words": np.bincount(owner, (part.flags[in_answer] & STOP) != 0, minlength=cases) / safe,
            "word_letters": count["letters"] / np.maximum(count["letter_runs"], 1.0),
            "distinct_words": _count_distinct(part, owner, in_answer) / safe,
            "records": _hold_records(part),
            "ended": count["ended"],
            "items": count["items"],
            "paragraphs": count["paragraphs"],
        }
        | sizes
        | {m: count[m] / safe for m in MARKS[:13] if m not in ("items", "paragraphs")}
    )


def _hold_records(part: Part) -> Floats:
    """1 for cases with a chunk that begins like a JSON object or list."""
    tokens = part.tokens
    chunks = np.flatnonzero(np.asarray(part.layout.role) == Role.CHUNK)
    opening = tokens.codes[tokens.offset[chunks]]
    records = chunks[(opening == ord("{")) | (opening == ord("["))]
    held = np.zeros(len(part.cases))
    held[np.asarray(part.layout.case)[records]] = 1.0
    return held


def _measure_sizes(part: Part) -> dict[str, Floats]:
    """Tokens of the claims of each answer: mean, most, spread (standard deviation), first and last."""
    cases, owner = len(part.cases), part.claim_case
    mine = np.flatnonzero(part.in_claim)
    tokens = np.bincount(part.group[mine], minlength=part.claims).astype(np.float64)
    count = np.diff(part.claim_first)
    safe = np.maximum(count, 1)
    mean = np.bincount(owner, tokens, minlength=cases) / safe
    square = np.bincount(owner, tokens**2, minlength=cases) / safe
    most = np.zeros(cases)
    np.maximum.at(most, owner, tokens)
    ends = np.zeros((2, cases))
    have = np.flatnonzero(count)
    ends[0, have] = tokens[part.claim_first[have]]
    ends[1, have] = tokens[part.claim_first[have + 1] - 1]
    return {
        "claim_tokens": mean,
        "longest_claim": most,
        "claim_tokens_spread": np.sqrt(np.maximum(square - mean**2, 0.0)),
        "first_claim": ends[0],
        "last_claim": ends[1],
    }


def _count_distinct(part: Part, owner: Any, in_answer: Any) -> Floats:
    """Distinct words of each answer."""
    keys = part.tokens.word[in_answer]
    order = np.lexsort((keys, owner))
    new = changes(owner[order], keys[order].view(np.int64))
    return np.bincount(owner[order], new, minlength=len(part.cases)).astype(np.float64)


@compiled
def _count_marks(codes: Any, begin: Any, end: Any, mark: Any, out: Any) -> None:
    for case in range(len(begin)):
        fresh = True  # at the start of a line
        word = False
        last = 0
        for i in range(begin[case], end[case]):
            code = codes[i]
            if code < 65536 and mark[code] > 0:
                out[mark[code] - 1, case] += 1
            digit = 48 <= code <= 57
            upper = 65 <= code <= 90
            letter = upper or 97 <= code <= 122 or code >= 0xC0
            out[7, case] += digit
            out[8, case] += upper
            out[13, case] += letter
            if letter and not word:
                out[14, case] += 1
            word = letter
            if code == 10 or code == 13:
                fresh = True
            elif fresh and code != 32 and code != 9:
                fresh = False
                out[4, case] += 1
                if code == 45 or code == 42 or code == 0x2022:
                    out[12, case] += 1
                elif digit and i + 1 < end[case]:
                    after = codes[i + 1]
                    out[12, case] += (
                        after == 46
                        or after == 41
                        or after == 0x3001
                        or (48 <= after <= 57 and i + 2 < end[case] and codes[i + 2] == 46)
                    )
            if code != 32 and code != 10 and code != 13 and code != 9:
                last = code
        out[15, case] = (
            last == 46
            or last == 33
            or last == 63
            or last == 0x3002
            or last == 0xFF01
            or last == 0xFF1F
            or last == 34
            or last == 0x201D
        )
