"""Which examples teach and which examine: the latest are held out, and no group is on both sides.

A group is a conversation, or a question that was asked again (a follow-up: after the same one; without a
question: the document), or what a label file calls one. Each
lies on one side: wholly before the cut it teaches, wholly behind it examines. One that lies across the cut
is given to one side by a hash, and its rows beyond the cut are left out: a scorer is then examined on
later traffic about things it has not met. Examples without a time are divided by the hash alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Final

import numpy as np
import numpy.typing as npt

from judges.distillation.examples import Example

HELD_OUT: Final = 0.3
"""Share of the examples, the latest, that examine."""
ACROSS: Final = 0.4
"""Share of the groups lying across the cut that go to the later side."""

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Split:
    """One entry an example. Neither mask holds for what would put a group on both sides."""

    teaches: Bools
    examines: Bools
    cut: datetime | None
    """The first moment of the later side; null where no example has a time."""
    clusters: npt.NDArray[np.int64]
    """The group of each example, numbered, for folds and for intervals."""


def split_examples(examples: Sequence[Example], seed: int) -> Split:
    """Divide the examples by time and by group."""
    keys = [group_keys(e) for e in examples]
    cut = _find_cut(examples)
    late = [None if cut is None or e.at is None else e.at >= cut for e in examples]
    seen: defaultdict[str, set[bool]] = defaultdict(set)
    for mine, when in zip(keys, late, strict=True):
        for key in mine:
            seen[key] |= set() if when is None else {when}
    later = {key: _is_later(key, when, seed) for key, when in seen.items()}
    teaches = np.array(
        [when is not True and not any(later[k] for k in mine) for mine, when in zip(keys, late, strict=True)],
        dtype=bool,
    )
    examines = np.array(
        [when is not False and all(later[k] for k in mine) for mine, when in zip(keys, late, strict=True)],
        dtype=bool,
    )
    return Split(teaches, examines, cut, _number(keys))


def group_keys(example: Example) -> tuple[str, ...]:
    """What an example shares with others that it must not be separated from; at least one key."""
    trace = example.trace
    keys = [f"conversation {trace.app or ''} {trace.conversation_id}"] if trace.conversation_id else []
    if example.group:
        return (*keys, f"group {example.group}")
    question = _plain(trace.question)
    if question:
        asked = [m.content for m in trace.history if m.role == "user"]
        keys.append(f"question {question} after {_plain(asked[-1])}" if asked else f"question {question}")
    elif not keys:
        chunks = trace.retrieval.chunks if trace.retrieval else None
        document = _plain(next((c.text for c in chunks or () if c.text), None))
        keys.append(f"document {document}" if document else f"trace {trace.trace_id}")
    return tuple(keys)


def fold_of(clusters: npt.NDArray[np.int64], folds: int, seed: int) -> npt.NDArray[np.int64]:
    """A fold (0 … folds - 1) for each example, the same for all of a group, of about equal size."""
    order = np.random.default_rng(seed).permutation(int(clusters.max(initial=-1)) + 1)
    fold: npt.NDArray[np.int64] = order[clusters] % folds
    return fold


def _find_cut(examples: Sequence[Example]) -> datetime | None:
    times = sorted(e.at for e in examples if e.at is not None)
    return times[int(len(times) * (1 - HELD_OUT))] if times else None


def _is_later(key: str, when: set[bool], seed: int) -> bool:
    if len(when) == 1:
        return True in when
    chance = int.from_bytes(sha256(f"{seed} {key}".encode()).digest()[:4]) / 2**32
    return chance < (ACROSS if when else HELD_OUT)


def _number(keys: Sequence[tuple[str, ...]]) -> npt.NDArray[np.int64]:
    """Number the groups. An example with several keys counts to the one that most others share."""
    often = Counter(key for mine in keys for key in mine)
    chosen = [max(mine, key=lambda key: (often[key], key)) for mine in keys]
    numbers = {key: i for i, key in enumerate(dict.fromkeys(chosen))}
    return np.array([numbers[key] for key in chosen], dtype=np.int64)


def _plain(text: str | None) -> str:
    """A text as far as it matters for being the same: letters and digits, no case."""
    return "".join(c for c in (text or "").casefold() if c.isalnum())


__all__ = ["Split", "fold_of", "group_keys", "split_examples"]
