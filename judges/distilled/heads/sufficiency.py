"""Do the chunks hold an answer? Each chunk is judged by itself and beside the others, then all together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from judges.distilled.heads.chunk_vectors import CHUNK_FEATURES
from judges.distilled.heads.forest import Forest, Rows
from judges.distilled.measuring.tokens import Ints
from judges.distilled.measuring.units import Floats

HEAD: Final = "sufficiency"
LANGUAGES: Final = ("en", "zh")
"""Each has weights of its own; questions in other languages are judged by the first."""
POOLED: Final = ("best", "best_three", "mean", "chunks")
"""What the judgement of a trace looks at: logits of its chunks, and the logarithm of their number."""
EVEN: Final = 0.35
"""Share of the linear model in the judgement of a chunk; the trees have the rest."""


@dataclass(slots=True, frozen=True)
class SufficiencyHead:
    """Weights of one language."""

    linear: npt.NDArray[np.float64]
    """One weight a column of `chunk_vectors`, then the intercept."""
    forest: Forest
    pool: npt.NDArray[np.float64]
    """One weight a column of `POOLED`, then the intercept."""
    blend: npt.NDArray[np.float64]
    """Weights of the judgement of a trace and of what coverage alone says (logits), then the intercept."""

    def judge_chunks(self, vectors: Rows) -> Floats:
        """Logits: does the chunk answer the question? One entry a chunk."""
        return judge_chunks(self.linear, self.forest, vectors)

    def judge_traces(self, logits: Floats, owner: Ints, cases: int) -> Floats:
        """Logits: do the chunks answer? One entry a case; minus infinity for one without chunks."""
        pooled = pool_chunks(logits, owner, cases)
        judged: Floats = pooled @ self.pool[:-1] + self.pool[-1]
        judged[np.bincount(owner, minlength=cases) == 0] = -np.inf
        return judged

    def blend_traces(self, logits: Floats, covered: Floats) -> Floats:
        """Logits of traces, blended with those of coverage alone. One entry a case."""
        blended: Floats = self.blend[0] * logits + self.blend[1] * covered + self.blend[2]
        return blended

    @classmethod
    def restore(cls, arrays: Mapping[str, npt.NDArray[Any]], forest: Forest, language: str) -> Self:
        """The head of a language from a scorer's weights. Raises KeyError or ValueError where it is none."""
        linear = arrays[f"{HEAD}.{language}.linear"].astype(np.float64)
        pool = arrays[f"{HEAD}.{language}.pool"].astype(np.float64)
        blend = arrays[f"{HEAD}.{language}.blend"].astype(np.float64)
        if (
            linear.shape != (len(CHUNK_FEATURES) + 1,)
            or pool.shape != (len(POOLED) + 1,)
            or blend.shape != (3,)
        ):
            raise ValueError(f"the head {HEAD} looks at other columns than there are")
        return cls(linear, forest, pool, blend)

    def arrays(self, language: str) -> dict[str, npt.NDArray[Any]]:
        """What to store beside the forest."""
        parts = {"linear": self.linear, "pool": self.pool, "blend": self.blend}
        return {f"{HEAD}.{language}.{name}": part for name, part in parts.items()}


def judge_chunks(linear: Floats, forest: Forest, vectors: Rows) -> Floats:
    """Logits of chunks by a linear model and trees: see `SufficiencyHead.judge_chunks`."""
    straight = vectors @ linear[:-1] + linear[-1]
    judged: Floats = EVEN * straight + (1.0 - EVEN) * forest.score(vectors)
    return judged


def to_logits(chances: Floats) -> Floats:
    """Logits of probabilities, no nearer to 0 or 1 than a thousandth."""
    kept = np.clip(chances, 1e-3, 1.0 - 1e-3)
    logits: Floats = np.log(kept / (1.0 - kept))
    return logits


def pool_chunks(logits: Floats, owner: Ints, cases: int) -> Floats:
    """The columns of `POOLED`, one row a case; zeros for a case without chunks."""
    count = np.bincount(owner, minlength=cases)
    safe = np.maximum(count, 1)
    order = np.lexsort((-logits, owner))
    rank = np.arange(len(order)) - (np.cumsum(count) - count)[owner]
    sorted_logits = logits[order]
    best = np.zeros(cases)
    best[owner[rank == 0]] = sorted_logits[rank == 0]
    top = rank < 3
    three = np.bincount(owner[top], sorted_logits[top], minlength=cases) / np.minimum(safe, 3)
    mean = np.bincount(owner, logits, minlength=cases) / safe
    return np.stack([best, three, mean, np.log(safe)], axis=1)


def forest_name(language: str) -> str:
    """Under which name the forest of a language is stored."""
    return f"{HEAD}_{language}"
