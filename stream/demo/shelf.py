"""The simulated retriever: it returns what it is told to, with scores that give nothing away."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from stream.demo.knowledge import Article, Case, Library
from stream.demo.world import App


@dataclass(slots=True)
class Piece:
    """One chunk before it is numbered: an article or a part of one."""

    article: Article
    part: int
    text: str
    holds_answer: bool = False


class Shelf:
    """Chunks of one library, laid out as one app's index has them."""

    def __init__(self, library: Library, app: App, random: Random) -> None:
        self._library, self._app, self._random = library, app, random
        self._articles = [a for a in library.articles if a.domain in app.domains]

    def hits(self, case: Case) -> list[Piece]:
        """What good retrieval returns: the answer, mostly first, and neighbours of it."""
        gold = self._gold(case)
        others = self._neighbours(case.article, self._count() - 1)
        place = self._random.choices((0, 1, 2), (0.7, 0.2, 0.1))[0]
        return [*others[:place], gold, *others[place:]]

    def near_misses(self, case: Case) -> list[Piece]:
        """Related chunks that do not hold the answer; often the right article's other half."""
        pieces = self._neighbours(case.article, self._count(), same_domain=3)
        rest = [s for i, s in enumerate(case.article.text) if i not in case.asked.support]
        if rest and self._random.random() < 0.5:
            pieces[0] = self._lay_out(case.article, 1, rest)
        return pieces

    def strangers(self, article: Article) -> list[Piece]:
        """Chunks of the same index about something else."""
        pool = [a for a in self._articles if a.domain != article.domain]
        return [self._part_of(a) for a in self._random.sample(pool, self._count())]

    def number(self, pieces: Sequence[Piece]) -> list[dict[str, Any]]:
        """The trace's `retrieval.chunks`: ids, ranks and falling scores on the index's own scale."""
        score = self._score()
        chunks = []
        for rank, piece in enumerate(pieces, 1):
            value = score()
            chunks.append(
                {
                    "id": f"{piece.article.id}#{piece.part}",
                    "doc_id": piece.article.id,
                    "text": piece.text,
                    "score": value,
                    "rerank_score": self._rerank(rank) if self._app.reranker else None,
                    "rank": rank,
                }
            )
        return chunks

    def _gold(self, case: Case) -> Piece:
        """The article, whole or cut in two with the answering sentences kept together."""
        text, support = case.article.text, case.asked.support
        first, last = min(support), max(support)
        if len(text) >= 4 and self._random.random() < 0.3:
            kept = text[: last + 1] if last < len(text) - 1 else text[min(first, 1) :]
            return self._lay_out(case.article, 0, kept, holds_answer=True)
        return self._lay_out(case.article, 0, text, holds_answer=True)

    def _neighbours(self, article: Article, count: int, same_domain: int = 2) -> list[Piece]:
        near = [a for a in self._articles if a.domain == article.domain and a is not article]
        far = [a for a in self._articles if a.domain != article.domain]
        wanted = min(count, len(near), self._random.randint(1, same_domain) + same_domain - 1)
        chosen = self._random.sample(near, wanted) + self._random.sample(far, count - wanted)
        return [self._part_of(a) for a in chosen]

    def _part_of(self, article: Article) -> Piece:
        return self._lay_out(article, 0, article.text)

    def _lay_out(
        self, article: Article, part: int, sentences: Sequence[str], *, holds_answer: bool = False
    ) -> Piece:
        text = self._app.layout.format(title=article.title, text=self._library.joint.join(sentences))
        return Piece(article, part, text, holds_answer)

    def _count(self) -> int:
        return self._random.randint(max(4, self._app.top_k - 1), self._app.top_k)

    def _score(self) -> Callable[[], float]:
        value = self._random.uniform(0.62, 0.88)
        floor = (self._app.min_score or 0.2) + 0.02

        def following() -> float:
            nonlocal value
            value = max(floor, value - self._random.uniform(0.004, 0.05))
            return round(value, 4)

        return following

    def _rerank(self, rank: int) -> float:
        return round(self._random.uniform(0.5, 1.0) / rank, 4)


__all__ = ["Piece", "Shelf"]
