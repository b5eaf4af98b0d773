"""Claims against the attributes of records: "has outdoor seating" where one says `OutdoorSeating: false`.

A key is found in a claim when its words stand there close together, whole or joined (take-out, takeout,
TakeOut). Keys of any record count; no list of keys is kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from judges.distilled.kernel.compiled import compiled
from judges.distilled.measuring.claim_measures import Measures
from judges.distilled.measuring.lexicon import NEGATION
from judges.distilled.measuring.overlap import in_trace, occurs
from judges.distilled.measuring.part import Part
from judges.distilled.measuring.records import ABSENT, FALSE, TRUE, Records, find_records
from judges.distilled.measuring.tokens import Bools, Ints, pair
from judges.distilled.measuring.units import Floats

SPREAD = 6
"""Tokens that the words of one key may stand apart in a claim."""
MATCHED = 0.45
"""Share of a key's weight that the claim must hold."""
COMMON_KEYS = 3
"""A word that stands in so many keys of a record says nothing about one of them."""
MAX_KEY_WORDS = 8
JOINED = np.uint64(0x5BD1E995F00DCAFE)
"""Keeps the hashes of joined letters apart from those of single words."""
NEGATION_REACH = 8
"""Tokens before a key's words in which a negation denies them."""

ATTRIBUTES = (
    "says_no", "says_nothing", "says_yes", "says_value", "denies_yes", "denies_no", "says_no_weight",
    "says_nothing_weight", "parent_no", "denies_nothing", "says_no_only", "says_nothing_only",
)  # fmt: skip
"""Measures of a claim: keys in it that the record answers with no (false), nothing (null), yes, or a value;
keys that the claim negates though the record says yes, and rightly because it says no; the largest weight
of a key that the record denies, and of one it leaves open; denied keys whose parent key the claim names too;
keys negated that the record leaves open; denied and open keys whose word stands nowhere but in keys."""


class _Keys(NamedTuple):
    """Keys of records, case by case: one entry a key."""

    bounds: Any
    """First key of each case, and one past the last."""
    first: Any
    last: Any
    """Tokens of its words, and one past the last."""
    says: Any
    parent_first: Any
    parent_last: Any
    elsewhere: Any
    """Whether its word stands in the chunks outside of keys too."""


class _Claims(NamedTuple):
    """Tokens of claims, case by case: one entry a token."""

    bounds: Any
    token: Any
    claim: Any


class _Words(NamedTuple):
    """All tokens: one entry each."""

    key: Any
    clause: Any
    weight: Any
    negation: Any
    letters: Any
    """Hash and multiplier, of the letters that can be joined."""


class _Table(NamedTuple):
    """Keys of one case by their words: an open-addressed table of chains."""

    words: Any
    head: Any
    chain: Any
    """Entries: four times the key's number, plus how many words are joined (0: the telling word alone)."""


def measure_attributes(part: Part) -> Measures:
    """`ATTRIBUTES` of each claim; zeros where the chunks hold no record."""
    found = np.zeros((len(ATTRIBUTES), part.claims))
    if part.claims and _may_hold_records(part):
        records = find_records(part)
        if len(records.first):
            _match(part, records, found)
    return dict(zip(ATTRIBUTES, found, strict=True))


def _may_hold_records(part: Part) -> bool:
    return ":" in part.tokens.joined or "：" in part.tokens.joined


def _match(part: Part, records: Records, out: Floats) -> None:
    tokens = part.tokens
    distinct = _first_of_each(part, records)
    first, last, parent = records.first[distinct], records.last[distinct], records.parent[distinct]
    claim_tokens = np.flatnonzero(part.in_claim)
    begin = tokens.offset[tokens.text] + tokens.start
    letters = _hash_tokens(tokens.codes, begin, begin + tokens.end - tokens.start)
    weight = _weigh_words(part, first, last)
    cases = np.arange(len(part.cases) + 1)
    keys = _Keys(
        bounds=np.searchsorted(part.case[first], cases),
        first=first,
        last=last,
        says=records.says[distinct],
        parent_first=np.where(parent >= 0, records.first[parent], 0),
        parent_last=np.where(parent >= 0, records.last[parent], 0),
        elsewhere=_stands_elsewhere(part, records, first, last, weight),
    )
    claims = _Claims(np.searchsorted(part.case[claim_tokens], cases), claim_tokens, part.group[claim_tokens])
    negation = (part.flags & NEGATION) != 0
    _match_cases(keys, claims, _Words(tokens.key, tokens.clause, weight, negation, letters), out)


