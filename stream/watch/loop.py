"""The watch's loop: look at what came, say what changed, store it, tell whoever wants to know.

What is known lives in the tables: at the start the last hours are read again, and incidents are taken up
where they were. A look that ClickHouse does not answer is made good by the next.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final

from sinks.alerts import News, alerts_request, webhook_request
from sinks.errors import SinkError
from stream import logs
from stream.endpoint import Health
from stream.settings import WatchSettings
from stream.telemetry import WatchMetrics
from stream.watch.cases import worst_cases
from stream.watch.corrected import correct
from stream.watch.courier import Courier
from stream.watch.episodes import Event, Turn
from stream.watch.reader import Reader
from stream.watch.records import Incident, Mark
from stream.watch.store import WatchStore, stamp
from stream.watch.telling import news_of
from stream.watch.watcher import Unusual, Watcher
from stream.watch.windows import WINDOWS, RateNow

REPLAYED: Final = "replay"
BETS_FROM_S: Final = 3_600.0
"""At the start, bets are made on so much of the past again; what came before only says what is usual."""
_MARKS_KNOWN_S: Final = 30 * 86_400.0
_SAY_AGAIN_S: Final = 60.0
_LASTS_S: Final = 300.0
"""What is told to Alertmanager holds for so long, and is told again before."""
_GONE_AFTER_S: Final = 900.0
"""So long Alertmanager is told that an incident is over."""
_CORRECTED_FROM: Final = 50_000
"""Traces at most that a correction is computed from: very much of a window is thinned out by hash."""
_UNUSUAL_BEFORE_S: Final = 60.0
_STOP_S: Final = 5.0
_RETRY_S: Final = 2.0
ALERTMANAGER: Final = "alertmanager"
WEBHOOK: Final = "webhook"


class WatchLoop:
    """One look after the other, until a stop."""

    def __init__(
        self,
        settings: WatchSettings,
        reader: Reader,
        store: WatchStore,
        watcher: Watcher,
        couriers: Sequence[Courier],
        metrics: WatchMetrics,
        health: Health,
    ) -> None:
        self._settings = settings
        self._reader = reader
        self._store = store
        self._watcher = watcher
        self._couriers = couriers
        self._metrics = metrics
        self._health = health
        self._rated: dict[int, float] = {}
        self._over: list[Incident] = []
        self._said = 0.0
        self._unsaved: dict[str, Incident] = {}
        self._untold: list[tuple[Event, str]] = []
        self._unmarked: list[Mark] = []

    def run(self, stop: threading.Event) -> None:
        """Replay, then look every interval until `stop`."""
        for courier in self._couriers:
            courier.start()
        try:
            while not stop.is_set() and not self._begun():
                stop.wait(_RETRY_S)
            while not stop.is_set():
                start = time.perf_counter()
                self._attempt()
                self._health.beat()
                took_s = time.perf_counter() - start
                self._metrics.look_seconds.observe(took_s)
                stop.wait(max(self._settings.interval_s - took_s, 0.1 * self._settings.interval_s))
        finally:
            for courier in self._couriers:
                courier.stop(_STOP_S / len(self._couriers))

    def replay(self) -> float:
        """Read the last hours again; returns the moment that was reached. Raises SinkError."""
        now = self._reader.now()
        oldest = now - self._settings.replay_hours * 3_600.0
        known = self._store.incidents_since(oldest)
        self._watcher.know(
            self._store.marks_since(now - _MARKS_KNOWN_S),
            [
                Unusual(one.segment, one.onset - _UNUSUAL_BEFORE_S, one.resolved_at or now)
                for one in known
                if one.kind == "change"
            ],
        )
        self._watcher.novelty.know(self._store.known_values(oldest))
        incidents = self._store.open_incidents()
        self._watcher.episodes.take_up(
            [one for one in incidents if one.status == "open"], _absorbed(incidents)
        )
        middle = max(oldest, now - BETS_FROM_S)
        for batch in self._reader.replay(oldest, middle):
            self._health.beat()
            self._unmarked += self._watcher.learn_from(batch)
        self._watcher.fit()
        for batch in self._reader.replay(middle, now):
            self._health.beat()
            self._unmarked += self._watcher.watch(batch)[0]
        return now

    def look(self) -> Turn:
        """One look: read, judge, store, tell. Raises SinkError."""
        now = self._reader.now()
        batch = self._reader.look(now)
        marks, late = self._watcher.watch(batch)
        self._unmarked += marks
        self._metrics.traces.inc(len(batch))
        self._metrics.late.inc(late)
        if self._watcher.newest:
            self._metrics.behind.set(max(0.0, now - self._watcher.newest))
        turn = self._watcher.turn(now)
        self._unsaved |= {incident.incident_id: incident for incident in turn.changed}
        self._untold += [(event, incident.incident_id) for event, incident in turn.news]
        self._over += [incident for incident, _ in turn.ended]
        for incident in turn.changed:
            self._unsaved[incident.incident_id] = self._with_cases(incident, now)
        self._tell(now)
        self._save()
        self._rate(now)
        self._show(turn)
        return turn

    def _begun(self) -> bool:
        try:
            start = time.perf_counter()
            self.replay()
        except SinkError as error:
            logs.get().warning(f"the past cannot be read yet: {error}")
            return False
        self._health.got(REPLAYED)
        self._tell_again()
        logs.get().info(
            "watching", seconds=round(time.perf_counter() - start, 1), segments=self._segments(),
            open_incidents=len(self._watcher.episodes.open),
        )  # fmt: skip
        return True

    def _attempt(self) -> None:
        try:
            self.look()
        except SinkError as error:
            self._metrics.failures.inc()
            logs.get().warning(f"a look failed; the next one does it again: {error}")

    def _tell_again(self) -> None:
        """Incidents that were stored and, as far as is known, not told to anybody."""
        for incident in self._watcher.episodes.open.values():
            if not incident.notifications:
                self._untold.append(("opened", incident.incident_id))
                self._unsaved[incident.incident_id] = incident

    def _with_cases(self, incident: Incident, now: float) -> Incident:
        """With the worst cases; of an open incident only, and as long as they may still become better."""
        if incident.status != "open" or (incident.cases and now - incident.detected_at > _SAY_AGAIN_S):
            return incident
        within = incident.explained_by or incident.segment
        found = self._store.candidates(incident.measure, within, incident.onset, now)
        with_cases = replace(incident, cases=tuple(case.trace_id for case in worst_cases(found)))
        self._watcher.episodes.update(with_cases)
        return with_cases

    def _save(self) -> None:
        for incident_id in {one for courier in self._couriers for one in courier.told()}:
            told = self._watcher.episodes.told(incident_id, self._reader.now())
            if told is not None:
                self._unsaved[incident_id] = told
        self._store.save_marks(self._unmarked)
        self._unmarked.clear()
        self._store.save_incidents(self._unsaved.values())
        self._unsaved.clear()

    def _tell(self, now: float) -> None:
        opened = self._watcher.episodes.open
        for event, incident_id in self._untold:
            incident = self._unsaved.get(incident_id) or opened.get(incident_id)
            if incident is not None:
                self._announce(event, incident)
        changed, self._untold = bool(self._untold), []
        self._over = [one for one in self._over if now - one.updated_at <= _GONE_AFTER_S]
        if changed or now - self._said >= _SAY_AGAIN_S:
            self._said = now
            self._alert([*opened.values(), *self._over])

    def _announce(self, event: Event, incident: Incident) -> None:
        logs.get().warning(
            f"incident {event}: {incident.summary}", incident=incident.incident_id, severity=incident.severity
        )
        if event == "opened":
            self._metrics.opened.labels(incident.severity, incident.kind, incident.measure.value).inc()
        news = self._news(event, incident)
        secret, url = self._settings.webhook_secret, self._settings.webhook_url
        mark, query = url.get_secret_value().partition("?")[1:] if url else ("", "")
        delivery = f"{incident.incident_id}-{event}-{incident.notifications}"
        for courier in self._couriers:
            if courier.name == WEBHOOK:
                courier.send(
                    delivery,
                    lambda: webhook_request(
                        news,
                        time.time(),
                        delivery,
                        secret.get_secret_value() if secret else None,
                        mark + query,
                    ),
                    frozenset((incident.incident_id,)),
                )

    def _alert(self, incidents: Sequence[Incident]) -> None:
        news = [self._news("changed", incident) for incident in incidents]
        if not news:
            return
        others = any(courier.name == WEBHOOK for courier in self._couriers)
        new = () if others else (one.incident_id for one in incidents if not one.notifications)
        tells = frozenset(new)
        for courier in self._couriers:
            if courier.name == ALERTMANAGER:
                courier.send(ALERTMANAGER, lambda: alerts_request(news, time.time(), _LASTS_S), tells)

    def _news(self, event: Event, incident: Incident) -> News:
        samples = self._store.samples(incident.cases) if self._settings.include_text else ()
        return news_of(event, incident, self._settings.grafana_url, samples)

    def _rate(self, now: float) -> None:
        for window_s, every_s in WINDOWS.items():
            if now - self._rated.get(window_s, 0.0) < max(every_s, self._settings.rates_interval_s):
                continue
            self._rated[window_s] = now
            rates = self._corrected(list(self._watcher.rates(now, window_s)), now, window_s)
            computed_at = stamp(now)
            self._store.save_rates(rate.row(stamp(int(now)), computed_at) for rate in rates)
            if window_s <= 3_600:
                self._gauge(rates, window_s)

    def _corrected(self, rates: list[RateNow], now: float, window_s: int) -> list[RateNow]:
        most = min(self._settings.rows_at_once, _CORRECTED_FROM)
        judged = self._store.judged(now - window_s, now, most)
        return rates if judged is None else list(correct(rates, judged))

    def _gauge(self, rates: Iterable[RateNow], window_s: int) -> None:
        name = f"{window_s // 60}m"
        for rate in rates:
            labels = (rate.segment.text, str(rate.measure), name)
            self._metrics.coverage.labels(*labels).set(rate.measured / rate.traces if rate.traces else 0.0)
            for bound, value in (("low", rate.low), ("value", rate.value), ("high", rate.high)):
                if value is not None:
                    self._metrics.rate.labels(*labels, bound).set(value)
            if rate.evidence is not None:
                self._metrics.evidence.labels(*labels[:2]).set(rate.evidence)
            if rate.threshold is not None:
                self._metrics.threshold.labels(*labels[:2]).set(rate.threshold)

    def _show(self, turn: Turn) -> None:
        self._metrics.segments.set(self._segments())
        if turn.changed:
            self._metrics.incidents.clear()
            for one in self._watcher.episodes.open.values():
                self._metrics.incidents.labels(
                    one.incident_id, one.severity, one.kind, one.segment.text, one.measure.value
                ).set(1)

    def _segments(self) -> int:
        return sum(key is not None for key in self._watcher.changes.watched.keys)


def _absorbed(incidents: Iterable[Incident]) -> dict[str, set[Any]]:
    found: dict[str, set[Any]] = {}
    for incident in incidents:
        if incident.parent:
            found.setdefault(incident.parent, set()).add((incident.segment, incident.measure))
    return found


__all__ = ["ALERTMANAGER", "REPLAYED", "WEBHOOK", "WatchLoop"]
