"""Texts into vectors, through the same line as all else."""

from __future__ import annotations

from judges.llm.asking import Embedded, JudgeFailed, Reason, Usage
from judges.llm.completion import read_embeddings
from judges.llm.endpoint import Endpoint
from judges.llm.line import Bill, Errand, Line
from judges.llm.state_file import StateError
from judges.llm.tokens import bound, estimate
from judges.llm.transport import Transport

AT_ONCE = 10
"""Texts in one request: DashScope takes no more of its current models."""

Vectors = tuple[list[tuple[float, ...]], int | None]


async def embed_all(
    endpoint: Endpoint, transport: Transport, line: Line, texts: tuple[str, ...], tenant: str
) -> Embedded:
    """A vector for each text, in order, all of one length. Raises JudgeFailed."""
    spent = Usage()
    if endpoint.embedding_model is None:
        detail = f"{endpoint.name} has no embedding model; set `embedding_model`"
        raise JudgeFailed(Reason.BAD_REQUEST, detail)
    vectors: list[tuple[float, ...]] = []
    try:
        for start in range(0, len(texts), AT_ONCE):
            errand = _errand(endpoint, transport, texts[start : start + AT_ONCE], tenant)
            vectors += (await line.run(errand, spent))[0]
    except StateError as error:
        raise JudgeFailed(Reason.STATE, str(error), spent) from error
    except JudgeFailed as failed:
        raise JudgeFailed(failed.reason, failed.detail, spent, failed.retry_after_s) from failed
    if len({len(vector) for vector in vectors}) > 1:
        raise JudgeFailed(Reason.INVALID, f"{endpoint.name} gave vectors of different lengths", spent)
    return Embedded(tuple(vectors), spent)


def _errand(endpoint: Endpoint, transport: Transport, texts: tuple[str, ...], tenant: str) -> Errand[Vectors]:
    body = {"model": endpoint.embedding_model, "input": [text or " " for text in texts]}
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
