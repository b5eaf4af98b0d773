"""What costs most in the worker: cProfile around the pipeline on the same messages, no broker.

    python -m benchmarks.profile_worker [--count 2000]

The profiler slows Python calls and not the C behind them, so read the order, not the seconds.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks._common import ROOT, Messages, load_messages
from judges.distilled import load_scorer
from judges.triage import triage
from schemas.formats import Unreadable
from schemas.formats.own import decode
from schemas.row import Provenance, Sampling, encode, trace_row
from schemas.scored import Judged, Scorer
from schemas.trace import Trace
from stream import topics
from stream.pipeline import judge_batch
from stream.settings import WorkerSettings

TOP = 12


def profile(messages: Messages, count: int) -> dict[str, Any]:
    """Names with calls and seconds: the first by cumulative time, the first by own time."""
    scorer = load_scorer()
    bodies = [value for _, value in messages.take(count)]
    batch = WorkerSettings().batch_size
    run_pipeline(bodies[:batch], scorer, batch)  # warm
    steps = time_steps(bodies, scorer, batch)
    profiler = cProfile.Profile()
    profiler.enable()
    run_pipeline(bodies, scorer, batch)
    profiler.disable()
    stats = pstats.Stats(profiler)
    return {
        "messages": count,
        "steps_us": steps,
        "by_cumulative": _top(stats, lambda entry: entry["cumulative_s"]),
        "by_own": _top(stats, lambda entry: entry["own_s"]),
    }


def time_steps(bodies: list[bytes], scorer: Scorer, batch: int) -> dict[str, float]:
    """Processor microseconds a message of each step, without the profiler."""
    spent = dict.fromkeys(("decode", "score", "triage", "encode"), 0.0)
    now = datetime.now(UTC)
    for start in range(0, len(bodies), batch):
        marks = [time.process_time()]
        traces = [_trace(body) for body in bodies[start : start + batch]]
        marks.append(time.process_time())
        scores = scorer.score(traces)
        marks.append(time.process_time())
        judged = [Judged(t, s, triage(t, s)) for t, s in zip(traces, scores, strict=True)]
        marks.append(time.process_time())
        for offset, one in enumerate(judged, start):
            encode(trace_row(one, Provenance(topics.TRACES, 0, offset, now), Sampling(), now))
        marks.append(time.process_time())
        for step, begin, end in zip(spent, marks, marks[1:], strict=False):
            spent[step] += end - begin
    return {step: round(seconds / len(bodies) * 1e6, 1) for step, seconds in spent.items()}


def run_pipeline(bodies: list[bytes], scorer: Scorer, batch: int) -> int:
    """Bytes to rows, as the worker does between consume and produce. Returns the bytes of the rows."""
    now, total = datetime.now(UTC), 0
    for start in range(0, len(bodies), batch):
        traces = [_trace(body) for body in bodies[start : start + batch]]
        for offset, judged in enumerate(judge_batch(traces, scorer), start):
            row = trace_row(judged, Provenance(topics.TRACES, 0, offset, now), Sampling(), now)
            total += len(encode(row))
    return total


def _trace(body: bytes) -> Trace:
    decoded = decode(body)[0]
    if isinstance(decoded, Unreadable) or not isinstance(decoded, Trace):
        raise TypeError(f"not a trace: {decoded}")
    return decoded


def _top(stats: pstats.Stats, key: Callable[[dict[str, Any]], float]) -> list[dict[str, Any]]:
    entries = [
        {
            "function": _name(*where),
            "calls": calls,
            "own_s": round(own, 4),
            "cumulative_s": round(cumulative, 4),
        }
        for where, (_, calls, own, cumulative, _) in stats.stats.items()  # type: ignore[attr-defined]
    ]
    return sorted(entries, key=key, reverse=True)[:TOP]


def _name(file: str, line: int, function: str) -> str:
    if file in ("~", ""):
        return function
    path = Path(file)
    short = path.relative_to(ROOT) if path.is_relative_to(ROOT) else Path(*path.parts[-2:])
    return f"{short}:{line} {function}"


def text(hot: dict[str, Any]) -> str:
    """The profile for people."""
    steps = "   ".join(f"{step} {spent:,.0f}" for step, spent in hot["steps_us"].items())
    lines = [
        f"what costs most in the worker ({hot['messages']:,} messages, no broker)",
        "",
        f"processor microseconds a message, by step, without the profiler:   {steps}",
    ]
    for title, key in (("by cumulative time", "by_cumulative"), ("by own time", "by_own")):
        lines += ["", f"{title:70}{'calls':>10}{'own s':>9}{'cum. s':>9}"]
        lines += [
            f"{entry['function'][:69]:70}{entry['calls']:>10,}{entry['own_s']:>9.3f}{entry['cumulative_s']:>9.3f}"
            for entry in hot[key]
        ]
    return "\n".join(lines)


def main() -> int:
    """Print the profile."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile_worker", description=__doc__)
    parser.add_argument("--count", type=int, default=2_000, help="messages")
    print(text(profile(load_messages(), parser.parse_args().count)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
