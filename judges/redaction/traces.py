"""A trace and what was said of it, without what would tell who somebody is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from judges.redaction.redact import Redacted, Redactor

_KEPT: Final = frozenset(
    {
        "schema_version", "trace_id", "timestamp", "app", "tenant", "environment", "intent", "language",
        "release",
        "turn", "model", "finish_reason", "role", "scorer_version", "failure", "first_failed_stage",
        "coverage",
        "rule", "quadrant", "refusal_kind", "judge", "rubric", "rubric_version", "top_k", "rank",
    }
)  # fmt: skip
"""Fields that name parts of the system, or rows that are joined by them: they stay as they are."""
_REFERENCES: Final = frozenset({"id", "doc_id", "chunk_id", "chunk_ids", "gold_chunk_ids"})
"""Names of documents. They are joined by too, yet a mailbox or a number of a person may be in them."""
_IN_REFERENCES: Final = frozenset({"email", "id_number", "phone", "key"})
_LONGEST_NUMBER: Final = 10**20

Fields = dict[str, Any]


def redact_trace(
    trace: Mapping[str, Any], scores: Mapping[str, Any] | None = None
) -> tuple[Fields, Fields | None, dict[str, int]]:
    """A trace and its scores (as `ragpulse score` prints them) redacted, and how much was taken out, by kind.

    Offsets of the evidence are those in the redacted answer and chunks. What is handed in is not changed.
    """
    redactor = Redactor()
    for text in _texts(trace):
        redactor.learn(text)
    answer = trace.get("answer")
    clean_answer = redactor.redact(answer) if isinstance(answer, str) else Redacted("")
    clean = {
        key: clean_answer.text if key == "answer" and isinstance(value, str) else _clean(value, key, redactor)
        for key, value in trace.items()
    }
    counts = dict(redactor.counts)
    if scores is None:
        return clean, None, counts
    return clean, _clean_scores(scores, trace, clean_answer, redactor), counts


def _texts(value: object, key: str = "") -> Iterator[str]:
    """Every text of a trace that is read, whatever it lies in."""
    if isinstance(value, str):
        if key not in _KEPT and key not in _REFERENCES:
            yield _labelled(key, value)
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _texts(inner, str(name))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner, key)


def _clean(value: object, key: str, redactor: Redactor) -> object:
    if key in _KEPT:
        return value
    if isinstance(value, str):
        return _clean_reference(value, redactor) if key in _REFERENCES else _clean_field(value, key, redactor)
    if isinstance(value, Mapping):
        return {
            redactor.redact(str(name)).text: _clean(inner, str(name), redactor)
            for name, inner in value.items()
        }
    if isinstance(value, list | tuple):
        return [_clean(inner, key, redactor) for inner in value]
    if isinstance(value, int) and not isinstance(value, bool) and 10**6 <= value < _LONGEST_NUMBER:
        clean = _clean_field(str(value), key, redactor)
        return value if clean == str(value) else clean
    return value


def _labelled(key: str, value: str) -> str:
    """A short value behind the name of its field, which may say what it is: `"mobile": "85123456"`."""
    return f"{key}: {value}" if key and len(value) <= 120 and key not in _PROSE else value


_PROSE: Final = frozenset(
    {"question", "answer", "text", "content", "rewritten_query", "prompt_context", "comment", "error"}
)


def _clean_field(value: str, key: str, redactor: Redactor) -> str:
    labelled = _labelled(key, value)
    if labelled == value:
        return redactor.redact(value).text
    clean = redactor.redact(labelled).text
    label = f"{key}: "
    return clean[len(label) :] if clean.startswith(label) else redactor.redact(value).text


def _clean_reference(value: str, redactor: Redactor) -> str:
    """The name of a document, changed only where it surely holds data of a person: rows are joined by it."""
    items = Redactor().redact(value).items
    return redactor.redact(value).text if any(item.kind in _IN_REFERENCES for item in items) else value


def _clean_scores(
    scores: Mapping[str, Any], trace: Mapping[str, Any], answer: Redacted, redactor: Redactor
) -> Fields:
    clean = {key: _clean(value, key, redactor) for key, value in scores.items() if key != "evidence"}
    if isinstance(scores.get("evidence"), list):
        chunks = [chunk.get("text") or "" for chunk in (trace.get("retrieval") or {}).get("chunks") or []]
        clean["evidence"] = [_clean_claim(claim, answer, chunks, redactor) for claim in scores["evidence"]]
    return clean


def _clean_claim(claim: Mapping[str, Any], answer: Redacted, chunks: list[str], redactor: Redactor) -> Fields:
    clean: Fields = {key: _clean(value, key, redactor) for key, value in claim.items() if key != "text"}
    start, end = claim.get("start"), claim.get("end")
    if isinstance(start, int) and isinstance(end, int):
        clean["start"], clean["end"] = answer.shift(start), answer.shift(end, end=True)
        clean["text"] = answer.text[clean["start"] : clean["end"]]
    elif isinstance(claim.get("text"), str):
        clean["text"] = redactor.redact(claim["text"]).text
    chunk, first, last = claim.get("chunk"), claim.get("chunk_start"), claim.get("chunk_end")
    if (
        isinstance(chunk, int)
        and 0 <= chunk < len(chunks)
        and isinstance(first, int)
        and isinstance(last, int)
    ):
        shown = redactor.redact(chunks[chunk])
        clean["chunk_start"], clean["chunk_end"] = shown.shift(first), shown.shift(last, end=True)
    return clean
