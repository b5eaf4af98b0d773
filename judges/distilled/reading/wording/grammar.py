"""A small language for wording: each word becomes a letter, each rule a regular expression over letters.

A vocabulary names roles (`TELL = "answer say confirm …"`); a word may have several. A rule is a row of

    ROLE  word      one word: of that role, or that very word
    CONTENT  ANY    a word without a role; any word
    (A|B C)         the one or the other
    X?  X*          at most one; at most three
    ..5             up to five words, but no pause (comma, colon, bracket) among them
    ,,5             up to five words or pauses
    !X  -X          the next word is no X; the word before was no X
    ^  $            the begin and the end

as in `SPEAKER can ADVERB* not ..2 TELL`. Every repetition is bounded, and so is a sentence: matching is
linear in the text. A rule is tried only where every role that it cannot do without occurs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

PAUSE = "PAUSE"
UNKNOWN = " "
"""The letter of a word that the vocabulary does not know."""
CONTENT, ANY = "CONTENT", "ANY"
MAX_LETTERS = 160
"""A sentence is read up to this many words."""
MOST_REPEATS = 3
_FIRST_LETTER = 0x21
_ITEM = re.compile(r"\.\.\d+|,,\d+|[!-][^\s()|?*^$]+|[()|?*^$]|[^\s()|?*^$]+")


@dataclass(slots=True, frozen=True)
class Rule:
    """A row of roles, and sentences that it recognises."""

    pattern: str
    examples: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class Match:
    """Where a rule fits: letters `[start, end)`. Letters are words, not characters."""

    rule: Rule
    group: str
    start: int
    end: int


@dataclass(slots=True, eq=False)
class _Compiled:
    rule: Rule
    group: str
    regex: re.Pattern[str]
    must: int = 0
    """Bits of the roles that have to occur."""
    any_of: list[int] = field(default_factory=list)
    """Of each of these sets of roles, one has to occur."""


class Grammar:
    """A vocabulary and the groups of rules over it, for one language."""

    def __init__(self, vocabulary: Mapping[str, str], **groups: Sequence[Rule]) -> None:
        self.groups = groups
        patterns = [rule.pattern for rules in groups.values() for rule in rules]
        roles = _list_roles(vocabulary, [item for p in patterns for item in _ITEM.findall(p)])
        self._letter_of: dict[frozenset[str], str] = {}
        self.letters = {word: self._make_letter(frozenset(names)) for word, names in roles.items()}
        """The letter of each word."""
        names = sorted({n for owned in self._letter_of for n in owned})
        self._bit = {name: 1 << i for i, name in enumerate(names)}
        self._bits_of = {letter: self._bits(owned) for owned, letter in self._letter_of.items()}
        self._words = Counter(name for owned in roles.values() for name in owned)
        self._compiled = {
            name: [self._compile_rule(name, r) for r in rules] for name, rules in groups.items()
        }
        self._indices: dict[tuple[str, ...], dict[str, list[_Compiled]]] = {}

    def find(self, letters: str, *groups: str) -> Iterator[Match]:
        """Every place where a rule of these groups fits, in no particular order."""
        index = self._indices.get(groups)
        if index is None:
            index = self._indices[groups] = self._index(groups)
        present = 0
        worth: set[_Compiled] = set()
        for letter in set(letters):
            present |= self._bits_of.get(letter, 0)
            worth.update(index.get(letter, ()))
        for compiled in worth:
            must = compiled.must
            if present & must == must and all(present & bits for bits in compiled.any_of):
                for match in compiled.regex.finditer(letters):
                    yield Match(compiled.rule, compiled.group, match.start(), match.end())

    def compile(self, pattern: str) -> re.Pattern[str]:
        """A row of roles as a regular expression over letters."""
        return re.compile("".join(self._translate(item) for item in _ITEM.findall(pattern)))

    def letters_of(self, name: str) -> str:
        """All letters that stand for words of a role."""
        if name == CONTENT:
            return UNKNOWN
        found = "".join(letter for owned, letter in self._letter_of.items() if name in owned)
        if not found:
            raise ValueError(f"no word has the role {name!r}")
        return found

    def _make_letter(self, names: frozenset[str]) -> str:
        return self._letter_of.setdefault(names, chr(_FIRST_LETTER + len(self._letter_of)))

    def _bits(self, names: Sequence[str] | frozenset[str]) -> int:
        return sum(self._bit[name] for name in names)

    def _compile_rule(self, group: str, rule: Rule) -> _Compiled:
        compiled = _Compiled(rule, group, self.compile(rule.pattern))
        for names in _find_needed(_ITEM.findall(rule.pattern)):
            if len(names) == 1:
                compiled.must |= self._bits(names)
            else:
                compiled.any_of.append(self._bits(frozenset(names)))
        return compiled

    def _index(self, groups: tuple[str, ...]) -> dict[str, list[_Compiled]]:
        """For each letter, the rules worth a try where it occurs: those that it is the rarest part of."""
        index: dict[str, list[_Compiled]] = {}
        for compiled in (c for group in groups for c in self._compiled[group]):
            needed = _find_needed(_ITEM.findall(compiled.rule.pattern))
            rarest = self._bits(frozenset(min(needed, key=lambda names: sum(self._words[n] for n in names))))
            for letter, bits in self._bits_of.items():
                if bits & rarest:
                    index.setdefault(letter, []).append(compiled)
        return index

    def _translate(self, item: str) -> str:
        if item in ("|", ")", "?", "^", "$"):
            return item
        if item == "(":
            return "(?:"
        if item == "*":
            return f"{{0,{MOST_REPEATS}}}"
        if item.startswith(".."):
            return f"[^{re.escape(self.letters_of(PAUSE))}]{{0,{item[2:]}}}?"
        if item.startswith(",,"):
            return f".{{0,{item[2:]}}}?"
        if item[0] == "!":
            return f"(?!{self._class(item[1:])})"
        if item[0] == "-" and len(item) > 1:
            return f"(?<!{self._class(item[1:])})"
        return "." if item == ANY else self._class(item)

    def _class(self, name: str) -> str:
        return f"[{re.escape(self.letters_of(name))}]"


def _list_roles(vocabulary: Mapping[str, str], items: Sequence[str]) -> dict[str, set[str]]:
    """The roles of each word; a word that a rule names has the role of its own name."""
    roles: dict[str, set[str]] = {}
    for name, words in vocabulary.items():
        for word in words.split():
            roles.setdefault(word, set()).add(name)
    for item in items:
        name = _named(item)
        if name and not name.isupper():
            roles.setdefault(name, set()).add(name)
    return roles


def _named(item: str) -> str:
    """The role or word that an item of a pattern names, or nothing."""
    if item[:2] in ("..", ",,") or item in ("(", ")", "|", "?", "*", "^", "$"):
        return ""
    name = item[1:] if item[0] in "!-" and len(item) > 1 else item
    return "" if name in (CONTENT, ANY) else name


def _find_needed(items: Sequence[str]) -> Iterator[list[str]]:
    """What a pattern cannot do without: sets of roles, one of each of which has to occur."""
    group: list[str] = []
    depth = 0
    idle = False
    for i, item in enumerate(items):
        depth += (item == "(") - (item == ")")
        idle |= depth > 0 and item in ("^", "$", CONTENT, ANY)
        if _named(item) and item[0] not in "!-":
            group.append(item)
        if depth == 0:
            idle |= items[i + 1 : i + 2] in (["?"], ["*"])
            if group and not idle:
                yield group
            group, idle = [], False
