"""Sentences to letters: English by its words, Chinese by the longest words that a vocabulary knows."""

from __future__ import annotations

import re
from typing import Protocol

from judges.distilled.reading.wording.grammar import MAX_LETTERS, UNKNOWN, Grammar

MAX_CHARS = 600
NUMBER = "0"
"""The word that stands for every number in a vocabulary."""

_WORD = re.compile(r"[a-z]+(?:'[a-z]+|(?:-[a-z]+)+)?|\d[\d.,]*|[^\w\s]|[^\W_]")
_SPACE_OR_RUN = re.compile(r"\s+|[a-z][a-z0-9]*(?:['_.-][a-z0-9]+)*|\d[\d.,]*")
_AUXILIARIES = "do does did is are was were has have had can could would should must may might need wo ca ai"


def _spell_out() -> dict[str, str]:
    """don't → do not, I'm → i am: what an apostrophe (or its absence) hides."""
    full = {"wo": "will", "ca": "can", "ai": "is"}
    words = {"cannot": "can not", "cant": "can not", "dont": "do not", "doesnt": "does not", "isnt": "is not"}
    words |= {"didnt": "did not", "wont": "will not", "couldnt": "could not", "im": "i am", "ive": "i have"}
    for verb in _AUXILIARIES.split():
        words[verb + "n't"] = f"{full.get(verb, verb)} not"
    for who in "i you we they he she it that there this here what who how where one which".split():
        for tail, verb in (("'ve", "have"), ("'ll", "will"), ("'d", "would"), ("'re", "are"), ("'s", "is")):
            words[who + tail] = f"{who} {verb}"
    words["i'm"] = "i am"
    return words


_SPELLED_OUT = _spell_out()


class Reader(Protocol):
    """Turns sentences into letters."""

    def read(self, sentence: str) -> str:
        """The letters of a folded sentence."""
        ...

    def read_known(self, sentence: str) -> str | None:
        """The same, or null where a word is unknown: nothing behind it is read."""
        ...

    def knows_first(self, sentence: str) -> bool:
        """Whether the vocabulary knows the first word of a folded sentence."""
        ...


class EnglishReader:
    """Reads words; don't is two of them."""

    def __init__(self, grammar: Grammar) -> None:
        self._letters = dict(grammar.letters)
        for short, full in _SPELLED_OUT.items():
            spelled = "".join(grammar.letters.get(word, UNKNOWN) for word in full.split())
            self._letters.setdefault(short, spelled)

    def read(self, sentence: str) -> str:
        """The letters of a folded sentence, one a word."""
        letter = self._letters.get
        return "".join([letter(word, UNKNOWN) for word in _WORD.findall(sentence[:MAX_CHARS])])[:MAX_LETTERS]

    def read_known(self, sentence: str) -> str | None:
        """The same, or null where a word is unknown: nothing behind it is read."""
        known = self._letters
        read: list[str] = []
        for word in _WORD.finditer(sentence[:MAX_CHARS]):
            letters = known.get(word.group(), UNKNOWN)
            if UNKNOWN in letters:
                return None
            read.append(letters)
        return "".join(read)[:MAX_LETTERS]

    def knows_first(self, sentence: str) -> bool:
        """Whether the vocabulary knows the first word of a folded sentence."""
        first = _WORD.search(sentence)
        return first is not None and first.group() in self._letters


class ChineseReader:
    """Reads the longest words that the vocabulary knows, and other characters one by one."""

    def __init__(self, grammar: Grammar) -> None:
        words: dict[str, list[tuple[str, str]]] = {}
        for word, letter in grammar.letters.items():
            words.setdefault(word[0], []).append((word, letter))
        self._words = {c: sorted(found, key=lambda w: -len(w[0])) for c, found in words.items()}
        self._letters = grammar.letters
        self._number = grammar.letters.get(NUMBER, UNKNOWN)

    def read(self, sentence: str) -> str:
        """The letters of a folded sentence: one a known word, one a character or Latin word elsewhere."""
        return "".join(self._read(sentence, stop=False))

    def read_known(self, sentence: str) -> str | None:
        """The same, or null where a word is unknown: nothing behind it is read."""
        read = self._read(sentence, stop=True)
        return None if read and read[-1] == UNKNOWN else "".join(read)

    def _read(self, sentence: str, *, stop: bool) -> list[str]:
        """Letters; with `stop`, the first unknown one is the last."""
        text = sentence[:MAX_CHARS]
        read: list[str] = []
        at, end = 0, len(text)
        words = self._words
        while at < end and len(read) < MAX_LETTERS:
            character = text[at]
            if not "\u3400" <= character <= "\u9fff":  # a Chinese character begins no run
                run = _SPACE_OR_RUN.match(text, at)
                if run is not None:
                    read.append(self._read_run(run.group()))
                    at = run.end()
                    if stop and read[-1] == UNKNOWN:
                        break
                    continue
            for word, letter in words.get(character, ()):
                if text.startswith(word, at):
                    read.append(letter)
                    at += len(word)
                    break
            else:
                read.append(UNKNOWN)
                if stop:
                    break
                at += 1
        return read

    def knows_first(self, sentence: str) -> bool:
        """Whether the vocabulary knows the first word of a folded sentence."""
        first = sentence[:1]
        if any(sentence.startswith(word) for word, _ in self._words.get(first, ())):
            return True
        return not "\u3400" <= first <= "\u9fff" and self.read(first) != UNKNOWN

    def _read_run(self, run: str) -> str:
        if run.isspace():
            return ""
        return self._letters.get(run) or (self._number if run[0].isdecimal() else UNKNOWN)
