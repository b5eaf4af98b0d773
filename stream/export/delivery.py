"""Gets findings to one receiver: in groups, again after a while where it must be, and given up in the end.

It is told the time and waits for nobody: `attempt` makes at most one request.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from sinks.errors import SinkUnreachable
from sinks.evaluations import Destination, Finding
from sinks.evaluations.http import Poster, Reply
from stream import logs
from stream.backoff import Backoff
from stream.endpoint import Clock
from stream.settings import ExportSettings
from stream.telemetry import ExportMetrics

SENT: Final = "sent"
REFUSED: Final = "refused"
DROPPED: Final = "dropped"
NO_PLACE: Final = "no_place"
LEFT_OUT: Final = "healthy"
_LATER: Final = frozenset({401, 403, 408, 425, 429, 500, 502, 503, 504})
"""A wrong key is waited for as well, within the same tries: it may be changing just now."""
_SPLIT: Final = frozenset({400, 413, 422})
"""One finding may be to blame, or the size: tried again in halves."""
RETRY_AFTER_MOST_S: Final = 600.0
"""A receiver that asks for more than that is asked again all the same."""


@dataclass(slots=True)
class _Group:
    """What goes into one request, when next, and how often it failed."""

    findings: list[Finding]
    backoff: Backoff
    due: float = 0.0
    tries: int = field(default=0)


class Delivery:
    """The groups on their way to one receiver, in order: while the first waits, so do the others."""

    def __init__(
        self,
        destination: Destination,
        post: Poster,
        settings: ExportSettings,
        metrics: ExportMetrics,
        clock: Clock,
        make_backoff: Callable[[], Backoff] | None = None,
    ) -> None:
        self._destination = destination
        self._poster = post
        self._settings = settings
        self._metrics = metrics
        self._clock = clock
        self._make_backoff = make_backoff or (lambda: Backoff(settings.retry_first_s, settings.retry_max_s))
        self._waiting: deque[_Group] = deque()

    @property
    def done(self) -> bool:
        """Whether everything was sent, refused or given up."""
        return not self._waiting

    @property
    def wait_s(self) -> float:
        """Seconds until the next attempt makes sense."""
        return max(0.0, self._waiting[0].due - self._clock()) if self._waiting else 0.0

    def add(self, findings: Sequence[Finding]) -> None:
        """Take findings on. Those that have no place at the receiver are counted and left."""
        taken = [finding for finding in findings if self._destination.takes(finding)]
        self._count(NO_PLACE, len(findings) - len(taken))
        for group in self._destination.groups(taken):
            self._waiting.append(_Group(group, self._make_backoff()))

    def attempt(self) -> None:
        """One request, if the first group is due."""
        if self._waiting and not self.wait_s:
            self._act(self._waiting.popleft())

    def give_up(self) -> int:
        """Let go of everything that still waits; how many findings that is. Nothing is counted."""
        left = sum(len(group.findings) for group in self._waiting)
        self._waiting.clear()
        return left

    def _act(self, group: _Group) -> None:
        reply = self._send(group)
        if reply is not None and 200 <= reply.status < 300:
            self._up(1)
            self._accept(group, reply)
        elif reply is None or reply.status in _LATER:
            self._up(0)
            self._later(group, reply)
        elif reply.status in _SPLIT and len(group.findings) > 1:
            half = len(group.findings) // 2
            for part in (group.findings[half:], group.findings[:half]):
                self._waiting.appendleft(_Group(part, self._make_backoff(), tries=group.tries))
        else:
            self._refuse(group, reply)

    def _send(self, group: _Group) -> Reply | None:
        name = self._destination.name
        group.tries += 1
        try:
            reply = self._poster.post(self._destination.build(group.findings))
        except SinkUnreachable as error:
            self._metrics.requests.labels(name, "none").inc()
            logs.get().warning("no answer from the receiver of verdicts", destination=name, error=str(error))
            return None
        self._metrics.requests.labels(name, str(reply.status)).inc()
        return reply

    def _accept(self, group: _Group, reply: Reply) -> None:
        reading = self._destination.read(reply.body, group.findings)
        self._count(REFUSED, reading.refused)
        self._count(SENT, len(group.findings) - reading.refused - len(reading.again))
        if reading.detail:
            logs.get().warning(
                "the receiver did not take all verdicts", destination=self._destination.name,
                refused=reading.refused, again=len(reading.again), detail=reading.detail,
            )  # fmt: skip
        if reading.again:
            group.findings = list(reading.again)
            self._later(group, reply)

    def _later(self, group: _Group, reply: Reply | None) -> None:
        if group.tries >= self._settings.tries:
            self._count(DROPPED, len(group.findings))
            logs.get().error(
                "verdicts given up: the receiver did not take them; they are in ClickHouse all the same",
                destination=self._destination.name, findings=len(group.findings), tries=group.tries,
                status=reply.status if reply else None, setting="RAGPULSE_EXPORT__TRIES",
            )  # fmt: skip
            return
        asked = (reply.retry_after_s if reply else None) or 0.0
        group.due = self._clock() + max(group.backoff.next_s(), min(asked, RETRY_AFTER_MOST_S))
        self._waiting.appendleft(group)

    def _refuse(self, group: _Group, reply: Reply) -> None:
        self._count(REFUSED, len(group.findings))
        logs.get().error(
            "the receiver refuses verdicts", destination=self._destination.name, status=reply.status,
            findings=len(group.findings), said=reply.body[:200].decode("utf-8", "replace"),
        )  # fmt: skip

    def _count(self, outcome: str, findings: int) -> None:
        if findings:
            self._metrics.exported.labels(self._destination.name, outcome).inc(findings)

    def _up(self, value: int) -> None:
        self._metrics.receiver_up.labels(self._destination.name).set(value)


__all__ = ["DROPPED", "LEFT_OUT", "NO_PLACE", "REFUSED", "SENT", "Delivery"]
