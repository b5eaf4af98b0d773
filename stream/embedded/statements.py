"""What the engine's front must understand of a statement before it hands it on. Pure text work."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Final

HEAD_BYTES: Final = 64 * 1024
"""An insert must name its format within so many bytes, or it is run as one piece."""

STREAMABLE: Final = frozenset({"Native", "TabSeparated", "TSV", "CSV", "RowBinary", "JSONEachRow"})
"""Output formats whose blocks may be concatenated: no header, no footer."""

_COMMENT = rb"(?:\s|--[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/)*+"
_NAME = rb"(?:`[^`]*+`|\"[^\"]*+\"|[\w.])++"
_INSERT = re.compile(
    _COMMENT
    + rb"(?P<insert>INSERT\s++INTO\s++(?:TABLE\s++)?"
    + _NAME
    + rb"\s*+(?:\([^()]*+\)\s*+)?(?:SETTINGS\s++(?:(?!\sFORMAT\s)[^;])*+\s)?)"
    + rb"FORMAT\s++(?P<format>\w+)(?:[ \t]*;)?(?:[ \t]*\r?\n|[ \t]+|$)",
    re.IGNORECASE | re.DOTALL,
)
_KEYWORD = re.compile(_COMMENT + rb"\(*+\s*+(\w++)", re.DOTALL)
_OUTPUT_FORMAT = re.compile(rb"\bFORMAT\s++(\w++)\s*+;?\s*+$", re.IGNORECASE)
_CODE = re.compile(r"Code: (\d+)\.")


@dataclass(slots=True, frozen=True)
class Insert:
    """An insert whose rows follow the statement: `statement` without its FORMAT, and the first rows."""

    statement: str
    format: str
    data: bytes


def parse_insert(head: bytes) -> Insert | None:
    """Split `INSERT INTO t (…) FORMAT X <rows>`; null for every other statement."""
    found = _INSERT.match(head)
    if found is None:
        return None
    return Insert(found["insert"].decode(), found["format"].decode(), head[found.end() :])


def keyword(sql: bytes) -> str:
    """The first word of a statement, in capitals."""
    found = _KEYWORD.match(sql)
    return found[1].decode(errors="replace").upper() if found else ""


def output_format(sql: bytes) -> str | None:
    """The format that a query asks for itself, at its end."""
    found = _OUTPUT_FORMAT.search(sql)
    return found[1].decode() if found else None


def without_output_format(sql: bytes) -> bytes:
    """The query alone, so that it may become a subquery."""
    return _OUTPUT_FORMAT.sub(b"", sql).rstrip(b"; \t\r\n")


def error_code(message: str) -> int:
    """ClickHouse's number for an error; 1002 (unknown) where the text holds none."""
    found = _CODE.search(message)
    return int(found[1]) if found else 1002


def error_text(message: str) -> str:
    """The message from its code on, as a server words it."""
    found = _CODE.search(message)
    return message[found.start() :] if found else f"Code: 1002. DB::Exception: {message}"


def http_status(code: int) -> int:
    """The HTTP status a server answers with for an error's number."""
    if code in _NOT_FOUND:
        return 404
    if code in _BAD_REQUEST:
        return 400
    return 503 if code == 202 else 500


_NOT_FOUND: Final = frozenset({46, 47, 60, 81})
_BAD_REQUEST: Final = frozenset(
    {6, 25, 26, 27, 33, 38, 41, 53, 62, 70, 72, 115, 117, 131, 264, 349, 441, 457}
)


def empty_native_block(description: bytes) -> bytes:
    """A Native block of no rows, from the lines of `DESCRIBE … FORMAT JSONEachRow`.

    A server sends the columns of an empty result; the embedded engine sends nothing.
    """
    columns = [json.loads(line) for line in description.splitlines()]
    parts = [_varint(len(columns)), _varint(0)]
    for column in columns:
        parts += [_text(column["name"]), _text(column["type"])]
    return b"".join(parts)


def _text(value: str) -> bytes:
    raw = value.encode()
    return _varint(len(raw)) + raw


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append((value & 0x7F) | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def quote(value: str) -> str:
    """A string literal of SQL."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
