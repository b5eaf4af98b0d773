"""How many messages are in work, and in which order they are acknowledged."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import pytest

from stream.judging.window import Window


@dataclass(frozen=True)
class At:
    """A message of partition 0, in a generation."""

    offset: int
    generation: int = 1

    @property
    def line(self) -> int:
        return self.generation

    @property
    def identity(self) -> int:
        return self.offset


class Desk:
    """Work that ends when the test says so."""

    def __init__(self, size: int = 4) -> None:
        self.begun: list[int] = []
        self.acknowledged: list[int] = []
        self._ends: dict[int, asyncio.Event] = {}
        self.window: Window[At] = Window(
            size, self._work, lambda message: self.acknowledged.append(message.offset)
        )

    async def end(self, *offsets: int) -> None:
        for offset in offsets:
            self._ends[offset].set()
            for _ in range(3):
                await asyncio.sleep(0)

    async def put(self, *offsets: int, generation: int = 1) -> None:
        for offset in offsets:
            await asyncio.wait_for(self.window.put(At(offset, generation)), 1)
            await asyncio.sleep(0)

    async def _work(self, message: At) -> None:
        self.begun.append(message.offset)
        self._ends.setdefault(message.offset, asyncio.Event())
        await self._ends[message.offset].wait()


def in_loop(body: Callable[[Desk], Awaitable[None]], size: int = 4) -> None:
    async def run() -> None:
        desk = Desk(size)
        await asyncio.wait_for(body(desk), 10)
        await desk.window.drain(0)

    asyncio.run(run())


def test_acknowledgements_follow_the_order_of_arrival_whatever_ends_first() -> None:
    async def body(desk: Desk) -> None:
        await desk.put(0, 1, 2)
        await desk.end(2, 1)
        assert desk.acknowledged == []
        await desk.end(0)
        assert desk.acknowledged == [0, 1, 2]

    in_loop(body)


def test_no_more_than_its_size_is_in_work() -> None:
    async def body(desk: Desk) -> None:
        await desk.put(0, 1)
        third = asyncio.create_task(desk.window.put(At(2)))
        await asyncio.sleep(0.01)
        assert desk.begun == [0, 1]
        await desk.end(1)
        await asyncio.wait_for(third, 1)
        await asyncio.sleep(0)
        assert desk.begun == [0, 1, 2]

    in_loop(body, size=2)


def test_what_waits_behind_a_slow_one_is_bounded_too() -> None:
    async def body(desk: Desk) -> None:
        await desk.put(0)
        for offset in range(1, 64):
            await desk.put(offset)
            await desk.end(offset)
        late = asyncio.create_task(desk.window.put(At(64)))
        await asyncio.sleep(0.01)
        assert not late.done()
        await desk.end(0)
        await asyncio.wait_for(late, 1)
        assert desk.acknowledged == list(range(64))

    in_loop(body, size=2)


def test_a_message_that_comes_again_while_it_is_in_work_is_worked_on_once() -> None:
    async def body(desk: Desk) -> None:
        await desk.put(7, 8)
        await desk.put(7, 8, generation=2)
        desk.window.keep_only(lambda message: message.generation == 2)
        await desk.end(8)
        assert desk.acknowledged == []
        await desk.end(7)
        assert desk.begun == [7, 8]
        assert desk.acknowledged == [7, 8]

    in_loop(body)


def test_what_was_taken_away_is_worked_on_and_not_acknowledged() -> None:
    async def body(desk: Desk) -> None:
        await desk.put(0, 1)
        assert desk.window.keep_only(lambda message: False) == 2
        await desk.end(0, 1)
        assert desk.acknowledged == []
        assert desk.window.unacknowledged == desk.window.in_work == 0

    in_loop(body)


def test_nothing_is_acknowledged_behind_work_that_failed() -> None:
    async def fail(message: At) -> None:
        if message.offset == 1:
            raise RuntimeError("broken")

    async def body() -> None:
        acknowledged: list[int] = []
        window: Window[At] = Window(4, fail, lambda message: acknowledged.append(message.offset))
        for offset in range(3):
            await window.put(At(offset))
        await window.drain(1)
        assert acknowledged == [0]
        with pytest.raises(RuntimeError, match="broken"):
            raise window.failure or AssertionError

    asyncio.run(asyncio.wait_for(body(), 10))


def test_a_closed_window_begins_nothing_and_what_does_not_end_in_time_is_abandoned() -> None:
    async def body(desk: Desk) -> None:
        await desk.put(0, 1)
        desk.window.close()
        late = asyncio.create_task(desk.window.put(At(2)))
        await desk.end(0)
        assert await desk.window.drain(0.01) == 1
        assert not late.done()
        assert desk.acknowledged == [0]
        late.cancel()

    in_loop(body)
