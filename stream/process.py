"""What every long-running process of ours does: logs, signals, waiting for the broker, an exit code."""

from __future__ import annotations

import gc
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from stream import logs
from stream.endpoint import Health
from stream.errors import RagpulseError, ServiceUnreachable
from stream.kafka.admin import ensure_topics
from stream.settings import KafkaSettings, Settings

CRASHED = 1
_RETRY_S = 2.0
_ASK_S = 5.0
_GC_THRESHOLDS = (50_000, 20, 20)

Body = Callable[[Settings, threading.Event], None]


def run(name: str, settings: Settings, stop: threading.Event | None, body: Body) -> int:
    """Run `body` until it ends; returns the exit code. Signals set `stop`, in the main thread alone."""
    logs.configure(settings.telemetry, name)
    stop = stop or threading.Event()
    try:
        with stopped_by_signals(stop):
            body(settings, stop)
    except RagpulseError as error:
        logs.get().error(str(error))
        return error.exit_code
    except Exception:
        logs.get().exception(f"{name} crashed; nothing was committed past what is done")
        return CRASHED
    logs.get().info(f"{name} ended")
    return 0


def keep_what_is_loaded() -> None:
    """Tell the garbage collector that what is loaded now stays, and that batches make no cycles.

    Otherwise it looks through models and word lists again and again, at a tenth of the worker's time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_GC_THRESHOLDS)


@contextmanager
def stopped_by_signals(stop: threading.Event) -> Iterator[None]:
    """SIGTERM, SIGINT and SIGHUP set `stop`. A second one ends the process at once.

    A SIGHUP that is ignored (nohup) stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def on_signal(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)
        stop.set()

    numbers = [signal.SIGTERM, signal.SIGINT]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)
    before = {number: signal.signal(number, on_signal) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def wait_for_topics(
    settings: KafkaSettings, names: Iterable[str], stop: threading.Event, health: Health | None = None
) -> bool:
    """Wait for the broker and create those of our topics that are missing. False when stopped first.

    A process that waits is alive: `health`, where given, is told so.
    """
    wanted = [settings.topic(name) for name in names]
    while not stop.is_set():
        if health:
            health.beat()
        try:
            created = ensure_topics(settings, wanted, timeout_s=_ASK_S)
        except ServiceUnreachable as error:
            logs.get().warning(f"{error} Trying again.")
            stop.wait(_RETRY_S)
        else:
            if created:
                logs.get().info("topics created", topics=created, partitions=settings.partitions)
            return True
    return False


__all__ = ["keep_what_is_loaded", "run", "stopped_by_signals", "wait_for_topics"]
