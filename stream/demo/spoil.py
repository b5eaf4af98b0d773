"""Ways in which text goes wrong: changed numbers, broken encodings, loops, cut-offs."""

from __future__ import annotations

import re
from random import Random

_NUMBER = re.compile(r"(?<![A-Za-z\d.:_-])\d+(?:,\d{3})*(?::\d{2})?(?:\.\d+)?(?![A-Za-z\d:])")


def change_number(text: str, known: str, random: Random) -> str | None:
    """Replace one number by another that `known` does not hold; null where there is none to change."""
    found = list(_NUMBER.finditer(text))
    if not found:
        return None
    hit = random.choice(found)
    for _ in range(20):
        other = _other_number(hit[0], random)
        if other != hit[0] and not re.search(rf"(?<!\d){re.escape(other)}(?!\d)", known):
            return text[: hit.start()] + other + text[hit.end() :]
    return None


def _other_number(number: str, random: Random) -> str:
    if ":" in number:
        return f"{random.randint(6, 22)}:{random.choice(('00', '15', '30', '45'))}"
    if "." in number:
        whole, decimals = number.split(".")
        return f"{int(whole.replace(',', '')) + random.randint(1, 9)}.{decimals}"
    value = int(number.replace(",", ""))
    if 1990 <= value <= 2100:
        return str(value + random.choice((-2, -1, 1, 2, 3)))
    factor = random.choice((2, 3, 4, 5, 10))
    other = max(1, value // factor) if value > 20 and random.random() < 0.5 else value * factor + (value == 0)
    return f"{other:,}" if "," in number else str(other)


def break_encoding(text: str, random: Random) -> str:
    """Text as a parser leaves it that guessed the wrong encoding."""
    raw = text.encode()
    if random.random() < 0.5:
        return raw.decode("cp1252", errors="replace")
    return raw.decode("gbk", errors="replace") if not text.isascii() else raw.decode("latin-1")


def break_layout(text: str, random: Random) -> str:
    """Text as a PDF extractor leaves it: glyph numbers, lost characters, glued and cut columns."""
    out: list[str] = []
    for word in text.split():
        roll = random.random()
        if roll < 0.25:
            out.append("".join(f"(cid:{ord(letter) % 128})" for letter in word[:4]))
        elif roll < 0.45:
            out.append(word[: len(word) // 2] + "\ufffd\ufffd")
        elif roll < 0.6:
            out.append("| --- | NaN |")
        else:
            out.append(word)
    return "".join(out) if random.random() < 0.5 else " ".join(out)


def garble(text: str, language: str, random: Random) -> str:
    """A chunk nobody can read. ASCII survives a wrong encoding, so English breaks by its layout."""
    return break_encoding(text, random) if language == "zh" else break_layout(text, random)


def cut_off(answer: str, random: Random) -> str:
    """The answer as it stands when the token limit strikes."""
    return answer[: max(4, int(len(answer) * random.uniform(0.35, 0.75)))].rstrip("。.！!？?； ")


def loop(answer: str, filler: str, random: Random) -> str:
    """An answer that never ends."""
    piece = filler if random.random() < 0.5 else answer
    return (piece * random.randint(12, 30))[:2500]


__all__ = ["break_encoding", "break_layout", "change_number", "cut_off", "garble", "loop"]
