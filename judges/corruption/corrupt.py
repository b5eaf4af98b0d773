"""Any corruption that a text admits, by kind."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from random import Random

from judges.corruption.add_invention import add_invention
from judges.corruption.change import Change, Kind
from judges.corruption.change_date import change_date
from judges.corruption.change_number import change_number
from judges.corruption.change_unit import change_unit
from judges.corruption.drop_condition import drop_condition
from judges.corruption.flip_opposite import flip_opposite
from judges.corruption.mix_chunks import mix_chunks
from judges.corruption.negate import negate
from judges.corruption.swap_arguments import swap_arguments
from judges.corruption.swap_entity import swap_entity
from judges.corruption.widen_quantifier import widen_quantifier

Corruption = Callable[[str, Random, Sequence[str]], Change | None]

CORRUPTIONS: dict[Kind, Corruption] = {
    Kind.NUMBER: change_number,
    Kind.UNIT: change_unit,
    Kind.DATE: change_date,
    Kind.NEGATION: negate,
    Kind.ENTITY: swap_entity,
    Kind.OPPOSITE: flip_opposite,
    Kind.ORDER: swap_arguments,
    Kind.CONDITION: drop_condition,
    Kind.INVENTION: add_invention,
    Kind.QUANTIFIER: widen_quantifier,
    Kind.MIXING: mix_chunks,
}
"""Every kind and the function that does it."""


def corrupt(
    text: str, random: Random, contexts: Sequence[str] = (), kinds: Collection[Kind] = tuple(Kind)
) -> Change | None:
    """Make `text` say something that `contexts` do not, in one place; null where no kind applies.

    The kinds are tried in random order, so each that applies is about equally likely.

    >>> corrupt("Returns are free for 30 days.", Random(1), kinds=[Kind.UNIT]).text
    'Returns are free for 30 months.'
    """
    order = [kind for kind in Kind if kind in kinds]
    random.shuffle(order)
    for kind in order:
        change = CORRUPTIONS[kind](text, random, contexts)
        if change is not None:
            return change
    return None


def corrupt_each(text: str, random: Random, contexts: Sequence[str] = ()) -> list[Change]:
    """One change of each kind that `text` admits, in the order of `Kind`.

    >>> [change.kind.value for change in corrupt_each("您可以在7天内退货。", Random(1))]
    ['number', 'unit', 'negation', 'invention']
    """
    found = (corruption(text, random, contexts) for corruption in CORRUPTIONS.values())
    return [change for change in found if change is not None]
