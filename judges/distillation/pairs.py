"""Minimal pairs: a supported answer, and the same with one thing made wrong by `judges.corruption`.

Natural data teach what an invention looks like; they hardly hold answers in which one number, name or
negation differs. Each pair is two rows of one group, so that no fold tells them apart by their passages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Final

from judges.corruption import CORRUPTIONS, Change, Kind
from judges.distillation.rows import Row, Spans
from judges.distilled.reading.claims import split_claims

MARKED: Final = frozenset({"ragtruth", "ragtruth_extra"})
"""Sources that are not corrupted: people marked real faults in them, and made ones beside those teach that
everything in a long answer is suspect."""
A_SOURCE: Final = 500
"""Answers taken of each source at most."""
WORTH: Final = {
    Kind.NUMBER: 4.0, Kind.ENTITY: 4.0, Kind.NEGATION: 2.0, Kind.OPPOSITE: 2.0, Kind.ORDER: 2.0,
    Kind.MIXING: 2.0, Kind.DATE: 1.5, Kind.CONDITION: 1.5, Kind.UNIT: 1.0, Kind.QUANTIFIER: 1.0,
    Kind.INVENTION: 1.0,
}  # fmt: skip
"""How readily a kind is chosen among those that an answer admits."""
SHORTEST: Final = 8
"""Characters of a cut answer."""
MORE_PASSAGES: Final = 3
_COMMA = re.compile(r"(?<=[，,；;])")


def make_pairs(rows: Iterable[Row], random: Random) -> list[Row]:
    """Pairs from the supported rows that may ship: of whole answers, and of one or two claims of them
    with other passages around theirs, as short answers come."""
    supported = [row for row in rows if row.may_ship and not row.bad and row.answer.strip()]
    supported = [row for row in supported if row.source not in MARKED]
    random.shuffle(supported)
    passages = {
        language: [(p, row.group) for row in supported if row.language == language for p in row.contexts]
        for language in ("en", "zh")
    }
    taken: Counter[str] = Counter()
    pairs: list[Row] = []
    for row in (replace(row, origin=row.source) for row in supported):
        if taken[row.source] < A_SOURCE and row.language in passages:
            made = list(_pair_up(row, passages[row.language], random))
            taken[row.source] += bool(made)
            pairs += made
    return pairs


def _pair_up(row: Row, passages: Sequence[tuple[str, str]], random: Random) -> Iterator[Row]:
    yield from _corrupt(replace(row, source=f"pairs {row.language}"), random)
    for _ in range(2 if row.language == "en" else 1):
        answer = _cut_answer(row, random)
        if len(answer) < SHORTEST:
            continue
        contexts = list(row.contexts)
        if len(contexts) < MORE_PASSAGES:
            others = random.sample(passages, min(random.randint(0, MORE_PASSAGES), len(passages)))
            contexts += [passage for passage, group in others if group != row.group]
            random.shuffle(contexts)
        short = replace(row, contexts=tuple(contexts), answer=answer)
        yield from _corrupt(replace(short, source=f"short pairs {row.language}"), random)


def _corrupt(row: Row, random: Random) -> Iterator[Row]:
    """The row as it is and once corrupted; nothing where no corruption applies."""
    order = sorted(WORTH, key=lambda kind: -(random.random() ** (1.0 / WORTH[kind])))
    for kind in order:
        change = CORRUPTIONS[kind](row.answer, random, row.contexts)
        if change is not None:
            good = replace(row, bad=False, spans=(), writer="", made=True)
            yield good
            yield replace(good, answer=change.text, bad=True, spans=_mark(change))
            return


def _mark(change: Change) -> Spans:
    """What was changed; where something was left out, the characters around the gap."""
    if change.end > change.start:
        return ((change.start, change.end),)
    return ((max(change.start - 1, 0), change.end + 1),)


def _cut_answer(row: Row, random: Random) -> str:
    """One or two claims of an answer, or the first clauses of its only one; "" where it cannot be cut."""
    spans = split_claims(row.answer, row.language)
    if len(spans) >= 2:
        first = random.randrange(len(spans))
        chosen = spans[first : first + random.choice((1, 1, 2))]
        return (" " if row.language == "en" else "").join(row.answer[s.start : s.end] for s in chosen)
    clauses = [clause for clause in _COMMA.split(row.answer) if len(clause) > 6]
    if row.language != "zh" or len(clauses) < 2:
        return ""
    return "".join(clauses[: random.randint(1, len(clauses) - 1)]).rstrip("，,；;") + "。"
