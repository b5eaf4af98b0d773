"""How much of each claim, question and history the chunks hold, and where they hold most of it."""

from __future__ import annotations

from dataclasses import dataclass

from judges.distilled.kernel.covering import cover
from judges.distilled.measuring.lexicon import DENIAL, NEGATION
from judges.distilled.measuring.overlap import Matches
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats


@dataclass(slots=True)
class Cover:
    """Coverage of each group by the chunks of its case. All arrays have one entry a group.

    `total` is the weight of the group's tokens (nats); `any`, `chunk`, `pair`, `window` and `clause`
    the share of it (0..1) found anywhere, in the best chunk, in the best two neighbouring windows, in
    the best window, in the best clause; `best_*` say which one that was (-1: none).
    """

    total: Floats
    any: Floats
    chunk: Floats
    pair: Floats
    window: Floats
    clause: Floats
    best_window: Ints
    best_clause: Ints
    found: Bools
    """One flag a token of the part: some chunk of its case holds it."""
    denied: Bools
    """The same, but everywhere it stands, its clause negates ("outdoorSeating": false)."""


def cover_groups(part: Part, matches: Matches) -> Cover:
    """Weigh what was found: anywhere, and at best in one place of each size."""
    tokens = part.tokens
    covered = cover(
        matches.unit,
        matches.entry,
        matches.table,
        part.units.first,
        part.units.last,
        part.group,
        part.weight,
        (part.flags & (NEGATION | DENIAL)) != 0,
        tokens.clause,
        tokens.clause_window,
        tokens.window_text,
        tokens.count,
        len(part.group_case),
    )
    return Cover(**covered._asdict())
