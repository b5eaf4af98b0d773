"""What a prompt holds beside instructions: the passages, and the bare question."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from schemas.formats.messages import ASSISTANT, SYSTEM, TOOL, USER, ChatMessage

_MARKUP: Final = r"^[ \t#*\-=>【\[]*"
_TAGS: Final = "|".join(
    "context contexts documents? docs passages? sources? knowledge knowledge_base search_results? results "
    "retrieved retrieved_context retrieved_documents references? chunks? articles? background "
    "资料 参考资料 上下文".split()
)
_QUALIFIERS: Final = "|".join(
    "retrieved relevant provided given supporting additional following reference background knowledge search "
    "help".split()
)
_HEADS: Final = "|".join(
    [
        rf"(?:(?:{_QUALIFIERS}) )*(?:context(?: information)?(?: is below)?|documents?|docs|passages?"
        r"|sources?|references?|articles?|excerpts?|search results?|knowledge base"
        r"|background(?: information)?|materials?|snippets?|chunks?|evidence)",
        r"参考(?:资料|内容|文档|信息)|资料|上下文(?:信息)?|背景(?:知识|信息|资料)?|已知(?:信息|内容|资料)",
        r"文档(?:内容)?|检索(?:到的)?(?:结果|内容|文档|资料)|相关(?:内容|资料|文档|信息)",
        r"知识库(?:内容|信息)?|搜索结果|片段|材料",
    ]
)
_TAILS: Final = "|".join(
    [
        r"(?:user(?:'s)? |original |current |final |standalone |follow[- ]?up |customer )?"
        r"(?:questions?|quer(?:y|ies)|input|request|message)",
        r"(?:用户|当前|最新|原始|客户)?(?:的)?(?:问题|提问|查询|输入|问)|Q|Human|User|用户",
    ]
)
_OPENING: Final = re.compile(rf"<({_TAGS})(?:\s[^<>]{{0,200}})?>", re.I)
_HEAD: Final = re.compile(
    rf"{_MARKUP}(?:{_HEADS})[ \t*】\]]*+(?:\([^)\n]*\))?\s*+[::][ \t*]*+\n?", re.I | re.M
)
"""`Context:`, `## Retrieved documents:`, `参考资料:`"""
_HEAD_LINE: Final = re.compile(
    r"^.{0,200}(?:context|documents?|passages?|sources?|资料|上下文|文档|信息|内容)[^\n]{0,60}[::.。][ \t]*\n"
    r"[-=*`#]{3,}[ \t]*\n",
    re.I | re.M,
)
"""A sentence about what follows, with a line drawn under it."""
_TAIL: Final = re.compile(rf"{_MARKUP}(?:{_TAILS})[ \t*】\]]*[::][ \t*]*", re.I | re.M)
_HEAD_CHARS: Final = 20_000
_RULE: Final = re.compile(r"^[-=*`#]{3,}[ \t]*$", re.M)
_NUMBERED: Final = re.compile(
    r"^[ \t]*(?:\[1\]|【1】|\(1\)|<1>|\[doc(?:ument)? ?1\]|\[source ?1\]"
    r"|(?:Document|Passage|Source|Doc|文档|资料|片段) ?\[?1\]?\s*[::\]])",
    re.I | re.M,
)
_ANSWER_TAIL: Final = re.compile(
    r"(?<!\n)\n++[ \t#*]*+(?:(?:helpful |final |your )?answer|response|assistant|回答|答案|答)"
    r"[ \t*]*+[::][ \t*]*+\s*+$",
    re.I,
)
_INSTRUCTION: Final = re.compile(
    r"^(?:given the|based on|using (?:only )?the|according to|answer |请根据|请基于|根据(?:以上|上述|上面)"
    r"|基于(?:以上|上述)|请回答|要求)",
    re.I | re.M,
)


def find_context(messages: Sequence[ChatMessage], *, certain: bool) -> str | None:
    """The part of a prompt that holds the passages; null where none can be told.

    `certain`: passages are known to have been retrieved, so that a prompt without any mark is
    taken whole, apart from what follows its question's mark. Under a heading with nothing below it
    there are none.
    """
    found = [text for message in messages if message.role == TOOL and (text := message.text.strip())]
    asked = [m for m in messages if m.role in (SYSTEM, USER)]
    for message in asked if len(asked) < 50 else asked[-50:]:
        if part := context_in(message.text):
            found.append(part)
    users = [_before_question(message.text) for message in asked if message.role == USER]
    if not found and certain and users and not any(_HEAD.search(message.text) for message in asked):
        found = [max([users[-1], *(m.text for m in asked if m.role == SYSTEM)], key=len)]
    return "\n\n".join(found) or None


def context_in(text: str) -> str | None:
    """The passages in one message, between tags, under a heading, or numbered."""
    if "<" in text and (tagged := [inner for _, _, part in _tagged(text) if (inner := part.strip())]):
        return "\n\n".join(tagged)
    head = _HEAD.search(text) if ":" in text or ":" in text else None
    head = head or (_HEAD_LINE.search(text[:_HEAD_CHARS]) if "\n" in text else None)
    numbered = _NUMBERED.search(text) if "1" in text else None
    start = head.end() if head else numbered.start() if numbered else None
    if start is None:
        return None
    part = _until_question(text[start:])
    return part or None


def _tagged(text: str) -> Iterator[tuple[int, int, str]]:
    """What stands between an opening tag and the next of its closing ones: where, and what."""
    lower = text.lower()
    at = 0
    never_closed: set[str] = set()
    while opening := _OPENING.search(text, at):
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
    tails = list(_TAIL.finditer(text))
    end = tails[-1].start() if tails else len(text)
    part = text[:end]
    if (rule := _last_rule(part)) is not None:
        part = part[:rule]
    elif (ask := _last_instruction(part)) is not None:
        part = part[:ask]
    part = part.strip()
    if rule_first := _RULE.match(part):
        part = part[rule_first.end() :]
    return part.strip()


def _last_rule(text: str) -> int | None:
    """A line drawn under the passages, where what follows it is short."""
    rules = list(_RULE.finditer(text))
    if rules and rules[-1].start() > 0 and len(text) - rules[-1].end() < 400:
        return rules[-1].start()
    return None


def _last_instruction(text: str) -> int | None:
    """Instructions after the passages: in the last paragraph only."""
    last = text.rstrip().rfind("\n\n")
    if last < 0:
        return None
    return last if _INSTRUCTION.match(text[last:].strip()) and len(text) - last < 400 else None


def _before_question(text: str) -> str:
    tails = list(_TAIL.finditer(text))
    return text[: tails[-1].start()].strip() if tails and tails[-1].start() > 0 else text


def bare_question(text: str) -> str | None:
    """The question in a user message that may hold passages too; null where it cannot be told."""
    rest = _ANSWER_TAIL.sub("", text)
    tagged = _without_tagged(rest)
    end = len(tagged)
    for tail in reversed(list(_TAIL.finditer(tagged))):
        if asked := tagged[tail.end() : end].strip():
            return asked
        end = tail.start()
    if tagged != rest:
        return tagged.strip() or None
    return None if context_in(rest) else rest


def last_user(messages: Sequence[ChatMessage]) -> ChatMessage | None:
    """The last message of the user that says something."""
    return next((m for m in reversed(messages) if m.role == USER and m.text.strip()), None)


def said_before(messages: Sequence[ChatMessage], last: ChatMessage) -> list[ChatMessage]:
    """What user and assistant said before that message."""
    before = messages[: next(i for i, m in enumerate(messages) if m is last)]
    return [m for m in before if m.role in (USER, ASSISTANT) and m.text.strip()]


__all__ = ["bare_question", "context_in", "find_context", "last_user", "said_before"]
