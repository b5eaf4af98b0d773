"""Units of claims whose opposite stands where the claim is supported best."""

from __future__ import annotations

import numpy as np

from judges.distilled.kernel.compiled import compiled
from judges.distilled.kernel.figures import Places, clauses_between
from judges.distilled.kernel.hashing import Floats, Ints
from judges.distilled.kernel.matching import Contrary, Table, has_place_within


@compiled
def count_opposites(
    unit: Ints, entry: Ints, table: Table, contrary: Contrary, last: Ints, group: Ints, places: Places,
    best_window: Ints, claims: int,
) -> Floats:  # fmt: skip
    """Units whose opposite stands in, or next to, the claim's best window, while they themselves do not."""
    counts = np.zeros(claims, np.float64)
    for i in range(len(contrary.asked)):
        asked = contrary.asked[i]
        claim = group[last[unit[asked]]]
        window = best_window[claim]
        if window >= 0:
            low, high = clauses_between(places, window - 1, window + 2)
            there = has_place_within(table, contrary.entry[i], low, high)
            counts[claim] += there and not has_place_within(table, entry[asked], low, high)
    return counts
