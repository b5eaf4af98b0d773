"""A sheet as files: CSV for a spreadsheet, JSON lines for tools.

The CSV begins with a byte order mark, so that Excel reads it as UTF-8; a cell that a spreadsheet would take
for a formula is written as text. A cell holds what a spreadsheet can; longer texts are whole in the JSON
lines.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import orjson

from stream.calibrate.items import ASKED, SHOWN, SheetItem
from stream.files.lines import FileProblem

BOM: Final = "\ufeff"
CELL_CHARS: Final = 32_000
"""Excel takes 32,767 characters; what is cut is said behind."""
_FORMULA: Final = re.compile(r"\s*[=+\-@＝＋－＠\t\r\n]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def write_sheet(items: Iterable[SheetItem], path: Path) -> tuple[Path, Path]:
    """Write `path`.csv and `path`.jsonl; returns both. Raises FileProblem, also where one exists."""
    items = list(items)
    table, lines = refuse_taken(path)
    try:
        table.write_bytes((BOM + as_csv(items)).encode())
        lines.write_bytes(
            b"".join(orjson.dumps(_writable(item), option=orjson.OPT_APPEND_NEWLINE) for item in items)
        )
    except OSError as error:
        raise FileProblem(f"{path} cannot be written (--out): {error.strerror}.") from error
    return table, lines


def refuse_taken(path: Path) -> tuple[Path, Path]:
    """The two files. Raises FileProblem where one is there, or could not be: before anything is drawn."""
    files = path.with_name(f"{path.name}.csv"), path.with_name(f"{path.name}.jsonl")
    for file in files:
        if file.exists():
            raise FileProblem(f"{file} is there already: an annotator's work may be in it (--out).")
    if not path.parent.is_dir():
        raise FileProblem(f"{path.parent} is no folder (--out).")
    return files


def as_csv(items: Iterable[SheetItem]) -> str:
    """The sheet as a table: what is shown, then what is asked."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n", quoting=csv.QUOTE_ALL)
    writer.writerow([*SHOWN, *ASKED])
    for item in items:
        writer.writerow([*map(safe_cell, item.as_cells()), *([""] * len(ASKED))])
    return out.getvalue()


def safe_cell(text: str) -> str:
    """Text that a spreadsheet shows and never computes."""
    clean = _CONTROL.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    if len(clean) > CELL_CHARS:
        clean = f"{clean[:CELL_CHARS]} … [{len(clean) - CELL_CHARS:,} more characters: see the .jsonl file]"
    return f"'{clean}" if _FORMULA.match(clean) else clean


def _writable(item: SheetItem) -> object:
    """JSON has no half characters."""
    return _mended(item.as_line())


def _mended(value: object) -> object:
    match value:
        case str():
            return re.sub(r"[\ud800-\udfff]", "\ufffd", value)
        case dict():
            return {key: _mended(inner) for key, inner in value.items()}
        case list():
            return [_mended(inner) for inner in value]
        case _:
            return value


__all__ = ["BOM", "CELL_CHARS", "as_csv", "refuse_taken", "safe_cell", "write_sheet"]
