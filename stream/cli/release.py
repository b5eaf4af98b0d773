"""`ragpulse release mark | list`: from when on something ran that did not before."""

from __future__ import annotations

import getpass
import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stream.cli.dead import parse_since
from stream.cli.shell import load_settings, note, print_json, tolerate_closed_pipe
from stream.terminal import printable

if TYPE_CHECKING:
    from sinks.clickhouse.client import ClickHouse
    from stream.watch.records import Mark

_EARLIEST: Final = datetime(2000, 1, 1, tzinfo=UTC)
_AHEAD: Final = timedelta(days=30)
_LONGEST_VALUE, _LONGEST_NOTE = 200, 1_000

app = typer.Typer(
    help="Release marks: from when on something ran that did not before.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("mark")
def mark_release(
    of_app: Annotated[
        list[str], typer.Option("--app", metavar="APP", help="Whose release; may be repeated.")
    ],
    part: Annotated[
        str,
        typer.Option(
            metavar="PART",
            help="app, prompt, index, embedding_model, reranker, generator, or a word of your own.",
        ),
    ],
    value: Annotated[str, typer.Option(metavar="VALUE", help="As traces name it, such as kb-42.")],
    at: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="From when on: an ISO time, or an age such as 90m; now, unless given."
        ),
    ] = None,
    text: Annotated[str, typer.Option("--note", metavar="TEXT", help="What on-call should know.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="The marks, as one JSON object.")] = False,
) -> None:
    """Say that something was released: incidents name the mark nearest before they began.

    What traces carry under `release` is marked by `ragpulse watch` itself when a value is new. This is for
    whatever traces do not say, for the exact time, for a note, and for going back to an old value. The same
    app, part, value and time again is one mark.

    \b
    Examples:
      ragpulse release mark --app helpdesk --part index --value kb-42
      ragpulse release mark --app helpdesk --part guardrails --value off --at 20m --note "load test"

    Exit code: 0; 2 usage; 3 the store cannot be reached.
    """
    now = datetime.now(UTC)
    moment = parse_at(at, now) if at else now
    apps = [_plain(one, "--app", _LONGEST_VALUE) for one in of_app]
    part, value = _part(part), _plain(value, "--value", _LONGEST_VALUE)
    text = _plain(text, "--note", _LONGEST_NOTE) if text else ""
    client = _open()
    try:
        marks = _marks(client, apps, part, value, moment, text)
    finally:
        client.close()
    if as_json:
        print_json({"marks": [facts(mark) for mark in marks]})
        return
    for mark in marks:
        note(f"marked: {line(mark)}")


@app.command("list")
def list_releases(
    since: Annotated[
        str, typer.Option(metavar="WHEN", help="Marks from when: an ISO time, or an age such as 90m, 7d.")
    ] = "7d",
    of_app: Annotated[
        list[str] | None, typer.Option("--app", metavar="APP", help="Only of this app; may be repeated.")
    ] = None,
    part: Annotated[
        list[str] | None, typer.Option(metavar="PART", help="Only of this part; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines.")] = False,
) -> None:
    """List release marks, said by somebody (manual) or seen in the traffic (detected), in order of time.

    \b
    Examples:
      ragpulse release list --since 30d --app helpdesk
      ragpulse release list --part index --json | jq -r .value

    Exit code: 0; 2 usage; 3 the store cannot be reached.
    """
    from stream.watch.store import WatchStore

    begin = parse_since(since, datetime.now(UTC))
    client = _open()
    try:
        found = WatchStore(client).marks_since(begin.timestamp())
    finally:
        client.close()
    chosen = [
        mark for mark in found if (not of_app or mark.app in of_app) and (not part or mark.part in part)
    ]
    with tolerate_closed_pipe():
        for mark in chosen:
            if as_json:
                print_json(facts(mark))
            else:
                print(line(mark))
    if not as_json:
        note(f"{len(chosen):,} release marks")


def parse_at(text: str, now: datetime) -> datetime:
    """When something ran from: a moment that can be. Raises BadParameter."""
    try:
        moment = parse_since(text, now).astimezone(UTC)
    except typer.BadParameter as error:
        raise typer.BadParameter(error.message, param_hint="--at") from None
    if not _EARLIEST <= moment <= now + _AHEAD:
        raise typer.BadParameter(
            f"{moment:%F %T} is before {_EARLIEST:%Y}, or more than {_AHEAD.days} days ahead",
            param_hint="--at",
        )
    return moment


def line(mark: Mark) -> str:
    """One mark for people."""
    at = datetime.fromtimestamp(mark.at, UTC)
    change = f"{mark.part}={mark.value}" + (f" (was {mark.previous})" if mark.previous else "")
    by = f" by {mark.made_by}" if mark.made_by else ""
    said = f"{at:%Y-%m-%d %H:%M:%S}  {mark.app:<16} {change}  [{mark.source}{by}] {mark.note}"
    return printable(said).rstrip()


def facts(mark: Mark) -> dict[str, Any]:
    """One mark as JSON."""
    return {
        "at": datetime.fromtimestamp(mark.at, UTC).isoformat(),
        "app": mark.app,
        "part": mark.part,
        "value": mark.value,
        "previous": mark.previous or None,
        "source": mark.source,
        "note": mark.note,
        "made_by": mark.made_by,
    }


def _marks(
    client: ClickHouse, apps: list[str], part: str, value: str, moment: datetime, text: str
) -> list[Mark]:
    """Store a mark for each app, with what ran there before."""
    from stream.watch.records import RELEASE_PARTS, Mark
    from stream.watch.store import WatchStore

    store, at = WatchStore(client), round(moment.timestamp(), 3)
    known = store.known_values(at) if part in RELEASE_PARTS else {}
    marks = []
    for one in dict.fromkeys(apps):
        others = {v: seen for v, seen in known.get((one, part), {}).items() if v != value}
        previous = max(others, key=lambda v: (others[v], v), default="")
        marks.append(Mark(at, one, part, value, previous, "manual", text, _user()))
    store.save_marks(marks)
    return marks


def _user() -> str:
    """Who runs this; nobody where the system does not know (a container without names)."""
    with suppress(KeyError, OSError, ImportError):
        return getpass.getuser()
    return ""


def _part(text: str) -> str:
    name = text.strip().removeprefix("release_")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,39}", name):
        raise typer.BadParameter(
            f"{text!r} is no word of small letters, digits and underscores", param_hint="--part"
        )
    return name


def _plain(text: str, option: str, longest: int) -> str:
    plain = text.strip()
    if not plain or len(plain) > longest or not plain.isprintable():
        raise typer.BadParameter(f"one line of 1 to {longest:,} characters is wanted", param_hint=option)
    return plain


def _open() -> ClickHouse:
    from sinks.clickhouse.migrate import require_schema
    from stream.sink.main import open_store

    client = open_store(load_settings())
    try:
        require_schema(client)
    except BaseException:
        client.close()
        raise
    return client


__all__ = ["app", "facts", "line", "list_releases", "mark_release", "parse_at"]
