"""Agreement of two raters from their confusion: raw, beyond chance, and where one class is nearly all.

All of them take one table (k, k) or a stack of tables (…, k, k), of counts or weights, and give NaN only
inside this package, where `measure_pairs` turns it into null with a reason.
"""

from __future__ import annotations

from enum import StrEnum

import numpy as np

from judges.agreement.pairs import Floats, quotient


class Weighting(StrEnum):
    """How much a disagreement counts: all the same, by distance of the ranks, or by its square."""

    NONE = "none"
    LINEAR = "linear"
    QUADRATIC = "quadratic"


def raw_agreement(tables: Floats) -> Floats:
    """The share of items on which both said the same."""
    return quotient(np.trace(tables, axis1=-2, axis2=-1), tables.sum(axis=(-2, -1)))


def cohen_kappa(tables: Floats, weighting: Weighting = Weighting.NONE) -> Floats:
    """1 − observed disagreement / disagreement by chance, where chance keeps each rater's own shares.

    Cohen (1960), "A coefficient of agreement for nominal scales"; weighted: Cohen (1968), "Weighted kappa".
    The classes must be in the order of their rank for a weighting. NaN where no disagreement could occur by
    chance: both raters always say one class.
    """
    cost = _cost(tables.shape[-1], weighting)
    shares = _shares(tables)
    rows, columns = shares.sum(axis=-1), shares.sum(axis=-2)
    chance = (rows[..., :, None] * columns[..., None, :] * cost).sum(axis=(-2, -1))
    return 1.0 - quotient((shares * cost).sum(axis=(-2, -1)), chance)


def gwet_ac1(tables: Floats) -> Floats:
    """(observed − chance) / (1 − chance), where chance is of items that a rater could only guess at.

    Gwet (2008), "Computing inter-rater reliability and its variance in the presence of high agreement",
    equation 4. It stays high where raters agree and nearly everything is of one class; kappa falls there.
    """
    size = tables.shape[-1]
    if size < 2:
        return np.full(tables.shape[:-2], np.nan)
    shares = _shares(tables)
    mean = (shares.sum(axis=-1) + shares.sum(axis=-2)) / 2
    chance = (mean * (1 - mean)).sum(axis=-1) / (size - 1)
    return quotient(raw_agreement(tables) - chance, 1 - chance)


def prevalence_adjusted(tables: Floats) -> Floats:
    """What kappa would be if all classes were equally common (PABAK): (k · observed − 1) / (k − 1).

    Byrt, Bishop and Carlin (1993), "Bias, prevalence and kappa"; for k classes this is Brennan and
    Prediger's (1981) coefficient.
    """
    size = tables.shape[-1]
    if size < 2:
        return np.full(tables.shape[:-2], np.nan)
    return np.asarray((size * raw_agreement(tables) - 1) / (size - 1))


def _cost(size: int, weighting: Weighting) -> Floats:
    apart = np.abs(np.subtract.outer(np.arange(size), np.arange(size))).astype(np.float64)
    match weighting:
        case Weighting.NONE:
            return (apart > 0).astype(np.float64)
        case Weighting.LINEAR:
            return apart
        case Weighting.QUADRATIC:
            return np.asarray(apart**2)


def _shares(tables: Floats) -> Floats:
    return quotient(tables, tables.sum(axis=(-2, -1), keepdims=True))


__all__ = ["Weighting", "cohen_kappa", "gwet_ac1", "prevalence_adjusted", "raw_agreement"]
