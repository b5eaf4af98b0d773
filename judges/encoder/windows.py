"""Which few sentences of the chunks a claim is to be read against.

A cross-encoder reads some hundred tokens at once, so each claim is put beside the sentences that hold most
of its words: greedily, each next sentence for the words that those before it lack, weighted by how few
sentences of the trace have them. What room is left goes to the neighbours of the best sentence, which hold
what its pronouns mean.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

MAX_WEIGHT = 320
"""Length of a window, in characters; a Han character counts for three of another script."""
MAX_PICKS = 3
"""Sentences chosen for their words, before neighbours."""
LONGEST = 200
"""A longer sentence (a record, a table) is cut where a comma, or else a space, allows."""
WORTH = 0.15
"""A further sentence must hold this share of the claim's weight that no sentence before it held."""
MAX_SENTENCES = 4_000

_END = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+\s++|[。！？；]+[”’」』）]*|\n+")
_SOFT = re.compile(r"[,，;；、|]\s*|\s+")
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+|[\u3400-\u9fff]+")
_HAN = re.compile(r"[\u3400-\u9fff]")
_GLUED = re.compile(r"(?<=[a-z])(?=[A-Z])")
"""Within a key of a record: outdoorSeating."""
_STEM = 6
_SPACED = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """Characters `[start, end)` of chunk `chunk`, and its words."""

    chunk: int
    start: int
    end: int
    words: frozenset[str]
    weight: int


class Passages:
    """The chunks of one trace, cut into sentences once, to pick windows for many claims."""

    def __init__(self, chunks: Sequence[str]) -> None:
        self.chunks = chunks
        self.sentences = list(_list_sentences(chunks))
        self._places: dict[str, list[int]] = {}
        for i, sentence in enumerate(self.sentences):
            for word in sentence.words:
                self._places.setdefault(word, []).append(i)
        total = len(self.sentences) + 1
        self._rarity = {w: math.log(1 + total / len(p)) for w, p in self._places.items()}

    def window(self, claim: str) -> str:
        """The sentences that a claim is to be read against, in their order; "" without any.

        >>> Passages(["The shop opens at 9. It sells tea. Dogs must wait outside."]).window("It opens at 10")
        'The shop opens at 9. It sells tea. Dogs must wait outside.'
        """
        if not self.sentences:
            return ""
        return self._join(sorted(self._fill(self._pick(words_of(claim)))))

    def share(self, claim: str) -> float:
        """How much of the claim's weight some sentence holds (0..1); words found nowhere weigh most."""
        words = sorted(words_of(claim))
        rarest = math.log(2 + len(self.sentences))
        total = sum(self._rarity.get(w, rarest) for w in words)
        return sum(self._rarity.get(w, 0.0) for w in words) / total if total else 1.0

    def _pick(self, words: frozenset[str]) -> list[int]:
        # in order, because the sum of floats depends on it, and the order of a set on the process
        wanted = {w: self._rarity[w] for w in sorted(words) if w in self._rarity}
        total = sum(wanted.values())
        picked: list[int] = []
        left = MAX_WEIGHT
        while len(picked) < MAX_PICKS:
            gains: dict[int, float] = defaultdict(float)
            for word, weight in wanted.items():
                for i in self._places[word]:
                    gains[i] += weight
            fitting = [(g, -i) for i, g in gains.items() if not picked or self.sentences[i].weight <= left]
            gain, best = max(fitting, default=(0.0, 0))
            best = -best
            if not gain or (picked and gain < WORTH * total):
                break
            picked.append(best)
            left -= self.sentences[best].weight
            wanted = {w: v for w, v in wanted.items() if w not in self.sentences[best].words}
        return picked or [0]

    def _fill(self, picked: list[int]) -> set[int]:
        """Neighbours of each pick in turn, the one before first, while there is room."""
        chosen = set(picked)
        left = MAX_WEIGHT - sum(self.sentences[i].weight for i in chosen)
        for step in (1, 2, 3):
            for pick in picked:
                for near in (pick - step, pick + step):
                    if not 0 <= near < len(self.sentences) or near in chosen:
                        continue
                    sentence = self.sentences[near]
                    if sentence.chunk == self.sentences[pick].chunk and sentence.weight <= left:
                        chosen.add(near)
                        left -= sentence.weight
        return chosen

    def _join(self, order: list[int]) -> str:
        parts: list[str] = []
        for before, i in zip([-1, *order], order, strict=False):
            sentence = self.sentences[i]
            text = self.chunks[sentence.chunk][sentence.start : sentence.end]
            follows = i == before + 1 and self.sentences[before].chunk == sentence.chunk
            parts.append(text if follows or not parts else f"… {text}")
        return _SPACED.sub(" ", " ".join(parts)).strip()


def words_of(text: str) -> frozenset[str]:
    """The words of a text that sentences are compared by: stems, numbers, pairs of Han characters.

    >>> sorted(words_of("Opened 2010, 开放时间"))
    ['2010', 'opened', '开放', '放时', '时间']
    """
    return frozenset(_list_words(text))


def _list_words(text: str) -> Iterable[str]:
    for word in _WORD.findall(_GLUED.sub(" ", text).lower()):
        if not _HAN.match(word):
            yield word if word.isdigit() else word[:_STEM]
        elif len(word) == 1:
            yield word
        else:
            yield from (word[i : i + 2] for i in range(len(word) - 1))


def _list_sentences(chunks: Sequence[str]) -> Iterable[Sentence]:
    count = 0
    for chunk, text in enumerate(chunks):
        for start, end in _cut(text):
            piece = text[start:end]
            if piece.strip():
                yield Sentence(chunk, start, end, words_of(piece), weigh(piece))
                count += 1
                if count >= MAX_SENTENCES:
                    return


def weigh(text: str) -> int:
    """About how much of a window a text takes: its characters, Han ones for three."""
    return len(text) + 2 * len(_HAN.findall(text))


def _cut(text: str) -> Iterable[tuple[int, int]]:
    start = 0
    for end in [*(m.end() for m in _END.finditer(text)), len(text)]:
        while end > start and weigh(text[start : start + LONGEST + 1]) > LONGEST and end - start > 1:
            middle = _find_cut(text, start, end)
            if middle >= end:
                break
            yield start, middle
            start = middle
        if end > start:
            yield start, end
            start = end


def _find_cut(text: str, start: int, end: int) -> int:
    """Where to cut a long sentence: after the last comma or space that keeps the piece short enough."""
    limit = start
    size = 0
    while limit < end and size < LONGEST:
        size += 3 if _HAN.match(text[limit]) else 1
        limit += 1
    if limit >= end:
        return end
    cuts = [m.end() for m in _SOFT.finditer(text, start + (limit - start) // 2, limit)]
    return cuts[-1] if cuts else limit
