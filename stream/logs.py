"""Logs of our own: JSON for machines, colours for people, on standard error either way."""

from __future__ import annotations

import logging
import sys
from io import TextIOBase
from typing import Any, TextIO, cast

import structlog

from stream.settings import TelemetrySettings

Logger = Any
"""What `get` returns: structlog's bound logger, whose methods take an event and facts by keyword."""


def configure(settings: TelemetrySettings, process: str, stream: TextIO | None = None) -> None:
    """Set up logging for this process (its name goes into every line), ours and the libraries'."""
    _set_up(settings, process, stream or sys.stderr)
    _route_libraries(getattr(logging, settings.log_level.upper()))


def _set_up(settings: TelemetrySettings, process: str, out: TextIO) -> None:
    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not out.isatty())
    level = getattr(logging, settings.log_level.upper())
    shared: list[Any] = [
        _name(process),
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.UnicodeDecoder(),
    ]
    if as_json:
        renderer: list[Any] = [
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False, default=str),
        ]
    else:
        renderer = [_for_people(out)]
    structlog.configure(
        processors=[*shared, *renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )


def configure_for_command(settings: TelemetrySettings) -> None:
    """Ours alone, of a command that ends by itself, go to standard error: its output is for results.

    What a library would say, the command says in a sentence. A process that has set up its logs keeps them.
    """
    if not structlog.is_configured():
        _set_up(settings, "command", cast(TextIO, _StandardError()))


class _StandardError(TextIOBase):
    """Standard error as it is when something is written, whoever exchanges it meanwhile."""

    def write(self, text: str) -> int:
        return sys.stderr.write(text)

    def flush(self) -> None:
        sys.stderr.flush()

    def isatty(self) -> bool:
        return sys.stderr.isatty()


def _for_people(out: TextIO) -> Any:
    """Lines for people. Tracebacks without the values in them: passwords are among those."""
    return structlog.dev.ConsoleRenderer(
        colors=out.isatty(), exception_formatter=structlog.dev.plain_traceback
    )


def _name(process: str) -> Any:
    """A structlog processor that adds the name of this process, in every thread."""

    def add(_logger: object, _method: str, event: dict[str, Any]) -> dict[str, Any]:
        event.setdefault("process", process)
        return event

    return add


def get(**facts: object) -> Logger:
    """A logger that adds these facts to every line."""
    return structlog.get_logger(**facts)


class _ToStructlog(logging.Handler):
    """Lines of libraries (librdkafka among them) take the same road as ours."""

    def emit(self, record: logging.LogRecord) -> None:
        structlog.get_logger(library=record.name).log(record.levelno, record.getMessage())


def _route_libraries(level: int) -> None:
    root = logging.getLogger()
    root.handlers = [_ToStructlog()]
    root.setLevel(max(level, logging.WARNING))


__all__ = ["Logger", "configure", "configure_for_command", "get"]
