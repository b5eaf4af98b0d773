"""Standard output as commands need it: what cannot be written is one sentence, and nothing raises twice."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, Final

from stream.errors import RagpulseError

_FD: Final = 1


class OutputFailed(RagpulseError):
    """Standard output takes nothing more: a full disk, or a stream that was closed."""

    exit_code = 1


class _Raw(io.FileIO):
    """The file descriptor. A reader that is gone stays BrokenPipeError: that is no failure."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except (BrokenPipeError, BlockingIOError):
            raise
        except OSError as error:
            raise OutputFailed(f"Standard output cannot be written: {error.strerror}.") from error


def prepare_streams() -> None:
    """Have streams in place of those that were closed, and an output whose failures have a name.

    A closed descriptor is filled: the next file we open must not become somebody's standard output. A
    character that a terminal's encoding lacks is shown as a question mark.
    """
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        if stream is None:
            # The wrong way round, so that using it fails; to standard error we may say what we like.
            mode = (os.O_WRONLY, os.O_RDONLY, os.O_WRONLY)[number]
            handle = os.open(os.devnull, mode)
            if handle != number:
                os.dup2(handle, number)
                os.close(handle)
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(2, "w", closefd=False), encoding="utf-8")
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, "r", closefd=False)), encoding="utf-8")
    encoding = sys.stdout.encoding if sys.stdout is not None else "utf-8"
    raw = _Raw(_FD, "w", closefd=False)
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors="replace", line_buffering=raw.isatty()
    )


def silence_output() -> None:
    """What is still buffered must not raise again when the interpreter closes the stream."""
    handle = os.open(os.devnull, os.O_WRONLY)
    os.dup2(handle, _FD)
    os.close(handle)


__all__ = ["OutputFailed", "prepare_streams", "silence_output"]
