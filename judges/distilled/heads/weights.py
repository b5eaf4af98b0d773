"""The weights of a scorer as two files side by side: `<name>.npz` (arrays) and `<name>.json` (manifest).

Arrays are read without pickle. The manifest names the version, the columns that the forests were fitted
on, the checksum of the arrays, the data behind them and what they reached. Anything that does not fit is
refused in one sentence that says what to do.
"""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from judges.distilled.heads.calibration import Calibration
from judges.distilled.heads.fingerprint import HEADS, fingerprint
from judges.distilled.heads.forest import Forest
from judges.whole_files import replace_file

FORMAT = 1
REQUIRED = ("claim", "trace")
"""Heads that no scorer does without."""

Arrays = Mapping[str, npt.NDArray[Any]]


class WeightsRefused(ValueError):
    """These weights cannot score; the message says why, and what to do about it."""


@dataclass(slots=True, frozen=True)
class Manifest:
    """Where weights come from and what they fit. `made_at` is ISO 8601; `sha256` that of the npz."""

    version: str
    made_at: str
    seed: int
    parent: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
    """Sources with rows and licences."""
    metrics: Mapping[str, Any] = field(default_factory=dict)
    features: str = field(default_factory=fingerprint)
    format: int = FORMAT
    sha256: str = ""


@dataclass(slots=True, frozen=True)
class Weights:
    """What a scorer has learned."""

    manifest: Manifest
    forests: Mapping[str, Forest]
    """The trees of each head of `heads.HEADS` that has any."""
    calibration: Mapping[str, Mapping[str, Calibration]] = field(default_factory=dict)
    """By head, then by language (or `calibration.ANY_LANGUAGE`)."""
    arrays: Arrays = field(default_factory=dict)
    """Further arrays of heads that are no forest, such as `sufficiency.en`; finite numbers."""


def write_weights(npz_path: Path, weights: Weights) -> Weights:
    """Store weights at `npz_path` and the manifest beside it; gives them back with their checksum.

    Each file is replaced as a whole, the manifest last: a reader between the two finds a checksum that
    does not fit, and refuses.
    """
    content = _pack(weights)
    manifest = replace(weights.manifest, sha256=sha256(content).hexdigest())
    text = json.dumps(asdict(manifest), ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    npz_path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(npz_path, content)
    replace_file(npz_path.with_suffix(".json"), text.encode())
    return replace(weights, manifest=manifest)


def read_weights(npz_path: Path) -> Weights:
    """The weights at `npz_path`. Raises `WeightsRefused`."""
    manifest = read_manifest(npz_path)
    try:
        content = npz_path.read_bytes()
    except OSError as error:
        raise WeightsRefused(f"{npz_path} cannot be read ({error.strerror}): restore the file.") from error
    if sha256(content).hexdigest() != manifest.sha256:
        raise WeightsRefused(
            f"The checksum of {npz_path} is not the one in {npz_path.with_suffix('.json').name}: "
            "the two files are not of one training, or one is damaged. Copy both again."
        )
    if manifest.features != fingerprint():
        raise WeightsRefused(
            f"{manifest.version} was trained on other features than this ragpulse measures: "
            "train it again with this version, or run the version that made it."
        )
    try:
        return _unpack(manifest, content)
    except (KeyError, ValueError, TypeError, EOFError, OSError, BadZipFile, zlib.error) as error:
        raise WeightsRefused(f"{npz_path} holds no usable weights ({error}): train them again.") from error


def read_manifest(npz_path: Path) -> Manifest:
    """The manifest beside `npz_path`, without its arrays. Raises `WeightsRefused`."""
    path = npz_path.with_suffix(".json")
    try:
        stored = json.loads(path.read_bytes())
    except OSError as error:
        raise WeightsRefused(f"{path} cannot be read ({error.strerror}): restore the manifest.") from error
    except ValueError as error:
        raise WeightsRefused(f"{path} is no JSON: restore the manifest, or train again.") from error
    if not isinstance(stored, dict) or stored.get("format") != FORMAT:
        found = stored.get("format") if isinstance(stored, dict) else None
        raise WeightsRefused(
            f"{path} is of format {found!r}, this ragpulse reads {FORMAT}: "
            "train again with this version, or run the version that made it."
        )
    try:
        manifest = Manifest(**stored)
    except TypeError as error:
        raise WeightsRefused(f"{path} is no manifest of weights ({error}): train again.") from error
    if not isinstance(manifest.version, str) or not manifest.version:
        raise WeightsRefused(
            f"{path} names no version, which every row must carry: restore it, or train again."
        )
    return manifest


def _pack(weights: Weights) -> bytes:
    """One npz, the same bytes for the same weights."""
    stored: dict[str, npt.NDArray[Any]] = {}
    for head, forest in weights.forests.items():
        stored |= forest.arrays(f"forest/{head}")
    for head, curves in weights.calibration.items():
        for language, curve in curves.items():
            stored[f"curve/{head}/{language}"] = np.stack([curve.raw, curve.calibrated])
    stored |= {f"array/{name}": array for name, array in weights.arrays.items()}
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **{name: stored[name] for name in sorted(stored)})  # type: ignore[arg-type]
    return buffer.getvalue()


def _unpack(manifest: Manifest, content: bytes) -> Weights:
    with np.load(io.BytesIO(content), allow_pickle=False) as data:
        stored = {name: data[name] for name in data.files}
    forests = {head: Forest.restore(stored, f"forest/{head}") for head in _names(stored, "forest")}
    missing = [head for head in REQUIRED if head not in forests]
    if missing:
        raise ValueError(f"it lacks the head {missing[0]}")
    for head, forest in forests.items():
        if head in HEADS and forest.columns > len(HEADS[head]):
            raise ValueError(f"head {head} looks at a column that there is not")
    curves: dict[str, dict[str, Calibration]] = {}
    for name in (n for n in stored if n.startswith("curve/")):
        _, head, language = name.split("/")
        curves.setdefault(head, {})[language] = Calibration(*stored[name].astype(np.float64))
    arrays = {name.removeprefix("array/"): a for name, a in stored.items() if name.startswith("array/")}
    for name, array in arrays.items():
        if not np.issubdtype(array.dtype, np.number) or not np.isfinite(array).all():
            raise ValueError(f"array {name} holds something else than numbers")
    return Weights(manifest, forests, curves, arrays)


def _names(stored: Arrays, kind: str) -> list[str]:
    """The heads that have arrays of this kind."""
    return sorted({n.split("/")[1].split(".")[0] for n in stored if n.startswith(f"{kind}/")})
