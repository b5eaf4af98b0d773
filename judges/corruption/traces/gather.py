"""The retriever, simulated: which chunks come back, and in which order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from judges.corruption.sentences import split_sentences
from judges.corruption.traces.material import Material, Pool
from judges.corruption.traces.overlap import coverage, units

COUNTS = (3, 3, 4, 4, 5, 5, 5, 6, 8)
SAMPLE = 160
"""Passages of the pool that are looked at for one trace."""
HOLDS_ANSWER = 0.7
"""Share of the answer's content from which a passage may hold it."""
ON_TOPIC = 0.4
NEAR = 0.15
FRAYED = 0.2
"""Share of chunks that an index breaks off in mid-sentence, whatever they hold."""
MIN_LEFT = 24
"""Characters that are still worth calling a chunk."""
_LENGTH_TRIES = 6


def count_chunks(material: Material, random: Random) -> int:
    """How many chunks a trace of this material has, whatever becomes of it."""
    return max(random.choice(COUNTS), len(material.chunks))


def gather_good(material: Material, pool: Pool, random: Random) -> list[str]:
    """The passages that hold the answer among others, as a good retriever returns them."""
    others = _others(material, pool, random, count_chunks(material, random) - len(material.chunks))
    return _interleave([_fray_behind(c, material.answer, random) for c in material.chunks], others, random)


def gather_strangers(material: Material, pool: Pool, random: Random) -> list[str]:
    """Passages about something else."""
    drawn = _draw(material, _sample(material, pool, random), random, count_chunks(material, random))
    return [_fray(p, random) for p in drawn]


def gather_near(material: Material, pool: Pool, random: Random) -> list[str] | None:
    """The passages of the pool nearest to the question; null where none is near. None holds the answer."""
    sample = _sample(material, pool, random)
    if max((coverage(material.intent, p) for p in sample), default=0.0) < NEAR:
        return None
    count = count_chunks(material, random)
    return [_fray(p, random) for p in _draw_near(material, sample, random, material.intent, count)]


def gather_astray(material: Material, pool: Pool, random: Random, query: str) -> list[str]:
    """What a retriever finds for `query`, off the topic that the question was about."""
    missing = " ".join(sorted(units(material.intent) - units(query))) or material.intent
    sample = [p for p in _sample(material, pool, random) if coverage(missing, p) < ON_TOPIC]
    count = count_chunks(material, random)
    near = _draw_near(material, sample, random, query, random.randint(1, count))
    rest = [p for p in sample if p not in near]
    return [_fray(p, random) for p in near + _draw(material, rest, random, count - len(near))]


def gather_cut(material: Material, pool: Pool, random: Random) -> list[str] | None:
    """The good chunks, each broken off before it answers; null where nothing would be left of any."""
    cut = [piece for chunk in material.chunks if (piece := cut_before_answer(chunk, material.answer))]
    if not cut or coverage(material.answer, " ".join(cut)) >= HOLDS_ANSWER:
        return None
    others = _others(material, pool, random, count_chunks(material, random) - len(cut))
    return _interleave(cut, others, random)


def cut_before_answer(chunk: str, answer: str) -> str | None:
    """A chunk up to the first sentence that answers (and without it); null where too little is left.

    A chunk that answers nothing stays as it is.

    >>> cut_before_answer("The lamp is made of steel and glass. It costs 30 euros.", "It costs 30 euros.")
    'The lamp is made of steel and glass.'
    """
    shares = [
        (coverage(chunk[a:b], answer), coverage(answer, chunk[a:b]), a) for a, b in split_sentences(chunk)
    ]
    answering = [start for own, told, start in shares if told >= 0.25 or (own >= 0.6 and told > 0)]
    if not answering:
        return chunk
    left = chunk[: answering[0]].rstrip()
    return left if len(left) >= MIN_LEFT else None


def draw_sentence(chunks: Sequence[str], random: Random) -> str | None:
    """One sentence of the chunks, neither too short nor too long to be an answer."""
    found = []
    for chunk in chunks:
        for start, end in split_sentences(chunk):
            sentence = chunk[start:end].strip()
            if 8 <= len(sentence) <= 300 and not sentence.endswith(("?", "？", ":", "：")):
                found.append(sentence)
    return random.choice(found) if found else None


def _sample(material: Material, pool: Pool, random: Random) -> list[str]:
    """Passages of the pool that cannot hold the answer."""
    passages = [p for p in pool.passages if p.strip() and p not in material.chunks]
    if len(passages) > SAMPLE:
        passages = random.sample(passages, SAMPLE)
    return [p for p in passages if coverage(material.answer, p) < HOLDS_ANSWER]


def _others(material: Material, pool: Pool, random: Random, count: int) -> list[str]:
    """Company for the good chunks: some near the question, some not."""
    sample = _sample(material, pool, random)
    near = _draw_near(material, sample, random, material.intent, random.randint(0, max(count, 0)))
    rest = [p for p in sample if p not in near]
    return [_fray(p, random) for p in near + _draw(material, rest, random, count - len(near))]


def _draw_near(
    material: Material, passages: Sequence[str], random: Random, query: str, count: int
) -> list[str]:
    """`count` of the passages nearest to a query, nearest first. Long ones are near anything: see `_draw`."""
    ranked = sorted(passages, key=lambda p: (-coverage(query, p), p))
    drawn = _draw(material, ranked[: 2 * count], random, count)
    return [p for p in ranked if p in drawn]


def _fray(passage: str, random: Random) -> str:
    """A passage, perhaps broken off somewhere in its last third."""
    if random.random() >= FRAYED or len(passage) < 3 * MIN_LEFT:
        return passage
    return passage[: random.randint(len(passage) * 2 // 3, len(passage) - 2)].rstrip()


def _fray_behind(chunk: str, answer: str, random: Random) -> str:
    """A good chunk, perhaps broken off behind the last sentence that answers."""
    ends = [end for start, end in split_sentences(chunk) if coverage(chunk[start:end], answer) >= 0.2]
    last = max(ends, default=len(chunk))
    if random.random() >= FRAYED or len(chunk) - last < MIN_LEFT:
        return chunk
    return chunk[: random.randint(last + MIN_LEFT // 2, len(chunk) - 2)].rstrip()


def _draw(material: Material, passages: Sequence[str], random: Random, count: int) -> list[str]:
    """`count` passages, as long as the material's own: length must not tell good chunks from others."""
    lengths = [len(chunk) for chunk in material.chunks]
    left = list(passages)
    drawn: list[str] = []
    while left and len(drawn) < count:
        tries = random.sample(left, min(_LENGTH_TRIES, len(left)))
        best = min(tries, key=_distance(random.choice(lengths)))
        left.remove(best)
        drawn.append(best)
    return drawn


def _distance(length: int) -> Callable[[str], tuple[int, str]]:
    return lambda passage: (abs(len(passage) - length), passage)


def _interleave(good: list[str], others: list[str], random: Random) -> list[str]:
    """The good ones in their order, mostly but not always ahead of the others."""
    result = list(others)
    random.shuffle(result)
    at = 0
    for chunk in good:
        at = min(at + random.choice((0, 0, 0, 0, 1, 1, 2)), len(result))
        result.insert(at, chunk)
        at += 1
    return result
