"""`ragpulse console`: the web page."""

from __future__ import annotations

from typing import Annotated

import typer

from stream.cli.shell import USAGE, load_settings, note, print_json


def console(
    new_token: Annotated[
        str | None, typer.Option("--new-token", metavar="NAME", help="Make a token for somebody, and end.")
    ] = None,
    role: Annotated[str, typer.Option(help="Of the new token: viewer, annotator or admin.")] = "annotator",
    as_json: Annotated[bool, typer.Option("--json", help="With --new-token: as one JSON object.")] = False,
) -> None:
    """Serve the web page: what happens now, why a case failed, and the queue where people label cases.

    Listens at RAGPULSE_CONSOLE__HOST and RAGPULSE_CONSOLE__PORT until SIGTERM or Ctrl-C. People log in with
    tokens (RAGPULSE_CONSOLE__TOKENS). Where none is set, one for an admin is made and printed once, and
    only this machine can reach the page. ClickHouse may be away: pages say so, and come back with it.

    --new-token prints a token for whoever is to come in, and the setting that lets them in: it holds a hash
    of the token alone.

    \b
    Examples:
      ragpulse console
      ragpulse console --new-token li --role annotator

    Exit code: 0 when asked to stop; 1 it crashed; 2 settings; 3 the file of leases cannot be used.
    """
    if new_token is not None:
        _make_token(new_token, role, as_json)
        return
    if as_json:
        note("--json is for --new-token: without it, the console logs and does not end.")
        raise typer.Exit(USAGE)
    from stream.console.main import run_console

    raise typer.Exit(run_console(load_settings(), note))


def _make_token(name: str, role: str, as_json: bool) -> None:
    import orjson
    from pydantic import ValidationError

    from console.security.tokens import hash_token, make_token
    from stream.settings.console import ConsoleToken

    token = make_token()
    try:
        entry = ConsoleToken.model_validate({"name": name, "role": role, "sha256": hash_token(token)})
    except ValidationError as error:
        first = error.errors()[0]
        note(f"{'--role' if first['loc'] == ('role',) else 'The name'} cannot be used: {first['msg']}.")
        raise typer.Exit(USAGE) from None
    setting = entry.model_dump(exclude_none=True)
    if as_json:
        print_json({"token": token, "setting": setting})
        return
    typer.echo(token)
    note(f"Give that to {name}; it is not shown again. Add this to RAGPULSE_CONSOLE__TOKENS, a JSON list:")
    note(f"  {orjson.dumps(setting).decode()}")


__all__ = ["console"]
