"""Traces from a file, line by line: plain or gzipped, from standard input too, in bounded memory."""

from __future__ import annotations

import gzip
import io
import os
import sys
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, Final, Protocol, cast

from schemas.formats import Decode, Decoded, Unreadable
from schemas.formats.base import TOO_LARGE
from schemas.trace import LateFeedback, Trace
from stream.errors import RagpulseError
from stream.files.hints import hint_for

STDIN: Final = "-"
_GZIP_MAGIC: Final = b"\x1f\x8b"
_PIECE_BYTES: Final = 1 << 20


class FileProblem(RagpulseError):
    """A file that cannot be opened or written: a matter of usage."""

    exit_code = 2


class FileDamaged(RagpulseError):
    """A file that cannot be read to its end. What came before is worth having."""

    exit_code = 1


@dataclass(slots=True, frozen=True)
class Line:
    """One line: its number (from 1), its bytes without the line end, and what they were read as."""

    number: int
    data: bytes
    decoded: list[Decoded]


class Lines(Protocol):
    """An open file, whatever its format: iterate for its lines, or for what counts as lines."""

    name: str
    size: int | None
    """Bytes on disk; null for pipes and terminals."""
    left_out: Counter[str]
    """By reason: what is there and is no matter of ours."""

    def position(self) -> int:
        """Bytes of the file (as it lies on disk) that were read so far."""

    def __iter__(self) -> Iterator[Line]:
        """Each line once. Raises FileDamaged where the file breaks off."""


class TraceFile:
    """An open file of traces. Iterate for its lines; blank ones are passed over.

    `max_line_bytes` bounds the memory: a longer line is reported as unreadable and skipped.
    Iteration raises FileDamaged where a gzip stream breaks off.
    """

    def __init__(self, raw: BinaryIO, name: str, decode: Decode, max_line_bytes: int) -> None:
        self.name = name
        self._raw = raw
        self._decode = decode
        self._max = max_line_bytes
        buffered = io.BufferedReader(cast(io.RawIOBase, raw), _PIECE_BYTES)
        try:
            zipped = buffered.peek(2)[:2] == _GZIP_MAGIC
        except OSError as error:
            raise FileProblem(f"{name} cannot be read: {error.strerror}.") from error
        self._lines = cast(IO[bytes], gzip.GzipFile(fileobj=buffered) if zipped else buffered)
        self.size = size_of(raw)
        self.left_out: Counter[str] = Counter()

    def position(self) -> int:
        """Bytes of the file (as it lies on disk) that were read so far."""
        try:
            return self._raw.tell()
        except OSError:
            return 0

    def __iter__(self) -> Iterator[Line]:
        number = 0
        while True:
            number += 1
            try:
                data = self._lines.readline(self._max + 1)
                if not data:
                    return
                too_long = len(data) > self._max and not data.endswith(b"\n")
                length = len(data) + self._skip_rest() if too_long else len(data)
            except (EOFError, zlib.error, OSError) as error:
                raise FileDamaged(
                    f"{self.name} cannot be read beyond line {number - 1}: {error}. "
                    "It may have been cut off while it was copied."
                ) from error
            if too_long:
                detail = f"{length:,} bytes in one line, over {self._max:,}"
                yield Line(number, b"", [Unreadable(TOO_LARGE, detail)])
            elif not data.isspace():
                data = data.rstrip(b"\r\n")
                yield Line(number, data, self._decode(data))

    def _skip_rest(self) -> int:
        skipped = 0
        while piece := self._lines.readline(_PIECE_BYTES):
            skipped += len(piece)
            if piece.endswith(b"\n"):
                break
        return skipped


class Reader:
    """The traces of a file. What cannot be read is said through `complain`, counted, and passed over."""

    def __init__(self, file: Lines, complain: Callable[[str], None]) -> None:
        self.file = file
        self.traces_read = 0
        self.late_feedback = 0
        self.unreadable: Counter[str] = Counter()
        self.damaged = False
        self._complain = complain

    @property
    def left_out(self) -> Counter[str]:
        """By reason: traces that were read, and say nothing of a question."""
        return self.file.left_out

    @property
    def had_problems(self) -> bool:
        """Whether anything in the file could not be read."""
        return self.damaged or bool(self.unreadable)

    def items(self) -> Iterator[tuple[Line, Trace | LateFeedback | None]]:
        """Each trace or late feedback with its line; null for what could not be read."""
        lines = iter(self.file)
        while True:
            try:
                line = next(lines, None)
            except FileDamaged as error:
                self.damaged = True
                self._complain(str(error))
                return
            if line is None:
                return
            for decoded in line.decoded:
                yield line, self._accept(line, decoded)

    def _accept(self, line: Line, decoded: Decoded) -> Trace | LateFeedback | None:
        if isinstance(decoded, Unreadable):
            self.unreadable[decoded.reason] += 1
            self._complain(f"{self.file.name}: line {line.number}: {decoded.reason}: {decoded.detail}")
            hint = hint_for(line.data, self.file.name) if self.unreadable.total() == 1 else None
            if hint:
                self._complain(hint)
            return None
        if isinstance(decoded, Trace):
            self.traces_read += 1
        else:
            self.late_feedback += 1
        return decoded


@contextmanager
def open_traces(path: str, decode: Decode, max_line_bytes: int) -> Iterator[TraceFile]:
    """Open a file of traces, or standard input for `-`. Raises FileProblem."""
    with open_raw(path) as (raw, name):
        yield TraceFile(raw, name, decode, max_line_bytes)


@contextmanager
def open_raw(path: str) -> Iterator[tuple[BinaryIO, str]]:
    """The bytes of a file, or of standard input for `-`, and what to call it. Raises FileProblem."""
    if path == STDIN:
        yield cast(BinaryIO, io.FileIO(sys.stdin.fileno(), closefd=False)), "standard input"
        return
    try:
        raw = io.FileIO(path)
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error
    with raw:
        yield cast(BinaryIO, raw), path


@contextmanager
def write_whole(path: Path) -> Iterator[IO[bytes]]:
    """A file that appears complete or not at all: written beside its place, then moved there.

    A name that ends in .gz is compressed. Devices and pipes are written as they are. Raises FileProblem.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        if target.is_dir():
            raise FileProblem(f"{path} is a folder: name a file.")
        try:
            with target.open("wb") as out:
                yield out
        except OSError as error:
            raise FileProblem(f"{path} cannot be written: {error.strerror or error}.") from error
        return
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        file = part.open("xb")
    except OSError as error:
        raise FileProblem(f"{path} cannot be written: {error.strerror}.") from error
    try:
        with file:
            if target.suffix == ".gz":
                with gzip.open(file, "wb", compresslevel=6) as zipped:
                    yield cast(IO[bytes], zipped)
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            part.chmod(target.stat().st_mode & 0o7777)
        part.replace(target)
    except OSError as error:  # a full disk; what is read meanwhile has errors of its own
        raise FileProblem(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        part.unlink(missing_ok=True)


def size_of(raw: BinaryIO) -> int | None:
    """Bytes of a regular file; null for pipes and terminals."""
    try:
        return os.fstat(raw.fileno()).st_size if raw.seekable() else None
    except OSError:
        return None


__all__ = [
    "STDIN", "FileDamaged", "FileProblem", "Line", "Lines", "Reader", "TraceFile", "open_raw", "open_traces",
    "size_of", "write_whole",
]  # fmt: skip
