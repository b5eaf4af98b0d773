"""What the commands of `ragpulse golden` share: options, the store, who made a version and why."""

from __future__ import annotations

import getpass
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Annotated

import typer

from stream.cli.shell import load_settings, require_name, tolerate_closed_pipe
from stream.terminal import printable

if TYPE_CHECKING:
    from sinks.clickhouse.client import ClickHouse
    from sinks.golden import GoldenStore

Json = Annotated[bool, typer.Option("--json", help="One JSON object.")]
Who = Annotated[
    str | None,
    typer.Option(
        "--who", metavar="NAME", callback=require_name, help="Who made it; the user of this machine."
    ),
]
Reference = Annotated[
    str, typer.Argument(metavar="SET", help="A file, NAME (its newest version), or NAME@VERSION.")
]


def reason_of(why: str) -> str:
    """In one line. Raises BadParameter where there is none."""
    plain = printable(why)
    if not plain:
        raise typer.BadParameter("say why there is another version", param_hint="--why")
    return plain


def user() -> str:
    """Who runs this; nobody where the system does not know (a container without names)."""
    with suppress(KeyError, OSError, ImportError):
        return getpass.getuser()
    return ""


class Store:
    """The store, opened when it is first asked for: a command that only reads files needs none."""

    def __init__(self, closing: ExitStack) -> None:
        self._closing = closing
        self._client: ClickHouse | None = None

    def client(self) -> ClickHouse:
        """Its client, once it is known that our tables are there. Raises SinkError."""
        if self._client is None:
            from sinks.clickhouse.migrate import require_schema
            from stream.sink.main import open_store

            self._client = open_store(load_settings())
            self._closing.callback(self._client.close)
            require_schema(self._client)
        return self._client

    def __call__(self) -> GoldenStore:
        from sinks.golden import GoldenStore

        return GoldenStore(self.client())


@contextmanager
def opened() -> Iterator[Store]:
    """The store, and its end."""
    with ExitStack() as closing:
        yield Store(closing)


def print_lines(lines: Iterable[str]) -> None:
    """To standard output, for as long as somebody reads it."""
    with tolerate_closed_pipe():
        for line in lines:
            print(line)


__all__ = ["Json", "Reference", "Store", "Who", "opened", "print_lines", "reason_of", "user"]
