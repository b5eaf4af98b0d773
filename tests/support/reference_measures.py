"""What is measured of claims and traces, written out slowly over the tokens of `reference_tokens`.

Every measure follows its definition by itself: sets of places, loops over all pairs, nothing shared and
nothing remembered. Only for tests.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import nan

from judges.distilled.measuring.batch import Case
from judges.distilled.measuring.lexicon import DENIAL, NEGATION, STOP, WORD_LISTS
from tests.support.reference_tokens import Token, Unit, _stem, list_units, read_tokens, spell

QUESTION, REWRITE, HISTORY, ANSWER, CHUNK = range(5)
Key = tuple[int, int]
"""Case, and claim (0 and up) or role (-3: question, -2: rewrite, -1: history)."""


@dataclass(slots=True)
class Found:
    """Coverage of one group."""

    total: float
    any: float
    chunk: float
    pair: float
    window: float
    clause: float
    best_window: int
    best_clause: int


class Reference:
    """All measures of some cases."""

    def __init__(self, cases: Sequence[Case]) -> None:
        self.cases = cases
        texts: list[str] = []
        self.owner: list[tuple[int, int]] = []
        for i, case in enumerate(cases):
            for role, text in enumerate([case.question, case.rewrite, case.history, case.answer]):
                texts.append(text)
                self.owner.append((i, role))
            for text in case.chunks:
                texts.append(text)
                self.owner.append((i, CHUNK))
        self.tokens = read_tokens(texts)
        self.texts = texts
        self.units = list_units(self.tokens)
        self.group = [self._group_of(t) for t in self.tokens]
        self.places = self._list_places()
        self.denying = {t.clause for t in self.tokens if t.flags & (NEGATION | DENIAL)}

    def role(self, token: Token) -> int:
        return self.owner[token.text][1]

    def case(self, token: Token) -> int:
        return self.owner[token.text][0]

    def _group_of(self, token: Token) -> Key | None:
        case, role = self.owner[token.text]
        if role <= HISTORY:
            return case, role - 3
        if role == ANSWER:
            for k, claim in enumerate(self.cases[case].claims):
                if claim.start <= token.start < claim.end:
                    return case, k
        return None

    def _list_places(self) -> dict[tuple[int, object], set[int]]:
        """The clauses of chunks in which each unit of a case stands."""
        places: dict[tuple[int, object], set[int]] = {}
        for unit in self.units:
            token = self.tokens[unit.last]
            if self.role(token) == CHUNK:
                places.setdefault((self.case(token), unit.form), set()).add(token.clause)
        return places

    def members(self, key: Key) -> list[int]:
        return [i for i, group in enumerate(self.group) if group == key]

    def units_of(self, key: Key) -> list[Unit]:
        return [u for u in self.units if self.group[u.last] == key]

    def stands_in(self, case: int, unit: Unit) -> set[int]:
        return self.places.get((case, unit.form), set())

    def window_of(self, clause: int) -> int:
        return next(t.window for t in self.tokens if t.clause == clause)

    def clauses_of(self, windows: Iterable[int]) -> set[int]:
        wanted = set(windows)
        return {t.clause for t in self.tokens if t.window in wanted}

    def covering(self, key: Key) -> dict[int, set[int]]:
        """For each token of weight in a group, the clauses that hold it."""
        held: dict[int, set[int]] = {}
        for unit in self.units_of(key):
            for i in range(unit.first, unit.last + 1):
                if self.tokens[i].weight > 0 and self.group[i] == key:
                    held.setdefault(i, set()).update(self.stands_in(key[0], unit))
        return {i: clauses for i, clauses in held.items() if clauses}

    def cover(self, key: Key) -> Found:
        tokens, held = self.tokens, self.covering(key)
        total = sum(tokens[i].weight for i in self.members(key))
        window = {c: self.window_of(c) for clauses in held.values() for c in clauses}
        text = {t.window: t.text for t in tokens}

        def best(place_of: dict[int, int]) -> tuple[float, int]:
            sums: dict[int, float] = {}
            for i, clauses in held.items():
                for place in {place_of[c] for c in clauses}:
                    sums[place] = sums.get(place, 0.0) + tokens[i].weight
            top = max(sums.values(), default=0.0)
            return top, min((p for p, s in sums.items() if s >= top - 1e-9), default=-1)

        safe = total or 1.0
        by_clause, best_clause = best({c: c for c in window})
        by_window, best_window = best(window)
        even = best({c: w // 2 for c, w in window.items()})[0]
        odd = best({c: (w + 1) // 2 for c, w in window.items()})[0]
        chunk = best({c: text[w] for c, w in window.items()})[0]
        anywhere = sum(tokens[i].weight for i in held)
        return Found(
            total, anywhere / safe, chunk / safe, max(even, odd) / safe, by_window / safe, by_clause / safe,
            best_window, best_clause,
        )  # fmt: skip

    # --- one claim ---

    def measure_claim(self, key: Key) -> dict[str, float]:
        members, found = self.members(key), self.cover(key)
        return {
            **self._wording(key, members, found),
            **self._runs(key, members),
            **self._numbers(key, members, found),
            "opposites": self._opposites(key, found),
            "echo": self._echo(key, members),
        }

    def _wording(self, key: Key, members: list[int], found: Found) -> dict[str, float]:
        tokens, held = self.tokens, self.covering(key)
        content = [i for i in members if tokens[i].weight > 0]
        missing = [i for i in content if i not in held]
        denied = [i for i in content if i in held and held[i] <= self.denying]
        negating = [i for i in members if tokens[i].flags & NEGATION]
        gaps, longest = 0, 0
        for i in content:
            gaps = 0 if i in held else gaps + 1
            longest = max(longest, gaps)
        reply = [i for i in members if tokens[i].clause == tokens[members[0]].clause]
        answers_first = len(reply) <= 3 and len(reply) < len(members)

        def count(name: str, place: int) -> int:
            return sum(bool(t.flags & NEGATION) for t in tokens if getattr(t, name) == place >= 0)

        return {
            "tokens": len(members),
            "content": len(content),
            "missing": len(missing),
            "heaviest_missing": max((tokens[i].weight for i in missing), default=0.0),
            "longest_gap": longest,
            "denied": 0 if negating else len(denied),
            "affirmed": len(content) - len(missing) - len(denied) if negating else 0,
            "negations": sum(not (answers_first and i in reply) for i in negating),
            "clause_negations": count("clause", found.best_clause),
            "window_negations": count("window", found.best_window),
        }

    def _run(self, i: int, length: int) -> tuple[object, ...] | None:
        """The forms of the run of so many tokens that ends at `i`, within one sentence."""
        first = i - length + 1
        if first < 0 or self.tokens[first].sentence != self.tokens[i].sentence:
            return None
        return tuple(self.tokens[j].form for j in range(first, i + 1))

    def _is_claimed(self, i: int) -> bool:
        group = self.group[i] if i >= 0 else None
        return group is not None and group[1] >= 0

    def _runs(self, key: Key, members: list[int]) -> dict[str, float]:
        tokens = self.tokens
        chunked = [i for i, t in enumerate(tokens) if self.role(t) == CHUNK and self.case(t) == key[0]]
        measures: dict[str, float] = {}
        seen: dict[int, set[int]] = {}
        for length in (2, 3, 4):
            there = {self._run(i, length) for i in chunked}
            runs = [i for i in members if self._run(i, length) is not None]
            seen[length] = {i for i in runs if self._run(i, length) in there}
            measures |= {f"runs{length}": len(runs), f"runs{length}_seen": len(seen[length])}
        pairs = {self._run(i, 2) for i in chunked}
        breaks = [
            i
            for i in members
            if self._is_claimed(i - 1) and self._run(i - 1, 2) in pairs - {None}
            if i not in seen[3] and not tokens[i].flags & STOP
        ]
        names = [
            i for i in members if tokens[i].capital and not tokens[i].opens and not tokens[i].flags & STOP
        ]
        forms = {tokens[i].form for i in chunked}
        unknown = [i for i in names if tokens[i].form not in forms]
        return measures | {"slot_breaks": len(breaks), "names": len(names), "names_unknown": len(unknown)}

    def _numbers(self, key: Key, members: list[int], found: Found) -> dict[str, float]:
        tokens = self.tokens
        counts = dict.fromkeys(("", "_unknown", "_echoed", "_far", "_contradicted"), 0.0)
        of_case = [i for i, t in enumerate(tokens) if t.values and self.case(t) == key[0]]
        chunked = [i for i in of_case if self.role(tokens[i]) == CHUNK]
        asked = [i for i in of_case if self.role(tokens[i]) <= REWRITE]
        window = self.clauses_of([found.best_window]) if found.best_window >= 0 else set()
        text = next((t.text for t in tokens if t.window == found.best_window), None)
        chunk = {t.clause for t in tokens if t.text == text}
        for i in members:
            if not tokens[i].values or self._is_list_point(key, i, members):
                continue
            meant = tokens[i].values[:1]
            if len(tokens[i].values) == 2 and tokens[i].values[1] > tokens[i].values[0]:
                meant = tokens[i].values
            same = [j for j in chunked if set(meant) & set(tokens[j].values)]
            near = any(tokens[j].clause in chunk for j in same)
            telling = abs(meant[0]) > 31 or meant[0] != int(meant[0])
            with_unit = any(self._behind(j) == self._behind(i) for j in same)
            known = near or with_unit or (telling and bool(same))
            echoed = any(set(meant) & set(tokens[j].values) for j in asked)
            behind = tokens[min(i + 1, len(tokens) - 1)]
            counted = behind.adjacent or behind.sentence == tokens[i].sentence
            other = any(tokens[j].clause in window and self._behind(j) == self._behind(i) for j in chunked)
            lacks = not any(tokens[j].clause in window for j in same)
            counts[""] += 1
            counts["_unknown"] += not known and not echoed
            counts["_echoed"] += not known and echoed
            counts["_far"] += known and not near
            counts["_contradicted"] += known and lacks and counted and other
        return {f"numbers{name}": count for name, count in counts.items()}

    def _behind(self, i: int) -> object:
        """What a number counts: the word behind it, as it is spelled."""
        return self.tokens[min(i + 1, len(self.tokens) - 1)].word

    def _is_list_point(self, key: Key, i: int, members: list[int]) -> bool:
        token = self.tokens[i]
        after = (self.texts[token.text] + "\0")[token.end]
        return i == members[0] and after in ".、)）:："

    def _opposites(self, key: Key, found: Found) -> float:
        if found.best_window < 0:
            return 0.0
        near = self.clauses_of(range(found.best_window - 1, found.best_window + 2))
        pairs = set()
        for section in ("opposites en", "opposites zh"):
            for entry in WORD_LISTS[section]:
                left, right = (_form_of(spell(word)) for word in entry.split("/"))
                pairs |= {(left, right), (right, left)} if left != right else set()
        return float(
            sum(
                bool(near & self.places.get((key[0], right), set()))
                and not near & self.stands_in(key[0], unit)
                for unit in self.units_of(key)
                for left, right in pairs
                if left == unit.form
            )
        )

    # --- questions ---

    def held_by(self, key: Key, role: int) -> set[int]:
        """The tokens of a group whose units stand in a text of that role of the same case."""
        there = {
            u.form
            for u in self.units
            if self.role(self.tokens[u.last]) == role and self.case(self.tokens[u.last]) == key[0]
        }
        return {i for u in self.units if self.group[u.last] is not None and u.form in there
                and self.case(self.tokens[u.last]) == key[0] for i in (u.first, u.last)}  # fmt: skip

    def weigh(self, tokens: Iterable[int]) -> float:
        return sum(self.tokens[i].weight for i in tokens)

    def _echo(self, key: Key, members: list[int]) -> float:
        total = self.weigh(members)
        return self.weigh(set(members) & self.held_by(key, QUESTION)) / total if total else 0.0

    def measure_trace(self, case: int, supporting: set[int]) -> dict[str, float]:
        """`supporting`: windows that support a claim of any case best."""
        question, rewrite = self.members((case, -3)), self.members((case, -2))
        held = {role: self.held_by((case, 0), role) for role in (QUESTION, REWRITE, HISTORY, ANSWER)}
        near = {max(w + shift, 0) for w in supporting for shift in (-1, 0, 1)}
        support = {
            i
            for u in self.units
            if self.group[u.last] is not None and self.case(self.tokens[u.last]) == case
            if any(self.window_of(c) in near for c in self.stands_in(case, u))
            for i in (u.first, u.last)
        }
        fresh = [i for i in rewrite if i not in held[QUESTION]]

        def share(some: set[int], whole: list[int]) -> float:
            total = self.weigh(whole)
            return self.weigh(i for i in whole if i in some) / total if total > 0 else nan

        return {
            "question_in_answer": share(held[ANSWER], question),
            "rewrite_in_answer": share(held[ANSWER], rewrite),
            "question_in_support": share(support, question),
            "rewrite_in_support": share(support, rewrite),
            "question_in_history": share(held[HISTORY], question),
            "rewrite_new": self.weigh(fresh),
            "rewrite_new_in_history": share(held[HISTORY], fresh),
            "rewrite_new_names": sum(self._is_name(case, i) and i not in held[HISTORY] for i in fresh),
            "rewrite_keeps": share(held[REWRITE], question),
        }

    def _is_name(self, case: int, i: int) -> bool:
        token = self.tokens[i]
        latin = token.kind == 1 and self.cases[case].language == "zh"
        return token.weight > 0 and ((token.capital and not token.opens) or bool(token.values) or latin)


def _form_of(word: str) -> object:
    """How the unit of a listed word is compared: two Chinese characters as a pair, else by the stem."""
    if word.isascii():
        stem, short = _stem(word)
        return stem + "~" * short
    return ("pair", word[0], word[1])
