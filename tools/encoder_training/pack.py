"""What training learned, small enough to ship: matrices as one byte a weight with a scale a row, the rest in
half precision. The word vectors are not among it; they come with the base model.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

SCALE = ".scale"
LEAST_ROWS = 64
"""Smaller tensors keep half precision."""


def pack(learned: dict[str, torch.Tensor], path: Path) -> None:
    """Write learned tensors to an npz file of plain arrays."""
    arrays: dict[str, Any] = {}
    for name, tensor in learned.items():
        values = tensor.float().numpy()
        if values.ndim == 2 and values.shape[0] >= LEAST_ROWS and "embeddings" not in name:
            scale = np.abs(values).max(axis=1, keepdims=True) / 127
            scale[scale == 0] = 1
            arrays[name] = np.round(values / scale).astype(np.int8)
            arrays[name + SCALE] = scale.astype(np.float32)
        else:
            arrays[name] = values.astype(np.float16)
    np.savez_compressed(path, **arrays)


def unpack(path: Path) -> dict[str, torch.Tensor]:
    """Read them back, in single precision."""
    with np.load(path, allow_pickle=False) as arrays:
        names = [n for n in arrays.files if not n.endswith(SCALE)]
        return {n: torch.from_numpy(_restore(arrays, n)) for n in names}


def read_learned(path: Path) -> dict[str, torch.Tensor]:
    """Learned tensors from an npz file, or from a training run's `mean.pt`."""
    if path.suffix == ".npz":
        return unpack(path)
    found: dict[str, torch.Tensor] = torch.load(path, weights_only=True)
    return found


def _restore(arrays: np.lib.npyio.NpzFile, name: str) -> np.ndarray:
    values = arrays[name].astype(np.float32)
    return values * arrays[name + SCALE] if name + SCALE in arrays.files else values
