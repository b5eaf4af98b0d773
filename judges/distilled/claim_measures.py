"""What coverage cannot see about a claim: word order, numbers, names, negations, opposites."""

from __future__ import annotations

import numpy as np

from judges.distilled import codepoints as cp
from judges.distilled.batch import Role
from judges.distilled.cover import Cover, changes, index_chunks
from judges.distilled.lexicon import NEGATION, STOP
from judges.distilled.opposites import opposite_keys
from judges.distilled.overlap import Index, in_trace, occurs
from judges.distilled.part import Part
from judges.distilled.slots import find_displaced
from judges.distilled.tokens import Bools, Ints, Keys, Tokens, pair, value_keys
from judges.distilled.units import Floats

Measures = dict[str, Floats]

REPLY_TOKENS = 3
_LIST_POINT = cp.is_any(".、)）:：")


def measure_claims(part: Part, cover: Cover) -> Measures:
    """Measures with one entry a claim; counts unless they say otherwise."""
    mine = np.flatnonzero(part.in_claim)
    measures = {"tokens": _tally(part, mine, np.ones(len(mine)))}
    measures |= _measure_gaps(part, cover, mine)
    measures |= _measure_runs(part, mine)
    measures |= _measure_numbers(part, cover)
    measures |= _measure_names(part)
    measures |= _measure_polarity(part, cover, mine)
    measures["opposites"] = _measure_opposites(part, cover)
    measures["displaced"] = find_displaced(part, cover, _share(measures, "runs2"), _share(measures, "runs4"))
    return measures


def _share(measures: Measures, runs: str) -> Floats:
    total = measures[runs]
    share: Floats = np.divide(measures[f"{runs}_seen"], total, out=np.zeros(len(total)), where=total > 0)
    return share


def _tally(part: Part, tokens: Ints, values: Floats | Bools) -> Floats:
    """Sum `values` of the given tokens by their claim."""
    return np.bincount(part.group[tokens], values, minlength=part.claims).astype(np.float64)


def _measure_gaps(part: Part, cover: Cover, mine: Ints) -> Measures:
    """Content that no chunk holds: how much, the weightiest of it, and the longest stretch of it."""
    weight, claim = part.weight[mine], part.group[mine]
    content = weight > 0
    missing = content & ~cover.found[mine]
    heaviest = np.zeros(part.claims)
    np.maximum.at(heaviest, claim[missing], weight[missing])
    inside = mine[content]  # function words neither break nor lengthen a stretch
    gap, owner = ~cover.found[inside], part.group[inside]
    begins = changes(owner, gap.astype(np.int64))
    stretch = np.cumsum(begins) - 1
    lengths = np.bincount(stretch, gap) if len(stretch) else np.zeros(0)
    longest = np.zeros(part.claims)
    np.maximum.at(longest, owner[begins], lengths)
    negates = np.bincount(claim, (part.flags[mine] & NEGATION) != 0, minlength=part.claims) > 0
    denied = content & cover.denied[mine]
    return {
        "denied": _tally(part, mine, denied) * ~negates,
        "affirmed": _tally(part, mine, content & cover.found[mine] & ~cover.denied[mine]) * negates,
        "missing": _tally(part, mine, missing),
        "content": _tally(part, mine, content),
        "heaviest_missing": heaviest,
        "longest_gap": longest,
    }


def _measure_runs(part: Part, mine: Ints) -> Measures:
    """Runs of two, three and four tokens: how many the chunks hold, and where one breaks off."""
    key, sentence = part.tokens.key, part.tokens.sentence
    in_chunk, in_claim = part.in_chunk, part.in_claim
    measures: Measures = {}
    seen: dict[int, Bools] = {}
    grams, valid = key, np.ones(len(key), dtype=np.bool_)
    same_sentence = np.zeros(len(key), dtype=np.bool_)
    same_sentence[1:] = sentence[1:] == sentence[:-1]
    for length in (2, 3, 4):
        longer = grams.copy()
        longer[1:] = pair(grams[:-1], key[1:])
        reach = same_sentence.copy()
        reach[1:] &= valid[:-1]
        grams, valid = longer, reach
        there, here = np.flatnonzero(valid & in_chunk), np.flatnonzero(valid & in_claim)
        hit = np.zeros(len(key), dtype=np.bool_)
        sought = in_trace(grams[here], part.case[here])
        hit[here] = occurs(grams[there], part.case[there], sought)
        seen[length] = hit
        measures[f"runs{length}_seen"] = _tally(part, here, hit[here])
        measures[f"runs{length}"] = _tally(part, here, np.ones(len(here)))
    before = np.zeros(len(key), dtype=np.bool_)
    before[1:] = seen[2][:-1]
    content = (part.flags & STOP) == 0
    broken = before & ~seen[3] & content
    measures["slot_breaks"] = _tally(part, mine, broken[mine])
    return measures


