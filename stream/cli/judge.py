"""`ragpulse judge`: the process that has sampled traces judged, and what it would cost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from stream.cli.shell import load_settings, note, print_json

if TYPE_CHECKING:
    from stream.judging.estimate import Estimate

_EACH: Final = 8


def judge(
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what a period would cost; nothing is asked, nothing spent.")
    ] = False,
    funnel: Annotated[
        bool, typer.Option("--funnel", help="Say how far the traces of a period came: seen to judged.")
    ] = False,
    since: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN",
            help="With --dry-run or --funnel: from when, an ISO time or an age such as 2h, 7d; a day ago.",
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="WHEN", help="With --dry-run or --funnel: to when; now, unless given."),
    ] = None,
    probe: Annotated[
        bool, typer.Option("--probe", help="Put the probe set to the judges, once: have they changed?")
    ] = False,
    new_baseline: Annotated[
        bool, typer.Option("--new-baseline", help="With --probe: compare later runs with this one.")
    ] = False,
    local: Annotated[
        bool,
        typer.Option("--local", help="A demonstration without a key: a small model judges simulated traces."),
    ] = False,
    lane: Annotated[
        bool, typer.Option("--lane", help="With --local: judge what arrives on Kafka instead, as a try-out.")
    ] = False,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="With --local: another model, a .gguf file.",
            show_default="the installed one",
        ),
    ] = None,
    each: Annotated[
        int | None,
        typer.Option(
            min=2,
            max=500,
            metavar="N",
            help="With --local: traces of each kind and language.",
            show_default=str(_EACH),
        ),
    ] = None,
    fit: Annotated[
        bool, typer.Option("--fit", help="With --local: fit the model's boundary anew, on other traces.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="With --dry-run, --funnel, --probe or --local: as one JSON object.")
    ] = False,
) -> None:
    """Have sampled traces judged by LLMs: reads them from Kafka, publishes verdicts.

    Runs until SIGTERM or Ctrl-C, and then finishes what it has in hand. Start as many as you like: they
    divide the partitions, and those of one machine share budget and cache. A broker or an endpoint that is
    away is waited for. Nothing is asked beyond the budget (RAGPULSE_JUDGE__BUDGET_DAILY_USD and others);
    what it does not allow is counted, and stored without a verdict.

    \b
    Examples:
      RAGPULSE_JUDGE__BASE_URL=http://localhost:11434/v1 RAGPULSE_JUDGE__MODEL=qwen3 ragpulse judge
      ragpulse judge --dry-run --since 7d
      ragpulse judge --funnel --since 2h
      ragpulse judge --probe
      ragpulse judge --local

    Exit code: 0 when asked to stop; 1 it crashed, or --probe finds a judge changed; 2 settings; 3 a service
    refuses, or --probe is answered by nobody.
    """
    if local:
        from stream.cli.local import judge_locally, run_local_lane

        if dry_run or funnel or probe or since or until:
            raise typer.BadParameter("--local stands alone")
        if lane:
            raise typer.Exit(run_local_lane(model))
        judge_locally(model, _EACH if each is None else each, fit, as_json)
        return
    if lane or fit or model is not None or each is not None:
        raise typer.BadParameter(
            "they are of --local, which is missing", param_hint="--lane, --model, --each, --fit"
        )
    if probe:
        from stream.cli.probes import probe_judges

        if dry_run or funnel or since or until:
            raise typer.BadParameter("--probe stands alone")
        probe_judges(new_baseline, as_json)
        return
    if funnel:
        from stream.cli.funnel import show_funnel

        if dry_run:
            raise typer.BadParameter("--funnel says what was judged, --dry-run what would be: one at a time")
        show_funnel(since, until, as_json)
        return
    if dry_run:
        _tell_cost(since, until, as_json)
        return
    if since or until or as_json or new_baseline:
        raise typer.BadParameter(
            "--since, --until and --json are of --dry-run and --funnel; --new-baseline is of --probe"
        )
    from stream.judging.main import run_judge

    raise typer.Exit(run_judge(load_settings()))


def _tell_cost(since: str | None, until: str | None, as_json: bool) -> None:
    from sinks.clickhouse.migrate import require_schema
    from stream.cli.rescore import read_period
    from stream.judging.estimate import estimate
    from stream.judging.opening import require_judge
    from stream.sink.main import open_store

    settings = load_settings()
    require_judge(settings.judge)
    period = read_period(since or "1d", until, None)
    client = open_store(settings)
    try:
        require_schema(client)
        found = estimate(client, settings.judge, period)
    finally:
        client.close()
    if as_json:
        print_json({"since": period.since.isoformat(), "until": period.until.isoformat(), **found.facts()})
    else:
        _say(found)


def _say(found: Estimate) -> None:
    facts: dict[str, Any] = found.facts()
    note(f"{facts['sampled']:,} traces were sampled; {facts['judged']:,} have a verdict")
    note(f"{facts['left']:,} would be judged")
    if facts["left_out"]:
        gone = ", ".join(f"{name} {count:,}" for name, count in facts["left_out"].items())
        note(f"of these cannot be judged any more: {gone}")
    for judge in facts["judges"]:
        likely, most = judge["likely_usd"], judge["most_usd"]
        cost = (
            "no price is set (RAGPULSE_JUDGE__PRICES)"
            if likely is None
            else f"about ${likely:,.4f}, ${most:,.4f} at the very most"
        )
        note(
            f"{judge['name']} ({judge['model']}): about {judge['asks']:,} questions, "
            f"{judge['input_tokens']:,} tokens in, {judge['output_tokens']:,} out; {cost}"
        )
    if facts["looked_at"] < facts["left"]:
        note(f"(from {facts['looked_at']:,} of them, put together as they would be asked)")


__all__ = ["judge"]
