"""Where each word of a claim stands in the chunks, and whether its neighbours stand there too.

Coverage asks whether a word is known; alignment asks whether it is known *beside the same words*. Each
unit of a claim (a word, a number, a pair of Chinese characters) is looked for in the chunks of its case,
and the best of the places that hold it is the one with most of the claim's neighbouring units around it.
Linear in the length of the chunks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from judges.distilled.kernel.aligning import align_cases, hash_prefixes
from judges.distilled.measuring.batch import Role
from judges.distilled.measuring.claim_measures import Measures
from judges.distilled.measuring.cover import Cover
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.tokens import Bools, Ints
from judges.distilled.measuring.units import Floats

Small = npt.NDArray[np.float32]


@dataclass(slots=True)
class Alignment:
    """One entry a unit of a claim, in reading order.

    `unit` is its index in the part's units, `claim` its claim. `count`: places in the chunks. `near` and
    `wide`: the share (0..1, by weight) of its neighbours that stand around its best place. `run`: units in
    the longest run through it that some chunk holds with the same spacing. `left`, `right`: 1 where the
    neighbour stands right beside it in some chunk too. `kin`: 1 where the chunks hold a word of the same
    first letters, though not this one. `place`: the token of its best place, or -1.
    """

    unit: Ints
    claim: Ints
    weight: Floats
    count: Small
    near: Small
    wide: Small
    run: Small
    left: Small
    right: Small
    kin: Small
    place: Ints


def align(part: Part) -> Alignment:
    """Align every unit of every claim with the chunks of its case."""
    units, tokens = part.units, part.tokens
    role = part.role[units.last]
    group = part.group[units.last]
    mine = np.flatnonzero((group >= 0) & (group < part.claims))
    weight = part.weight[units.last] + np.where(units.first != units.last, part.weight[units.first], 0.0)
    bounds = np.searchsorted(part.case[units.last], np.arange(len(part.cases) + 1))
    unit_claim = np.where((group >= 0) & (group < part.claims), group, -1)
    out = np.zeros((7, len(mine)), dtype=np.float32)
    place = np.full(len(mine), -1, dtype=np.int64)
    align_cases(
        bounds,
        units.key,
        units.last,
        unit_claim,
        role == Role.CHUNK,
        tokens.text[units.last],
        weight,
        _prefixes(part),
        out,
        place,
    )
    count, near, wide, run, left, right, kin = out
    return Alignment(mine, group[mine], weight[mine], count, near, wide, run, left, right, kin, place)


def changes(*columns: Ints) -> Bools:
    """True where any of the columns differs from the entry before it, and at the first entry."""
    new = np.zeros(len(columns[0]), dtype=np.bool_)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return new


LOOSE = 0.34
"""A unit with less of its neighbours around it than this does not belong where it stands."""
TELLING = 2.0
"""Nats of a unit whose place says something."""


def measure_alignment(part: Part, cover: Cover, aligned: Alignment) -> Measures:
    """What the alignment says of each claim (weights in nats, shares 0..1).

    `beside`, `around`: mean share of neighbours near and wide, by weight; `run_length`: mean longest run;
    `linked`: share of units with a neighbour that stands beside them in a chunk too; `lonely`: the weightiest
    known unit without its neighbours; `loose`: weight of units unknown or without their neighbours, and
    `loose_stretch` the longest of it at a stretch; `no_kin`: weight of unknown units that no word of the
    chunks resembles; `astray`: known units that stand elsewhere than the claim's best window.
    """
    n, claim, weight = part.claims, aligned.claim, aligned.weight
    total = np.maximum(np.bincount(claim, weight, minlength=n), 1e-9)
    known = aligned.count > 0

    def mean(values: npt.NDArray[Any]) -> Floats:
        share: Floats = np.bincount(claim, weight * values, minlength=n) / total
        return share

    loose = np.where(aligned.near < LOOSE, weight, 0.0)
    lonely = np.zeros(n)
    telling = known & (weight >= TELLING)
    np.maximum.at(lonely, claim[telling], (weight * (1.0 - aligned.near))[telling])
    stretch = np.zeros(n)
    if len(claim):
        begins = changes(claim, (loose > 0).astype(np.int64))
        sums = np.add.reduceat(loose, np.flatnonzero(begins))
        np.maximum.at(stretch, claim[begins], sums)
    return {
        "beside": mean(aligned.near),
        "around": mean(aligned.wide),
        "run_length": mean(aligned.run),
        "linked": mean(np.maximum(aligned.left, aligned.right)),
        "lonely": lonely,
        "loose": np.bincount(claim, loose, minlength=n).astype(np.float64),
        "loose_stretch": stretch,
        "no_kin": np.bincount(claim, weight * (~known & (aligned.kin == 0)), minlength=n).astype(np.float64),
        "astray": _stray_share(part, cover, aligned, known & (weight >= TELLING)),
    }


def _stray_share(part: Part, cover: Cover, aligned: Alignment, telling: Bools) -> Floats:
    """Share of telling units whose best place is not in the window that supports their claim best."""
    there = part.tokens.window[np.maximum(aligned.place, 0)] == cover.best_window[aligned.claim]
    all_of = np.bincount(aligned.claim, telling, minlength=part.claims)
    away = np.bincount(aligned.claim, telling & ~there, minlength=part.claims)
    share: Floats = away / np.maximum(all_of, 1)
    return share


def _prefixes(part: Part) -> npt.NDArray[np.uint64]:
    """A hash of the first letters of each unit that is a long enough word, else 0."""
    tokens, last = part.tokens, part.units.last
    begin = tokens.offset[tokens.text[last]] + tokens.start[last]
    length = tokens.end[last] - tokens.start[last]
    whole = (part.units.first == last) & (tokens.number[last] < 0)
    hashes: npt.NDArray[np.uint64] = hash_prefixes(tokens.codes, begin, np.where(whole, length, 0))
    return hashes