def _first_of_each(part: Part, records: Records) -> Ints:
    """Keys with words, without those that stood before in the same case with the same answer."""
    kept = np.flatnonzero((records.last > records.first) & (records.last - records.first <= MAX_KEY_WORDS))
    first, last = records.first[kept], records.last[kept]
    name = pair(part.tokens.key[first], part.tokens.key[last - 1])
    named = in_trace(name ^ records.says[kept].astype(np.uint64), part.case[first])
    return kept[np.sort(np.unique(named, return_index=True)[1])]


def _weigh_words(part: Part, first: Ints, last: Ints) -> Floats:
    """Weights of tokens, but 0 for words that stand in many keys of one case."""
    length = last - first
    ends = np.cumsum(length)
    at = np.arange(int(length.sum())) - np.repeat(ends - length, length) + np.repeat(first, length)
    words = in_trace(part.tokens.key[at], part.case[at])
    _, which, counts = np.unique(words, return_inverse=True, return_counts=True)
    weight = part.weight.copy()
    weight[at[counts[which] >= COMMON_KEYS]] = 0.0
    return weight


def _stands_elsewhere(part: Part, records: Records, first: Ints, last: Ints, weight: Floats) -> Bools:
    """Keys whose last telling word stands in the chunks of the case outside of keys too."""
    in_key = np.zeros(len(part.weight) + 1, dtype=np.int64)
    np.add.at(in_key, records.first, 1)
    np.add.at(in_key, records.last, -1)
    outside = part.in_chunk & (np.cumsum(in_key[:-1]) == 0) & _in_cases_with_keys(part, first)
    head = np.array(
        [
            max((t for t in range(a, b) if weight[t] > 0), default=a)
            for a, b in zip(first.tolist(), last.tolist(), strict=True)
        ],
        dtype=np.int64,
    )
    return occurs(
        part.tokens.key[outside], part.case[outside], in_trace(part.tokens.key[head], part.case[head])
    )


def _in_cases_with_keys(part: Part, first: Ints) -> Bools:
    have = np.zeros(len(part.cases), dtype=np.bool_)
    have[part.case[first]] = True
    return have[part.case]


@compiled
def _hash_tokens(codes: Any, begin: Any, end: Any) -> Any:
    """Hashes of the letters of each token that can be joined: per token (hash, multiplier)."""
    hashes = np.empty((len(begin), 2), dtype=np.uint64)
    for i in range(len(begin)):
        value, power = np.uint64(0), np.uint64(1)
        for j in range(begin[i], min(end[i], begin[i] + 24)):
            code = codes[j]
            if 65 <= code <= 90:
                code += 32
            value = value * np.uint64(1099511628211) + np.uint64(code)
            power = power * np.uint64(1099511628211)
        hashes[i, 0], hashes[i, 1] = value, power
    return hashes


