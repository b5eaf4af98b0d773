"""`ragpulse doctor`: is everything there, and what to do next."""

from __future__ import annotations

import sys
from typing import Annotated, Final

import typer

from stream.cli.shell import COMPILING, load_settings, print_json, said_if_slow, tolerate_closed_pipe

_COLOURS: Final = {"ok": "32", "note": "36", "problem": "33", "unreachable": "31"}


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="All checks as one JSON object.")] = False,
) -> None:
    """Check the configuration and the connections, and say what to do.

    Prints one line a check: ok, note (worth knowing), problem, unreachable; and below it what to do.
    Nothing is changed, and no password is printed.

    \b
    Examples:
      ragpulse doctor
      ragpulse doctor --json | jq '.checks[] | select(.state != "ok")'

    Exit code: 0 all well; 1 a problem; 2 a setting cannot be used; 3 a service cannot be reached.
    """
    from stream.doctor import examine, exit_code

    checks = []
    with tolerate_closed_pipe():
        for check in examine(load_settings(), while_loading=said_if_slow(COMPILING)):
            checks.append(check)
            if not as_json:
                _print(check.name, check.state, check.detail, check.todo)
    code = exit_code(checks)
    if as_json:
        shown = [
            {"name": c.name, "state": c.state, "detail": c.detail, "todo": c.todo or None} for c in checks
        ]
        print_json({"ok": code == 0, "checks": shown})
    raise typer.Exit(code)


def _print(name: str, state: str, detail: str, todo: str) -> None:
    word = f"{state:<11}"
    if sys.stdout.isatty():
        word = f"\x1b[{_COLOURS[state]}m{word}\x1b[0m"
    print(f"{word} {name:<16} {detail}", flush=True)
    if todo:
        print(f"{'':<29}→ {todo}", flush=True)


__all__ = ["doctor"]
