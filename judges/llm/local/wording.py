"""What the local model is asked of a claim, in Chinese and in English."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from judges.llm.asking import Message


@dataclass(slots=True, frozen=True)
class Wording:
    """The question in one language. `{documents}` and `{claim}` are filled in."""

    system: str
    user: str

    def messages(self, documents: Sequence[str], claim: str) -> tuple[Message, Message]:
        """The question about one claim. Documents come first: a server reads them once for all claims."""
        shown = "\n\n".join(f"[{number}] {text}" for number, text in enumerate(documents, 1))
        return (
            Message("system", self.system),
            Message("user", self.user.replace("{claim}", claim).replace("{documents}", shown)),
        )


EN: Final = Wording(
    "You check statements against documents. Only the documents count, not common knowledge. "
    "Answer with one word: Yes or No.",
    "Documents:\n{documents}\n\nStatement: {claim}\n\n"
    "Is every detail of the statement stated in the documents?",
)
ZH: Final = Wording(
    "你负责对照文档核对陈述。只以文档为准，不用常识。只回答一个字：是 或 否。",
    "文档：\n{documents}\n\n陈述：{claim}\n\n这条陈述的每个细节都写在文档里吗？",
)


def wording_for(language: str | None) -> Wording:
    """Chinese for Chinese, English for all others."""
    return ZH if language == "zh" else EN


__all__ = ["EN", "ZH", "Wording", "wording_for"]
