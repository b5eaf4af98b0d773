"""What all commands share: settings, errors in one sentence, progress, pipes that close early."""

from __future__ import annotations

import errno
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol

import typer

from stream.cli.output import OutputFailed, prepare_streams, silence_output
from stream.errors import RagpulseError, SettingRefused

if TYPE_CHECKING:
    from stream.settings import Settings

FINDING: Final = 1
USAGE: Final = 2
UNREACHABLE: Final = 3
COMPILING: Final = "loading the scorer: the first time it is compiled for this machine, for a minute or two"
_REDRAW_S: Final = 0.1
_SLOW_S: Final = 6.0


def note(text: str) -> None:
    """Say something to the person, on standard error, over a progress line if there is one.

    Where nobody can hear it (a full disk), the work goes on all the same.
    """
    clear = "\r\x1b[K" if sys.stderr.isatty() else ""
    with suppress(OSError):
        print(f"{clear}{text}", file=sys.stderr)


def require_name(given: str | None) -> str | None:
    """What was given as somebody's name, for options. Raises BadParameter where it is empty."""
    if given is not None and not given.strip():
        raise typer.BadParameter("a name cannot be empty: leave the option out, or say who")
    return given


def print_json(value: Any) -> None:
    """One JSON object on standard output."""
    import orjson

    with tolerate_closed_pipe():
        sys.stdout.buffer.write(
            orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS)
        )
        sys.stdout.buffer.flush()


def load_settings() -> Settings:
    """The settings, or one sentence that names what is wrong with them (never its value)."""
    import tomllib

    from pydantic import ValidationError
    from pydantic_settings import SettingsError

    from stream import logs
    from stream.environment import find_no_json, refuse_missing_file, refuse_unknown
    from stream.settings import CONFIG_FILE_VARIABLE, DEFAULT_CONFIG_FILE, Settings

    file = os.environ.get(CONFIG_FILE_VARIABLE, DEFAULT_CONFIG_FILE)
    refuse_unknown(os.environ)
    refuse_missing_file(os.environ)
    try:
        settings = Settings()
        logs.configure_for_command(settings.telemetry)
        return settings
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        parts = [str(part) for part in takewhile(lambda part: isinstance(part, str), first["loc"])]
        name = "RAGPULSE_" + "__".join(parts).upper()
        inside = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in first["loc"][len(parts) :])
        why = "there is no such setting" if first["type"] == "extra_forbidden" else first["msg"].rstrip(".")
        why = why.removeprefix("Value error, ")
        raise SettingRefused(f"{name}{inside} (or the same in {file}) cannot be used: {why}.") from None
    except SettingsError as error:
        name = find_no_json(os.environ) or ""
        raise SettingRefused(
            f"{name} is no JSON." if name else f"The settings cannot be read: {error}."
        ) from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingRefused(f"{file} is no TOML: {error}.") from None
    except OSError as error:
        raise SettingRefused(f"{file} cannot be read: {error.strerror}.") from None


@contextmanager
def tolerate_closed_pipe() -> Iterator[None]:
    """Whoever reads us may have had enough (`| head`): end quietly then."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        silence_output()
        raise typer.Exit(0) from None


@contextmanager
def said_if_slow(text: str, after_s: float = _SLOW_S) -> Iterator[None]:
    """Say `text` if the body takes longer than that: nobody should wonder what is going on."""
    timer = threading.Timer(after_s, note, [text])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def stop_on_signals() -> None:
    """Let SIGTERM, and SIGHUP of a terminal that is gone, unwind like Ctrl-C does: nothing is left behind.

    A SIGHUP that is ignored (nohup) stays ignored.
    """

    def leave(number: int, _frame: object) -> NoReturn:
        for one in heard:
            signal.signal(one, signal.SIG_IGN)
        raise SystemExit(128 + number)

    heard = [one for one in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(one) is not signal.SIG_IGN]
    for one in heard:
        signal.signal(one, leave)


class Extent(Protocol):
    """What a progress line measures."""

    @property
    def size(self) -> int | None:
        """All of it; null where nobody knows."""

    def position(self) -> int:
        """How far it is, on the same scale."""


class Progress:
    """One line on a terminal's standard error that says how far we are; nothing at all elsewhere."""

    def __init__(self, file: Extent, clock: Callable[[], float] = time.monotonic) -> None:
        self._file, self._clock = file, clock
        self._start = clock()
        self._drawn = 0.0
        self._shown = sys.stderr.isatty()

    def show(self, count: int, unit: str) -> None:
        """Draw it, at most ten times a second."""
        now = self._clock()
        if not self._shown or now - self._drawn < _REDRAW_S:
            return
        self._drawn = now
        rate = count / max(now - self._start, 1e-3)
        line = f"{self._bar()}{count:,} {unit}, {rate:,.0f}/s"
        print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _bar(self, width: int = 24) -> str:
        if not self._file.size:
            return ""
        share = min(1.0, self._file.position() / self._file.size)
        full = round(share * width)
        return f"{'█' * full}{'░' * (width - full)} {share:4.0%}  "


def run(app: typer.Typer) -> int:
    """Run the command line; errors for people become one sentence and an exit code."""
    prepare_streams()
    stop_on_signals()
    try:
        app()
    except OutputFailed as error:
        silence_output()
        note(f"ragpulse: {error}")
        return error.exit_code
    except RagpulseError as error:
        note(f"ragpulse: {error}")
        return error.exit_code
    except Exception as error:
        if is_no_path(error):
            note("ragpulse: A path that was given is too long to be one.")
            return USAGE
        code = _sink_exit_code(error)
        if code is None:
            raise
        note(f"ragpulse: {str(error).rstrip('.')}. {_store_hint(error)}".rstrip())
        return code
    return 0


def is_no_path(error: Exception) -> bool:
    """Whether the operating system refused a path for its length, wherever it was first used."""
    return isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG


def _store_hint(error: Exception) -> str:
    """What to do about what a store said; nothing where it says so itself."""
    from sinks.errors import SinkAddressWrong, SinkOverloaded, SinkUnavailable, SinkUntrusted
    from stream.settings.clickhouse import CERTIFICATES

    if isinstance(error, SinkUntrusted):
        return CERTIFICATES
    if isinstance(error, SinkOverloaded):
        return "Try again later."
    if isinstance(error, SinkUnavailable):
        return "Start it, or correct RAGPULSE_CLICKHOUSE__DSN."
    if isinstance(error, SinkAddressWrong):
        return "Correct RAGPULSE_CLICKHOUSE__DSN."
    return "" if "RAGPULSE_" in str(error) else "Correct RAGPULSE_CLICKHOUSE__DSN, or the rights of its user."


def _sink_exit_code(error: Exception) -> int | None:
    """Exit code for what a store said; null for anything else."""
    from sinks.errors import SinkAddressWrong, SinkDenied, SinkError, SinkUnavailable

    if isinstance(error, SinkUnavailable | SinkDenied):
        return UNREACHABLE
    if isinstance(error, SinkAddressWrong):
        return USAGE
    return FINDING if isinstance(error, SinkError) else None


__all__ = [
    "COMPILING", "FINDING", "UNREACHABLE", "USAGE", "Extent", "Progress", "load_settings", "note",
    "print_json", "run", "said_if_slow", "stop_on_signals", "tolerate_closed_pipe",
]  # fmt: skip
