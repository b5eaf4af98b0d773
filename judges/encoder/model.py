"""A sentence-transformers CrossEncoder that says how well a window supports a claim. The only file that
knows that library; it comes with the extra `ragpulse[encoder]` and is imported when a judge is loaded.
"""

from __future__ import annotations

import logging
import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

from judges.encoder.combine import EncoderUnusable, Fitting, read_fitting
from judges.encoder.pairs import Pair

Backend = Literal["onnx", "torch"]
Predict = Callable[[list[tuple[str, str]]], Any]

INSTALL = "pip install 'ragpulse[encoder]'"
BUILD = "python tools/build_encoder.py FOLDER"
BATCH = 16
_QUANTISED = "*qint8*.onnx"
_SUPPORT_NAMES = ("entail", "support", "consistent", "faithful")
_REFUTE_NAMES = ("not_", "non_", "un", "in", "hallucinat", "contradict")


class EncoderMissing(RuntimeError):
    """The library or the model is not here; the message says what to install or to build."""


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
        name = str(folder) if folder.is_dir() else str(model)
        self._model, labels = _load(name, backend or _fitting_backend(folder), threads)
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


def _load(model: str, backend: Backend, threads: int) -> tuple[Any, list[str]]:
    folder = Path(model)
    if not folder.is_dir() and _looks_local(model):
        raise EncoderMissing(f"there is no encoder model at {model}: build one ({BUILD}) or give a name")
    try:
        from sentence_transformers import CrossEncoder
    except ImportError as error:
        raise EncoderMissing(f"the encoder tier needs sentence-transformers: {INSTALL}") from error
    logging.getLogger("transformers.tokenization_utils_base").addFilter(_is_of_concern)
    options = _onnx_options(folder, threads) if backend == "onnx" else _torch_options(threads)
    try:
        loaded = CrossEncoder(model, backend=backend, device="cpu", model_kwargs=options)
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise EncoderMissing(
            f"the encoder model {model} cannot be loaded with backend {backend} ({_first_line(error)}): "
            f"give a folder built by {BUILD}, or the name of a cross-encoder; ONNX needs {INSTALL}"
        ) from error
    names = getattr(loaded.config, "id2label", None) or {}
    count = int(loaded.num_labels)
    return loaded, [str(names.get(i, f"LABEL_{i}")) for i in range(count)]


def _onnx_options(folder: Path, threads: int) -> dict[str, Any]:
    """The quantised graph where there is one, on so many threads."""
    try:
        from onnxruntime import SessionOptions
    except ImportError as error:
        raise EncoderMissing(f"backend onnx needs ONNX Runtime: {INSTALL}, or set backend torch") from error
    session = SessionOptions()
    session.intra_op_num_threads = threads
    session.inter_op_num_threads = 1
    options: dict[str, Any] = {"provider": "CPUExecutionProvider", "session_options": session}
    quantised = sorted(folder.glob(f"onnx/{_QUANTISED}")) if folder.is_dir() else []
    if quantised:
        options["file_name"] = f"onnx/{quantised[0].name}"
    return options


def _torch_options(threads: int) -> dict[str, Any]:
    import torch

    torch.set_num_threads(threads)
    return {}


def _is_of_concern(record: logging.LogRecord) -> bool:
    """Leaves out a warning about tokenisers of another family, which large vocabularies set off."""
    return "fix_mistral_regex" not in record.getMessage()


def _fitting_backend(folder: Path) -> Backend:
    return "onnx" if any(folder.glob("onnx/*.onnx")) else "torch"


def _looks_local(model: str) -> bool:
    return model.startswith((".", "/", "~")) or model.rstrip(os.sep).count(os.sep) > 1


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
