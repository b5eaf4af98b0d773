"""Compiled code is not to be interrupted: a signal waits until the batch is done.

When a compiled function hands its results to Python, an exception raised by a signal handler at that very
moment (Ctrl-C, SIGTERM) leaves a hole in a tuple of results, and the process ends with a segmentation fault.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

_SIGNALS: Final = tuple(getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n))


@contextmanager
def undisturbed() -> Iterator[None]:
    """Hold back signals that Python code handles while the body runs, and deliver them behind it.

    A second signal of a kind is delivered at once: where compiling takes a minute, nobody has to wait for it.
    Handlers run in the main thread alone, so in others there is nothing to do.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    handlers: dict[int, Any] = {n: h for n in _SIGNALS if callable(h := signal.getsignal(n))}

    def hold(number: int, _frame: object) -> None:
        if number not in held:
            held.append(number)
            return
        held.remove(number)
        signal.signal(number, handlers[number])
        signal.raise_signal(number)

    try:
        for number in handlers:
            signal.signal(number, hold)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for number in dict.fromkeys(held):
            signal.raise_signal(number)


__all__ = ["undisturbed"]
