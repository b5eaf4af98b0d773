"""What a prompt holds beside instructions: the passages, and the bare question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from schemas.formats.assembly.templates import find_filled, question_ahead, tagged_question, task_in
from schemas.formats.assembly.wording import (
    ANNOUNCEMENT,
    ANSWER_TAIL,
    FOLLOWS,
    HEAD,
    HEAD_LINE,
    INSTRUCTION,
    NUMBERED,
    OPENING_TAG,
    PASSAGES,
    RULE,
    TAIL,
)
from schemas.formats.messages import ASSISTANT, SYSTEM, TOOL, USER, ChatMessage

_HEAD_CHARS: Final = 20_000
_MARKS: Final = frozenset(":\uff1a#*【[=")
"""Without any of these there is no heading."""
_QUOTES: Final = frozenset({'"""', "'''", "```"})
_ASKING: Final = frozenset("?\uff1f")


def find_context(messages: Sequence[ChatMessage], *, certain: bool) -> str | None:
    """The part of a prompt that holds the passages; null where none can be told.

    `certain`: passages are known to have been retrieved, so that a prompt without any mark is
    taken whole, apart from what follows its question's mark. Under a heading with nothing below it
    there are none.
    """
    found = _given_back(messages)
    asked = [m for m in messages if m.role in (SYSTEM, USER)]
    for message in asked if len(asked) < 50 else asked[-50:]:
        held = context_in if certain or message.role == SYSTEM else context_beside_question
        if part := held(message.text):
            found.append(part)
    users = [_before_question(message.text) for message in asked if message.role == USER]
    if not found and certain and users and not any(HEAD.search(message.text) for message in asked):
        found = [max([users[-1], *(m.text for m in asked if m.role == SYSTEM)], key=len)]
    return "\n\n".join(found) or None


def _given_back(messages: Sequence[ChatMessage]) -> list[str]:
    """What tools gave back since the user's last words; else what they gave back earlier."""
    last = max((i for i, message in enumerate(messages) if message.role == USER), default=-1)
    for part in (messages[last + 1 :], messages):
        if found := [text for message in part if message.role == TOOL and (text := message.text.strip())]:
            return found
    return []


def context_in(text: str) -> str | None:
    """The passages in one message, between tags, under a heading, or numbered."""
    if "<" in text and (tagged := [inner for _, _, part in _tagged(text) if (inner := part.strip())]):
        return "\n\n".join(tagged)
    if (filled := find_filled(text)) is not None:
        return _until_question(filled.rest) or None
    head = _head_end(text)
    numbered = NUMBERED.search(text) if "1" in text else None
    start = head if head is not None else numbered.start() if numbered else None
    if start is None:
        return None
    part = _until_question(text[start:])
    return part or None


def context_beside_question(text: str) -> str | None:
    """The same in what a user says: one line is a question, whatever it begins with."""
    return context_in(text) if "\n" in text.strip() else None


def _head_end(text: str) -> int | None:
    """Where the heading of the passages ends; null where there is none."""
    if head := HEAD.search(text) if not _MARKS.isdisjoint(text) else None:
        return head.end()
    if "\n" not in text:
        return None
    beginning = text[:_HEAD_CHARS]
    if ruled := HEAD_LINE.search(beginning):
        return ruled.end()
    lines = ANNOUNCEMENT.finditer(beginning)
    return next((line.end() for line in lines if _announces(line.group(1))), None)


def _announces(sentence: str) -> bool:
    """Whether passages follow by its own words."""
    return FOLLOWS.search(sentence) is not None and PASSAGES.search(sentence) is not None


def _tagged(text: str) -> Iterator[tuple[int, int, str]]:
    """What stands between an opening tag and the next of its closing ones: where, and what."""
    lower = text.lower()
    at = 0
    never_closed: set[str] = set()
    while opening := OPENING_TAG.search(text, at):
        closing = f"</{opening.group(1).lower()}>"
        end = -1 if closing in never_closed else lower.find(closing, opening.end())
        if end < 0 or len(lower) != len(text):
            never_closed.add(closing)
            at = opening.end()
            continue
        yield opening.start(), end + len(closing), text[opening.end() : end]
        at = end + len(closing)


def _without_tagged(text: str) -> str:
    parts, at = [], 0
    for start, end, _ in _tagged(text):
        parts.append(text[at:start])
        at = end
    return "".join([*parts, text[at:]])


def _until_question(text: str) -> str:
    text = ANSWER_TAIL.sub("", text)
    tails = list(TAIL.finditer(text))
    end = tails[-1].start() if tails else len(text)
    part = text[:end]
    if (rule := _last_rule(part)) is not None:
        part = part[:rule]
    elif (ask := _last_instruction(part)) is not None:
        part = part[:ask]
    part = part.strip()
    if rule_first := RULE.match(part):
        part = part[rule_first.end() :]
    return part.strip()


def _last_rule(text: str) -> int | None:
    """A line drawn under the passages, ahead of instructions; others stand between passages."""
    rules = list(RULE.finditer(text))
    if not rules or rules[-1].start() == 0:
        return None
    rest = text[rules[-1].end() :]
    return (
        rules[-1].start()
        if len(rest) < 400 and (not rest.strip() or INSTRUCTION.match(rest.strip()))
        else None
    )


def _last_instruction(text: str) -> int | None:
    """Instructions after the passages: in the last paragraph, or the last line, only."""
    held = text.rstrip()
    for mark in ("\n\n", "\n"):
        last = held.rfind(mark)
        if last >= 0 and len(text) - last < 400 and INSTRUCTION.match(text[last:].strip()):
            return last
    return None


def _before_question(text: str) -> str:
    tails = list(TAIL.finditer(text))
    return text[: tails[-1].start()].strip() if tails and tails[-1].start() > 0 else text


def bare_question(text: str) -> str | None:
    """The question in a user message that may hold passages too; null where it cannot be told."""
    if asked := tagged_question(text) or task_in(text):
        return asked
    rest = ANSWER_TAIL.sub("", text)
    tagged = _without_tagged(rest)
    end = len(tagged)
    for tail in reversed(list(TAIL.finditer(tagged))):
        asked = tagged[tail.end() : end]
        if (head := HEAD.search(asked)) is not None:
            asked = asked[: head.start()]  # the passages follow the question
        if asked := _unquoted(asked.strip()):
            return asked
        end = tail.start()
    if tagged != rest:
        return tagged.strip() or None
    if (filled := find_filled(rest)) is not None:
        return question_ahead(filled)
    if context_beside_question(rest) is None:
        return rest
    head = HEAD.search(rest)
    before = rest[: head.start()].strip() if head is not None else ""
    return before if before and before[-1] in _ASKING else None


def _unquoted(text: str) -> str:
    """Without quotation marks in threes around it."""
    mark = text[:3]
    return text[3:-3].strip() if mark in _QUOTES and len(text) > 6 and text.endswith(mark) else text


def last_user(messages: Sequence[ChatMessage]) -> ChatMessage | None:
    """The last message of the user that says something."""
    return next((m for m in reversed(messages) if m.role == USER and m.text.strip()), None)


def said_before(messages: Sequence[ChatMessage], last: ChatMessage) -> list[ChatMessage]:
    """What user and assistant said before that message."""
    before = messages[: next(i for i, m in enumerate(messages) if m is last)]
    return [m for m in before if m.role in (USER, ASSISTANT) and m.text.strip()]


__all__ = [
    "bare_question",
    "context_beside_question",
    "context_in",
    "find_context",
    "last_user",
    "said_before",
]
