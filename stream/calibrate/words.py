"""The words that annotators write into a sheet, in English and Chinese, and what they mean."""

from __future__ import annotations

import unicodedata
from typing import Final

from judges.calibration.labels import CLASSES
from schemas.taxonomy import HEALTHY, Failure

_CLASSES_ZH: Final = {
    "系统错误": Failure.SYSTEM_ERROR,
    "改写失败": Failure.REWRITE_FAILURE,
    "召回为空": Failure.EMPTY_RECALL,
    "空召回": Failure.EMPTY_RECALL,
    "检索质量差": Failure.POOR_RETRIEVAL,
    "检索不佳": Failure.POOR_RETRIEVAL,
    "过度拒答": Failure.OVER_REFUSAL,
    "幻觉": Failure.HALLUCINATION,
    "正常": HEALTHY,
    "健康": HEALTHY,
}
CLASS_WORDS: Final[dict[str, str]] = {name: name for name in CLASSES} | {
    word: str(name) for word, name in _CLASSES_ZH.items()
}
YES_NO_WORDS: Final[dict[str, bool]] = {
    **dict.fromkeys(("yes", "y", "true", "1", "是", "有", "对"), True),
    **dict.fromkeys(("no", "n", "false", "0", "否", "无", "没有", "不"), False),
}
REFUSAL_WORDS: Final[dict[str, str]] = {
    **dict.fromkeys(("full", "yes", "y", "true", "完全", "是"), "full"),
    **dict.fromkeys(("partial", "partly", "部分"), "partial"),
    **dict.fromkeys(("none", "no", "n", "false", "否", "无", "没有"), "none"),
}
STAR_WORDS: Final[dict[str, int]] = {str(stars): stars for stars in (1, 2, 3, 4, 5)} | {
    f"{stars}.0": stars for stars in (1, 2, 3, 4, 5)
}
NOTHING: Final = frozenset(
    {"", "?", "-", "—", "n/a", "na", "unsure", "unknown", "不确定", "不清楚", "不知道", "未知"}
)
"""An annotator need not know."""


def plain(cell: str) -> str:
    """As it is looked up: full-width letters narrowed, no case, no spaces around, underscores within."""
    text = unicodedata.normalize("NFKC", cell).strip().lstrip("'").strip().casefold()
    return "_".join(text.replace("-", "_").split()) if len(text) > 1 else text


__all__ = ["CLASS_WORDS", "NOTHING", "REFUSAL_WORDS", "STAR_WORDS", "YES_NO_WORDS", "plain"]