def _measure_numbers(part: Part, cover: Cover) -> Measures:
    """All numbers of a claim; those that no chunk has; those that only the question, or only another
    chunk than the best one, has."""
    tokens = part.tokens
    numbered = np.flatnonzero(tokens.number >= 0)
    at, keys = _list_values(tokens, numbered)
    chunk, asked = part.in_chunk[at], part.role[at] <= Role.REWRITE
    mine = numbered[part.in_claim[numbered] & ~_is_list_marker(part, numbered)]
    value_at, value_key = _list_values(tokens, mine, meant_only=True)
    case = part.case[value_at]
    owner = np.searchsorted(mine, value_at)

    def any_of(found: Bools) -> Bools:
        return np.bincount(owner, found, minlength=len(mine)) > 0

    sought = in_trace(value_key, case)
    anywhere = Index(keys[chunk], part.case[at[chunk]], tokens.clause[at[chunk]], sought)
    near = any_of(
        anywhere.within(sought, *_clauses_of_chunk(tokens, cover.best_window[part.group[value_at]]))
    )
    with_unit = in_trace(_with_unit(tokens, value_at, value_key), case)
    same_unit = occurs(_with_unit(tokens, at[chunk], keys[chunk]), part.case[at[chunk]], with_unit)
    values = tokens.values
    telling = [_is_telling(values[i][0]) for i in tokens.number[value_at].tolist()]
    elsewhere = any_of(same_unit | (np.array(telling, dtype=np.bool_) & anywhere.holds(sought)))
    echoed = any_of(occurs(keys[asked], part.case[at[asked]], sought))
    contradicted = _contradicted(
        part,
        cover,
        mine,
        any_of(anywhere.within(sought, *_clauses_of_window(tokens, cover.best_window[part.group[value_at]]))),
    )
    known = near | elsewhere
    return {
        "numbers": _tally(part, mine, np.ones(len(mine))),
        "numbers_unknown": _tally(part, mine, ~known & ~echoed),
        "numbers_echoed": _tally(part, mine, ~known & echoed),
        "numbers_far": _tally(part, mine, known & ~near),
        "numbers_contradicted": _tally(part, mine, contradicted & known),
    }


def _contradicted(part: Part, cover: Cover, numbers: Ints, there: Bools) -> Bools:
    """The best window lacks the number, and counts the same thing (the token behind it) otherwise."""
    tokens = part.tokens
    behind = np.minimum(numbers + 1, len(tokens.word) - 1)
    counted = tokens.adjacent[behind] | (tokens.sentence[behind] == tokens.sentence[numbers])
    others = np.flatnonzero((tokens.number >= 0) & part.in_chunk)
    following = np.minimum(others + 1, len(tokens.word) - 1)
    sought = in_trace(tokens.word[behind], part.case[numbers])
    index = Index(tokens.word[following], part.case[others], tokens.clause[others], sought)
    same_thing = index.within(sought, *_clauses_of_window(tokens, cover.best_window[part.group[numbers]]))
    contradicted: Bools = ~there & same_thing & counted
    return contradicted


def _clauses_of_window(tokens: Tokens, windows: Ints) -> tuple[Ints, Ints]:
    """The clauses `[first, last)` of each window; empty for window -1."""
    low = np.searchsorted(tokens.clause_window, windows, side="left")
    high = np.searchsorted(tokens.clause_window, windows, side="right")
    return np.where(windows < 0, 0, low), np.where(windows < 0, 0, high)


def _is_telling(value: float) -> bool:
    """Whether a number is unlikely to stand in a text by chance: days, months and list places are not."""
    return abs(value) > 31 or not value.is_integer()


def _with_unit(tokens: Tokens, at: Ints, keys: Keys) -> Keys:
    """Keys of numbers together with the token behind each: 3 days is not 3 months."""
    return pair(keys, tokens.word[np.minimum(at + 1, len(tokens.word) - 1)]) if len(at) else keys


