"""The labelling configuration: what annotators see in Label Studio and are asked, in English or Chinese.

Results carry our own words whatever is shown: each choice has an alias (https://labelstud.io/tags/choice).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal
from xml.etree import ElementTree as Xml

from judges.calibration.labels import CLASSES
from schemas.golden import Kind

Language = Literal["en", "zh"]

ANSWER: Final = "answer"
"""The text that all is said about."""
CLAIMS: Final = "claims"
GOLD: Final = "gold_chunk_ids"
REFERENCE: Final = "reference_answer"
NOTE: Final = "note"
SUPPORT: Final[Mapping[str, bool | None]] = {"supported": True, "unsupported": False, "unclear": None}
YES_NO: Final[Mapping[str, bool]] = {"yes": True, "no": False}
ASKED: Final[Mapping[str, tuple[str, ...]]] = {
    "failure": CLASSES,
    "hallucination": tuple(YES_NO),
    "context_sufficient": tuple(YES_NO),
    "refusal": ("full", "partial", "none"),
    "should_refuse": tuple(YES_NO),
    "kind": tuple(Kind),
}
"""Questions of which one answer is chosen, with the answers."""

_ZH: Final[Mapping[str, str]] = {
    "question": "问题", "history": "之前的对话", "rewritten_query": "改写后的查询", "chunks": "检索到的片段",
    "answer": "回答", "failure": "哪里先出了问题", "hallucination": "是否有幻觉",
    "context_sufficient": "片段是否足以回答", "refusal": "回答是否拒答", "should_refuse": "是否应当拒答",
    "kind": "题型（用于金标集，可不选）", "claims": "在回答中标出论断", "gold_chunk_ids": "包含答案的片段",
    "reference_answer": "参考答案", "note": "备注", "healthy": "正常", "system_error": "系统错误",
    "rewrite_failure": "查询改写错误", "empty_recall": "没有召回", "poor_retrieval": "召回不相关",
    "over_refusal": "不该拒答却拒答", "yes": "是", "no": "否", "full": "完全拒答",
    "partial": "部分拒答", "none": "没有拒答", "supported": "有依据", "unsupported": "无依据",
    "unclear": "无法判断",
    "single_hop": "单跳", "multi_hop": "多跳", "unanswerable": "无法回答", "conflicting": "版本冲突",
    "permission": "权限过滤", "long_document": "长文档", "failure:hallucination": "幻觉",
}  # fmt: skip
_EN: Final[Mapping[str, str]] = {
    "question": "Question", "history": "Said before", "rewritten_query": "Rewritten query",
    "chunks": "Chunks that were found", "answer": "Answer", "failure": "What failed first",
    "hallucination": "Is anything made up?", "context_sufficient": "Do the chunks suffice for an answer?",
    "refusal": "Does the answer decline?", "should_refuse": "Should it have declined?",
    "kind": "Kind, for golden sets (may be left open)", "claims": "Mark claims in the answer",
    "gold_chunk_ids": "Chunks that hold the answer", "reference_answer": "A right answer", "note": "Note",
}  # fmt: skip


def labelling_config(language: Language = "en") -> str:
    """XML for the labelling interface of a project. All data keys are those of `tasks.task_of`."""
    view = Xml.Element("View")
    Xml.SubElement(view, "Style").text = ".htx-text { white-space: pre-wrap; }"
    for name in ("history", "question", "rewritten_query"):
        _header(view, name, language)
        Xml.SubElement(view, "Text", name=name, value=f"${name}")
    _header(view, "chunks", language)
    Xml.SubElement(
        view, "Paragraphs", name="chunks", value="$chunks", nameKey="id", textKey="text", layout="dialogue"
    )
    _header(view, CLAIMS, language)
    claims = Xml.SubElement(view, "Labels", name=CLAIMS, toName=ANSWER)
    for word in SUPPORT:
        Xml.SubElement(claims, "Label", value=_shown(CLAIMS, word, language), alias=word)
    _header(view, ANSWER, language)
    Xml.SubElement(view, "Text", name=ANSWER, value=f"${ANSWER}", granularity="symbol")
    for name, words in ASKED.items():
        _header(view, name, language)
        choices = Xml.SubElement(
            view, "Choices", name=name, toName=ANSWER, choice="single-radio", showInline="true"
        )
        for word in words:
            Xml.SubElement(choices, "Choice", value=_shown(name, word, language), alias=word)
    _header(view, GOLD, language)
    Xml.SubElement(
        view,
        "Choices",
        name=GOLD,
        toName=ANSWER,
        choice="multiple",
        value="$chunk_choices",
        showInline="true",
    )
    for name in (REFERENCE, NOTE):
        _header(view, name, language)
        Xml.SubElement(
            view, "TextArea", name=name, toName=ANSWER, rows="3", editable="true", maxSubmissions="1"
        )
    Xml.indent(view)
    return Xml.tostring(view, encoding="unicode") + "\n"


def meant(name: str, word: str) -> str:
    """Our word for what a result says: our own, or, from a project without aliases, what was shown."""
    words: tuple[str, ...] = tuple(SUPPORT) if name == CLAIMS else ASKED.get(name, ())
    for ours in words:
        if word in (ours, _shown(name, ours, "zh")):
            return ours
    return word


def _header(view: Xml.Element, name: str, language: Language) -> None:
    title = _ZH[name] if language == "zh" else _EN[name]
    Xml.SubElement(view, "Header", value=title, size="5")


def _shown(name: str, word: str, language: Language) -> str:
    """What an annotator reads. One word is both a question and a class."""
    return _ZH.get(f"{name}:{word}", _ZH.get(word, word)) if language == "zh" else word


__all__ = [
    "ANSWER", "ASKED", "CLAIMS", "GOLD", "NOTE", "REFERENCE", "SUPPORT", "YES_NO", "Language",
    "labelling_config", "meant",
]  # fmt: skip
