"""From the support of an answer's claims to a probability, and that with the cheap scorer's.

Both steps are logistic, and small enough to read: a trace's logit is a weighted sum of its weakest claim's
logit, the mean of all, and the number of claims; and the combined logit one of the cheap scorer's and the
encoder's. The weights are fitted on rows kept back from training (tools/calibrate_encoder.py) and lie
beside the model as `ragpulse.json`.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from judges.whole_files import replace_file

T = TypeVar("T")

FILE = "ragpulse.json"
FORMAT = 1
_FLOOR = 1e-6
_FARTHEST = 30.0


class EncoderUnusable(ValueError):
    """The encoder's model cannot judge; the message says why, and what to do about it."""


@dataclass(frozen=True, slots=True)
class Aggregate:
    """Logit of a hallucination = bias + weakest · min + mean · mean + claims · log(number of claims)."""

    bias: float = 0.0
    weakest: float = -1.0
    mean: float = 0.0
    claims: float = 0.0

    def logit(self, support: Sequence[float]) -> float:
        """The trace's logit from the support logits of its claims (at least one)."""
        mean = sum(support) / len(support)
        return (
            self.bias + self.weakest * min(support) + self.mean * mean + self.claims * math.log(len(support))
        )


@dataclass(frozen=True, slots=True)
class Blend:
    """Combined logit = bias + cheap · (the cheap scorer's logit) + encoder · (the encoder's)."""

    bias: float
    cheap: float
    encoder: float

    def logit(self, cheap: float, encoder: float) -> float:
        """The combined logit of two logits."""
        return self.bias + self.cheap * cheap + self.encoder * encoder


@dataclass(frozen=True, slots=True)
class Fitting:
    """What lies beside a model: its version, and how its logits are read.

    `aggregate` and `blend` hold weights by language; `any` serves the languages that have none of their
    own. Without a blend, nothing is combined. `facts` says what they were fitted on.
    """

    version: str
    aggregate: Mapping[str, Aggregate] = field(default_factory=lambda: {"any": Aggregate()})
    blend: Mapping[str, Blend] = field(default_factory=dict)
    claim_first: bool = True
    """Pairs are (claim, window); models for inference mostly want (premise, hypothesis)."""
    facts: Mapping[str, Any] = field(default_factory=dict)

    def hallucination(self, support: Sequence[float], language: str | None) -> float:
        """The encoder's own probability (0..1) that some claim is unsupported."""
        return to_probability(self._of(self.aggregate, language, Aggregate()).logit(support))

    def combined(self, cheap: float | None, encoder: float, language: str | None) -> float | None:
        """The probability of both together; null without a blend or without the cheap one."""
        blend = self._of(self.blend, language, None)
        if blend is None or cheap is None:
            return None
        return to_probability(blend.logit(to_logit(cheap), to_logit(encoder)))

    @staticmethod
    def _of(by_language: Mapping[str, T], language: str | None, otherwise: T) -> T:
        return by_language.get(language or "any", by_language.get("any", otherwise))


def read_fitting(folder: Path) -> Fitting | None:
    """What lies beside a model; null where nothing does. Raises `EncoderUnusable` where it is malformed."""
    path = folder / FILE
    if not path.exists():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if found["format"] != FORMAT:
            raise EncoderUnusable(
                f"{path} has format {found['format']}, not {FORMAT}: calibrate the model again"
            )
        return Fitting(
            version=str(found["version"]),
            aggregate={k: Aggregate(**_finite(v)) for k, v in found["aggregate"].items()},
            blend={k: Blend(**_finite(v)) for k, v in found["blend"].items()},
            claim_first=bool(found["claim_first"]),
            facts=found.get("facts", {}),
        )
    except EncoderUnusable:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise EncoderUnusable(f"{path} is malformed ({error!r}): calibrate the model again") from error


def write_fitting(folder: Path, fitting: Fitting) -> None:
    """Write what lies beside a model, whole or not at all."""
    told = json.dumps({"format": FORMAT, **asdict(fitting)}, indent=1)
    replace_file(folder / FILE, f"{told}\n".encode())


def to_probability(logit: float) -> float:
    """The probability of a logit."""
    return 1.0 / (1.0 + math.exp(-max(-_FARTHEST, min(_FARTHEST, logit))))


def to_logit(probability: float) -> float:
    """The logit of a probability, which is kept a millionth away from 0 and 1."""
    inside = min(1.0 - _FLOOR, max(_FLOOR, probability))
    return math.log(inside / (1.0 - inside))


def _finite(weights: Mapping[str, Any]) -> dict[str, float]:
    numbers = {k: float(v) for k, v in weights.items()}
    if not all(map(math.isfinite, numbers.values())):
        raise ValueError("weights are numbers")
    return numbers