def _list_values(tokens: Tokens, at: Ints, *, meant_only: bool = False) -> tuple[Ints, Keys]:
    """Every value that the number tokens `at` may stand for, as (token, key) pairs.

    With `meant_only`, 3万 stands for 30000 alone; a clock time keeps both its readings.
    """
    values = tokens.values
    meant = [values[i] for i in tokens.number[at].tolist()]
    if meant_only:
        meant = [v if len(v) == 2 and v[1] > v[0] else v[:1] for v in meant]
    return np.repeat(at, [len(v) for v in meant]), value_keys([x for v in meant for x in v])


def _is_list_marker(part: Part, at: Ints) -> Bools:
    """A number that opens its claim and is followed by a point or bracket: "1." counts items."""
    tokens = part.tokens
    opening = np.where(at > 0, part.group[np.maximum(at - 1, 0)], -2) != part.group[at]
    after = tokens.offset[tokens.text[at]] + tokens.end[at]
    marker: Bools = opening & _LIST_POINT[tokens.codes[np.minimum(after, len(tokens.codes) - 1)]]
    return marker


def _measure_names(part: Part) -> Measures:
    """Capitalised words inside a sentence: all of them, and those that no chunk has."""
    tokens = part.tokens
    named = np.flatnonzero(part.in_claim & tokens.capital & ~tokens.opens & ((part.flags & STOP) == 0))
    there = np.flatnonzero(part.in_chunk)
    known = occurs(tokens.key[there], part.case[there], in_trace(tokens.key[named], part.case[named]))
    return {"names": _tally(part, named, np.ones(len(named))), "names_unknown": _tally(part, named, ~known)}


def _measure_polarity(part: Part, cover: Cover, mine: Ints) -> Measures:
    """Negations in the claim, and in the clause and the window that support it best."""
    tokens, n = part.tokens, part.claims
    negative = (part.flags & NEGATION) != 0
    clauses = np.bincount(tokens.clause, negative, minlength=len(tokens.clause_window) + 1)
    windows = np.bincount(tokens.window, negative, minlength=len(tokens.window_text) + 1)
    clause, window = cover.best_clause[:n], cover.best_window[:n]
    return {
        "negations": _tally(part, mine, negative[mine] & ~_is_reply_word(part, mine)),
        "clause_negations": np.where(clause >= 0, clauses[clause], 0.0),
        "window_negations": np.where(window >= 0, windows[window], 0.0),
    }


def _is_reply_word(part: Part, mine: Ints) -> Bools:
    """Tokens of a short first clause: "No, …", 不会，… answer the question, they negate nothing."""
    claim, clause = part.group[mine], part.tokens.clause[mine]
    opening = changes(claim)
    first_clause = clause[opening][np.cumsum(opening) - 1]
    inside = clause == first_clause
    length = np.bincount(claim[inside], minlength=part.claims)
    total = np.bincount(claim, minlength=part.claims)
    short = (length <= REPLY_TOKENS) & (total > length)
    reply: Bools = inside & short[claim]
    return reply


def _measure_opposites(part: Part, cover: Cover) -> Floats:
    """Units of a claim whose opposite stands by its best window, while they themselves do not."""
    units = part.units
    mine = np.flatnonzero(part.in_claim[units.last])
    which, opposite = opposite_keys(units.key[mine])
    unit = mine[which]
    claim, case = part.group[units.last[unit]], part.case[units.last[unit]]
    first, last = _clauses_near(part.tokens, cover.best_window[claim])
    sought = np.concatenate([in_trace(opposite, case), in_trace(units.key[unit], case)])
    found = index_chunks(part, sought).within(sought, np.tile(first, 2), np.tile(last, 2))
    there, itself = found[: len(unit)], found[len(unit) :]
    return np.bincount(claim, there & ~itself, minlength=part.claims).astype(np.float64)


def _clauses_near(tokens: Tokens, windows: Ints) -> tuple[Ints, Ints]:
    """The clauses `[first, last)` of each window and its two neighbours; empty for window -1."""
    low = np.searchsorted(tokens.clause_window, windows - 1, side="left")
    high = np.searchsorted(tokens.clause_window, windows + 1, side="right")
    return np.where(windows < 0, 0, low), np.where(windows < 0, 0, high)


def _clauses_of_chunk(tokens: Tokens, windows: Ints) -> tuple[Ints, Ints]:
    """The clauses `[first, last)` of the chunk that each window lies in; empty for window -1."""
    if not len(tokens.window_text):
        return np.zeros_like(windows), np.zeros_like(windows)
    text = tokens.window_text[windows]
    low = np.searchsorted(tokens.clause_window, tokens.text_window[text])
    high = np.searchsorted(tokens.clause_window, tokens.text_window[text + 1])
    return np.where(windows < 0, 0, low), np.where(windows < 0, 0, high)
