"""Do the chunks answer the question? Read off the vectors of an embedding model, which is elsewhere: pure.

A cosine says what a question and a passage are both about. Whether the passage *answers* is told better by a
cosine whose dimensions are weighted: logit = bias + Σ w_i · q_i · p_i, for vectors of length one; with all
weights alike it is the cosine. The weights are fitted by language on questions whose passages people judged
(tools/fit_answering.py). The best passage speaks for the trace, or the answer that the passages hold,
together with what the cheap scorer sees.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from judges.encoder.combine import Blend, EncoderUnusable, to_logit, to_probability
from judges.whole_files import replace_file
from schemas.taxonomy import Failure

Vectors = npt.NDArray[np.float32]
"""One row a text, of length one."""

FILE: Final = "answering.json"
FORMAT: Final = 1
BLENDS: Final = ("blend", "answered")
LACKING: Final = (Failure.REWRITE_FAILURE.value, Failure.POOR_RETRIEVAL.value)
"""What a trace may be of where its chunks hold no answer."""


@dataclass(frozen=True, slots=True)
class AnswerWeights:
    """The weighted cosine of one language, and how it adds up with the cheap scorer: that of the best passage
    by `blend`, that of an answer which the passages hold by `answered`."""

    weights: Vectors
    bias: float
    blend: Blend
    answered: Blend

    def logits(self, question: Vectors, passages: Vectors) -> Vectors:
        """The logit of each passage, shape (passages,), for one question, shape (dimensions,)."""
        found: Vectors = passages @ (question * self.weights) + np.float32(self.bias)
        return found


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """What lies beside an embedding model as `answering.json`.

    `any` serves the languages that have no weights of their own. The prefixes stand before each text, as the
    model was trained. `facts` says what the weights were fitted on.
    """

    version: str
    by_language: Mapping[str, AnswerWeights]
    question_prefix: str = ""
    passage_prefix: str = ""
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dimensions(self) -> int:
        """Of the vectors that it reads."""
        return len(next(iter(self.by_language.values())).weights)

    def of(self, language: str | None) -> AnswerWeights:
        """The weights for a language."""
        return self.by_language.get(language or "any", self.by_language["any"])


def combine(blend: Blend, logit: float, cheap: float | None) -> float:
    """Context sufficiency (0..1) from the logit of vectors and what the cheap scorer says (0..1).

    Without the latter, that of the vectors alone.
    """
    if cheap is None:
        return to_probability(logit)
    return to_probability(blend.logit(to_logit(cheap), logit))


def reweigh(classes: Mapping[str, float], before: float, after: float) -> dict[str, float]:
    """Class probabilities once context sufficiency has moved from `before` to `after` (0..1).

    The odds of the classes whose chunks lack the answer against the others move by as much as the odds of
    that do (Bayes): what is shared out within either side stays.
    """
    shift = math.exp(to_logit(before) - to_logit(after))
    moved = {name: p * (shift if name in LACKING else 1.0) for name, p in classes.items()}
    whole = sum(moved.values())
    return {name: p / whole for name, p in moved.items()} if whole else dict(classes)


def read_head(folder: Path) -> AnswerHead:
    """What lies beside a model. Raises `EncoderUnusable` where nothing does, or something malformed."""
    path = folder / FILE
    if not path.exists():
        raise EncoderUnusable(
            f"{folder} has no {FILE}, which says how its vectors are read: build a folder by "
            "tools/build_embedder.py, or fit the file for your own model by tools/fit_answering.py"
        )
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise EncoderUnusable(f"{path} has format {found['format']}, not {FORMAT}: fit it again")
        head = AnswerHead(
            version=str(found["version"]),
            by_language={name: _read_weights(one) for name, one in found["by_language"].items()},
            question_prefix=str(found["question_prefix"]),
            passage_prefix=str(found["passage_prefix"]),
            facts=found.get("facts", {}),
        )
        if len({len(one.weights) for one in head.by_language.values()}) != 1:
            raise ValueError("weights of one length")
        head.of(None)
    except EncoderUnusable:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EncoderUnusable(f"{path} is malformed ({error!r}): fit it again") from error
    return head


def write_head(folder: Path, head: AnswerHead) -> None:
    """Write what lies beside a model, whole or not at all."""
    told = {
        "format": FORMAT,
        "version": head.version,
        "question_prefix": head.question_prefix,
        "passage_prefix": head.passage_prefix,
        "facts": head.facts,
        "by_language": {
            name: {
                "bias": round(one.bias, 4),
                "blend": _list(one.blend),
                "answered": _list(one.answered),
                "weights": [round(float(w), 3) for w in one.weights],
            }
            for name, one in head.by_language.items()
        },
    }
    replace_file(folder / FILE, f"{json.dumps(told)}\n".encode())


def _read_weights(found: Mapping[str, Any]) -> AnswerWeights:
    weights = np.array(found["weights"], dtype=np.float32)
    bias, blend, answered = float(found["bias"]), *(Blend(*map(float, found[n])) for n in BLENDS)
    if weights.ndim != 1 or not np.isfinite([*weights.tolist(), bias, *_list(blend), *_list(answered)]).all():
        raise ValueError("weights are numbers")
    return AnswerWeights(weights, bias, blend, answered)


def _list(blend: Blend) -> list[float]:
    return [round(w, 4) for w in (blend.bias, blend.cheap, blend.encoder)]
