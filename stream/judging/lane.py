"""`ragpulse judge`: rag.judge to rag.verdicts, carried by Faust.

Faust brings messages and takes acknowledgements; what is done with a message (`stream.judging.deliver`) and
how many are in work (`stream.judging.window`) knows nothing of it. An agent that raises, or takes
`concurrency > 1`, would have Faust acknowledge what is not done, so this one only fills the window: each
event is acknowledged by us, in order, behind the confirmed delivery of its verdict. No tables, no web
server, none of Faust's own command line: its logs go where ours go, and signals are ours.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

import faust
from aiokafka.errors import KafkaError, MessageSizeTooLargeError
from faust.exceptions import ProducerSendError

from stream import logs, topics
from stream.dead import letters
from stream.embedded.scratch import Scratch
from stream.endpoint import Health
from stream.judging.arrived import Arrived
from stream.judging.patience import Absence
from stream.judging.security import addresses, security_of
from stream.judging.window import Window
from stream.kafka.producer import DeliveryFailed, Headers
from stream.settings import KafkaSettings
from stream.telemetry.judge import JudgeMetrics

GROUP: Final = "judge"
ASSIGNED: Final = "partitions"
ENDPOINT: Final = "judge endpoint"

_TOPICS: Final = (topics.JUDGE, topics.VERDICTS, topics.DEAD, topics.ANNOTATION)
_WITHIN_S: Final = 0.1
"""How long a batch waits to be full."""
_TICK_S: Final = 0.1
_AWAY_S: Final = 3.0
"""Somebody waits and nobody is answered for so long: the endpoint is away."""
_SAY_AGAIN_S: Final = 30.0
_LEAVE_S: Final = 10.0
_RETRY_S: Final = 1.0
_LONGEST_POLL_S: Final = 14 * 86_400.0
"""An endpoint may be away for long; the group need not be left for it, since heartbeats go on."""
_OVERHEAD_BYTES: Final = 4 * 1024
_SHORTEST_BYTES: Final = 1024


class FaustCrashed(RuntimeError):
    """Faust ended by itself."""


def build_app(settings: KafkaSettings, folder: str) -> Any:
    """A Faust app that only reads, writes and commits."""
    security = security_of(settings)
    session_s = settings.session_timeout_ms / 1000
    return faust.App(
        f"{settings.group_prefix}-{GROUP}",
        broker=[f"kafka://{address}" for address in addresses(settings)],
        broker_credentials=_credentials(security_of(settings)) if security.protocol != "PLAINTEXT" else None,
        broker_client_id="ragpulse",
        broker_session_timeout=session_s,
        broker_rebalance_timeout=max(session_s, 6.0),
        broker_heartbeat_interval=max(0.5, session_s / 5),
        broker_request_timeout=max(90.0, session_s * 2),
        broker_max_poll_interval=_LONGEST_POLL_S,
        broker_commit_interval=1.0,
        consumer_auto_offset_reset="earliest",
        consumer_max_fetch_size=settings.max_message_bytes,
        producer_max_request_size=settings.max_message_bytes,
        producer_compression_type="lz4",
        producer_acks=-1,
        key_serializer="raw",
        value_serializer="raw",
        datadir=folder,
        web_enabled=False,
        topic_disable_leader=True,
        topic_allow_declare=False,
        autodiscover=False,
        stream_wait_empty=False,
    )


def _credentials(security: Any) -> Any:
    if security.mechanism is None:
        return faust.SSLCredentials(security.context)
    return faust.SASLCredentials(
        username=security.username,
        password=security.password,
        mechanism=security.mechanism,
        ssl_context=security.context,
    )


class Lane:
    """One process's share of the topic. `make_work` is told how to publish, and says how to do a message."""

    def __init__(
        self,
        settings: KafkaSettings,
        make_work: Callable[[Callable[..., Awaitable[None]]], Callable[[Arrived], Awaitable[None]]],
        metrics: JudgeMetrics,
        health: Health,
        absence: Absence,
        *,
        size: int,
        stop_budget_s: float,
    ) -> None:
        self._settings = settings
        self._make_work = make_work
        self._metrics = metrics
        self._health = health
        self._absence = absence
        self._size = size
        self._stop_budget_s = stop_budget_s
        self._limit = settings.max_message_bytes - _OVERHEAD_BYTES
        self._answers = 0
        self._answered_at = time.monotonic()
        self._said = 0.0

    async def run(self, stop: threading.Event) -> None:
        """Judge until `stop`; then finish what is in work within the budget, and abandon the rest."""
        with Scratch("judge") as scratch:  # what a killed one left is swept away by the next
            self._app = build_app(self._settings, str(scratch.path))
            self._topics = {
                name: self._app.topic(name, key_type=bytes, value_type=bytes)
                for name in map(self._settings.topic, _TOPICS)
            }
            self._window: Window[_Event] = Window(
                self._size, self._make_work_on_events(), lambda event: event.acknowledge()
            )
            self._attach()
            started = asyncio.create_task(self._app.start())
            try:
                await self._watch(stop, started)
                await self._drain()
            finally:
                await self._leave(started)

    def _make_work_on_events(self) -> Callable[[_Event], Awaitable[None]]:
        work = self._make_work(self.send)

        async def work_on(event: _Event) -> None:
            await work(event.arrived)

        return work_on

    def _attach(self) -> None:
        window = self._window

        async def fill(stream: Any) -> None:
            async for events in stream.noack_take(self._size, within=_WITHIN_S):
                self._metrics.batch_size.labels("judge").observe(len(events))
                for event in events:
                    mine = _Event(event, self._app)
                    self._count_received(mine.arrived)
                    await window.put(mine)

        self._app.agent(self._topics[self._settings.topic(topics.JUDGE)], concurrency=1)(fill)
        self._app.on_partitions_revoked.connect(self._on_revoked, weak=False)
        self._app.on_partitions_assigned.connect(self._on_assigned, weak=False)

    async def send(self, topic: str, value: bytes, key: bytes | None, headers: Headers) -> None:
        """Publish, and return once the broker has confirmed it. A broker that is away is waited for."""
        while True:
            try:
                confirmed = await self._topics[topic].send(key=key, value=value, headers=headers)
                await confirmed
                return
            except (ProducerSendError, KafkaError) as raised:
                error = raised.__cause__ if isinstance(raised, ProducerSendError) else raised
                if isinstance(error, MessageSizeTooLargeError) and len(value) > _SHORTEST_BYTES:
                    value, headers = self._cut(topic, value, headers)
                elif isinstance(error, KafkaError) and error.retriable:
                    logs.get().warning("broker away, trying again", error=str(error))
                    await asyncio.sleep(_RETRY_S)
                else:
                    raise self._refused(error or raised) from raised

    def _cut(self, topic: str, value: bytes, headers: Headers) -> tuple[bytes, Headers]:
        from stream.worker.cuts import cut_judge  # and with it the worker: needed rarely, and large

        cut = letters.cut if topic == self._settings.topic(topics.DEAD) else cut_judge
        self._metrics.cut.labels(topic).inc()
        return cut(value, headers, min(self._limit, len(value)) // 2)

    def _refused(self, error: BaseException) -> DeliveryFailed:
        code = error.errno if isinstance(error, KafkaError) else None
        return DeliveryFailed.refused(self._settings.brokers, code, str(error))

    async def _watch(self, stop: threading.Event, started: asyncio.Task[Any]) -> None:
        while not stop.is_set():
            self._health.beat()
            self._report()
            if self._window.failure:
                raise self._window.failure
            if started.done() and started.exception():
                raise FaustCrashed(f"Faust did not start: {started.exception()}") from started.exception()
            if self._app.crashed:
                raise FaustCrashed("Faust crashed") from self._app.crash_reason
            await asyncio.sleep(_TICK_S)

    async def _drain(self) -> None:
        self._window.close()
        abandoned = await self._window.drain(self._stop_budget_s)
        if abandoned:
            logs.get().warning(
                "not all judges answered in time; the rest will be judged again",
                setting="RAGPULSE_JUDGE__STOP_BUDGET_S",
                abandoned=abandoned,
            )
        if self._window.failure:
            raise self._window.failure

    async def _leave(self, started: asyncio.Task[Any]) -> None:
        self._window.close()
        await self._window.drain(0.0)
        if not started.done():
            started.cancel()
            await asyncio.gather(started, return_exceptions=True)
        try:
            await asyncio.wait_for(self._app.stop(), _LEAVE_S)
        except TimeoutError:
            logs.get().warning("the broker did not take the last offsets in time; the rest is judged again")

    def _report(self) -> None:
        metrics, absence = self._metrics, self._absence
        metrics.in_flight.set(self._window.unacknowledged)
        for reason, count in absence.waiting.items():
            metrics.waiting.labels(reason).set(count)
        now = time.monotonic()
        if absence.waiting.total() == 0 or absence.answers != self._answers:
            self._answers, self._answered_at = absence.answers, now
        if now - self._answered_at < _AWAY_S:
            self._health.got(ENDPOINT)
            return
        self._health.lost(ENDPOINT)
        if now - self._said > _SAY_AGAIN_S:
            self._said = now
            logs.get().warning(
                "the judge's endpoint answers nobody; nothing is lost, its traces wait",
                waiting=dict(absence.waiting),
                detail=absence.detail,
                setting="RAGPULSE_JUDGE__BASE_URL, RAGPULSE_JUDGE__API_KEY",
            )

    def _count_received(self, message: Arrived) -> None:
        self._metrics.received.labels(message.topic()).inc()
        self._metrics.received_bytes.labels(message.topic()).inc(len(message.value()))

    async def _on_revoked(self, _app: Any, revoked: Any, **_: Any) -> None:
        self._metrics.rebalances.labels("revoked").inc()
        self._metrics.assigned.set(0)

    async def _on_assigned(self, _app: Any, assigned: Any, **_: Any) -> None:
        self._metrics.abandoned.inc(self._window.keep_only(lambda event: event.is_current))
        self._metrics.rebalances.labels("assigned").inc()
        self._metrics.assigned.set(len(assigned))
        self._health.got(ASSIGNED)


class _Event:
    """Faust's event as the window knows it.

    Each rebalance is a new generation, in which everything that is not committed is read again. An event
    of an earlier one is worked on, and its acknowledgement means nothing any more.
    """

    __slots__ = ("_app", "_event", "arrived")

    def __init__(self, event: Any, app: Any) -> None:
        message = event.message
        self._event = event
        self._app = app
        self.arrived = Arrived(
            where=(message.topic, message.partition),
            at=message.offset,
            time_ms=round(message.timestamp * 1000),
            name=message.key,
            body=message.value or b"",
            pairs=_pairs(message.headers),
        )

    @property
    def is_current(self) -> bool:
        """Whether the generation that it came in still holds."""
        return bool(self._event.message.generation_id == self._app.consumer_generation_id)

    @property
    def line(self) -> tuple[str, int, int]:
        return *self.arrived.where, self._event.message.generation_id

    @property
    def identity(self) -> tuple[str, int, int, int]:
        return *self.arrived.where, self.arrived.at, self.arrived.time_ms

    def acknowledge(self) -> None:
        if self.is_current:
            self._event.ack()


def _pairs(headers: Any) -> list[tuple[str, bytes | None]]:
    if not headers:
        return []
    return list(headers.items() if hasattr(headers, "items") else headers)


__all__ = ["ASSIGNED", "ENDPOINT", "GROUP", "FaustCrashed", "Lane", "build_app"]
