"""How the stand-in judge reads a prompt: as trustingly as a weak model behind a careless server might.

It reads data where blocks say so, and takes everything else in the user's message for instructions. It is
easily led: hidden characters are spelled out, special tokens end whatever they stand in, any line that looks
like the end of a block is one, and a line that opens with a role is spoken by that role.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from functools import lru_cache

_ZERO_WIDTH = re.compile("[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufe00-\ufe0f]")
_TAG = re.compile("[\U000e0020-\U000e007e]")
_SPECIAL = re.compile(
    r"<\|[^|<>\n]{1,40}\|>|\[/?(?:INST|SYSTEM_PROMPT|TOOL_RESULTS)\]|<</?SYS>>|</?s>|<[be]os>"
    r"|<(?:start|end)_of_turn>|</?(?:system|assistant|user|tool_response|function_results)>",
    re.IGNORECASE,
)
_ROLE = re.compile(
    r"\s*(?:#{1,6}\s*|\*\*)?(?:system|assistant|developer|instructions?|response|系统|助手|指令)\b\**\s*[:：]?\s*",
    re.IGNORECASE,
)
_HEADING = re.compile(r"(?:DOCUMENT|CONTEXT IN THE PROMPT|文档|提示词中的上下文)\s*(\d+)")
BAR = "| "


@dataclass(frozen=True)
class Style:
    """The lines that begin a block (its name in group 1) and end one, as the instructions describe them."""

    begins: re.Pattern[str]
    ends: re.Pattern[str]


OURS = Style(re.compile(r"<<<BEGIN \w+ (.+)>>>\s*"), re.compile(r".*<<<END\b.*"))


@dataclass
class Read:
    """What was read: blocks of data by name, documents by number, and what stood outside all blocks."""

    blocks: dict[str, str] = field(default_factory=dict)
    documents: dict[int, str] = field(default_factory=dict)
    outside: str = ""


def read_prompt(text: str, style: Style = OURS) -> Read:
    """Read the user's message."""
    whole = Read()
    parts = _SPECIAL.split(spell_out(text))
    outside = parts[1:]  # behind a special token, somebody else speaks
    name = ""
    lines: list[str] = []
    number = 0
    by_role = False
    for line in parts[0].split("\n"):
        if not name:
            begins = style.begins.fullmatch(line)
            if begins:
                name, lines, number, by_role = begins[1], [], 0, False
            else:
                outside.append(line)
        elif style.ends.fullmatch(line):
            _keep(whole, name, lines)
            name = ""
        elif heading := _HEADING.fullmatch(line):
            number = int(heading[1])
            whole.documents.setdefault(number, "")
        elif by_role or (_ROLE.match(line) and not line.startswith(BAR)):
            by_role = True
            outside.append(line)
        else:
            said = line.removeprefix(BAR)
            lines.append(said)
            if number:
                whole.documents[number] += said + "\n"
    if name:
        _keep(whole, name, lines)
    whole.outside = "\n".join(outside)
    return whole


def _keep(read: Read, name: str, lines: list[str]) -> None:
    read.blocks[name] = "\n".join([*filter(None, [read.blocks.get(name)]), *lines])


def spell_out(text: str) -> str:
    """What a model may make of characters that people do not see."""
    text = _TAG.sub(lambda m: chr(ord(m[0]) - 0xE0000), text)
    return unicodedata.normalize("NFKC", _ZERO_WIDTH.sub("", text))


@lru_cache(maxsize=64)
def squeeze(text: str) -> str:
    """Letters and digits alone, to look for an order however it is written."""
    return "".join(c for c in unicodedata.normalize("NFKC", spell_out(text)).casefold() if c.isalnum())


__all__ = ["OURS", "Read", "Style", "read_prompt", "spell_out", "squeeze"]
