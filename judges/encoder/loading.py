"""Models of sentence-transformers on a CPU, by folder or by name: in ONNX where a folder holds a graph, else
in torch. The only file that knows that library; it comes with the extra `ragpulse[encoder]` and is imported
when a model is loaded.
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any, Literal

Backend = Literal["onnx", "torch"]
Kind = Literal["CrossEncoder", "SentenceTransformer"]

INSTALL = "pip install 'ragpulse[encoder]'"
_QUANTISED = "*qint8*.onnx"


class EncoderMissing(RuntimeError):
    """The library or the model is not here; the message says what to install or to build."""


def load_model(kind: Kind, model: str | Path, backend: Backend | None, threads: int, build: str) -> Any:
    """A model of a kind, on so many threads. `build` is the command that makes such a folder.

    Raises `EncoderMissing` where the library or the model is not there.
    """
    folder = Path(model).expanduser()
    name = str(folder) if folder.is_dir() else str(model)
    if not folder.is_dir() and _looks_local(name):
        raise EncoderMissing(f"there is no encoder model at {name}: build one ({build}) or give a name")
    try:
        import sentence_transformers
    except ImportError as error:
        raise EncoderMissing(f"the encoder tier needs sentence-transformers: {INSTALL}") from error
    logging.getLogger("transformers.tokenization_utils_base").addFilter(_is_of_concern)
    backend = backend or _fitting_backend(folder)
    options = _onnx_options(folder, threads) if backend == "onnx" else _torch_options(threads)
    try:
        return getattr(sentence_transformers, kind)(name, backend=backend, device="cpu", model_kwargs=options)
    except (OSError, ValueError, ImportError, RuntimeError) as error:
        raise EncoderMissing(
            f"the encoder model {name} cannot be loaded with backend {backend} ({_first_line(error)}): "
            f"give a folder built by {build}, or the name of a model of that kind ({kind}); "
            f"ONNX needs {INSTALL}"
        ) from error


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
