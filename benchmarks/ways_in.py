"""What it costs to read other people's spans: decode and assemble, beside plain parsers of the same bytes.

    python -m benchmarks.ways_in [--rounds N] [--copies N] [--json]

One core. Real spans of twelve instrumented applications, repeated under new trace ids and merged into
messages of at most 512 spans, as protobuf and as JSON. Timed in one run: protobuf's own parse and
orjson's of the same bytes; our decoding; assembly; then scoring, of the assembled traces and of the
same traces as own JSON. Each round is a process of its own, and ratios are taken within it.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from benchmarks._common import ROOT, Spread
from benchmarks._spans import SpanMessages, make_messages

SWEEPS: Final = 5
"""Of each step; the quickest counts, for a machine's other work only adds."""
BATCH: Final = 64
Report = dict[str, Any]


def main() -> int:
    """Run the rounds and print the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--copies", type=int, default=4, help="how often each trace is repeated")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of a table")
    parser.add_argument("--part", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part:
        print(json.dumps(time_round(make_messages(options.copies))))
        return 0
    try:
        make_messages(1)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    rounds = [_run_round(options.copies) for _ in range(options.rounds)]
    print(json.dumps(rounds) if options.json else show(rounds))
    return 0


def _run_round(copies: int) -> Report:
    command = [sys.executable, "-m", "benchmarks.ways_in", "--part", "--copies", str(copies)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr.decode()[-2000:]}")
    report: Report = json.loads(done.stdout)
    return report


# --- in a process of its own ----------------------------------------------------------------------


def time_round(messages: SpanMessages) -> Report:
    """Seconds of processor time of each step over all messages, and what they hold."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    from judges.distilled import load_scorer
    from schemas.formats import own
    from schemas.formats.assembly import assemble
    from schemas.formats.base import Unreadable
    from schemas.formats.otlp import read_json, read_proto
    from schemas.trace import Trace
    from stream.files.convert import own_line
    from stream.process import keep_what_is_loaded

    groups: defaultdict[str, list[Any]] = defaultdict(list)
    for message in messages.proto:
        spans = read_proto(message)
        if isinstance(spans, Unreadable):
            raise ValueError(f"a message that was written here cannot be read: {spans.detail}")
        for span in spans:
            groups[span.trace_id].append(span)
    traces = [trace for spans in groups.values() if isinstance(trace := assemble(spans), Trace)]
    lines = [own_line(trace) for trace in traces]
    score = _scorer(load_scorer(None))
    score(traces)
    keep_what_is_loaded()
    steps: dict[str, Callable[[], object]] = {
        "parse_proto": lambda: [ExportTraceServiceRequest.FromString(data) for data in messages.proto],
        "decode_proto": lambda: [read_proto(data) for data in messages.proto],
        "parse_json": lambda: [orjson.loads(data) for data in messages.json],
        "decode_json": lambda: [read_json(data) for data in messages.json],
        "assemble": lambda: [assemble(spans) for spans in groups.values()],
        "decode_own": lambda: [own.decode(line) for line in lines],
        "score": lambda: score(traces),
    }
    return {
        "origin": messages.origin,
        "spans": messages.spans,
        "traces": len(traces),
        "bytes": {"proto": sum(map(len, messages.proto)), "json": sum(map(len, messages.json))},
        "seconds": {name: min(_time(step) for _ in range(SWEEPS)) for name, step in steps.items()},
    }


def _scorer(scorer: Any) -> Callable[[Sequence[Any]], None]:
    from judges.triage import triage

    def score(traces: Sequence[Any]) -> None:
        for at in range(0, len(traces), BATCH):
            batch = traces[at : at + BATCH]
            for trace, scores in zip(batch, scorer.score(batch), strict=True):
                triage(trace, scores)

    return score


def _time(step: Callable[[], object]) -> float:
    """Processor time: it is one core's, and moves less than the clock on a busy machine."""
    began = time.process_time()
    step()
    return time.process_time() - began


# --- what comes of it -----------------------------------------------------------------------------


def show(rounds: Sequence[Report]) -> str:
    """The report as text: medians, with the least and the most of the rounds."""
    first = rounds[0]

    def over(measure: Callable[[dict[str, float]], float]) -> Spread:
        return Spread.over([measure(one["seconds"]) for one in rounds])

    lines = [
        first["origin"],
        f"{first['bytes']['proto']:,} bytes of protobuf, {first['bytes']['json']:,} of JSON;"
        f" load {os.getloadavg()[0]:.1f}",
    ]
    for name in ("proto", "json"):
        parse, decode = f"parse_{name}", f"decode_{name}"
        lines += [
            "",
            f"{name}",
            f"  its parser alone   {_rate(over, first['spans'], parse)} spans/s",
            f"  decode             {_rate(over, first['spans'], decode)} spans/s",
            f"  decode + assemble  {_rate(over, first['spans'], decode, 'assemble')} spans/s",
            f"                     {_rate(over, first['traces'], decode, 'assemble')} traces/s",
            f"  decode / parser               {_text(over, [decode], [parse])}",
            f"  (decode + assemble) / parser  {_text(over, [decode, 'assemble'], [parse])}",
            "  rate of decode + assemble + score, over that of own JSON, decode + score:"
            f"  {_text(over, ['decode_own', 'score'], [decode, 'assemble', 'score'])}",
        ]
    each = {
        name: Spread.over([one["seconds"][name] / first["traces"] * 1e3 for one in rounds]).median
        for name in first["seconds"]
    }
    lines += ["", "milliseconds a trace: " + ", ".join(f"{name} {ms:.3f}" for name, ms in each.items())]
    return "\n".join(lines)


Over = Callable[[Callable[[dict[str, float]], float]], Spread]


def _rate(over: Over, count: int, *steps: str) -> str:
    return over(lambda seconds: count / sum(seconds[step] for step in steps)).text()


def _text(over: Over, upper: Sequence[str], lower: Sequence[str]) -> str:
    return over(lambda s: sum(s[step] for step in upper) / sum(s[step] for step in lower)).text(2)


if __name__ == "__main__":
    raise SystemExit(main())
