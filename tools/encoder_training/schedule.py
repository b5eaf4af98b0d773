"""Which examples each training step sees: a function of the seed and the step alone, so it can be resumed."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random

from encoder_training.rows import Example

SHARES = {
    "summedits": 0.30,
    "fool_me_twice": 0.23,
    "ragtruth": 0.14,
    "corrupted": 0.17,
    "chinese": 0.11,
    "dialogue": 0.05,
}
"""How much of each batch comes from each family of sources."""
POOL = 8
"""Batches drawn together and sorted by length, so that little is padded."""


def family_of(source: str) -> str:
    """The family in `SHARES` that a source belongs to."""
    if source.endswith("+"):
        return "corrupted"
    for name, starts in {
        "summedits": ("summedits",),
        "fool_me_twice": ("fool_me_twice",),
        "ragtruth": ("ragtruth",),
        "chinese": ("citecheck", "uhgeval"),
    }.items():
        if source.startswith(starts):
            return name
    return "dialogue"


def draw_batches(examples: Sequence[Example], size: int, seed: int) -> Iterator[list[int]]:
    """Endless batches of indexes into `examples`, of `size` each, alike in length.

    Within a family, good, bad and twin examples come in proportion to the square root of their number, and
    each is seen before any of its kind is seen again.
    """
    random = Random(seed)
    decks: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for i, example in enumerate(examples):
        decks[family_of(example.source)][kind_of(example)].append(i)
    hands: dict[tuple[str, str], list[int]] = {}
    families = [f for f in SHARES if decks[f]]
    weights = [SHARES[f] for f in families]
    while True:
        drawn: list[int] = []
        for family in random.choices(families, weights, k=size * POOL):
            kinds = sorted(decks[family])
            kind = random.choices(kinds, [math.sqrt(len(decks[family][k])) for k in kinds])[0]
            hand = hands.setdefault((family, kind), [])
            if not hand:
                hand += random.sample(decks[family][kind], len(decks[family][kind]))
            drawn.append(hand.pop())
        drawn.sort(key=lambda i: len(examples[i].window))
        batches = [drawn[k : k + size] for k in range(0, len(drawn), size)]
        random.shuffle(batches)
        yield from batches


def kind_of(example: Example) -> str:
    """Whether an example is `good`, `bad`, or `twin`."""
    if example.good is not None and example.bad is not None:
        return "twin"
    return "good" if example.good is not None else "bad"
