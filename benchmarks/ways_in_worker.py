"""The whole worker on topics of spans, against the same traces as own JSON.

    python -m benchmarks.ways_in_worker [--rounds N] [--copies N] [--json]

Real workers on embedded brokers, held on one core each: one reads own JSON, one the same traces as
protobuf of a Collector, cut by trace (`partition_traces_by_id`), one with spans of a trace over all
partitions, which go through ragpulse's own topic once more. Rates are by processor time, since a worker
on spans also waits for traces to be complete: what many traces cost more than few, so that starting is
no part of it.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest as Request

from benchmarks._common import (
    Cores,
    choose_cores,
    cpu_seconds,
    create_topics,
    fill_topic,
    last_words,
    machine,
    pinned,
    ratios,
    watch,
)
from benchmarks._spans import SpanMessages, make_messages
from benchmarks.throughput import worker_command
from schemas.formats.assembly import assemble
from schemas.formats.otlp import read_proto
from schemas.trace import Trace
from stream import topics
from stream.embedded.broker import EmbeddedBroker
from stream.files.convert import own_line

SPANS: Final = "otlp_spans"
CASES: Final = {
    "own": "own JSON",
    "by_trace": "spans, cut by trace",
    "spread": "spans, spread over partitions",
}
Pairs = list[tuple[bytes, bytes]]


def main() -> int:
    """Run the rounds and print the rates."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--copies", type=int, default=20, help="how often each of 81 traces is repeated")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    describes, cores = machine(), choose_cores()
    try:
        messages, start = make_messages(options.copies), make_messages(4)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return 2
    costs: dict[str, list[float]] = {case: [] for case in CASES}
    for _ in range(options.rounds):
        for case, pairs in _PAIRS.items():
            few, many = (measure(case, pairs(some), some.traces, cores) for some in (start, messages))
            costs[case].append((many - few) / (messages.traces - start.traces) * 1000)
    shares = {case: ratios(costs["own"], costs[case]) for case in CASES}
    if options.json:
        print(
            json.dumps({"costs_s_per_1000": costs, "rate_to_own": {c: s.median for c, s in shares.items()}})
        )
        return 0
    print(f"{describes}\n{messages.origin}\n")
    print("processor seconds of the worker for 1,000 traces, and its rate to that on own JSON")
    for case, name in CASES.items():
        print(f"  {name:30}{sum(costs[case]) / len(costs[case]):.3f}   {shares[case].text(2)}")
    return 0


def as_own(messages: SpanMessages) -> Pairs:
    """The traces as an application of ours would publish them."""
    traces = (assemble(spans) for spans in _by_trace(messages).values())
    return [(trace.trace_id.encode(), own_line(trace)) for trace in traces if isinstance(trace, Trace)]


def by_trace(messages: SpanMessages) -> Pairs:
    """A message a trace, with its id as the key."""
    made: defaultdict[bytes, Request] = defaultdict(Request)
    groups: dict[tuple[bytes, bytes], Any] = {}
    places: dict[tuple[bytes, bytes, str], Any] = {}
    for span, group, scoped in _walk(messages):
        whose = (span.trace_id, group.resource.SerializeToString())
        if whose not in groups:
            groups[whose] = made[span.trace_id].resource_spans.add(resource=group.resource)
        place = (*whose, scoped.scope.name)
        if place not in places:
            places[place] = groups[whose].scope_spans.add(scope=scoped.scope)
        places[place].spans.append(span)
    return [(trace_id.hex().encode(), request.SerializeToString()) for trace_id, request in made.items()]


def spread(messages: SpanMessages) -> Pairs:
    """Batches as they are exported, of many traces each, on partitions by chance."""
    return [(str(number).encode(), data) for number, data in enumerate(messages.proto)]


_PAIRS: Final[dict[str, Callable[[SpanMessages], Pairs]]] = {
    "own": as_own,
    "by_trace": by_trace,
    "spread": spread,
}


def measure(case: str, pairs: Pairs, traces: int, cores: Cores) -> float:
    """Fill a fresh broker, start the worker; processor seconds that it has used when all is out."""
    topic = topics.TRACES if case == "own" else SPANS
    with tempfile.TemporaryDirectory(prefix="ragpulse-bench-") as folder, EmbeddedBroker() as broker:
        log = Path(folder) / "measured.log"
        create_topics(broker.address, [topic, topics.SCORED, topics.JUDGE, topics.DEAD])
        fill_topic(broker.address, topic, iter(pairs))
        line, env = worker_command(broker.address)
        source = {"name": topic} if case == "own" else {
            "name": topic, "format": "otlp_proto", "partitioned": "yes" if case == "by_trace" else "no",
        }  # fmt: skip
        env |= {"RAGPULSE_KAFKA__SOURCES": json.dumps([source]), "RAGPULSE_ASSEMBLY__GRACE_S": "1"}
        with pinned(cores.measured, line, log, env) as process:
            with suppress(RuntimeError):  # raised where all came at once, which is well here
                watch(broker.address, topics.SCORED, process, warm=1, total=traces, log=log)
            if process.poll() is not None:
                raise RuntimeError(last_words(log))
            return cpu_seconds(process.pid)


def _walk(messages: SpanMessages) -> Iterator[tuple[Any, Any, Any]]:
    for data in messages.proto:
        for group in Request.FromString(data).resource_spans:
            for scoped in group.scope_spans:
                for span in scoped.spans:
                    yield span, group, scoped


def _by_trace(messages: SpanMessages) -> dict[str, list[Any]]:
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for data in messages.proto:
        spans = read_proto(data)
        assert isinstance(spans, list)
        for span in spans:
            found[span.trace_id].append(span)
    return found


if __name__ == "__main__":
    raise SystemExit(main())
