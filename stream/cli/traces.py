"""`ragpulse score | publish | convert`: what can be done with a file of traces."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any, cast

import typer

from stream.cli.shell import (
    COMPILING,
    FINDING,
    Progress,
    load_settings,
    note,
    print_json,
    said_if_slow,
    tolerate_closed_pipe,
)

if TYPE_CHECKING:
    from stream.files.lines import Reader
    from stream.files.score import SecondOpinion
    from stream.judging.session import JudgeTally

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Own JSON lines, OTLP (JSON or protobuf), or an export of Langfuse, LangSmith, Phoenix or "
        "TruLens; plain, gzip or zstd; - for standard input.",
    ),
]
Format = Annotated[
    str,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help="auto looks at the bytes; else ragpulse (own JSON), otlp_json, otlp_proto, langfuse, langsmith, "
        "openinference, trulens.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit 1 if any line cannot be read.")]
Json = Annotated[bool, typer.Option("--json", help="The summary as one JSON object.")]


def score(
    file: File,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            help="Write here instead of standard output: complete, or not at all.",
        ),
    ] = None,
    format: Format = "auto",
    strict: Strict = False,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge",
            help="Have the LLM judges of the settings say something as well: it costs, up to the budget.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Score the traces of a file, without broker or store.

    Prints one JSON line a trace, in the order of the file: trace_id, failure (null is healthy),
    faithfulness, hallucination, refusal, evidence and more. A summary by class goes to standard error
    (with --json as one JSON object).

    A line that cannot be read is reported with its number and the reason, and the rest goes on.

    With --judge each line also has the key `judge`: what the LLM judges say, or the reason why nothing
    ("over_budget", "timeout" …). What was asked before is not asked again. `ragpulse judge` says how to
    configure them.

    \b
    Examples:
      ragpulse score traces.jsonl
      ragpulse score traces.jsonl.gz --out scored.jsonl
      zcat old.gz | ragpulse score - | jq 'select(.failure == "hallucination")'

    Exit code: 0; 1 if the file breaks off, or with --strict if a line cannot be read, scored or judged;
    2 usage; 3 a judge cannot be reached.
    """
    from judges.distilled import load_scorer
    from stream.files.lines import write_whole
    from stream.files.score import score_file

    with reading(file, format) as reader, tolerate_closed_pipe():
        progress = Progress(reader.file)
        with said_if_slow(COMPILING):
            scorer = load_scorer()

        def show() -> None:
            progress.show(reader.traces_read, "traces")

        with _second_opinion(judge, progress) as (second, judged):
            if out is None:
                tally = score_file(reader, scorer, cast(IO[bytes], sys.stdout.buffer), show, second)
                sys.stdout.buffer.flush()
            else:
                with write_whole(out) as target:
                    tally = score_file(reader, scorer, target, show, second)
        progress.clear()
    summary = tally.summary(reader)
    if judged:
        summary["judge"] = judged.summary()
    if as_json:
        note_json(summary)
    else:
        note(f"{summary['scored']:,} traces scored by {tally.scorer_version}{_problems(reader)}")
        for line in class_lines(summary):
            note(line)
        if judged:
            note(judged.sentence())
    if tally.scorer_errors:
        note(f"Warning: the scorer failed on {tally.scorer_errors:,} traces; their lines say scorer_error.")
    failed = tally.scorer_errors > 0 or bool(judged and judged.unjudged)
    _leave(reader, strict, failed=failed)


@contextmanager
def _second_opinion(
    wanted: bool, progress: Progress
) -> Iterator[tuple[SecondOpinion | None, JudgeTally | None]]:
    if not wanted:
        yield None, None
        return
    from stream.judging.lines import second_opinion
    from stream.judging.session import judging

    with judging(load_settings().judge) as session:
        done = session.tally
        yield second_opinion(session, lambda: progress.show(done.done, "traces judged")), done


