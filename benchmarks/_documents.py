"""Tables and pictures that a command puts into a document, between marks of its own."""

from __future__ import annotations

import signal
from pathlib import Path


def marks(command: str, part: str) -> tuple[str, str]:
    """The two comments between which a part is written."""
    return f"<!-- {part}: written by `{command}` -->", f"<!-- end of {part} -->"


def put(path: Path, command: str, part: str, text: str) -> None:
    """Write a part anew, between its marks, or at the end of a document that has none."""
    begin, end = marks(command, part)
    old = path.read_text(encoding="utf-8") if path.exists() else f"# {path.stem.capitalize()}\n"
    new = f"{begin}\n\n{text.strip()}\n\n{end}"
    if begin in old and end in old:
        head, rest = old.split(begin, 1)
        path.write_text(head + new + rest.split(end, 1)[1], encoding="utf-8")
    else:
        path.write_text(f"{old.rstrip()}\n\n{new}\n", encoding="utf-8")


def picture(report: Path, name: str, svg: str) -> str:
    """Store a picture in the folder that is called like the document; returns its path seen from there."""
    folder = report.parent / report.stem.lower()
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.svg").write_text(svg, encoding="utf-8")
    return f"{folder.name}/{name}.svg"


def table(head: list[str], rows: list[list[str]]) -> str:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def end_on_signals() -> None:
    """Have SIGTERM end the run as Ctrl-C does, also where the shell had them ignored."""
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.default_int_handler)
