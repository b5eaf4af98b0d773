"""Texts into vectors, through the same line and the same cache as all else."""

from __future__ import annotations

import hashlib
import json
from array import array
from base64 import b64decode, b64encode
from typing import Final

from judges.llm.asking import Embedded, JudgeFailed, Reason, Usage
from judges.llm.cache import Answers, Kept
from judges.llm.completion import read_embeddings, sendable
from judges.llm.endpoint import Endpoint
from judges.llm.line import Bill, Errand, Line
from judges.llm.state_file import StateError
from judges.llm.tokens import bound, estimate
from judges.llm.transport import Transport

AT_ONCE: Final = 10
"""Texts in one request: DashScope takes no more of its current models."""
_HOW: Final = "vector"

Vector = tuple[float, ...]
Vectors = tuple[list[Vector], int | None]


async def embed_all(
    endpoint: Endpoint,
    transport: Transport,
    line: Line,
    answers: Answers,
    texts: tuple[str, ...],
    tenant: str,
) -> Embedded:
    """A vector for each text, in order, all of one length, of single precision. Raises JudgeFailed."""
    spent = Usage(cost_usd=None if endpoint.embedding_price is None else 0.0)
    if endpoint.embedding_model is None:
        detail = f"{endpoint.name} has no embedding model; set `embedding_model`"
        raise JudgeFailed(Reason.BAD_REQUEST, detail)
    found: dict[str, Vector | None] = {}
    try:
        for text in texts:
            if text not in found:
                found[text] = await _recall(endpoint, answers, text)
        missing = tuple(text for text, kept in found.items() if kept is None)
        for start in range(0, len(missing), AT_ONCE):
            some = missing[start : start + AT_ONCE]
            vectors, _ = await line.run(_errand(endpoint, transport, some, tenant), spent)
            for text, vector in zip(some, vectors, strict=True):
                found[text] = tuple(array("f", vector))
                await answers.put(_key(endpoint, text), _kept(vector))
    except StateError as error:
        raise JudgeFailed(Reason.STATE, str(error), spent) from error
    except JudgeFailed as failed:
        raise JudgeFailed(failed.reason, failed.detail, spent, failed.retry_after_s) from failed
    result = tuple(each for text in texts if (each := found[text]) is not None)
    if len({len(vector) for vector in result}) > 1:
        raise JudgeFailed(Reason.INVALID, f"{endpoint.name} gave vectors of different lengths", spent)
    return Embedded(result, spent)


def _key(endpoint: Endpoint, text: str) -> str:
    asked = [_HOW, endpoint.base_url, endpoint.embedding_model, text]
    return hashlib.sha256(json.dumps(asked).encode()).hexdigest()


def _kept(vector: Vector) -> Kept:
    return Kept(b64encode(array("f", vector).tobytes()).decode(), _HOW, "")


async def _recall(endpoint: Endpoint, answers: Answers, text: str) -> Vector | None:
    kept = await answers.get(_key(endpoint, text))
    if kept is None:
        return None
    numbers = array("f")
    numbers.frombytes(b64decode(kept.value))
    return tuple(numbers)


def _errand(endpoint: Endpoint, transport: Transport, texts: tuple[str, ...], tenant: str) -> Errand[Vectors]:
    body = {"model": endpoint.embedding_model, "input": [sendable(text) or " " for text in texts]}
    expected = sum(estimate(text) for text in texts) + 1
    most = sum(bound(text) for text in texts) + 8 * len(texts)

    def bill(vectors: Vectors) -> Bill:
        billed = vectors[1]
        return Bill(expected, 0, estimated=True) if not billed or billed > most else Bill(billed, 0)

    return Errand(
        purpose="embed",
        tenant=tenant,
        send=lambda: transport.embed(body),
        read=lambda data: read_embeddings(data, len(texts)),
        bill=bill,
        expected_tokens=expected,
        most_input=most,
        most_output=0,
        price=endpoint.embedding_price,
    )


__all__ = ["AT_ONCE", "embed_all"]
