"""`ragpulse dead list | replay`: what could not be read or stored, and sending it back."""

from __future__ import annotations

import re
import sys
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stream.cli.shell import FINDING, load_settings, note, print_json, tolerate_closed_pipe
from stream.terminal import printable

if TYPE_CHECKING:
    from stream.dead.commands import Policy
    from stream.dead.letters import Letter
    from stream.settings import Settings

_INTERRUPTED: Final = 130
_REACH_S: Final = 4.0
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}

app = typer.Typer(
    help="Dead letters: what could not be read or stored, and sending it back.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Reasons = Annotated[
    list[str] | None, typer.Option("--reason", metavar="REASON", help="Only this reason; may be repeated.")
]
Topics = Annotated[
    list[str] | None, typer.Option("--topic", metavar="TOPIC", help="Only from this topic; may be repeated.")
]
Since = Annotated[
    str | None,
    typer.Option(
        metavar="WHEN", help="Only those given up since: an ISO time, or an age such as 90m, 2h, 7d."
    ),
]
Limit = Annotated[int | None, typer.Option(min=1, metavar="N", help="At most so many.")]


@app.command("list")
def list_letters(
    reason: Reasons = None,
    topic: Topics = None,
    since: Since = None,
    limit: Limit = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="JSON lines, with the original bytes (value, or value_base64).")
    ] = False,
) -> None:
    """List dead letters: when, why, whence, and how they begin.

    \b
    Examples:
      ragpulse dead list --since 2h
      ragpulse dead list --reason not_json --json | jq -r .value

    Exit code: 0; 2 usage; 3 no broker answers.
    """
    from stream.dead.commands import list_dead

    count = 0
    settings = _reach()
    with tolerate_closed_pipe():
        for letter in list_dead(settings, _policy(reason, topic, since), limit):
            count += 1
            if as_json:
                print_json(_facts(letter))
            else:
                print(_line(letter))
    if not as_json:
        note(f"{count:,} dead letters")


@app.command("replay")
def replay_letters(
    reason: Reasons = None,
    topic: Topics = None,
    since: Since = None,
    limit: Limit = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be sent, send nothing.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Also those that were sent back before.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="What was done, as one JSON object.")] = False,
) -> None:
    """Send dead letters back to the topics they came from: the original bytes, key and headers.

    Each is sent once, however often this runs (unless --again). Those whose bytes were cut, or whose
    topic is gone, are left alone and counted. Ctrl-C ends it between two batches.

    \b
    Examples:
      ragpulse dead replay --reason scorer_error --dry-run
      ragpulse dead replay --since 2026-12-01T08:00:00Z

    Exit code: 0; 1 some were left alone because they are not complete or their topic is gone; 2 usage;
    3 no broker answers.
    """
    from stream.dead.commands import replay

    done = replay(_reach(), _policy(reason, topic, since), dry_run=dry_run, again=again, limit=limit)
    if as_json:
        print_json(
            {
                "dry_run": dry_run,
                "sent": done.sent.total(),
                "sent_by_topic": dict(done.sent),
                "already": done.already,
                "cut": done.cut,
                "homeless": done.homeless,
                "interrupted": done.interrupted,
            }
        )
    else:
        verb = "would be sent back" if dry_run else "sent back"
        to = ", ".join(f"{count:,} to {name}" for name, count in sorted(done.sent.items()))
        note(f"{done.sent.total():,} dead letters {verb}{f' ({to})' if to else ''}")
        for count, why in (
            (done.already, "were sent back before (--again sends them once more)"),
            (done.cut, "are not complete"),
            (done.homeless, "came from a topic that does not exist"),
        ):
            if count:
                note(f"{count:,} left alone: they {why}")
    if done.interrupted:
        raise typer.Exit(_INTERRUPTED)
    if done.cut or done.homeless:
        raise typer.Exit(FINDING)


def parse_since(text: str, now: datetime) -> datetime:
    """An ISO time (UTC where it names no zone), or an age. Raises BadParameter."""
    age = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd])", text.strip())
    try:
        if age:
            return now - timedelta(**{_UNITS[age[2]]: float(age[1])})
        moment = datetime.fromisoformat(text.strip())
    except (ValueError, OverflowError):
        raise typer.BadParameter(
            f"{text!r} is neither an ISO time nor an age such as 90m, 2h, 7d", param_hint="--since"
        ) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _reach() -> Settings:
    """The settings, once the broker has answered: nobody should wait long to hear that it does not."""
    from stream.kafka.admin import partition_counts

    settings = load_settings()
    partition_counts(settings.kafka, _REACH_S)
    return settings


def _policy(reasons: list[str] | None, topics: list[str] | None, since: str | None) -> Policy:
    from stream.dead.commands import Policy

    moment = parse_since(since, datetime.now(UTC)) if since else None
    return Policy(frozenset(reasons or ()), frozenset(topics or ()), moment)


def _line(letter: Letter) -> str:
    width = 60 if sys.stdout.isatty() else 200
    begin = printable(letter.value[:400].decode("utf-8", "replace"))[:width]
    whence = f"{letter.topic}/{letter.partition}@{letter.offset}"
    return (
        f"{letter.written_at:%Y-%m-%d %H:%M:%S}  {letter.reason:<16} {whence:<24} {letter.size:>9,} B  "
        f"{printable(letter.detail)}  | {begin}"
    )


def _facts(letter: Letter) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "written_at": letter.written_at.isoformat(),
        "reason": letter.reason,
        "detail": letter.detail,
        "topic": letter.topic,
        "partition": letter.partition,
        "offset": letter.offset,
        "timestamp": letter.timestamp.isoformat() if letter.timestamp else None,
        "by": letter.by,
        "size": letter.size,
        "cut": letter.cut,
        "key": letter.key.decode("utf-8", "replace") if letter.key is not None else None,
    }
    try:
        facts["value"] = letter.value.decode()
    except UnicodeDecodeError:
        from base64 import b64encode

        facts["value_base64"] = b64encode(letter.value).decode()
    return facts


__all__ = ["app", "list_letters", "parse_since", "replay_letters"]
