"""Places of characters that may betray a number as it is said: 点, 半, 折, ½, and the y of "twenty-"."""

from __future__ import annotations

import numpy as np

from judges.distilled.kernel.compiled import compiled
from judges.distilled.kernel.hashing import Bools, Codes, Ints
from judges.distilled.kernel.spans import Classes

CLOCK, HALF, DISCOUNT, FRACTION, TENS = range(1, 6)
_T, _HYPHEN, _BLANK = ord("t"), ord("-"), ord(" ")


@compiled
def find_marks(folded: Codes, kinds: Classes, near_hour: Bools) -> tuple[Ints, Classes]:
    """Places, and which kind of mark stands there. `kinds`: of each code point, 0 for most.

    A `CLOCK` counts behind what `near_hour` flags, `TENS` behind a t and before a hyphen or a space.
    """
    n = len(folded)
    count = 0
    for i in range(n):
        count += kinds[folded[i]] != 0
    places, found = np.empty(count, np.int64), np.empty(count, np.uint8)
    count = 0
    for i in range(n):
        kind = kinds[folded[i]]
        if kind == 0 or (kind == CLOCK and (i == 0 or not near_hour[folded[i - 1]])):
            continue
        if kind == TENS and not (
            3 < i < n - 3 and folded[i - 1] == _T and (folded[i + 1] == _HYPHEN or folded[i + 1] == _BLANK)
        ):
            continue
        places[count], found[count] = i, kind
        count += 1
    return places[:count], found[:count]
