"""Krippendorff's alpha: any number of raters, gaps allowed, for classes, ranks or numbers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import StrEnum

import numpy as np

from judges.agreement.bootstrap import RESAMPLES, interval, resample
from judges.agreement.figure import Figure, Gap
from judges.agreement.pairs import Floats, quotient


class Level(StrEnum):
    """What values mean: names, ranks, or numbers with equal steps."""

    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    INTERVAL = "interval"


def krippendorff_alpha(
    ratings: Sequence[Sequence[Hashable | None]],
    values: Sequence[Hashable],
    level: Level = Level.NOMINAL,
    *,
    clusters: Sequence[Hashable] | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    least: int = 2,
) -> Figure:
    """Alpha over items that at least two raters rated. `ratings[i]`: what each rater said of item i.

    `values`: every possible rating, in the order of rank; numbers where the level is interval. `clusters`:
    the conversation of each item. `least`: with fewer items than that there is no figure. `n` counts the
    items. Raises ValueError for a rating that is none of the values.

    Krippendorff (2011), "Computing Krippendorff's Alpha-Reliability", sections C and D.
    """
    codes = {value: index for index, value in enumerate(values)}
    groups: dict[Hashable, int] = {}
    parts: dict[int, Floats] = {}
    items = 0
    for number, row in enumerate(ratings):
        said = np.zeros(len(values))
        for value in row:
            if value is not None:
                if value not in codes:
                    raise ValueError(f"item {number}: {value!r} is none of the values")
                said[codes[value]] += 1
        if said.sum() < 2:
            continue
        items += 1
        group = groups.setdefault(number if clusters is None else clusters[number], len(groups))
        parts[group] = parts.get(group, 0.0) + _coincidences(said)
    if items < max(least, 1):
        return Figure(None, n=items, reason=Gap.TOO_FEW if items else Gap.NO_ITEMS)
    stack = np.stack([parts[group] for group in range(len(groups))])
    ranks = np.array([float(v) for v in values]) if level is Level.INTERVAL else None  # type: ignore[arg-type]
    value = float(_alpha(stack.sum(axis=0), level, ranks))
    if not np.isfinite(value):
        return Figure(None, n=items, reason=Gap.ONE_CLASS)
    limits = interval(_alpha(resample(stack, seed=seed, resamples=resamples), level, ranks))
    if limits is None:
        return Figure(value, n=items, reason=Gap.UNSTABLE)
    return Figure(value, *limits, n=items)


def _coincidences(said: Floats) -> Floats:
    """What one item adds: its ordered pairs of ratings, each item weighing as many as its ratings."""
    pairs = np.outer(said, said) - np.diag(said)
    return np.asarray(pairs / (said.sum() - 1))


def _alpha(tables: Floats, level: Level, numbers: Floats | None) -> Floats:
    totals = tables.sum(axis=-1)
    n = totals.sum(axis=-1)
    cost = _distance(totals, level, numbers)
    seen = (tables * cost).sum(axis=(-2, -1))
    chance = (totals[..., :, None] * totals[..., None, :] * cost).sum(axis=(-2, -1))
    return 1.0 - quotient((n - 1) * seen, chance)


def _distance(totals: Floats, level: Level, numbers: Floats | None) -> Floats:
    """Squared distances between values, (…, k, k)."""
    size = totals.shape[-1]
    if level is Level.NOMINAL:
        return 1.0 - np.eye(size)
    if level is Level.INTERVAL:
        assert numbers is not None
        return np.asarray(np.subtract.outer(numbers, numbers) ** 2)
    # Between ranks lie all ratings from the one to the other, both ends by half.
    middle = np.cumsum(totals, axis=-1) - totals / 2
    return np.asarray((middle[..., :, None] - middle[..., None, :]) ** 2)


__all__ = ["Level", "krippendorff_alpha"]
