"""What the scorer costs: time a trace, against parsing the same JSON; memory; start; long contexts.

    python -m benchmarks.scoring_speed [--rounds N] [--plot FILE.svg] [--json]

One core, batches of 64, traces of about 450 tokens of context in three to five chunks, half of them
Chinese. Timed is all that a worker does between decoding and encoding: reading a trace, measuring it, the
learned heads, triage. No trace is scored twice in a round, and each round is a process of its own.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from benchmarks._scoring_traces import CHUNK_TOKENS, make_long, make_pool

BATCH = 64
BATCHES, STEP_BATCHES = 16, 6
"""Batches that are scored whole, and others on which the steps are timed by themselves."""
CHUNKS = (1, 2, 5, 10, 20, 35, 50, 75, 100)
LONG_TRACES = 8
ROOT = Path(__file__).resolve().parents[1]
Report = dict[str, Any]


def main() -> int:
    """Run the rounds and print the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--scorer", help="weights to time instead of those that ship; or: rules")
    parser.add_argument("--plot", type=Path, help="draw time against chunks into this SVG file")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of tables")
    parser.add_argument("--part", choices=("round", "start", "memory"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        parts: dict[str, Callable[[str | None], Report]] = {
            "round": time_round,
            "start": time_start,
            "memory": weigh_memory,
        }
        print(json.dumps(parts[options.part](options.scorer)))
        return 0
    report = run_all(options.rounds, options.scorer)
    if options.plot:
        options.plot.write_text(draw_plot(report["chunks"], report["fit"]), encoding="utf-8")
    print(json.dumps(report) if options.json else show(report))
    return 0


def run_all(rounds: int, scorer: str | None) -> Report:
    """The medians of all rounds, and what is measured once."""
    warm = _run_part("start", scorer)
    seen = [_run_part("round", scorer) for _ in range(rounds)]
    with tempfile.TemporaryDirectory() as empty:
        cold = _run_part("start", scorer, NUMBA_CACHE_DIR=empty)
    warm = _run_part("start", scorer)
    steps = {step: statistics.median(r["ms"][step] for r in seen) for step in seen[0]["ms"]}
    chunks = [
        (n, statistics.median(dict(map(tuple, r["chunks"]))[n] for r in seen)) for n, _ in seen[0]["chunks"]
    ]
    return {
        "scorer": seen[0]["scorer"],
        "origin": seen[0]["origin"],
        "traces": BATCH * BATCHES,
        "context_tokens": seen[0]["context_tokens"],
        "ms": steps,
        "spread_ms": _spread([r["ms"]["all"] for r in seen]),
        "to_json": _spread([r["ms"]["all"] / r["ms"]["json"] for r in seen]),
        "to_orjson": _spread([r["ms"]["all"] / r["ms"]["orjson"] for r in seen]),
        "p95_ms": statistics.median(r["p95_ms"] for r in seen),
        "memory_mb": _run_part("memory", scorer),
        "start_s": {"cold": cold, "warm": warm},
        "chunks": chunks,
        "fit": fit_line(chunks),
        "load": os.getloadavg()[0],
    }


# --- in a process of its own ----------------------------------------------------------------------


def time_round(scorer_path: str | None) -> Report:
    """One round: every step on fresh traces, with the two parsers run on the same bytes in between."""
    _hold_on_one_core()
    from judges.distilled import load_scorer
    from judges.triage import triage
    from schemas.trace import Trace

    pool = make_pool(BATCH * (1 + BATCHES + STEP_BATCHES))
    batches = [pool.lines[at : at + BATCH] for at in range(0, len(pool.lines), BATCH)]
    traces = [[Trace.model_validate_json(line) for line in batch] for batch in batches]
    scorer = load_scorer(scorer_path)

    def score(batch: Sequence[Trace]) -> None:
        for trace, scores in zip(batch, scorer.score(batch), strict=True):
            triage(trace, scores)

    score(traces[0])
    gc.freeze()  # a worker does not keep a thousand traces
    all_ms, json_ms, orjson_ms = [], [], []
    whole = slice(1, 1 + BATCHES)
    for lines, batch in zip(batches[whole], traces[whole], strict=True):
        all_ms.append(_time(partial(score, batch)))
        json_ms.append(_time(partial(_parse, json.loads, lines)))
        orjson_ms.append(_time(partial(_parse, orjson.loads, lines)))
    per_trace = [ms / BATCH for ms in all_ms]
    return {
        "scorer": scorer.version,
        "origin": pool.origin,
        "context_tokens": pool.context_tokens,
        "ms": {
            "all": statistics.mean(per_trace),
            **_time_steps(traces[1 + BATCHES :]),
            "json": statistics.mean(json_ms) / BATCH,
            "orjson": statistics.mean(orjson_ms) / BATCH,
        },
        "p95_ms": sorted(per_trace)[int(0.95 * len(per_trace))],
        "chunks": [(n, _time_long(n, score)) for n in CHUNKS],
    }


def _time_steps(batches: Sequence[Sequence[Any]]) -> dict[str, float]:
    """Milliseconds a trace of the two steps that all scorers share."""
    from judges.distilled.measuring.batch import read_case, split_cases
    from judges.distilled.measuring.features import measure

    def measure_all(cases: list[Any]) -> None:
        for part in split_cases(cases):
            measure(part)

    reading, measuring = [], []
    for batch in batches:
        cases: list[Any] = []
        reading.append(_time(partial(cases.extend, map(read_case, batch))))
        measuring.append(_time(partial(measure_all, cases)))
    return {"reading": statistics.mean(reading) / BATCH, "measuring": statistics.mean(measuring) / BATCH}


def _time_long(chunks: int, score: Callable[[Sequence[Any]], None]) -> float:
    """Milliseconds a trace of so many chunks; the least of three tries on traces of their own."""
    from schemas.trace import Trace

    tries = []
    for seed in range(3):
        batch = [Trace.model_validate_json(line) for line in make_long(chunks, LONG_TRACES, seed)]
        tries.append(_time(partial(score, batch)) / LONG_TRACES)
    return min(tries)


def time_start(scorer_path: str | None) -> Report:
    """Seconds from nothing to a scorer that is warm, by the clock and by the processor."""
    began, used = time.perf_counter(), time.process_time()
    from judges.distilled import load_scorer

    load_scorer(scorer_path)
    return {"clock": time.perf_counter() - began, "processor": time.process_time() - used, "mb": _peak_mb()}


def weigh_memory(scorer_path: str | None) -> Report:
    """Peak resident megabytes of a process that scores one batch, and what it had before."""
    from judges.distilled import load_scorer
    from schemas.trace import Trace

    batch = [Trace.model_validate_json(line) for line in make_pool(BATCH).lines]
    before = _peak_mb()
    scorer = load_scorer(scorer_path)
    loaded = _peak_mb()
    scorer.score(batch)
    return {"before": before, "loaded": loaded, "scored": _peak_mb()}


def _parse(parse: Callable[[bytes], object], lines: Sequence[bytes]) -> None:
    for line in lines:
        parse(line)


def _time(action: Callable[[], object]) -> float:
    """Milliseconds of processor time: it is one core's, and moves less than the clock on a busy machine."""
    began = time.process_time()
    action()
    return (time.process_time() - began) * 1e3


def _hold_on_one_core() -> None:
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _run_part(part: str, scorer: str | None, **variables: str) -> Report:
    command = [sys.executable, "-m", "benchmarks.scoring_speed", "--part", part]
    command += ["--scorer", scorer] if scorer else []
    done = subprocess.run(command, cwd=ROOT, env=os.environ | variables, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr.decode()[-2000:]}")
    report: Report = json.loads(done.stdout)
    return report


# --- what comes of it -----------------------------------------------------------------------------


def _spread(values: Sequence[float]) -> tuple[float, float, float]:
    """Median, least and most."""
    return statistics.median(values), min(values), max(values)


def fit_line(points: Sequence[tuple[int, float]]) -> Report:
    """Least squares of time over chunks: `base` + `each` · chunks, and the share of variance explained."""
    chunks, times = zip(*points, strict=True)
    each, base = statistics.linear_regression(chunks, times)
    r2 = statistics.correlation(chunks, times) ** 2
    worst = max(abs(base + each * n - t) / t for n, t in points)
    return {"base_ms": base, "each_ms": each, "r2": r2, "worst_share": worst}


def show(report: Report) -> str:
    """The report as text."""
    ms, start, memory, fit = report["ms"], report["start_s"], report["memory_mb"], report["fit"]
    lines = [
        f"{report['traces']} traces a round, {report['context_tokens']:.0f} tokens of context each:",
        report["origin"],
        f"scorer {report['scorer']}, one core, batches of {BATCH}, load {report['load']:.1f}",
        "",
        "processor milliseconds a trace",
        "  all of it        {:.3f}   ({:.3f} to {:.3f} over the rounds)".format(*report["spread_ms"]),
        f"  95 % of batches  {report['p95_ms']:.3f}",
        f"  reading          {ms['reading']:.3f}",
        f"  measuring        {ms['measuring']:.3f}",
        f"  the rest         {ms['all'] - ms['reading'] - ms['measuring']:.3f}   heads, evidence, triage",
        f"  json.loads       {ms['json']:.3f}",
        f"  orjson.loads     {ms['orjson']:.4f}",
        "",
        "ratio to json.loads of the same traces    {:.1f}  ({:.1f} to {:.1f})".format(*report["to_json"]),
        "ratio to orjson.loads of the same traces  {:.1f}  ({:.1f} to {:.1f})".format(*report["to_orjson"]),
        "",
        "peak memory, MB: {before:.0f} at first, {loaded:.0f} loaded, {scored:.0f} after a batch".format(
            **memory
        ),
        f"start, seconds (processor): {start['warm']['clock']:.1f} ({start['warm']['processor']:.1f}) warm; "
        f"{start['cold']['clock']:.1f} ({start['cold']['processor']:.1f}) with nothing compiled, "
        f"{start['cold']['mb']:.0f} MB then",
        "",
        f"milliseconds a trace by chunks of about {CHUNK_TOKENS} tokens (fit: {fit['base_ms']:.2f} + "
        f"{fit['each_ms']:.4f} a chunk, R² {fit['r2']:.4f})",
        "chunks,ms,fit",
    ]
    lines += [f"{n},{t:.3f},{fit['base_ms'] + fit['each_ms'] * n:.3f}" for n, t in report["chunks"]]
    return "\n".join(lines)


def draw_plot(points: Sequence[tuple[int, float]], fit: Report, width: int = 640, height: int = 360) -> str:
    """Time against chunks with the fitted line, as SVG."""
    left, bottom, right, top = 60, height - 45, width - 20, 20
    most_x = max(n for n, _ in points)
    most_y = 1.1 * max(t for _, t in points)

    def place(n: float, t: float) -> tuple[float, float]:
        return left + (right - left) * n / most_x, bottom - (bottom - top) * t / most_y

    dots = "".join(
        '<circle cx="{:.1f}" cy="{:.1f}" r="3.5" fill="#2463a8"/>'.format(*place(n, t)) for n, t in points
    )
    (x1, y1), (x2, y2) = place(0, fit["base_ms"]), place(most_x, fit["base_ms"] + fit["each_ms"] * most_x)
    ticks = "".join(
        f'<text x="{place(n, 0)[0]:.1f}" y="{bottom + 18:.1f}" text-anchor="middle">{n}</text>'
        for n in range(0, most_x + 1, 20)
    )
    middle = (top + bottom) / 2
    step = max(1, round(most_y / 5))
    ticks += "".join(
        f'<text x="{left - 8:.1f}" y="{place(0, t)[1] + 4:.1f}" text-anchor="end">{t}</text>'
        for t in range(0, int(most_y) + 1, step)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif"'
        f' font-size="12"><rect width="{width}" height="{height}" fill="#fff"/>'
        f'<path d="M{left} {top}V{bottom}H{right}" fill="none" stroke="#555"/>{ticks}'
        f'<text x="{(left + right) / 2}" y="{height - 8}" text-anchor="middle">'
        f"chunks of about {CHUNK_TOKENS} tokens</text>"
        f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">'
        "processor ms a trace</text>"
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#c0504d"/>{dots}</svg>\n'
    )


if __name__ == "__main__":
    raise SystemExit(main())
