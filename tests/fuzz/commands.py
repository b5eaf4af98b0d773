"""Command lines that nobody would type: every command, with options of its own and values of all kinds."""

from __future__ import annotations

import gzip
import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

import typer
from typer.testing import CliRunner

from sinks.errors import SinkError
from stream.cli import app
from stream.cli.shell import USAGE, _sink_exit_code, is_no_path
from stream.errors import RagpulseError
from tests.fuzz.targets import seeds
from tests.support.time_limit import no_longer_than
from tests.unit.schemas.formats.test_hostile_bytes import hurt

STAYS: Final = {
    "worker",
    "sink",
    "judge",
    "watch",
    "console",
    "demo",
    "export",
    "fill",
    "local",
    "serve",
    "probe",
}
"""Commands that go on until they are told to stop, or start others that do."""
CODES: Final = frozenset(range(4))
SECONDS: Final = 30.0
_VALUES: Final = (
    "", " ", "0", "-1", "1e999", "NaN", "9" * 40, "x" * 5_000, "字", "\u202e", "{}", "[]", "a=b", "=", ",",
    "en", "auto", "otlp_json", "ragpulse", "7d", "0d", "9999999d", "2026-13-45", "no-such-file", "-", "--",
    "file.jsonl", "file.gz", "file.bin", "%s", "$HOME", "a\nb",
)  # fmt: skip


def find_commands() -> dict[tuple[str, ...], list[Any]]:
    """Every command that ends by itself, with its parameters."""
    return {
        way: command.params
        for way, command in _walk(typer.main.get_command(app), ())
        if not STAYS.intersection(way)
    }


def _walk(command: Any, way: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    if hasattr(command, "commands"):
        for name, inner in command.commands.items():
            yield from _walk(inner, (*way, name))
    else:
        yield way, command


def try_commands(folder: Path, inputs: int, chance: Random) -> Counter[int]:
    """So many command lines, in this folder, without broker and store; exits by code.

    Raises AssertionError where one ends in any way but a code that is documented.
    """
    commands = find_commands()
    codes: Counter[int] = Counter()
    before = Path.cwd()
    os.chdir(folder)
    try:
        for _ in range(inputs):
            _write_files(chance)
            way = chance.choice(list(commands))
            arguments = [*way, *_arguments(commands[way], chance)]
            codes[_run(arguments, folder)] += 1
    finally:
        os.chdir(before)
    return codes


def _run(arguments: list[str], folder: Path) -> int:
    environment = {
        "HOME": str(folder),
        "RAGPULSE_CLICKHOUSE__DSN": "http://127.0.0.1:9/none",
        "RAGPULSE_KAFKA__BROKERS": "127.0.0.1:9",
    }
    with no_longer_than(SECONDS, repr(arguments)):
        done = CliRunner().invoke(app, arguments, env=environment, input=b"\xff{}\n")
    return exit_code(arguments, done)


def exit_code(arguments: list[str], done: Any) -> int:
    """How a command ended, as a shell sees it. Raises AssertionError where no document says so."""
    error, code = done.exception, done.exit_code
    if isinstance(error, RagpulseError):
        code = error.exit_code
    elif isinstance(error, OSError) and is_no_path(error):
        code = USAGE
    elif isinstance(error, SinkError):
        code = _sink_exit_code(error)
    elif error is not None and not isinstance(error, SystemExit):
        raise AssertionError(arguments) from error
    assert code in CODES, (arguments, code, error)
    return int(code)


def _arguments(parameters: list[Any], chance: Random) -> Iterator[str]:
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            if chance.random() < 0.8:
                yield chance.choice(_VALUES)
        elif chance.random() < 0.25:
            yield parameter.opts[0]
            if not parameter.is_flag:
                yield chance.choice(_VALUES)
    if chance.random() < 0.1:
        yield chance.choice(("--nothing", "-x", "extra", *_VALUES))


def _write_files(chance: Random) -> None:
    """Files that commands may be given: damaged, and of any format."""
    good = [seed[1:] for seed in _SEEDS]
    Path("file.bin").write_bytes(hurt(chance.choice(good), chance))
    lines = b"\n".join(hurt(one, chance) if chance.random() < 0.5 else one for one in chance.sample(good, 4))
    Path("file.jsonl").write_bytes(lines)
    packed = gzip.compress(lines, 1)
    Path("file.gz").write_bytes(hurt(packed, chance) if chance.random() < 0.5 else packed)


_SEEDS: Final = list(seeds("messages"))

__all__ = ["exit_code", "find_commands", "try_commands"]
