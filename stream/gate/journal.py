"""The answers of an endpoint, kept line by line: a run that was broken off goes on where it ended.

The file is one of traces like any other: `ragpulse gate --answers FILE` and `ragpulse score FILE` read it.
Each line is written whole, so that whatever ends a run leaves a file that can be read; a last line that a
power cut left half is removed when the file is opened again.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, Final

import orjson

from judges.gate.endpoint import EndpointOptions, request_body
from judges.golden import GoldenCase, GoldenSet
from stream.errors import SettingRefused
from stream.files.lines import FileProblem
from stream.gate.endpoint import Asked

_KEY: Final = "gate"


class Journal:
    """An open journal. `kept` are the answers that were there already, by case."""

    def __init__(self, file: FileIO, path: Path, kept: dict[str, dict[str, Any]], endpoint: str) -> None:
        self._file, self._path, self._endpoint = file, path, endpoint
        self.kept = kept

    def keep(self, asked: Asked, options: EndpointOptions) -> dict[str, Any]:
        """Write one answer; returns its line. A failure is not kept: the next run asks again."""
        case = asked.question.case
        line = asked.trace | {
            "case_id": case.case_id,
            _KEY: {"endpoint": self._endpoint, "asked": digest_of(options, case)},
        }
        if not asked.failed:
            try:
                data = orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE)
                if self._file.write(data) < len(data):
                    raise FileProblem(f"{self._path} cannot be written: the disk is full.")
            except OSError as error:
                raise FileProblem(f"{self._path} cannot be written: {error.strerror}.") from error
        return line


@contextmanager
def open_journal(path: Path, golden: GoldenSet, options: EndpointOptions) -> Iterator[Journal]:
    """The journal at `path`, new or begun. Raises FileProblem or SettingRefused, each in one sentence."""
    endpoint = fingerprint(options)
    try:
        file = path.open("a+b", buffering=0)
    except OSError as error:
        raise FileProblem(f"{path} cannot be written: {error.strerror}.") from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FileProblem(f"{path} is being written by another gate.") from error
        kept = _read(file, path, golden, options, endpoint)
        yield Journal(file, path, kept, endpoint)


def fingerprint(options: EndpointOptions) -> str:
    """Who is asked, and how (SHA-256, 64 bits): no key is in it."""
    said = options.model_dump(include={"url", "request", "response", "chunks_key"})
    return hashlib.sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def digest_of(options: EndpointOptions, case: GoldenCase) -> str:
    """What a case is asked (SHA-256, 64 bits): another question needs another answer."""
    body = orjson.dumps(request_body(options, case), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(body).hexdigest()[:16]


def _read(
    file: FileIO, path: Path, golden: GoldenSet, options: EndpointOptions, endpoint: str
) -> dict[str, dict[str, Any]]:
    file.seek(0)
    data = file.readall()
    whole = data.rfind(b"\n") + 1
    if whole < len(data):
        os.ftruncate(file.fileno(), whole)
    cases = {case.case_id: digest_of(options, case) for case in golden.cases}
    kept: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(data[:whole].splitlines(), 1):
        value = _parsed(path, number, line)
        if value[_KEY].get("endpoint") != endpoint:
            raise SettingRefused(
                f"{path} holds answers of another endpoint, or of one that was asked otherwise: name another "
                "file, or remove it."
            )
        if cases.get(value.get("case_id", "")) == value[_KEY].get("asked"):
            kept[value["case_id"]] = value
    if len(kept) == len(golden.cases):
        raise SettingRefused(
            f"{path} holds the answers of a run that was finished: look at them with --answers {path}, or "
            "remove the file and ask again."
        )
    return kept


def _parsed(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict) or not isinstance(value.get(_KEY), dict):
        raise FileProblem(f"{path}, line {number}: no answer that a gate has kept; name another file.")
    return value


__all__ = ["Journal", "digest_of", "fingerprint", "open_journal"]
