"""A question to a judge, put together so that what is judged cannot speak for us.

Instructions stand in the system message, and shortly again behind the data. Everything that strangers wrote
stands in the user message, in blocks: neutralised (see `hostile`), each line behind a bar, between a line
that begins the block and one that ends it. Both carry a word that is made from the data itself, so a text
would have to contain its own digest to know it; and a text that holds the word all the same gets another one.
The word depends on nothing but the data: the same question is the same bytes, and is answered from the cache.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from judges.llm.asking import Message
from judges.llm.hostile import behind_bars, neutralise
from judges.llm.rubrics import Rubric

Derive = Callable[[Sequence[str]], str]
"""The texts of a question to the word that delimits them."""
NONCE_LETTERS: Final = 14
"""About 65 bits."""


@dataclass(slots=True, frozen=True)
class Entry:
    """One monitored text, as it came, under a heading of ours (or none)."""

    text: str
    heading: str = ""


@dataclass(slots=True, frozen=True)
class Block:
    """Monitored texts that belong together, under a name of ours."""

    name: str
    entries: tuple[Entry, ...]


def block(name: str, text: str) -> list[Block]:
    """A block of one text; none where there is no text."""
    return [Block(name, (Entry(text),))] if text else []


def compose(
    rubric: Rubric, task: str, blocks: Sequence[Block], *, derive: Derive | None = None, max_claims: int = 0
) -> tuple[Message, Message]:
    """The messages of one question: the instructions of `task`, and the data with the reminder behind it."""
    shown = [(b.name, [(e.heading, neutralise(e.text)) for e in b.entries]) for b in blocks]
    nonce = (derive or derive_nonce)([text for _, entries in shown for _, text in entries])
    begin, end = f"<<<BEGIN {nonce}", f"<<<END {nonce}>>>"
    asked = rubric.tasks[task]
    system = f"{rubric.rules}\n\n{asked.instructions}".replace("{begin}", begin).replace("{end}", end)
    system = system.replace("{max_claims}", str(max_claims))
    data = "\n".join(
        "\n".join([f"{begin} {name}>>>", *(_show(heading, text) for heading, text in entries), end])
        for name, entries in shown
    )
    return Message("system", system), Message("user", f"{data}\n\n{asked.reminder}")


def derive_nonce(texts: Sequence[str]) -> str:
    """Small letters made of all `texts`, and in none of them."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(len(text).to_bytes(8, "big"))
        digest.update(text.encode("utf-8", "replace"))
    while True:
        nonce = _letters(digest.digest())
        if not any(nonce in text for text in texts):
            return nonce
        digest.update(b"another")


def _letters(digest: bytes) -> str:
    number = int.from_bytes(digest, "big")
    letters = []
    for _ in range(NONCE_LETTERS):
        number, letter = divmod(number, 26)
        letters.append(chr(ord("a") + letter))
    return "".join(letters)


def _show(heading: str, text: str) -> str:
    barred = behind_bars(text)
    return f"{heading}\n{barred}" if heading else barred


__all__ = ["Block", "Derive", "Entry", "block", "compose", "derive_nonce"]
