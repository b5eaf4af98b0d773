"""What bytes look like, in words: for the log and for `ragpulse doctor`, where a topic's format is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from schemas.formats.base import Unreadable
from schemas.formats.foreign import OTLP_JSON, OTLP_LOGS_JSON, OTLP_LOGS_PROTO, OTLP_PROTO, recognise
from schemas.formats.own import parse_json
from stream.assembly.splitting import NotSpans, looks_like_logs, split_proto
from stream.files.framing import GZIP_MAGIC, ZSTD_MAGIC, decompress
from stream.worker.encodings import OWN, without_wire_header

_WORDS: Final = {
    OWN: "ragpulse's own JSON",
    OTLP_JSON: "OTLP as JSON",
    OTLP_PROTO: "OTLP as protobuf",
    OTLP_LOGS_JSON: "OTLP logs as JSON",
    OTLP_LOGS_PROTO: "OTLP logs as protobuf",
    "langfuse": "an export of Langfuse",
    "langsmith": "runs of LangSmith",
    "openinference": "spans as single JSON objects",
    "trulens": "records of TruLens",
}
_OTEL_ID: Final = 32
_LONGEST: Final = 64 * 1024 * 1024
_SIGNALS: Final = {
    "resourceMetrics": "OTLP metrics as JSON, not traces",
    "resourceProfiles": "OTLP profiles as JSON, not traces",
}


@dataclass(slots=True, frozen=True)
class Guess:
    """`form`: the name to set for it, null where ragpulse cannot read it. `words`: for people."""

    form: str | None
    words: str


def guess(data: bytes) -> Guess:
    """What a message is, told from its bytes alone. Never raises."""
    if not data:
        return Guess(None, "nothing: a tombstone")
    packed = next((name for magic, name in _PACKED.items() if data.startswith(magic)), None)
    if packed:
        inner = decompress(data, _LONGEST)
        if isinstance(inner, Unreadable):
            return Guess(None, f"{packed}, damaged")
        inside = guess(inner)
        return Guess(inside.form, f"{inside.words}, in {packed}")
    if data[:1] == b"\0":
        return _behind_schema_id(data)
    return _as_proto(data) or _as_json(data) or _otherwise(data)


_PACKED: Final = {GZIP_MAGIC: "gzip", ZSTD_MAGIC: "zstd"}


def _behind_schema_id(data: bytes) -> Guess:
    body = without_wire_header(data)
    if body is data:
        return Guess(None, "the Confluent wire format around Avro, or another schema that is not JSON")
    inside = guess(body)
    return Guess(inside.form, f"{inside.words}, in the Confluent wire format")


def _as_proto(data: bytes) -> Guess | None:
    if data[:2] == b"\x0a\x10" and data[18:20] == b"\x12\x08":
        return Guess(None, "a span of Jaeger as protobuf (set the Collector's encoding to otlp_proto)")
    try:
        ids = list(split_proto(data)) if data[:1] == b"\x0a" else []
        if ids and looks_like_logs(data):
            return Guess(OTLP_LOGS_PROTO, _WORDS[OTLP_LOGS_PROTO])
    except NotSpans:
        return None
    if not ids:
        return None
    if any(len(found) == _OTEL_ID for found in ids):
        return Guess(OTLP_PROTO, _WORDS[OTLP_PROTO])
    return Guess(None, "OTLP metrics as protobuf, or another message with the same outline")


def _as_json(data: bytes) -> Guess | None:
    if not data.lstrip().startswith((b"{", b"[", b"\xef\xbb\xbf")):
        return None
    value = parse_json(data)
    if isinstance(value, Unreadable):
        return Guess(None, f"JSON that breaks off or is damaged ({value.detail})")
    form = recognise(value)
    if form is not None:
        return Guess(form, _WORDS.get(form, form))
    return _plain_json(value)


def _plain_json(value: Any) -> Guess:
    if isinstance(value, dict):
        if "trace_id" in value and ({"question", "answer", "feedback"} & value.keys()):
            return Guess(OWN, _WORDS[OWN])
        for name, words in _SIGNALS.items():
            if name in value:
                return Guess(None, words)
        if "operationName" in value and "spanId" in value:
            return Guess(None, "a span of Jaeger as JSON (set the Collector's encoding to otlp_json)")
        return Guess(None, f"JSON of another kind, with the keys {', '.join(map(str, list(value)[:6]))}")
    first = value[0] if isinstance(value, list) and value else None
    if isinstance(first, dict) and "traceId" in first and "localEndpoint" in first:
        return Guess(None, "spans of Zipkin as JSON (set the Collector's encoding to otlp_json)")
    return Guess(None, f"JSON, but a {type(value).__name__}")


def _otherwise(data: bytes) -> Guess:
    if data.startswith(b"Obj\x01"):
        return Guess(None, "a file of Avro")
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") or (len(data) > 7 and not any(data[1:8:2])):
        return Guess(None, "UTF-16; UTF-8 is read here")
    try:
        text = data[:200].decode()
    except UnicodeDecodeError as error:
        if error.start < len(data[:200]) - 4:
            return Guess(None, f"nothing that is known here; it begins with {data[:16].hex(' ')}")
        text = data[: error.start].decode()
    return Guess(None, f"text that is no JSON; it begins with {text[:40]!r}")


__all__ = ["Guess", "guess"]
