"""Vectors for gaps, by the embedding model of a judge's endpoint: within its budget, and remembered."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np

from judges.clustering import Embed
from judges.llm.asking import JudgeFailed
from judges.llm.client import LlmJudge
from stream.errors import ServiceUnreachable, SettingRefused
from stream.judging.opening import open_bench
from stream.settings import JudgeSettings
from stream.watch.records import Floats


def embedder_of(settings: JudgeSettings) -> Embed:
    """What turns texts into vectors. Raises SettingRefused where no endpoint has an embedding model."""
    if not any(endpoint.embedding_model for endpoint in settings.endpoints()):
        raise SettingRefused("No embedding model is configured: set RAGPULSE_JUDGE__EMBEDDING_MODEL.")

    def embed(texts: Sequence[str]) -> Floats:
        return asyncio.run(_embed(settings, tuple(texts)))

    return embed


async def _embed(settings: JudgeSettings, texts: tuple[str, ...]) -> Floats:
    async with open_bench(settings) as bench:
        judge = next(one for one in bench.judges if isinstance(one, LlmJudge) and one.embeds)
        try:
            embedded = await judge.embed(texts)
        except JudgeFailed as failed:
            raise ServiceUnreachable(f"{judge.endpoint.name} gave no vectors: {failed.detail}.") from failed
    return np.array(embedded.vectors, dtype=np.float64).reshape(len(texts), -1)


__all__ = ["embedder_of"]
