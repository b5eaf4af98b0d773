"""A cross-encoder that says how well a window supports a claim."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from judges.encoder.combine import EncoderUnusable, Fitting, read_fitting
from judges.encoder.loading import Backend, load_model
from judges.encoder.pairs import Pair

BUILD = "python tools/build_encoder.py FOLDER"
BATCH = 16
_SUPPORT_NAMES = ("entail", "support", "consistent", "faithful")
_REFUTE_NAMES = ("not_", "non_", "un", "in", "hallucinat", "contradict")


class EncoderJudge:
    """Support logits of pairs, in batches. Not thread-safe; one a process is meant.

    `model` is a local folder or a name that sentence-transformers can load: a cross-encoder with one
    logit, or a model for inference with an entailment label. Without a `backend`, a folder that holds an
    ONNX graph runs it, and any other model runs in torch. Raises `EncoderMissing` where the library
    or the model is not there, and `EncoderUnusable` where the model cannot say what is supported.
    """

    def __init__(
        self, model: str | Path, backend: Backend | None = None, *, threads: int = 1, batch: int = BATCH
    ) -> None:
        folder = Path(model).expanduser()
        self._model = load_model("CrossEncoder", model, backend, threads, BUILD)
        labels = _labels_of(self._model)
        self._batch = batch
        self._support = find_support(labels)
        own = read_fitting(folder) if folder.is_dir() else None
        foreign = Fitting(version=f"encoder:{folder.name}", claim_first=len(labels) == 1)
        self.fitting = own or foreign
        self.supports([Pair("warm", "warm", 0)])

    @property
    def version(self) -> str:
        """Names the model in every score that it gives."""
        return self.fitting.version

    def supports(self, pairs: Sequence[Pair]) -> list[float]:
        """The logit that each pair's window supports its claim, in order."""
        if not pairs:
            return []
        first = self.fitting.claim_first
        texts = [(p.claim, p.window) if first else (p.window, p.claim) for p in pairs]
        logits = self._model.predict(
            texts, batch_size=self._batch, activation_fn=_as_it_is, show_progress_bar=False
        )
        return [self._read(row) for row in logits.reshape(len(pairs), -1).tolist()]

    def _read(self, row: list[float]) -> float:
        """A logit of support from those of all labels: its log-odds against the others together."""
        if len(row) == 1:
            return row[0]
        others = [v for i, v in enumerate(row) if i != self._support]
        top = max(others)
        return row[self._support] - top - math.log(sum(math.exp(v - top) for v in others))


def find_support(labels: Sequence[str]) -> int:
    """Which of a model's labels says that a claim is supported. Raises `EncoderUnusable` without one.

    >>> find_support(["contradiction", "entailment", "neutral"]), find_support(["LABEL_0"])
    (1, 0)
    """
    if len(labels) == 1:
        return 0
    names = [label.lower().replace("-", "_").replace(" ", "_") for label in labels]
    for i, name in enumerate(names):
        if any(n in name for n in _SUPPORT_NAMES) and not name.startswith(_REFUTE_NAMES):
            return i
    raise EncoderUnusable(
        f"none of the model's labels ({', '.join(labels)}) says that a claim is supported: "
        "take a cross-encoder with one logit, or one with an 'entailment' label"
    )


def _as_it_is(logits: Any) -> Any:
    return logits


def _labels_of(model: Any) -> list[str]:
    """The names of its logits, in their order."""
    names = getattr(model.config, "id2label", None) or {}
    return [str(names.get(i, f"LABEL_{i}")) for i in range(int(model.num_labels))]
