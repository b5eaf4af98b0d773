"""`ragpulse judge --probe`: the probe set, put to the judges now."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import typer

from stream.cli.shell import FINDING, UNREACHABLE, load_settings, note, print_json

if TYPE_CHECKING:
    from stream.judging.probing import Probed


def probe_judges(new_baseline: bool, as_json: bool) -> None:
    """Ask, compare with earlier runs, store, tell. Exits 1 where a judge has changed, 3 where none speaks."""
    from sinks.clickhouse.migrate import require_schema
    from stream.judging.opening import require_judge
    from stream.judging.probe_lane import probe_once
    from stream.sink.main import open_store

    settings = load_settings()
    require_judge(settings.judge)
    client = open_store(settings)
    try:
        require_schema(client)
        found = asyncio.run(probe_once(settings, client, new_baseline=new_baseline))
    finally:
        client.close()
    if as_json:
        print_json({"judges": [_facts(one) for one in found]})
    else:
        for one in found:
            _say(one)
    if not all(one.run.counts for one in found):
        raise typer.Exit(UNREACHABLE)
    if any(one.drift.signals for one in found):
        raise typer.Exit(FINDING)


def _facts(probed: Probed) -> dict[str, Any]:
    run, drift = probed.run, probed.drift
    return {
        "judge": run.judge,
        "model": run.model,
        "served_by": run.served_by or None,
        "agreement": {language or "all": run.agreement(language) for language in ("", "en", "zh")},
        "wrong": [
            {"probe": one.probe, "expected": one.expected, "said": one.said}
            for one in run.answered()
            if not one.right
        ],
        "unanswered": run.errors,
        "begins_baseline": run.begins_baseline,
        "baseline_runs": drift.baseline_runs,
        "signals": {signal.value: fact for signal, fact in drift.signals.items()},
        "changed": drift.changed,
        "shift": drift.shift,
        "cost_usd": run.usage.cost_usd,
    }


def _say(probed: Probed) -> None:
    run, drift = probed.run, probed.drift
    name = f"{run.judge} ({run.model}{f', answered by {run.served_by}' if run.served_by else ''})"
    shares = [(language, run.agreement(language)) for language in ("", "en", "zh")]
    said = ", ".join(f"{language or 'all'} {share:.0%}" for language, share in shares if share is not None)
    note(f"{name}: right {said or 'nowhere, since too little was answered'}")
    for one in run.answered():
        if not one.right:
            note(f"  {one.probe}: {one.said or 'no class'} instead of {one.expected}")
    for reason, count in run.errors.items():
        note(f"  {count:,} not answered: {reason}")
    if run.begins_baseline:
        note("  later runs are compared with this one")
    elif run.counts and not drift.signals:
        note(
            f"  as in its first {drift.baseline_runs} runs"
            if drift.baseline_runs > 1
            else "  as in its first run"
        )
    for fact in drift.signals.values():
        note(f"  has changed: {fact}")


__all__ = ["probe_judges"]
