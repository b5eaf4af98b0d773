"""Small weights, for tests that are not about what a scorer has learned."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import UTC, datetime
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np
import orjson

from judges.distilled import SHIPPED
from judges.distilled.heads.forest import Forest
from judges.distilled.heads.weights import Manifest, Weights, read_weights
from judges.registry import INDEX, Registry

AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


def stump(value: float = 1.0) -> Forest:
    """A forest of one leaf."""
    return Forest(
        feature=np.array([-1], np.int16),
        threshold=np.zeros(1, np.float32),
        left=np.zeros(1, np.int32),
        value=np.array([value], np.float32),
        root=np.zeros(1, np.int32),
    )


def small_weights(version: str, logit: float = 2.0) -> Weights:
    """A scorer that finds the same chance of a hallucination in every answer."""
    manifest = Manifest(version=version, made_at=AT.isoformat(), seed=7)
    return Weights(manifest, {"claim": stump(), "trace": stump(logit)})


def shipped(version: str) -> Weights:
    """The weights of the package under another name."""
    with as_file(files("judges.distilled").joinpath("data")) as folder:
        weights = read_weights(folder / SHIPPED)
    return replace(weights, manifest=replace(weights.manifest, version=version))


def registry_of(folder: Path, *versions: str) -> Registry:
    """A registry that holds small weights; none of them serves yet."""
    registry = Registry(folder)
    for version in versions:
        registry.add(small_weights(version), {})
    return registry


def damage(registry: Registry, version: str) -> None:
    """Change a byte in the middle of the weights, as a bad disk or a bad copy would."""
    path = registry.path(version)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def exchange(registry: Registry, version: str, other: str) -> None:
    """Put the files of another version into this version's folder."""
    for path in registry.path(other).parent.iterdir():
        shutil.copy(path, registry.path(version).parent / path.name)


def point_at(registry: Registry, version: str) -> None:
    """Let a version serve without the registry's own check, as a careless hand would."""
    index = registry.folder / INDEX
    changed = {**orjson.loads(index.read_bytes()), "serving": version}
    new = index.with_suffix(".new")
    new.write_bytes(orjson.dumps(changed))
    new.replace(index)
