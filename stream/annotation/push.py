"""What annotators wrote into pulled cases, back into the queue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import orjson
from pydantic import ValidationError

from schemas.annotation import Annotation
from sinks.annotation import AnnotationQueue, LeaseLost, NotYours, QueueRefusal
from stream.files.lines import STDIN, FileProblem

SOURCE: Final = "command"
_LONGEST: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Refused:
    """A label that was not stored. `at` counts labels (or lines) of the file from 1."""

    at: int
    item_id: str
    why: str


@dataclass(slots=True)
class Pushed:
    """What became of a file."""

    stored: int = 0
    skipped: int = 0
    """Cases that the annotator cannot tell of."""
    blank: int = 0
    """Cases that nothing was said of; they are still held."""
    refused: list[Refused] = field(default_factory=list)


class _Wrong(ValueError):
    """What is wrong with one entry."""


def read_pushed(data: bytes) -> Iterator[tuple[int, dict[str, Any] | str]]:
    """The entries: what `pull --json` printed, a list, or JSON lines; a text where one cannot be read."""
    try:
        whole = orjson.loads(data)
    except orjson.JSONDecodeError:
        yield from _lines(data)
        return
    items = whole.get("items", [whole]) if isinstance(whole, dict) else whole
    if not isinstance(items, list):
        yield 1, "neither an object nor a list"
        return
    for number, item in enumerate(items, 1):
        yield number, item if isinstance(item, dict) else "no object"


def push_labels(queue: AnnotationQueue, data: bytes, annotator: str) -> Pushed:
    """Store every label that can be stored; the others are named. Raises SinkError, LeaseFileError.

    A label whose lease has expired or went to somebody else is stored all the same, as a further vote: the
    work was done.
    """
    pushed = Pushed()
    for number, entry in read_pushed(data):
        item_id = str(entry.get("item_id") or "") if isinstance(entry, dict) else ""
        try:
            if isinstance(entry, str):
                raise _Wrong(entry)
            _push(queue, entry, item_id, annotator, pushed)
        except (_Wrong, QueueRefusal) as error:
            pushed.refused.append(Refused(number, item_id, str(error)))
    return pushed


def read_file(path: str) -> bytes:
    """The file's bytes; `-` is standard input. Raises FileProblem, also where there are none."""
    import sys

    try:
        data = sys.stdin.buffer.read(_LONGEST + 1) if path == STDIN else Path(path).read_bytes()
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error
    if not data.strip():
        raise FileProblem(f"{path} is empty: there is no label in it.")
    if len(data) > _LONGEST:
        raise FileProblem(f"{path} is larger than {_LONGEST >> 20} MiB: push it in parts.")
    return data


def _push(
    queue: AnnotationQueue, entry: Mapping[str, Any], item_id: str, annotator: str, pushed: Pushed
) -> None:
    if entry.get("skip") is True:
        _say(queue, entry, item_id, annotator, None)
        pushed.skipped += 1
    elif entry.get("label") is None:
        pushed.blank += 1
    else:
        _say(queue, entry, item_id, annotator, _read_label(entry["label"]))
        pushed.stored += 1


def _say(
    queue: AnnotationQueue, entry: Mapping[str, Any], item_id: str, annotator: str, said: Annotation | None
) -> None:
    lease_id = entry.get("lease_id")
    if isinstance(lease_id, str):
        try:
            if said is None:
                queue.skip(lease_id, annotator, source=SOURCE)
            else:
                queue.label(lease_id, annotator, said, source=SOURCE)
        except (LeaseLost, NotYours):
            if not item_id:
                raise
        else:
            return
    if not item_id:
        raise _Wrong("neither a lease_id nor an item_id")
    queue.vote(item_id, annotator, said, source=SOURCE)


def _read_label(value: Any) -> Annotation:
    try:
        return Annotation.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise _Wrong(f"{where}: {first['msg']}".lstrip(": ")) from None


def _lines(data: bytes) -> Iterator[tuple[int, dict[str, Any] | str]]:
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            entry = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield number, f"no JSON: {error.msg}"
            continue
        yield number, entry if isinstance(entry, dict) else "no object"


__all__ = ["Pushed", "Refused", "push_labels", "read_file", "read_pushed"]
