"""How prompts mark what they hold, in Chinese and English: passages, the question, instructions after them.

The full-width colon and brackets of Chinese are written as escapes: an editor may make them half-width.
"""

from __future__ import annotations

import re
from typing import Final

_COLON: Final = r"[:\uff1a]"
_MARKUP: Final = r"^[ \t#*\-=>【\[]*+"
_TAGS: Final = "|".join(
    "context contexts documents? docs passages? sources? knowledge knowledge_base search_results? results "
    "retrieved retrieved_context retrieved_documents references? chunks? articles? background "
    "资料 参考资料 上下文 知识库".split()
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
        r"(?:以下(?:是|为)?|下面(?:是|为)?|下列|给定的?|提供的?|检索到的?|召回的?|相关的?|可用的?){0,3}(?:"
        r"参考(?:资料|内容|文档|信息|材料|片段)|资料|上下文(?:信息)?|背景(?:知识|信息|资料)?"
        r"|已知(?:信息|内容|资料)|文档(?:内容|片段)?|检索(?:到的)?(?:结果|内容|文档|资料|信息)"
        r"|相关(?:内容|资料|文档|信息|知识)|知识库(?:内容|信息|片段)?|搜索结果|片段|材料)(?:如下)?",
    ]
)
_TAILS: Final = "|".join(
    [
        r"(?:user(?:'s)? |original |current |final |standalone |follow[- ]?up |customer )?"
        r"(?:questions?|quer(?:y|ies)|input|request|message)",
        r"(?:用户|当前|最新|原始|客户)?(?:的)?(?:问题|提问|查询|输入|问)(?:是|如下)?|请回答(?:问题)?"
        r"|Q|Human|User|用户",
    ]
)
_ANSWERS: Final = r"(?:helpful |final |your )?answer|response|assistant|回答|答案|答"
_CLOSED: Final = r"[ \t]*+(?:#++|\*\*|】|\]|=++)?+[ \t]*+$"
_MARKED: Final = r"^[ \t]*+(?:#{1,6}+[ \t]*+|\*\*|【|\[|={2,}+[ \t]*+)"
"""A heading that its markup alone makes one: `## Context`, `**Question**`, `【参考资料】`."""

OPENING_TAG: Final = re.compile(rf"<({_TAGS})(?:\s[^<>]{{0,200}})?>", re.I)
HEAD: Final = re.compile(
    rf"{_MARKUP}(?:{_HEADS})[ \t*】\]]*+(?:[(\uff08][^)\uff09\n]*[)\uff09])?\s*+{_COLON}[ \t*]*+\n?"
    rf"|{_MARKED}(?:{_HEADS}){_CLOSED}",
    re.I | re.M,
)
"""`Context:`, `## Retrieved documents:`, `参考资料：`, `【已知信息】`"""
HEAD_LINE: Final = re.compile(
    r"^.{0,200}(?:context|documents?|passages?|sources?|资料|上下文|文档|信息|内容)[^\n]{0,60}[:\uff1a.。]"
    r"[ \t]*\n[-=*`#]{3,}[ \t]*\n",
    re.I | re.M,
)
"""A sentence about what follows, with a line drawn under it."""
FOLLOWS: Final = re.compile(
    r"\b(?:following|below|here (?:are|is)|these|given|provided|retrieved)\b"
    r"|以下|下面|下列|如下|检索到|给定|提供的|根据|基于",
    re.I,
)
PASSAGES: Final = re.compile(
    r"\b(?:context|documents?|passages?|sources|excerpts|articles|snippets|search results|knowledge base"
    r"|references)\b|资料|上下文|文档|知识库|片段|材料|知识|参考(?:内容|信息)|已知信息|检索到的(?:内容|信息|结果)",
    re.I,
)
"""A sentence with both of them, ending in a colon, announces passages: `From the following documents:`."""
ANNOUNCEMENT: Final = re.compile(rf"^([^\n]{{4,200}}){_COLON}[ \t*]*\n", re.M)
"""Such a sentence, whatever it says."""
TAIL: Final = re.compile(
    rf"{_MARKUP}(?:{_TAILS})[ \t*】\]]*+{_COLON}[ \t*]*+|{_MARKED}(?:{_TAILS}){_CLOSED}", re.I | re.M
)
RULE: Final = re.compile(r"^[-=*`#]{3,}[ \t]*$", re.M)
NUMBERED: Final = re.compile(
    r"^[ \t]*(?:\[1\]|【1】|\(1\)|<1>|\[doc(?:ument)? ?1\]|\[source ?1\]"
    r"|(?:Document|Passage|Source|Doc|文档|资料|片段) ?\[?1\]?\s*[:\uff1a\]])",
    re.I | re.M,
)
ANSWER_TAIL: Final = re.compile(
    rf"(?<!\n)\n++[ \t#*【]*+(?:{_ANSWERS})(?:[ \t*】]*+{_COLON}[ \t*]*+|[ \t*】]*+)\s*+$",
    re.I,
)
INSTRUCTION: Final = re.compile(
    r"^(?:given the|based on|using (?:only )?the|according to|answer "
    r"|please |if (?:the|you) |use (?:only )?the |now |请根据|请基于|根据(?:以上|上述|上面)"
    r"|基于(?:以上|上述)|请(?:仅|只)?(?:回答|作答|依据|用|直接|结合)|以上(?:是|为|就是)|要求|注意)",
    re.I | re.M,
)

__all__ = [
    "ANNOUNCEMENT", "ANSWER_TAIL", "FOLLOWS", "HEAD", "HEAD_LINE", "INSTRUCTION", "NUMBERED", "OPENING_TAG",
    "PASSAGES", "RULE", "TAIL",
]  # fmt: skip
