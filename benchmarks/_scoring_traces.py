"""Traces of a given size to time the scorer on: half English, half Chinese, no two alike."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"
CONTEXT_TOKENS = 450
CHARS_A_TOKEN = {"en": 4.0, "zh": 1.5}
"""About what tokenizers of language models make of either language."""
CHUNK_TOKENS = 110
MOST_ANSWER_CHARS = 1_200
"""Longer answers are left out: they are articles."""


@dataclass(slots=True, frozen=True)
class Pool:
    """Trace messages, and where their texts come from (for the report)."""

    lines: list[bytes]
    origin: str

    @property
    def context_tokens(self) -> float:
        """Tokens of context a trace, on average."""
        bodies = [orjson.loads(line) for line in self.lines]
        return sum(
            sum(len(c["text"]) for c in body["retrieval"]["chunks"]) / CHARS_A_TOKEN[body["language"]]
            for body in bodies
        ) / len(bodies)


def make_pool(count: int, seed: int = 11) -> Pool:
    """`count` traces of three to five chunks and about `CONTEXT_TOKENS` tokens of context."""
    rng = random.Random(seed)
    texts, origin = _read_texts()
    rng.shuffle(texts["en"])
    rng.shuffle(texts["zh"])
    lines = []
    for number in range(count):
        language = ("en", "zh")[number % 2]
        size = int(CONTEXT_TOKENS * CHARS_A_TOKEN[language] * rng.uniform(0.7, 1.3))
        chunks = _cut(_take(texts[language], number // 2, size), rng.randint(3, 5))
        lines.append(_make_line(number, language, texts[language], number // 2, chunks))
    return Pool(lines, origin)


def make_long(chunks: int, count: int, seed: int = 12) -> list[bytes]:
    """`count` traces of exactly so many chunks of about `CHUNK_TOKENS` tokens."""
    rng = random.Random(seed)
    texts, _ = _read_texts()
    lines = []
    for number in range(count):
        language = ("en", "zh")[number % 2]
        at = rng.randrange(len(texts[language]))
        size = int(chunks * CHUNK_TOKENS * CHARS_A_TOKEN[language])
        parts = _cut(_take(texts[language], at, size), chunks)
        lines.append(_make_line(number, language, texts[language], at, parts))
    return lines


def _make_line(number: int, language: str, texts: list[dict[str, str]], at: int, chunks: list[str]) -> bytes:
    source = texts[at % len(texts)]
    body: dict[str, Any] = {
        "trace_id": f"speed-{number:06d}",
        "language": language,
        "question": source["question"],
        "answer": source["answer"],
        "retrieval": {"chunks": [{"id": f"c{i}", "text": text} for i, text in enumerate(chunks)]},
    }
    return orjson.dumps(body)


def _take(texts: list[dict[str, str]], at: int, size: int) -> str:
    """The context of text `at`, filled up with those after it to `size` characters."""
    parts: list[str] = []
    have = 0
    while have < size:
        part = texts[at % len(texts)]["context"][: size - have]
        parts.append(part)
        have += len(part) + 1
        at += 1
    return "\n".join(parts)


def _cut(text: str, pieces: int) -> list[str]:
    """Pieces of equal length, cut behind a space or a full stop where one is near."""
    cuts = [0]
    for i in range(1, pieces):
        ideal = len(text) * i // pieces
        near = text[ideal : ideal + 20]
        shift = next((k + 1 for k, c in enumerate(near) if c in " 。\n"), 0)
        cuts.append(ideal + shift)
    return [text[a:b] for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def _read_texts() -> tuple[dict[str, list[dict[str, str]]], str]:
    file = SHARED / "faithfulness.jsonl.gz"
    if not file.exists():
        return _group(_simulate()), "simulated traces of the demo"
    return _group(_read_rows(file)), f"questions, answers and passages of {file.name}, put together anew"


def _read_rows(file: Path) -> Iterator[tuple[str, dict[str, str]]]:
    with gzip.open(file) as rows:
        for row in map(orjson.loads, rows):
            context = "\n".join(row["contexts"])
            if len(context) >= 60 and len(row["answer"]) <= MOST_ANSWER_CHARS:
                question = row["question"] or (
                    "概括一下这段内容。" if row["lang"] == "zh" else "Sum this up."
                )
                yield row["lang"], {"question": question, "answer": row["answer"], "context": context}


def _simulate() -> Iterator[tuple[str, dict[str, str]]]:
    from stream.demo.traffic import Traffic

    for message in Traffic(seed=7).traces(3_000):
        body = orjson.loads(message.value)
        chunks = (body.get("retrieval") or {}).get("chunks") or []
        context = "\n".join(c["text"] for c in chunks if c.get("text"))
        if context and body.get("answer") and body.get("language") in CHARS_A_TOKEN:
            yield (
                body["language"],
                {"question": body["question"] or "", "answer": body["answer"], "context": context},
            )


def _group(found: Iterator[tuple[str, dict[str, str]]]) -> dict[str, list[dict[str, str]]]:
    texts: dict[str, list[dict[str, str]]] = {"en": [], "zh": []}
    for language, text in found:
        texts[language].append(text)
    return texts
