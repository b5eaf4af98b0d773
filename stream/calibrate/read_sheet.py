"""A sheet that comes back from an annotator: its labels, and its broken rows with their line numbers."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson

from judges.calibration.labels import IMPLIED
from judges.calibration.measures import RATINGS
from stream.calibrate.items import ASKED
from stream.calibrate.words import (
    CLASS_WORDS,
    NOTHING,
    REFUSAL_WORDS,
    STAR_WORDS,
    YES_NO_WORDS,
    plain,
)
from stream.files.lines import FileProblem

_NOTE_CHARS: Final = 4_000
_SHOWN_CHARS: Final = 60
_CELL_LIMIT: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class BrokenRow:
    """A row that is not taken, by the line of the file that it begins on."""

    line: int
    why: str


@dataclass(frozen=True, slots=True)
class FilledRow:
    """What an annotator said of one item. Null is not answered."""

    line: int
    item: str
    failure: str | None
    hallucination: bool | None
    context_sufficient: bool | None
    refusal: str | None
    ratings: dict[str, int]
    note: str


@dataclass(slots=True)
class Returned:
    """A sheet that was read."""

    rows: list[FilledRow] = field(default_factory=list)
    broken: list[BrokenRow] = field(default_factory=list)
    blank: int = 0
    """Items that nothing is said of."""


class _Wrong(ValueError):
    """What is wrong with one row."""


def read_sheet(path: Path) -> Returned:
    """Read a sheet, CSV or JSON lines. Raises FileProblem where the file is no sheet at all."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise FileProblem(f"{path} cannot be read (--import): {error.strerror}.") from error
    text = _decode(data, path)
    rows = _json_rows(text) if text.lstrip("\ufeff \r\n").startswith("{") else _table_rows(text, path)
    returned, seen = Returned(), dict[str, int]()
    for line, cells in rows:
        try:
            row = _read_row(line, cells)
            if row.item in seen:
                raise _Wrong(f"{row.item} stands on line {seen[row.item]} already")
        except _Wrong as wrong:
            returned.broken.append(BrokenRow(line, str(wrong)))
            continue
        seen[row.item] = line
        if _says_nothing(row):
            returned.blank += 1
        else:
            returned.rows.append(row)
    return returned


def _decode(data: bytes, path: Path) -> str:
    """As spreadsheets save: UTF-8, UTF-16 with a mark, or in Chinese editions GB 18030."""
    encodings = ("utf-16",) if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "gb18030")
    for encoding in encodings:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise FileProblem(f"{path} is no text that can be read: save it as CSV UTF-8 (--import).")


def _table_rows(text: str, path: Path) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    first = text.split("\n", 1)[0]
    separator = max(",;\t", key=first.count)
    csv.field_size_limit(_CELL_LIMIT)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: list[str] | None = None
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            if header is None:
                raise FileProblem(f"{path}, line {line}, is no CSV: {error} (--import).") from error
            yield line, f"no CSV from here on: {error}"
            return
        if header is None:
            header = [plain(cell) for cell in cells]
            missing = [name for name in ("item", "failure", "hallucination") if name not in header]
            if missing:
                raise FileProblem(f"{path} is no sheet: it has no column {' or '.join(missing)} (--import).")
        elif any(cell.strip() for cell in cells):
            too_many = any(cell.strip() for cell in cells[len(header) :])
            yield line, "more cells than columns" if too_many else dict(zip(header, cells, strict=False))
    if header is None:
        raise FileProblem(f"{path} is empty (--import).")


def _json_rows(text: str) -> Iterator[tuple[int, Mapping[str, Any] | str]]:
    for line, piece in enumerate(text.lstrip("\ufeff").split("\n"), 1):
        if piece.strip():
            try:
                row = orjson.loads(piece)
            except orjson.JSONDecodeError:
                row = None
            yield line, row if isinstance(row, dict) else "no JSON object"


def _read_row(line: int, cells: Mapping[str, Any] | str) -> FilledRow:
    if isinstance(cells, str):
        raise _Wrong(cells)
    texts = {name: _text(cells.get(name)) for name in ("item", *ASKED)}
    item = texts["item"].strip().lstrip("'").strip()
    if not item:
        raise _Wrong("no item")
    row = FilledRow(
        line=line,
        item=item,
        failure=_look_up(texts, "failure", CLASS_WORDS),
        hallucination=_look_up(texts, "hallucination", YES_NO_WORDS),
        context_sufficient=_look_up(texts, "context_sufficient", YES_NO_WORDS),
        refusal=_look_up(texts, "refusal", REFUSAL_WORDS),
        ratings={
            name: stars
            for name in RATINGS
            if (stars := _look_up(texts, f"rating_{name}", STAR_WORDS)) is not None
        },
        note=texts["note"].strip()[:_NOTE_CHARS],
    )
    implied = IMPLIED.get(row.failure or "")
    if implied is not None and row.hallucination is not None and implied != row.hallucination:
        said = "yes" if row.hallucination else "no"
        raise _Wrong(f"failure {row.failure} and hallucination {said} contradict each other")
    return row


def _look_up(texts: Mapping[str, str], name: str, words: Mapping[str, Any]) -> Any:
    word = plain(texts[name])
    if word in NOTHING:
        return None
    if word not in words:
        shown = " ".join(texts[name].split())[:_SHOWN_CHARS]
        known = ", ".join(word for word in words if _is_shown(word))
        raise _Wrong(f"{name} {shown!r} is none of {known}")
    return words[word]


def _is_shown(word: str) -> bool:
    """One spelling of each answer is enough to say what is expected."""
    return word.isdigit() or (word.isascii() and len(word) > 1 and word.replace("_", "").isalpha())


def _text(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case int() | float():
            return str(value)
        case _:
            raise _Wrong(f"{str(value)[:_SHOWN_CHARS]!r} is no answer")


def _says_nothing(row: FilledRow) -> bool:
    said = (row.failure, row.hallucination, row.context_sufficient, row.refusal)
    return all(one is None for one in said) and not row.ratings and not row.note


__all__ = ["BrokenRow", "FilledRow", "Returned", "read_sheet"]
