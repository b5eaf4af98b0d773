"""A candidate behind HTTP: asked with bounded concurrency, in bounded time, as often as the suite says."""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import orjson

from judges.gate.endpoint import Chunks, EndpointOptions, ReplyRefused, request_body, trace_of
from judges.golden import GoldenCase
from schemas.formats.base import Unreadable
from schemas.formats.own import decode_object
from schemas.trace import Trace
from sinks.errors import SinkAddressWrong, SinkUnreachable
from sinks.evaluations.destination import Request
from sinks.evaluations.http import Poster, Reply
from stream.backoff import Backoff
from stream.errors import ServiceRefuses, ServiceUnreachable, SettingRefused

LONGEST_REPLY: Final = 32 * 1024 * 1024
_AGAIN: Final = frozenset({408, 425, 429, 500, 502, 503, 504})
_SHUT: Final = frozenset({401, 403, 404, 405})
"""Answers that no other question would get another of."""
_LONGEST_PAUSE_S: Final = 60.0
_UNREACHABLE: Final = "unreachable"
_VARIABLE: Final = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a case, over chunks of our own where it is a probe."""

    case: GoldenCase
    chunks: Chunks | None = field(default=None, hash=False, compare=False)


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of it: a trace as JSON. `failed` says why there is no answer; empty where there is one."""

    question: Question
    trace: dict[str, Any]
    failed: str = ""


class _NoAnswer(Exception):
    """Nothing came, as often as it was tried."""


class Endpoint:
    """Asks one candidate. Raises SettingRefused where the address or a header cannot be used."""

    def __init__(
        self,
        options: EndpointOptions,
        environ: Mapping[str, str],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.options = options
        self._base, self._query = _split(options.url)
        self._headers = {name: _filled(name, value, environ) for name, value in options.headers.items()}
        self._sleep = sleep
        self.address = self._base
        """Whom it asks, without the query."""
        try:
            self._poster().close()
        except SinkAddressWrong as error:
            raise SettingRefused(f"endpoint.url {self._base} cannot be used: {error}.") from error

    def ask_all(self, questions: Iterable[Question]) -> Iterator[Asked]:
        """Each question once, as they are answered. Threads end with the process: Ctrl-C waits for nobody.

        Raises ServiceRefuses where the endpoint lets nobody in, and ServiceUnreachable where it has answered
        none of the first questions.
        """
        waiting: queue.SimpleQueue[Question | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[Asked | BaseException] = queue.SimpleQueue()
        total = 0
        for question in questions:
            waiting.put(question)
            total += 1
        hands = min(self.options.concurrency, total)
        stop = threading.Event()
        for number in range(hands):
            waiting.put(None)
            work = threading.Thread(
                target=self._work, args=(waiting, done, stop), name=f"asking-{number}", daemon=True
            )
            work.start()
        try:
            yield from self._collect(done, total, hands)
        finally:
            stop.set()

    def _collect(
        self, done: queue.SimpleQueue[Asked | BaseException], total: int, hands: int
    ) -> Iterator[Asked]:
        failed: list[Asked] = []
        answered = False
        for _ in range(total):
            one = done.get()
            if isinstance(one, BaseException):
                raise one
            if answered or not one.failed.startswith(_UNREACHABLE):
                if not answered:
                    yield from failed
                answered = True
                yield one
                continue
            failed.append(one)
            if len(failed) >= min(total, max(hands, 3)):
                raise ServiceUnreachable(
                    f"The candidate at {self._base} (endpoint.url) answers nobody: {one.failed}. Start it, "
                    "or correct the address."
                )

    def _work(
        self,
        waiting: queue.SimpleQueue[Question | None],
        done: queue.SimpleQueue[Asked | BaseException],
        stop: threading.Event,
    ) -> None:
        poster = self._poster()
        try:
            while not stop.is_set() and (question := waiting.get()) is not None:
                done.put(self._ask(poster, question))
        except BaseException as error:  # handed to whoever waits for answers, and raised there
            done.put(error)
        finally:
            poster.close()

    def _ask(self, poster: Poster, question: Question) -> Asked:
        case = question.case
        body = orjson.dumps(request_body(self.options, case, question.chunks))
        try:
            reply = self._post(poster, Request(self._query, "application/json", body))
            trace = trace_of(self.options, case, orjson.loads(reply.body))
            found = decode_object(trace)
            if isinstance(found, Trace):
                return Asked(question, trace)
            why = f"unreadable: {found.detail if isinstance(found, Unreadable) else 'no trace'}"
        except _NoAnswer as error:
            why = str(error)
        except orjson.JSONDecodeError:
            why = "unreadable: the reply is no JSON"
        except ReplyRefused as error:
            why = f"unreadable: {error}"
        nothing = {"answer": None, "error": why}
        plain = self.options.model_copy(update={"response": type(self.options.response)()})
        return Asked(question, trace_of(plain, case, nothing), why)

    def _post(self, poster: Poster, request: Request) -> Reply:
        """A reply that says yes. Raises _NoAnswer after the last try, ServiceRefuses where nobody gets in."""
        backoff = Backoff(0.5, _LONGEST_PAUSE_S)
        for tried in range(self.options.retries + 1):
            pause: float | None = None
            try:
                reply = poster.post(request)
                if 200 <= reply.status < 300:
                    return reply
                if reply.status in _SHUT:
                    raise ServiceRefuses(
                        f"The candidate at {self._base} answers {reply.status}: correct endpoint.url, or "
                        "endpoint.headers."
                    )
                why, pause = f"http_{reply.status}", reply.retry_after_s
                if reply.status not in _AGAIN:
                    break
            except SinkUnreachable as error:
                why = f"{_UNREACHABLE}: {error}"
            if tried < self.options.retries:
                self._sleep(min(_LONGEST_PAUSE_S, backoff.next_s() if pause is None else pause))
        raise _NoAnswer(why)

    def _poster(self) -> Poster:
        return Poster(self._base, self._headers, self.options.timeout_s, longest=LONGEST_REPLY)


def _split(url: str) -> tuple[str, str]:
    """The address, and its query with the question mark, which goes behind it with each request."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise SettingRefused(f"endpoint.url cannot be used: {error}.") from error
    query = f"?{parts.query}" if parts.query else ""
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")), query


def _filled(name: str, value: str, environ: Mapping[str, str]) -> str:
    """A header with its $NAMEs filled in. Raises SettingRefused where one is not set: never without a key."""

    def look_up(found: re.Match[str]) -> str:
        if found[1] not in environ:
            raise SettingRefused(f"endpoint.headers.{name} wants the variable {found[1]}, which is not set.")
        return environ[found[1]]

    return _VARIABLE.sub(look_up, value)


__all__ = ["LONGEST_REPLY", "Asked", "Endpoint", "Question"]