@compiled
def _find(table: Any, key: Any) -> Any:
    """The slot of `key` in an open-addressed table, or the free slot (0) where it would stand."""
    mask = len(table) - 1
    at = np.int64((key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while table[at] != 0 and table[at] != key:
        at = (at + 1) & mask
    return at


@compiled
def _match_cases(keys: _Keys, claims: _Claims, words: _Words, out: Any) -> None:
    for case in range(len(keys.bounds) - 1):
        start, end = keys.bounds[case], keys.bounds[case + 1]
        low, high = claims.bounds[case], claims.bounds[case + 1]
        if start == end or low == high:
            continue
        size = 16
        while size < 8 * (end - start):
            size *= 2
        table = _Table(
            np.zeros(size, dtype=np.uint64),
            np.full(size, -1, dtype=np.int64),
            np.full(4 * (end - start), -1, dtype=np.int64),
        )
        total = np.zeros(end - start)
        for a in range(start, end):
            total[a - start] = _enter_key(a, a - start, keys, words, table)
        told = np.full(end - start, -1, dtype=np.int64)  # the last claim that each key was found in
        for i in range(low, high):
            _match_word(i, low, high, start, keys, claims, words, table, total, told, out)
            _match_joined(i, low, high, start, keys, claims, words, table, total, told, out)


@compiled
def _match_word(
    i: Any, low: Any, high: Any, start: Any, keys: _Keys, claims: _Claims, words: _Words, table: _Table,
    total: Any, told: Any, out: Any,
) -> None:  # fmt: skip
    """Keys whose telling word is claim token `i`, where enough of their other words stand around it."""
    at = _find(table.words, words.key[claims.token[i]])
    entry = table.head[at] if table.words[at] != 0 else -1
    while entry >= 0:
        a = start + entry // 4
        if entry % 4 == 0 and told[a - start] != claims.claim[i]:
            share = _share_near(a, i, low, high, keys, claims, words) / total[a - start]
            if share >= MATCHED:
                told[a - start] = claims.claim[i]
                _count(a, i, low, high, share * total[a - start], keys, claims, words, out)
        entry = table.chain[entry]


@compiled
def _match_joined(
    i: Any, low: Any, high: Any, start: Any, keys: _Keys, claims: _Claims, words: _Words, table: _Table,
    total: Any, told: Any, out: Any,
) -> None:  # fmt: skip
    """Keys whose words are those from claim token `i` on, up to three of them, joined or not."""
    said = np.uint64(0)
    for length in range(1, 4):
        if i + length > high or claims.claim[i + length - 1] != claims.claim[i]:
            break
        token = claims.token[i + length - 1]
        said = said * words.letters[token, 1] + words.letters[token, 0]
        at = _find(table.words, said ^ JOINED)
        entry = table.head[at] if table.words[at] != 0 else -1
        while entry >= 0:
            a = start + entry // 4
            if (entry % 4 > 1 or length > 1) and told[a - start] != claims.claim[i]:
                told[a - start] = claims.claim[i]
                _count(a, i, low, high, total[a - start], keys, claims, words, out)
            entry = table.chain[entry]


@compiled
def _enter_key(a: Any, n: Any, keys: _Keys, words: _Words, table: _Table) -> Any:
    """Put a key into the table: by its last word that says anything (the head of a compound), and by its last
    words joined. Gives back the weight of its words."""
    first, last = keys.first[a], keys.last[a]
    total, anchor = 0.0, -1
    for t in range(first, last):
        total += words.weight[t]
        if words.weight[t] > 0.0:
            anchor = t
    if anchor >= 0:
        _enter(words.key[anchor], 4 * n, table)
        there, power = np.uint64(0), np.uint64(1)
        for pieces in range(1, 4):
            t = last - pieces
            if t < first:
                break
            there = there + words.letters[t, 0] * power
            power = power * words.letters[t, 1]
            if pieces > 1 or first == t:
                _enter(there ^ JOINED, 4 * n + pieces, table)
    return total


@compiled
def _enter(word: Any, entry: Any, table: _Table) -> None:
    at = _find(table.words, word)
    table.words[at] = word
    table.chain[entry] = table.head[at]
    table.head[at] = entry


@compiled
def _share_near(a: Any, i: Any, low: Any, high: Any, keys: _Keys, claims: _Claims, words: _Words) -> Any:
    """Weight of a key's words that stand around claim token `i`."""
    share = 0.0
    for t in range(keys.first[a], keys.last[a]):
        if words.weight[t] > 0.0:
            for j in range(max(low, i - SPREAD), min(high, i + SPREAD + 1)):
                if claims.claim[j] == claims.claim[i] and words.key[claims.token[j]] == words.key[t]:
                    share += words.weight[t]
                    break
    return share


@compiled
def _is_negated(i: Any, low: Any, high: Any, claims: _Claims, words: _Words) -> Any:
    """Whether the claim negates the word at `i` anywhere: before it, or behind it in the same clause."""
    token, claim = claims.token, claims.claim
    for k in range(i, high):
        if claim[k] != claim[i]:
            break
        if words.key[token[k]] != words.key[token[i]]:
            continue
        for j in range(max(low, k - NEGATION_REACH), k):
            if claim[j] == claim[i] and words.negation[token[j]]:
                return True
        for j in range(k + 1, min(high, k + 1 + NEGATION_REACH)):
            same = claim[j] == claim[i] and words.clause[token[j]] == words.clause[token[k]]
            if same and words.negation[token[j]]:
                return True
    return False


@compiled
def _count(
    a: Any, i: Any, low: Any, high: Any, found: Any, keys: _Keys, claims: _Claims, words: _Words, out: Any
) -> None:
    """Add key `a`, found with this weight at claim token `i`, to the measures of the claim."""
    c = claims.claim[i]
    negated = _is_negated(i, low, high, claims, words)
    said = keys.says[a]
    if said == TRUE:
        out[4 if negated else 2, c] += 1.0
    elif said != FALSE and said != ABSENT:
        out[3, c] += 1.0
    elif negated:
        out[5 if said == FALSE else 9, c] += 1.0
    else:
        row = 0 if said == FALSE else 1
        out[row, c] += 1.0
        out[row + 6, c] = max(out[row + 6, c], found)
        out[row + 10, c] += not keys.elsewhere[a]
        named = False
        for t in range(keys.parent_first[a], keys.parent_last[a]):
            if words.weight[t] > 0.0:
                for j in range(low, high):
                    named |= claims.claim[j] == c and words.key[claims.token[j]] == words.key[t]
        out[8, c] += named


__all__ = ["ATTRIBUTES", "measure_attributes"]
