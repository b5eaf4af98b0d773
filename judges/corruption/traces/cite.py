"""Citation marks behind the sentences of an answer, in the styles that applications use."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from judges.corruption.sentences import split_sentences
from judges.corruption.traces.overlap import coverage
from judges.distilled.reading.citations import find_citations

STYLES = {
    "en": ("[{n}]", "[doc {n}]", "【{n}】", "[^{n}]", "(source {n})"),
    "zh": ("[{n}]", "【{n}】", "（来源{n}）", "①", "[资料{n}]"),
}
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"


def cite(answer: str, chunks: Sequence[str], language: str, random: Random) -> str:
    """The answer with a mark in each sentence that one of `chunks` supports, all in one style.

    An answer that cites already stays as it is.

    >>> cite("It costs 30 euros.", ["It is red.", "It costs 30 euros."], "en", Random(1))
    'It costs 30 euros [doc 2].'
    """
    style = random.choice(STYLES[language])
    if find_citations(answer):
        return answer
    pieces = []
    for start, end in split_sentences(answer):
        sentence = answer[start:end]
        best = max(range(len(chunks)), key=lambda i: (coverage(sentence, chunks[i]), -i), default=None)
        if best is None or best >= len(_CIRCLED) or coverage(sentence, chunks[best]) < 0.3:
            pieces.append(sentence)
            continue
        mark = _CIRCLED[best] if style == "①" else style.format(n=best + 1)
        body = sentence.rstrip()
        stop = body[-1:] if body[-1:] in "。.！!；;" else ""
        gap = " " if language == "en" else ""
        pieces.append(body[: len(body) - len(stop)] + gap + mark + stop + sentence[len(body) :])
    return "".join(pieces)
