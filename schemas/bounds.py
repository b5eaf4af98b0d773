"""How many parts of one trace are kept: a trace may not grow without end inside us."""

from __future__ import annotations

from typing import Any, Final

MAX_CHUNKS: Final = 1_000
"""The first ones by order of the list. No reranker hands over more than some hundreds; a scorer may look
at fewer, and says `truncated` then."""
MAX_TURNS: Final = 200
"""The last ones: the nearest turns explain a follow-up question."""
CUT_KEY: Final = "ragpulse_cut"
"""Under `extra`: how many parts were left out, by name, e.g. `{"chunks": 9000}`."""
UNRECORDED_KEY: Final = "ragpulse_unrecorded"
"""Under `extra`: the fields that are null because the source never recorded them, e.g. `["answer"]`."""

SPAN_KEY: Final = "ragpulse_span"
"""Under `extra`: the span of the application's own root, in hex, where verdicts on the trace are attached."""


def cut_lists(value: dict[str, Any]) -> None:
    """Cut the lists of a raw trace in place, and note under `extra` what was left out."""
    cut: dict[str, int] = {}
    retrieval = value.get("retrieval")
    chunks = retrieval.get("chunks") if isinstance(retrieval, dict) else None
    if isinstance(chunks, list) and len(chunks) > MAX_CHUNKS:
        cut["chunks"] = len(chunks) - MAX_CHUNKS
        del chunks[MAX_CHUNKS:]
    history = value.get("history")
    if isinstance(history, list) and len(history) > MAX_TURNS:
        cut["history"] = len(history) - MAX_TURNS
        del history[:-MAX_TURNS]
    extra = value.get("extra")
    if cut and (extra is None or isinstance(extra, dict)):
        value["extra"] = {**(extra or {}), CUT_KEY: cut}


def was_cut(extra: dict[str, Any] | None) -> bool:
    """Whether parts of this trace were left out when it was read."""
    return extra is not None and CUT_KEY in extra


def was_recorded(extra: dict[str, Any] | None, name: str) -> bool:
    """Whether a null field is the truth: false where the source never recorded it, or cut it."""
    if not extra:
        return True
    unrecorded, cut = extra.get(UNRECORDED_KEY), extra.get(CUT_KEY)
    missing = isinstance(unrecorded, list) and name in unrecorded
    return not missing and not (isinstance(cut, dict) and name in cut)


__all__ = [
    "CUT_KEY", "MAX_CHUNKS", "MAX_TURNS", "SPAN_KEY", "UNRECORDED_KEY", "cut_lists", "was_cut",
    "was_recorded",
]  # fmt: skip
