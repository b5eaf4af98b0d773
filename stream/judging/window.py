"""So many at a time, and acknowledged in order: what is in work in the lane. Knows nothing of Faust.

Work ends in any order; acknowledgements of a partition follow the order of arrival, each behind the end
of its work. (Faust may commit past an event that is still in work when a later one is acknowledged
first.) A message that comes again while it is in work, after a rebalance, is not worked on twice.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from typing import Final, Generic, Protocol, TypeVar

_WAITING_FOR_THEIR_TURN: Final = 32
"""Times the window: done, and not yet acknowledged because an earlier one is still in work."""


class Message(Protocol):
    """What arrives: it knows where it stands."""

    @property
    def line(self) -> Hashable:
        """In which order it is acknowledged: its partition, as it was given to us this time."""
        ...

    @property
    def identity(self) -> Hashable:
        """What it is, however often it comes."""
        ...


M = TypeVar("M", bound=Message)


class _Place(Generic[M]):
    """One delivery of a message, in its partition's order."""

    __slots__ = ("done", "message")

    def __init__(self, message: M) -> None:
        self.message = message
        self.done = False


class Window(Generic[M]):
    """Works on at most `size` messages at once. Used from one event loop."""

    def __init__(
        self, size: int, work: Callable[[M], Awaitable[None]], acknowledge: Callable[[M], None]
    ) -> None:
        self._work = work
        self._acknowledge = acknowledge
        self._size = size
        self._most = size * _WAITING_FOR_THEIR_TURN
        self._changed = asyncio.Event()
        self._closed = False
        self._lines: dict[Hashable, deque[_Place[M]]] = {}
        self._in_work: dict[Hashable, list[_Place[M]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.failure: BaseException | None = None
        """What ended some work unexpectedly: nothing behind it will be acknowledged."""

    @property
    def in_work(self) -> int:
        """Messages that are being worked on."""
        return len(self._in_work)

    @property
    def unacknowledged(self) -> int:
        """Messages that arrived and were not acknowledged."""
        return sum(map(len, self._lines.values()))

    async def put(self, message: M) -> None:
        """Begin work on a message; waits while the window is full, and for good once it is closed."""
        while self._closed or self.in_work >= self._size or self.unacknowledged >= self._most:
            self._changed.clear()
            await self._changed.wait()
        place = _Place(message)
        self._lines.setdefault(message.line, deque()).append(place)
        key = message.identity
        if (places := self._in_work.get(key)) is not None:
            places.append(place)
            return
        self._in_work[key] = [place]
        task = asyncio.create_task(self._do(key, message))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        """Begin no more work."""
        self._closed = True

    def keep_only(self, belongs: Callable[[M], bool]) -> int:
        """Partitions were taken away or given anew: forget the order of what came before.

        Nothing of it is acknowledged any more. Work that has begun goes on: its answers are paid for, and
        whoever gets the message next finds them in the cache. Returns how many were open.
        """
        gone = [line for line, places in self._lines.items() if places and not belongs(places[0].message)]
        count = sum(len(self._lines.pop(line)) for line in gone)
        self._changed.set()
        return count

    async def drain(self, budget_s: float) -> int:
        """Wait until all work is done; past the budget it is abandoned. Returns how many were."""
        pending = set(self._tasks)
        if pending:
            _, pending = await asyncio.wait(pending, timeout=budget_s)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        return len(pending)

    async def _do(self, key: Hashable, message: M) -> None:
        try:
            await self._work(message)
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self.failure = self.failure or error
        else:
            for place in self._in_work[key]:
                place.done = True
                self._acknowledge_prefix(place.message.line)
        finally:
            del self._in_work[key]
            self._changed.set()

    def _acknowledge_prefix(self, of: Hashable) -> None:
        line = self._lines.get(of, deque())
        while line and line[0].done:
            self._acknowledge(line.popleft().message)


__all__ = ["Message", "Window"]
