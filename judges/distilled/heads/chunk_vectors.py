"""What tells whether a chunk answers a question: one vector a chunk, the same in training and serving.

No column knows the order of the chunks: data sets list the passages that answer first, retrievers do not.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from judges.distilled.heads.forest import Rows
from judges.distilled.measuring import codepoints as cp
from judges.distilled.measuring.chunk_scan import COLUMNS, end_titles, scan_chunks
from judges.distilled.measuring.lexicon import STOP
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.reading.answerable import NUMBER, PERSON, PLACE, TIME, kind_of_answer

COMPARED: Final = (
    "cover", "window", "near32", "missing_near", "title", "title_share", "content_around", "bm25",
)  # fmt: skip
"""Columns that are also given relative to the best chunk and to the mean of the case."""
KINDS: Final = (NUMBER, TIME, PERSON, PLACE)
CHUNK_FEATURES: tuple[str, ...] = (
    *COLUMNS,
    *(f"asks_{kind}" for kind in KINDS),
    *(f"{name}_below_best" for name in COMPARED),
    *(f"{name}_above_mean" for name in COMPARED),
)
"""Columns of `chunk_vectors`."""
_PLACES = [COLUMNS.index(name) for name in COMPARED]


def chunk_vectors(part: Part, asked: Ints, cases: Ints | None = None) -> tuple[Rows, Ints]:
    """The vectors of all chunks, shape (chunks, len(CHUNK_FEATURES)), no NaN, and the case of each chunk.

    `asked`: one text number a case, the question or the rewrite that the retriever was given. With `cases`,
    only the chunks of those, in their order.
    """
    tokens, units, layout = part.tokens, part.units, part.layout
    chosen = np.arange(len(part.cases)) if cases is None else cases
    counts = np.array([len(part.cases[i].chunks) for i in chosen.tolist()], dtype=np.int64)
    first = np.array(layout.chunk_first, dtype=np.int64)[chosen]
    owner = np.repeat(np.arange(len(counts)), counts)
    named, number, year, capital = _flag_tokens(part)
    measured = np.zeros((len(owner), len(COLUMNS)), dtype=np.float32)
    text_unit = np.searchsorted(tokens.text[units.last], np.arange(tokens.count + 1))
    titles = end_titles(tokens.offset, tokens.codes, tokens.text_token, tokens.start)
    scan_chunks(
        asked[chosen], first, counts, tokens.text_token, text_unit, titles,
        units.key, units.first, units.last, tokens.window, part.weight, named, number, year, capital,
        measured,
    )  # fmt: skip
    kinds = [kind_of_answer(layout.texts[text]) for text in asked[chosen].tolist()]
    asks = np.array([[kind == k for k in KINDS] for kind in kinds], dtype=np.float32).reshape(-1, len(KINDS))
    compared = _compare(measured[:, _PLACES], owner, counts)
    return np.hstack([measured, asks[owner], *compared]), chosen[owner]


def _flag_tokens(part: Part) -> tuple[Bools, Bools, Bools, Bools]:
    """Names in questions, numbers, numbers that may be years, and capitals inside sentences."""
    tokens = part.tokens
    number = tokens.number >= 0
    capital = tokens.capital & ~tokens.opens & ((part.flags & STOP) == 0)
    chinese = np.array([case.language == "zh" for case in part.cases], dtype=np.bool_)[part.case]
    named = capital | ((tokens.kind == cp.LETTER) & chinese)
    year = np.zeros(len(number), dtype=np.bool_)
    at = np.flatnonzero(number)
    values = tokens.value[tokens.value_first[tokens.number[at]]]
    year[at] = (values >= 1000) & (values <= 2100) & (values == np.floor(values))
    return named, number, year, capital


def _compare(columns: Rows, owner: Ints, counts: Ints) -> tuple[Rows, Rows]:
    """How far each chunk is below the best of its case, and above the mean of its case."""
    best = np.full((len(counts), columns.shape[1]), -np.inf, dtype=np.float32)
    np.maximum.at(best, owner, columns)
    total = np.zeros((len(counts), columns.shape[1]), dtype=np.float32)
    np.add.at(total, owner, columns)
    mean: Rows = (total / np.maximum(counts, 1)[:, None]).astype(np.float32)
    below: Rows = columns - best[owner]
    above: Rows = columns - mean[owner]
    return below, above
