"""Say that it is not so, or that it is after all: can → cannot, 支持 → 不支持, is not → is, 无法 → 可以.

Hedges (may, might, 可能) are left alone: "may" and "may not" hold together. Questions and conditions
are left alone too: they assert nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from judges.corruption.change import Change, Kind, Site, make_change
from judges.corruption.negate_en import find_affirmed_en, find_negated_en
from judges.corruption.negate_zh import find_affirmed_zh, find_negated_zh


def negate(text: str, random: Random, contexts: Sequence[str] = ()) -> Change | None:
    """Turn one statement of `text` into its opposite; null where none can be.

    A negation that is there is mostly taken away rather than a second one added.

    >>> negate("The device supports Bluetooth.", Random(1)).text
    'The device does not support Bluetooth.'
    >>> negate("该设备不支持蓝牙。", Random(1)).text
    '该设备支持蓝牙。'
    """
    negated = [*find_negated_en(text), *find_negated_zh(text)]
    affirmed = list(_find_affirmed(text, negated))
    first, second = (negated, affirmed) if random.random() < 0.7 else (affirmed, negated)
    return make_change(text, Kind.NEGATION, first, random, contexts) or make_change(
        text, Kind.NEGATION, second, random, contexts
    )


def _find_affirmed(text: str, negated: list[Site]) -> Iterator[Site]:
    for site in (*find_affirmed_en(text), *find_affirmed_zh(text)):
        if not any(site.start < other.end and other.start < site.end for other in negated):
            yield site
