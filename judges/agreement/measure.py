"""All that can be said of two raters over one set of classes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np

from judges.agreement.bootstrap import RESAMPLES, interval, resample
from judges.agreement.figure import Figure, Gap
from judges.agreement.kappa import (
    Weighting,
    cohen_kappa,
    gwet_ac1,
    prevalence_adjusted,
    raw_agreement,
)
from judges.agreement.pairs import Floats, Pairs

LEAST: Final = 10
"""With fewer items there is a confusion, and no figure."""
_Z: Final = 1.959964
Statistic = Callable[[Floats], Floats]


@dataclass(slots=True, frozen=True)
class ClassAgreement:
    """One class against the rest. `first` and `second`: how many items each rater put into it.

    `recall`: of the first rater's items, those that the second saw too; `precision`: of the second's, those
    that the first saw too. Both are null where there is nothing to take a share of.
    """

    kappa: Figure
    first: int
    second: int
    both: int

    @property
    def recall(self) -> float | None:
        """Share of the first rater's items, 0 to 1."""
        return self.both / self.first if self.first else None

    @property
    def precision(self) -> float | None:
        """Share of the second rater's items, 0 to 1."""
        return self.both / self.second if self.second else None

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return {
            "kappa": self.kappa.as_dict(),
            "first": self.first,
            "second": self.second,
            "both": self.both,
            "precision": self.precision,
            "recall": self.recall,
        }


@dataclass(slots=True, frozen=True)
class Agreement:
    """Two raters over `n` items. Where one class is nearly all, look at `ac1` and `adjusted` beside kappa."""

    n: int
    raw: Figure
    kappa: Figure
    ac1: Figure
    adjusted: Figure
    weighted: dict[Weighting, Figure]
    """Kappa by the distance of ranks: where the classes are ranks, else empty."""
    classes: tuple[Hashable, ...]
    confusion: list[list[int]]
    """In items. Rows: what the first rater said; columns: the second."""
    by_class: dict[Hashable, ClassAgreement] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them."""
        return {
            "n": self.n,
            "raw": self.raw.as_dict(),
            "kappa": self.kappa.as_dict(),
            "ac1": self.ac1.as_dict(),
            "adjusted": self.adjusted.as_dict(),
            "weighted": {name.value: figure.as_dict() for name, figure in self.weighted.items()},
            "classes": [str(name) for name in self.classes],
            "confusion": self.confusion,
            "by_class": {str(name): one.as_dict() for name, one in self.by_class.items()},
        }


def measure_pairs(
    pairs: Pairs,
    *,
    ranked: bool = False,
    seed: int = 0,
    resamples: int = RESAMPLES,
    least: int = LEAST,
) -> Agreement:
    """Every figure over these items, with 95 % intervals. `ranked`: the classes are in an order.

    The same items, seed and number of resamples give the same figures.
    """
    counts = pairs.counts()
    figure = _Figures(pairs, seed, resamples, least).figure
    weightings = (Weighting.LINEAR, Weighting.QUADRATIC) if ranked else ()
    return Agreement(
        n=len(pairs),
        raw=figure(raw_agreement),
        kappa=figure(cohen_kappa),
        ac1=figure(gwet_ac1),
        adjusted=figure(prevalence_adjusted),
        weighted={name: figure(partial(cohen_kappa, weighting=name)) for name in weightings},
        classes=pairs.classes,
        confusion=[[int(count) for count in row] for row in counts],
        by_class={
            name: ClassAgreement(
                figure(cohen_kappa, partial(_against_rest, index=index)),
                int(counts[index].sum()),
                int(counts[:, index].sum()),
                int(counts[index, index]),
            )
            for index, name in enumerate(pairs.classes)
            if counts[index].sum() or counts[:, index].sum()
        },
    )


class _Figures:
    """Figures over the same items and the same resamples of them."""

    def __init__(self, pairs: Pairs, seed: int, resamples: int, least: int) -> None:
        self._n = len(pairs)
        self._gap = (Gap.TOO_FEW if self._n else Gap.NO_ITEMS) if self._n < max(least, 1) else None
        parts = pairs.tables_by_cluster()
        self._clusters, self._table = len(parts), parts.sum(axis=0)
        self._drawn = self._table[None] if self._gap else resample(parts, seed=seed, resamples=resamples)

    def figure(self, statistic: Statistic, view: Statistic = lambda tables: tables) -> Figure:
        """One statistic, of the tables or of a view of them."""
        if self._gap:
            return Figure(None, n=self._n, reason=self._gap)
        table = view(self._table)
        value = float(statistic(table))
        if not np.isfinite(value):
            return Figure(None, n=self._n, reason=Gap.ONE_CLASS)
        if np.trace(table) >= table.sum() * (1 - 1e-12):
            return Figure(value, _floor_of_perfection(table, statistic, self._clusters), value, self._n)
        limits = interval(statistic(view(self._drawn)))
        if limits is None:
            return Figure(value, n=self._n, reason=Gap.UNSTABLE)
        return Figure(value, *limits, n=self._n)


def _against_rest(tables: Floats, index: int) -> Floats:
    """Tables (…, 2, 2) of one class (second) against all others (first)."""
    both = tables[..., index, index]
    first, second = tables[..., index, :].sum(axis=-1), tables[..., :, index].sum(axis=-1)
    neither = tables.sum(axis=(-2, -1)) - first - second + both
    cells = np.stack([neither, second - both, first - both, both], axis=-1)
    return cells.reshape(*cells.shape[:-1], 2, 2)


def _floor_of_perfection(table: Floats, statistic: Statistic, count: int) -> float:
    """A lower end where nobody ever disagreed: resampling would say that it is certain.

    The share of agreement may be as low as its Wilson bound (1927) over `count` conversations; what is
    missing is spread evenly over the disagreements.
    """
    size = len(table)
    lowest = 1 / (1 + _Z**2 / count)
    spread = np.full((size, size), (1 - lowest) / (size * (size - 1)))
    np.fill_diagonal(spread, 0.0)
    return float(statistic(table / table.sum() * lowest + spread))


__all__ = ["LEAST", "Agreement", "ClassAgreement", "measure_pairs"]
