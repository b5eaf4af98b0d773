"""What of a judge can be compared with people: each measure, its classes, and where it is found."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Final

from judges.calibration.labels import CLASSES, IMPLIED, Label, Said

DECIDES_AT: Final = 0.5
"""A probability or share from here on says yes."""
STARS: Final = (1, 2, 3, 4, 5)
RATINGS: Final = ("accuracy", "faithfulness", "safety")


@dataclass(slots=True, frozen=True)
class Measure:
    """One thing that both people and judges say."""

    name: str
    classes: tuple[Hashable, ...]
    of_label: Callable[[Label], Hashable | None]
    of_said: Callable[[Said], Hashable | None]
    ranked: bool = False
    """Whether the classes are ranks."""
    decides: bool = False
    """Whether a judge that is below the bar here is a finding: rates are made of this."""


def _label_hallucination(label: Label) -> bool | None:
    if label.hallucination is not None:
        return label.hallucination
    return IMPLIED.get(label.failure or "")


def _said_hallucination(said: Said) -> bool | None:
    if said.hallucination is not None:
        return said.hallucination >= DECIDES_AT
    return IMPLIED.get(said.failure or "")


def _said_sufficient(said: Said) -> bool | None:
    return None if said.context_sufficiency is None else said.context_sufficiency >= DECIDES_AT


def _known_class(one: Label | Said) -> str | None:
    return one.failure if one.failure in CLASSES else None


def _rating(one: Label | Said, name: str) -> int | None:
    stars = one.ratings.get(name)
    return stars if stars in STARS else None


_YES_NO: Final = (False, True)

MEASURES: Final = (
    Measure("hallucination", _YES_NO, _label_hallucination, _said_hallucination, decides=True),
    Measure("failure", CLASSES, _known_class, _known_class, decides=True),
    Measure("context_sufficient", _YES_NO, lambda label: label.context_sufficient, _said_sufficient),
    Measure("refusal", _YES_NO, lambda label: label.refusal, lambda said: said.refusal),
    *(
        Measure(
            f"rating_{name}", STARS, partial(_rating, name=name), partial(_rating, name=name), ranked=True
        )
        for name in RATINGS
    ),
)

__all__ = ["DECIDES_AT", "MEASURES", "RATINGS", "STARS", "Measure"]
