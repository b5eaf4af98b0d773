"""How a process of ours begins and ends: signals, exit codes, sentences for people."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from stream.errors import PartMissing, RagpulseError, ServiceUnreachable, SettingRefused
from stream.process import run, stopped_by_signals
from stream.settings import Settings


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (None, 0),
        (ServiceUnreachable("No broker answers."), 3),
        (SettingRefused("No such thing."), 2),
        (PartMissing("Install it."), 2),
        (RagpulseError("A finding."), 1),
        (ZeroDivisionError("oh"), 1),
    ],
)
def test_each_end_has_its_exit_code(error: Exception | None, code: int) -> None:
    def body(settings: Settings, stop: threading.Event) -> None:
        if error:
            raise error

    assert run("worker", Settings(), None, body) == code


def test_an_expected_end_is_a_sentence_and_an_unexpected_one_a_traceback(
    capsys: pytest.CaptureFixture[str],
) -> None:
    def unreachable(settings: Settings, stop: threading.Event) -> None:
        raise ServiceUnreachable("No broker answers at nowhere:1 (RAGPULSE_KAFKA__BROKERS).")

    def broken(settings: Settings, stop: threading.Event) -> None:
        raise ZeroDivisionError("oh")

    run("worker", Settings(), None, unreachable)
    said = capsys.readouterr().err
    assert "No broker answers at nowhere:1 (RAGPULSE_KAFKA__BROKERS)." in said
    assert "Traceback" not in said
    run("worker", Settings(), None, broken)
    assert "ZeroDivisionError" in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_asks_to_stop_and_handlers_are_put_back(number: signal.Signals) -> None:
    before = signal.getsignal(number)
    stop = threading.Event()
    with stopped_by_signals(stop):
        os.kill(os.getpid(), number)
        assert stop.wait(5)
    assert signal.getsignal(number) is before


def test_a_hangup_that_is_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with stopped_by_signals(threading.Event()):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
