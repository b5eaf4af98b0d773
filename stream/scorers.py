"""Which scorer is meant: a version of the registry, its candidate, or weights in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from judges.distilled import RULES, load_scorer
from judges.distilled.heads.weights import WeightsRefused
from judges.registry import SHIPPED, Registry, RegistryError
from schemas.scored import Scorer
from stream.errors import SettingRefused
from stream.settings import ScorerSettings

CANDIDATE: Final = "candidate"
_SUFFIX: Final = ".npz"


class ScorerRefused(SettingRefused):
    """No such scorer, or one whose weights cannot score."""


def open_registry(settings: ScorerSettings) -> Registry | None:
    """The registry that the settings name; null without one."""
    return Registry(settings.registry) if settings.registry else None


def choose_scorer(name: str | None, registry: Registry | None) -> Scorer:
    """The scorer that is meant, warm. Null: the one that serves.

    `candidate`, `shipped`, `rules`, a version in the registry, or the path of a weights file (an .npz with
    its manifest beside it). Raises ScorerRefused.
    """
    try:
        return load_scorer(_find(name, registry))
    except (WeightsRefused, RegistryError) as error:
        raise ScorerRefused(str(error)) from error


def _find(name: str | None, registry: Registry | None) -> Path | str | None:
    if name is None:
        serving = registry.state().serving if registry else None
        return _registered(serving, registry) if registry and serving else None
    if name == SHIPPED:
        return None
    if name == RULES:
        return name
    if name.endswith(_SUFFIX):
        return Path(name)
    if registry is None:
        raise RegistryError(
            f"{name!r} is looked for in a registry, and there is none: set RAGPULSE_SCORER__REGISTRY, "
            "or give the path of a weights file (.npz)."
        )
    if name != CANDIDATE:
        return _registered(name, registry)
    candidate = registry.state().candidate
    if candidate is None:
        raise RegistryError(
            f"The registry {registry.folder} has no candidate: let `ragpulse distill` make one, or name a "
            "version."
        )
    return _registered(candidate, registry)


def _registered(version: str, registry: Registry) -> Path:
    registry.verify(version)
    return registry.path(version)


__all__ = ["CANDIDATE", "ScorerRefused", "choose_scorer", "open_registry"]