def publish(
    file: File,
    topic: Annotated[
        str | None, typer.Option(metavar="TOPIC", help="Where to.", show_default="that of the worker")
    ] = None,
    rate: Annotated[
        float | None, typer.Option(min=0.001, metavar="N", help="Messages a second; default: all at once.")
    ] = None,
    raw: Annotated[bool, typer.Option("--raw", help="Send lines that cannot be read as well.")] = False,
    format: Format = "auto",
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Publish the traces of a file to Kafka, and wait until the broker has confirmed each.

    The bytes of a line are sent as they are, with the conversation_id (else the trace_id) as key; traces
    in a foreign format are sent as `ragpulse convert` prints them.
    Publishing a file twice is safe where traces carry a timestamp: each is counted once. (Without one,
    the broker's hour is part of what a trace is.) A line that cannot be read is reported and
    left out; with --raw it is sent all the same, and the worker makes a dead letter of it.

    \b
    Examples:
      ragpulse publish traces.jsonl
      ragpulse publish traces.jsonl.gz --rate 50
      RAGPULSE_KAFKA__BROKERS=kafka:9092 ragpulse publish traces.jsonl

    Exit code: 0; 1 if the file breaks off, or with --strict if a line cannot be read; 2 usage;
    3 no broker answers.
    """
    from stream.files.publish import Pace, publish_file

    settings = load_settings().kafka
    topic = settings.sources[0].name if topic is None else _checked_topic(topic)
    limit = settings.max_message_bytes - 4096
    with reading(file, format, limit) as reader:
        progress = Progress(reader.file)
        done = publish_file(
            reader,
            settings,
            topic=topic,
            raw=raw,
            pace=Pace(rate),
            on_progress=lambda done: progress.show(done.sent, "messages"),
        )
        progress.clear()
    if as_json:
        print_json(
            {
                "published": done.confirmed,
                "topic": topic,
                "brokers": settings.brokers,
                "unreadable": reader.unreadable.total(),
                "unreadable_by_reason": dict(reader.unreadable),
            }
        )
    else:
        note(f"{done.confirmed:,} messages confirmed on {topic} at {settings.brokers}{_problems(reader)}")
    _leave(reader, strict)


def convert(file: File, format: Format = "auto", strict: Strict = False) -> None:
    """Print the traces of a file as ragpulse sees them: own JSON lines. No broker needed.

    Every field of the trace is there, null where the source says nothing; keys that ragpulse does not
    know are kept under "extra". Spans are put together trace by trace; a trace without a retrieval and
    without an answer is left out, and counted. What was cut by a limit on attributes is null, and
    "extra" says so.

    \b
    Examples:
      ragpulse convert traces.jsonl | head -1 | jq .
      ragpulse convert spans.otlp.jsonl
      ragpulse convert traces.jsonl | ragpulse publish -

    Exit code: 0; 1 if the file breaks off, or with --strict if a line cannot be read; 2 usage.
    """
    from stream.files.convert import own_line

    with reading(file, format) as reader, tolerate_closed_pipe():
        for _, item in reader.items():
            if item is not None:
                sys.stdout.buffer.write(own_line(item))
        sys.stdout.buffer.flush()
    if reader.had_problems or reader.left_out:
        note(f"{reader.traces_read:,} traces{_problems(reader)}")
    _leave(reader, strict)


def _checked_topic(name: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._-]{1,249}", name) or name in (".", ".."):
        raise typer.BadParameter(
            f"{name!r} is no name of a topic (letters, digits, dot, underscore, hyphen)", param_hint="--topic"
        )
    return name


@contextmanager
def reading(file: str, format: str, limit: int | None = None) -> Iterator[Reader]:
    """The traces of a file, whatever its format; what cannot be read is said. Raises FileProblem."""
    from stream.files.lines import Reader
    from stream.files.opening import FORMATS, open_any

    if format not in FORMATS:
        known = ", ".join(FORMATS)
        raise typer.BadParameter(
            f"There is no format {format!r}: choose one of {known}.", param_hint="--format"
        )
    settings = load_settings()
    longest = min(limit or settings.worker.max_trace_bytes, settings.worker.max_trace_bytes)
    with open_any(file, format, longest, settings.segments.mapping()) as traces:
        yield Reader(traces, note)


def _problems(reader: Reader) -> str:
    """What else was in the file."""
    parts = []
    if reader.late_feedback:
        parts.append(f"{reader.late_feedback:,} late feedback")
    if reader.left_out:
        parts.append(f"{reader.left_out.total():,} left out ({', '.join(sorted(reader.left_out))})")
    if reader.unreadable:
        parts.append(f"warning: {reader.unreadable.total():,} lines could not be read")
    if reader.damaged:
        parts.append("warning: the file breaks off")
    return "".join(f"; {part}" for part in parts)


def class_lines(summary: dict[str, Any]) -> Iterator[str]:
    """The table by class, for people; nothing of nothing. Healthy ones that nobody could look at are told."""
    scored = summary["scored"]
    if not scored:
        return
    for name, count in summary["by_class"].items():
        yield f"  {name:<16} {count:>8,}  {count / scored:6.1%}"
    if summary["healthy_unseen"]:
        why = ", ".join(f"{name} {count:,}" for name, count in summary["healthy_unseen_by_coverage"].items())
        yield f"  Of the healthy, {summary['healthy_unseen']:,} were not measured: {why}"


def note_json(value: object) -> None:
    """A JSON object on standard error: standard output holds the lines."""
    import orjson

    note(orjson.dumps(value).decode())


def _leave(reader: Reader, strict: bool, *, failed: bool = False) -> None:
    if reader.damaged or (strict and (reader.had_problems or failed)):
        raise typer.Exit(FINDING)


__all__ = ["convert", "publish", "reading", "score"]
