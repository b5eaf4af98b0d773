"""Which units of claims, questions and histories occur in the texts of their case, and in which clauses."""

from __future__ import annotations

from dataclasses import dataclass

from judges.distilled.kernel.matching import Contrary, Table, match_units
from judges.distilled.kernel.membership import find_members, mix_traces
from judges.distilled.measuring.opposites import OPPOSITES
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.tokens import Bools, Ints, Keys


@dataclass(slots=True)
class Matches:
    """What the groups of a part ask for, in reading order: `unit` (an index into the part's units), and its
    `entry` in `table`, which says where it stands. `contrary`: opposites of what claims ask for."""

    unit: Ints
    entry: Ints
    table: Table
    contrary: Contrary


def find_matches(part: Part) -> Matches:
    """Look for the units of every group in the texts of its case. Linear in the part."""
    return Matches(
        *match_units(
            part.units.key,
            part.units.last,
            part.case,
            part.role,
            part.group,
            part.tokens.clause,
            part.claims,
            OPPOSITES,
        )
    )


def in_trace(keys: Keys, trace: Ints) -> Keys:
    """Keys that are equal only within one trace."""
    return mix_traces(keys, trace)


def occurs(keys: Keys, trace: Ints, sought: Keys) -> Bools:
    """Whether each of `sought` (mixed with its trace by `in_trace`) is among `keys` of its trace."""
    return find_members(keys, trace, sought)
