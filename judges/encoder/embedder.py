"""A question and the chunks as vectors of an embedding model, and what these say of the answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Self

import numpy as np

from judges.encoder.answering import AnswerHead, Vectors, combine, read_head
from judges.encoder.combine import EncoderUnusable
from judges.encoder.loading import Backend, load_model
from judges.finding import is_invented
from schemas.blank import is_blank
from schemas.scored import Judged

Embed = Callable[[list[str]], Vectors]
"""Texts to vectors of length one, a row each."""

BUILD: Final = "python tools/build_embedder.py FOLDER"
BATCH: Final = 16
MOST_CHUNKS: Final = 50
"""Chunks of one trace that are embedded: those that the retriever put first."""
MOST_CHARS: Final = 1_500
"""Of each, from its beginning."""
REMEMBERED: Final = 20_000
"""Vectors of chunks that are kept: the same chunks of an index are found again and again (1.5 kB each)."""


def load_embedding(
    model: str | Path, backend: Backend | None = None, *, threads: int = 1, batch: int = BATCH
) -> Embed:
    """The model as a function. Raises `EncoderMissing` where the library or the model is not there."""
    loaded: Any = load_model("SentenceTransformer", model, backend, threads, BUILD)

    def embed(texts: list[str]) -> Vectors:
        whole = [t.encode(errors="replace").decode() for t in texts]  # no tokeniser takes lone surrogates
        vectors = np.asarray(loaded.encode(whole, batch_size=batch, show_progress_bar=False), np.float32)
        scaled: Vectors = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
        return scaled

    return embed


class AnswerReader:
    """How well chunks answer questions. Remembers vectors of chunks; not thread-safe."""

    def __init__(self, embed: Embed, head: AnswerHead, remembered: int = REMEMBERED) -> None:
        self.head = head
        self._embed = embed
        self._remembered = remembered
        self._known: OrderedDict[bytes, Vectors] = OrderedDict()

    @classmethod
    def load(cls, model: str | Path, *, threads: int = 1) -> Self:
        """From a local folder, warm. Raises `EncoderMissing` where the library or the model is not there, and
        `EncoderUnusable` where nothing says how its vectors are to be read."""
        embed, head = load_embedding(model, threads=threads), read_head(Path(model).expanduser())
        found = embed(["warm"]).shape[1]
        if found != head.dimensions:
            raise EncoderUnusable(
                f"{model} gives vectors of {found} dimensions, and what lies beside it was fitted on "
                f"{head.dimensions}: fit it again by tools/fit_answering.py"
            )
        return cls(embed, head)

    @property
    def version(self) -> str:
        """Names model and weights in every score."""
        return self.head.version

    def sufficiency(self, judged: Judged, question: str, language: str | None) -> float | None:
        """Whether the chunks of a trace hold an answer (0..1), by vectors and by the cheap scorer together.

        Where the chunks hold what was answered, that is what they hold, and whether *it* answers the question
        tells more than any chunk does. Null without a question, or without chunks that have text.
        """
        retrieval = judged.trace.retrieval
        chunks = (retrieval.chunks if retrieval else None) or []
        texts = [c.text for c in chunks if c.text and not is_blank(c.text)][:MOST_CHUNKS]
        if is_blank(question) or not texts:
            return None
        weights = self.head.of(language)
        answered = is_held(judged)
        asked = self.embed_question(question)
        logits = weights.logits(
            asked, self.embed_passages([judged.trace.answer or ""] if answered else texts)
        )
        blend = weights.answered if answered else weights.blend
        return combine(blend, float(logits.max()), judged.scores.context_sufficiency)

    def embed_question(self, question: str) -> Vectors:
        """Shape (dimensions,)."""
        found: Vectors = self._embed([self.head.question_prefix + question[:MOST_CHARS]])[0]
        return found

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Shape (texts, dimensions). What was embedded before is remembered."""
        cut = [text[:MOST_CHARS] for text in texts]
        keys = [blake2b(t.encode(errors="surrogatepass"), digest_size=16).digest() for t in cut]
        fresh = {key: text for key, text in zip(keys, cut, strict=True) if key not in self._known}
        if fresh:
            prefixed = [self.head.passage_prefix + text for text in fresh.values()]
            self._known.update(zip(fresh, self._embed(prefixed), strict=True))
        for key in keys:
            self._known.move_to_end(key)
        found = np.stack([self._known[key] for key in keys])
        while len(self._known) > self._remembered:
            self._known.popitem(last=False)
        return found


def is_held(judged: Judged) -> bool:
    """Whether the chunks hold what was answered, as far as the cheap scorer sees."""
    scores = judged.scores
    measured = scores.hallucination is not None and not is_blank(judged.trace.answer)
    return measured and not scores.refusal and not is_invented(scores)
