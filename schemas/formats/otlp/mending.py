"""Protobuf messages whose texts are not UTF-8, mended.

The Collector passes bytes on without looking at them, and a processor that cuts values at a number of
bytes may cut a character in two. Protobuf refuses the whole message for it, with the spans of many traces.
"""

from __future__ import annotations

import codecs
from functools import cache
from typing import Any, Final

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.message import Message
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2

_ROOT: Final = "opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest"
_TEXT: Final = descriptor_pb2.FieldDescriptorProto.TYPE_STRING
_BYTES: Final = descriptor_pb2.FieldDescriptorProto.TYPE_BYTES
_new_decoder = codecs.getincrementaldecoder("utf-8")


def mend(data: bytes) -> bytes:
    """The same message with texts that are UTF-8; half a character at an end is left out, the rest marked.

    Raises DecodeError where the bytes are no such message at all.
    """
    lenient, texts = _lenient()
    message = lenient.FromString(data)
    _mend(message, texts)
    mended: bytes = message.SerializeToString()
    return mended


def _mend(message: Any, texts: frozenset[str]) -> None:
    for field, value in message.ListFields():
        if field.full_name in texts:
            if isinstance(value, bytes):
                setattr(message, field.name, _as_text(value))
            else:
                value[:] = [_as_text(item) for item in value]
        elif field.message_type is not None:
            for inner in (value,) if isinstance(value, Message) else value:
                _mend(inner, texts)


def _as_text(value: bytes) -> bytes:
    return _new_decoder("replace").decode(value, False).encode()


@cache
def _lenient() -> tuple[Any, frozenset[str]]:
    """The message's class with bytes in place of every text, and the names of those fields."""
    pool, texts, done = descriptor_pool.DescriptorPool(), set[str](), set[str]()

    def add(file: Any) -> None:
        if file.name in done:
            return
        done.add(file.name)
        for needed in file.dependencies:
            add(needed)
        copied = descriptor_pb2.FileDescriptorProto()
        file.CopyToProto(copied)
        for message in copied.message_type:
            _loosen(message, f"{copied.package}.{message.name}", texts)
        pool.Add(copied)

    add(trace_service_pb2.DESCRIPTOR)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(_ROOT)), frozenset(texts)


def _loosen(message: Any, name: str, texts: set[str]) -> None:
    for field in message.field:
        if field.type == _TEXT:
            field.type = _BYTES
            texts.add(f"{name}.{field.name}")
    for nested in message.nested_type:
        _loosen(nested, f"{name}.{nested.name}", texts)


__all__ = ["mend"]
