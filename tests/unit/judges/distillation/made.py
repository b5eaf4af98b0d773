"""Labelled traces for tests: small, in both languages, from the demo's traffic or made by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from judges.distillation.examples import Example, Label, Source
from schemas.formats.own import decode
from schemas.taxonomy import HEALTHY, Failure
from schemas.trace import Trace
from stream.demo.traffic import Traffic

START = datetime(2026, 11, 1, tzinfo=UTC)
KNOWN = {Failure.HALLUCINATION.value: True, HEALTHY: False}


def label(bad: bool | None = True, **values: Any) -> Label:
    """A label by a judge, weight 1."""
    return Label(**{"hallucination": bad, "failure": None, "weight": 1.0, "by": Source.JUDGE} | values)


def example(number: int = 0, bad: bool | None = True, **values: Any) -> Example:
    """A labelled trace whose text says nothing of its label; `values` replace its fields."""
    fields = {
        "trace_id": f"t-{number:06d}",
        "timestamp": START + timedelta(minutes=number),
        "tenant": ("acme", "bolt")[number % 2],
        "question": f"Where is parcel {number}?",
        "answer": f"Parcel {number} is at gate {number % 7}.",
        "retrieval": {"chunks": [{"text": f"Parcel {number} waits at gate {number % 7}."}]},
    }
    given = values.pop("label", None)
    return Example(Trace.model_validate(fields | values), given or label(bad))


def simulated(count: int, seed: int, *, wrong: float = 0.0, flipped: float = 0.0) -> list[Example]:
    """The demo's traffic, half of it spiking, half a minute apart, with the labels of a simulated judge.

    The judge is a noisy oracle: it knows what was injected and errs in a share `wrong` of the healthy and
    the hallucinated. `flipped`: a share of those labels turned round on top of it.
    """
    random = Random(seed)
    found = []
    for trace, failure in traffic(count, seed):
        bad = KNOWN.get(failure)
        if bad is not None:
            bad ^= random.random() < wrong
            bad ^= random.random() < flipped
            failure = Failure.HALLUCINATION.value if bad else HEALTHY
        found.append(Example(trace, label(bad, failure=failure, who=("simulated judge",))))
    return found


def traffic(count: int, seed: int) -> Sequence[tuple[Trace, str]]:
    """So many questions to the demo's applications, and what was injected into each trace."""
    moment = [START]
    source = Traffic(seed, lambda: moment[0])
    found = []
    for number in range(count):
        moment[0] += timedelta(seconds=30)
        for message in source.next(spiking=number > count // 2):
            if message.truth:
                (trace,) = decode(message.value)
                assert isinstance(trace, Trace)
                found.append((trace, str(message.truth.failure)))
    return found
