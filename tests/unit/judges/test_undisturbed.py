"""Ctrl-C while compiled code runs: it waits for the end of the batch, and the process does not crash."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading

import pytest

from judges.distilled.undisturbed import undisturbed

INTERRUPTED_OFTEN = """
import random, signal
from judges.distilled import load_scorer
from schemas.trace import Chunk, Retrieval, Trace

text = "The warranty is 24 months and returns take 30 days, not 20. " * 20
found = Retrieval(chunks=[Chunk(id="a", text=text)] * 3)
trace = Trace(trace_id="t", question="How long?", answer=text, retrieval=found)
scorer, draw, stopped = load_scorer("rules"), random.Random(1), 0

def stop(*_):
    raise KeyboardInterrupt

signal.signal(signal.SIGINT, stop)
signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
for _ in range(60):
    try:
        signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.001, 0.03))
        for _ in range(1_000):
            scorer.score([trace] * 16)
    except KeyboardInterrupt:
        stopped += 1
print(stopped)
"""


def test_an_interruption_of_scoring_is_an_exception_and_no_crash() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_OFTEN], capture_output=True, text=True, timeout=300, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, "60"), done.stderr[-500:]


def test_a_signal_waits_for_the_body_and_its_handler_comes_back() -> None:
    order: list[str] = []
    before = signal.signal(signal.SIGTERM, lambda *_: order.append("handled"))
    try:
        with undisturbed():
            signal.raise_signal(signal.SIGTERM)
            order.append("body")
        assert order == ["body", "handled"]
        signal.raise_signal(signal.SIGTERM)
        assert order == ["body", "handled", "handled"]
    finally:
        signal.signal(signal.SIGTERM, before)


def test_a_second_signal_does_not_wait() -> None:
    reached: list[int] = []

    @undisturbed()
    def work() -> None:
        for place in range(3):
            signal.raise_signal(signal.SIGINT)
            reached.append(place)

    with pytest.raises(KeyboardInterrupt):
        work()
    assert reached == [0]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_other_threads_run_on_as_they_are() -> None:
    ran = []

    def work() -> None:
        with undisturbed():
            ran.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ran == [signal.default_int_handler]
