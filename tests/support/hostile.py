"""Messages as hostile as the world: what a producer may put on a topic by accident or on purpose."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

HUGE = (10**400, -(10**30), 2**63, 2**64, -(2**63) - 1, 10**18)

_texts = st.one_of(
    st.text(st.characters(), max_size=30),  # lone surrogates among them
    st.sampled_from(
        ["", " ", "\x00", "\ud83d", "拒绝回答。", "I cannot", "�" * 50, "[1][2]【3】①", "a" * 5_000]
    ),
)
_numbers = st.one_of(
    st.integers(),
    st.floats(),  # NaN and infinities among them
    st.sampled_from(HUGE),
)
_SOUND_TIMES = (
    "2026-12-01T08:00:00Z",
    "2026-12-01T08:00:00",
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2099-01-01T00:00:00Z",
    0,
    1_764_000_000,
)
_times = st.sampled_from([*_SOUND_TIMES, "2026-13-01T00:00:00Z", "now", -1, 1e300, True])
_scalars = st.one_of(st.none(), st.booleans(), _numbers, _texts, _times)
_values = st.recursive(
    _scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_texts, inner, max_size=4),
    max_leaves=10,
)


@st.composite
def _mostly(draw: st.DrawFn, right: st.SearchStrategy[Any], wrong: st.SearchStrategy[Any]) -> Any:
    """Eleven times of twelve what is right."""
    return draw(wrong if draw(st.integers(1, 12)) == 12 else right)


def _object(required: dict[str, st.SearchStrategy[Any]], often: dict[str, Any]) -> st.SearchStrategy[Any]:
    """An object of the right shape, some of whose fields are anything at all."""
    fields = {name: _mostly(value, _values) for name, value in often.items()}
    return _mostly(st.fixed_dictionaries(required, optional=fields), _values)


_chunk = _object(
    {},
    {
        "id": _texts,
        "doc_id": _texts,
        "text": _texts,
        "score": _numbers,
        "rank": st.integers() | st.sampled_from(HUGE),
    },
)
_retrieval = _object(
    {},
    {
        "top_k": st.integers(),
        "min_score": _numbers,
        "latency_ms": _numbers,
        "error": _texts,
        "prompt_context": _texts,
        "chunks": st.none() | st.lists(_chunk, max_size=4),
    },
)
_generation = _object(
    {},
    {
        "model": _texts,
        "latency_ms": _numbers,
        "input_tokens": st.integers() | st.sampled_from(HUGE),
        "cost_usd": _numbers,
        "error": _texts,
    },
)
_feedback = _object({}, {"rating": st.integers(), "comment": _texts})
_gold = _object(
    {}, {"chunk_ids": st.lists(_texts, max_size=3), "answer": _texts, "should_refuse": st.booleans()}
)
_traces = _object(
    {"trace_id": _mostly(st.uuids().map(str), _texts), "question": _texts, "answer": st.none() | _texts},
    {
        "timestamp": _mostly(st.sampled_from(_SOUND_TIMES), _times),
        "app": _texts,
        "turn": st.integers(),
        "language": _texts,
        "conversation_id": _texts,
        "release": _object({}, {"app": _texts, "prompt": _texts}),
        "rewritten_query": _texts,
        "history": st.lists(_object({"role": _texts}, {"content": _texts}), max_size=3),
        "retrieval": st.none() | _retrieval,
        "generation": st.none() | _generation,
        "feedback": _feedback,
        "gold": _gold,
        "extra": _values,
        "foo": _values,
        "schema_version": _mostly(st.just(1), st.integers()),
    },
)
_late = _object(
    {"trace_id": _mostly(st.uuids().map(str), _texts), "feedback": _feedback}, {"timestamp": _times}
)


@st.composite
def _encoded(draw: st.DrawFn) -> bytes:
    value = draw(_mostly(_mostly(_traces, _late), _values))
    if draw(st.booleans()):
        data = json.dumps(value).encode()
    else:
        data = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    harm = draw(st.integers(0, 29))
    if harm == 29:
        return data[: draw(st.integers(0, len(data)))]
    if harm == 28:
        at = draw(st.integers(0, len(data)))
        return data[:at] + draw(st.binary(max_size=4)) + data[at:]
    if harm >= 26:
        return draw(st.sampled_from([b"\x00\x00\x00\x00\x01", b"\xef\xbb\xbf", b"\x00", b" \n"])) + data
    return data


messages: st.SearchStrategy[bytes] = _mostly(_encoded(), st.binary(max_size=60))
"""Any message at all, most of them nearly right."""


def bombs() -> dict[str, bytes]:
    """Messages made to exhaust whoever reads them, by name."""
    start = b'{"trace_id":"bomb","question":"q","answer":"a"'
    answer = b'{"trace_id":"bomb","question":"q","answer":"'
    chunks = start + b',"retrieval":{"chunks":['
    extra = start + b',"extra":'
    return {
        "twenty megabytes of text": answer + b"x" * 20_000_000 + b'"}',
        "twenty megabytes of Chinese": answer + "的".encode() * 6_600_000 + b'"}',
        "twenty megabytes without a sentence end": answer + b"1.5 kg, " * 2_500_000 + b'"}',
        "escapes only": answer + b"\\u4e2d" * 2_000_000 + b'"}',
        "a million chunks": chunks + b",".join([b"{}"] * 1_000_000) + b"]}}",
        "a hundred thousand chunks": chunks + b",".join([b'{"text":"t"}'] * 100_000) + b"]}}",
        "chunks that are declared and never end": chunks + b"{}," * 1_000_000,
        "ten thousand levels": extra + b'{"a":' * 10_000 + b"1" + b"}" * 10_000 + b"}",
        "a hundred and fifty levels": extra + b'{"a":' * 150 + b"1" + b"}" * 150 + b"}",
        "nine hundred levels": start + b',"foo":' + b"[" * 900 + b"]" * 900 + b"}",
        "brackets that never close": b"[" * 10_000_000,
        "an endless integer": start + b',"turn":' + b"9" * 1_000_000 + b"}",
        "a hundred thousand unknown keys": start + b"".join(b',"k%d":1' % n for n in range(100_000)) + b"}",
        "nulls only": extra + b'{"n":[' + b"null," * 2_000_000 + b"null]}}",
        "a thousand turns": start + b',"history":[' + b",".join([b'{"role":"user"}'] * 1_000) + b"]}",
    }
