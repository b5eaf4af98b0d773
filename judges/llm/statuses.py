"""What an HTTP status and the words that come with it mean for a question."""

from __future__ import annotations

import re
from typing import Final

from judges.llm.asking import Reason

_OVERFLOW: Final = re.compile(
    r"context_length|context length|context window|context size|maximum context|too many tokens|"
    r"(?:prompt|input) is too long|exceed\w{0,3} (?:the )?(?:model|max)[^.]{0,48}(?:length|context|input)|"
    r"range of input length|longer than the (?:model|max)|exceeds the available context",
    re.IGNORECASE,
)
_FILTER: Final = re.compile(
    r"content_filter|content_policy|content management policy|data_?inspection_?failed|inappropriate content|"
    r"content.{0,20}(?:filter|policy)|safety (?:system|filter)|敏感|违规",
    re.IGNORECASE,
)
_UNPAID: Final = re.compile(
    r"insufficient_quota|exceeded your current quota|arrearage|good standing|insufficient balance|欠费",
    re.IGNORECASE,
)


def reason_of(status: int, said: str) -> Reason:
    """What an HTTP status that is no success means, given the words of its body."""
    if status in (401, 402, 403) or (status < 500 and _UNPAID.search(said)):
        return Reason.UNAUTHORIZED
    if status == 429:
        return Reason.RATE_LIMITED
    if status in (408, 504):
        return Reason.TIMEOUT
    if status == 413 or (400 <= status < 500 and _OVERFLOW.search(said)):
        return Reason.TOO_LONG
    if 400 <= status < 500 and _FILTER.search(said):
        return Reason.REFUSED
    if status >= 500 or status == 409:
        return Reason.SERVER_ERROR
    return Reason.BAD_REQUEST


__all__ = ["reason_of"]
