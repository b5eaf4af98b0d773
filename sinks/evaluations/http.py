"""One POST over HTTP: bounded in time and in what is read, never followed elsewhere, never repeated here."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import urlsplit

import urllib3
from urllib3.exceptions import HTTPError, LocationParseError

from sinks.errors import SinkAddressWrong, SinkUnreachable
from sinks.evaluations.destination import Request

_READ_BYTES: Final = 1 << 20
_PIECE_BYTES: Final = 1 << 16


@dataclass(slots=True, frozen=True)
class Reply:
    """What a receiver answered. `retry_after_s` is null where it did not say when to come again."""

    status: int
    body: bytes
    retry_after_s: float | None = None


class Poster:
    """Posts to one address. Redirections are answers like any other: a key is given to nobody else."""

    def __init__(
        self,
        url: str,
        headers: dict[str, str],
        timeout_s: float,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        longest: int = _READ_BYTES,
    ) -> None:
        """`longest`: bytes of a reply that are read; the rest is let go."""
        self._url = checked_url(url)
        self._longest = longest
        self._headers = headers
        self._timeout_s = timeout_s
        self._clock, self._now = clock, now
        self._pool = urllib3.PoolManager(num_pools=1, maxsize=1, retries=False)

    def post(self, request: Request) -> Reply:
        """Send it. Raises SinkUnreachable where no answer came within the time."""
        deadline = self._clock() + self._timeout_s
        try:
            answer = self._pool.request(
                "POST",
                self._url + request.path,
                body=request.body,
                headers={
                    **self._headers,
                    **request.headers,
                    "Content-Type": request.content_type,
                    "User-Agent": "ragpulse",
                },
                timeout=urllib3.Timeout(total=self._timeout_s),
                redirect=False,
                preload_content=False,
            )
            body = self._read(answer, deadline)
        except (HTTPError, OSError, ValueError) as error:
            raise SinkUnreachable(f"{type(error).__name__} at {self._url}") from error
        return Reply(answer.status, body, self._retry_after(answer.headers.get("Retry-After")))

    def close(self) -> None:
        """Let the connection go."""
        self._pool.clear()

    def _read(self, answer: urllib3.BaseHTTPResponse, deadline: float) -> bytes:
        body = b""
        while len(body) < self._longest:
            piece = answer.read1(_PIECE_BYTES)
            if not piece:
                answer.release_conn()
                return body
            body += piece
            if self._clock() > deadline:
                answer.close()
                raise TimeoutError
        answer.close()
        return body

    def _retry_after(self, said: str | None) -> float | None:
        """Seconds, from a number of them or from a date (RFC 9110, section 10.2.3)."""
        if not said:
            return None
        try:
            return max(0.0, float(said)) if said.strip().isdigit() else self._until(said)
        except (ValueError, TypeError, OverflowError):
            return None

    def _until(self, date: str) -> float:
        return max(0.0, parsedate_to_datetime(date).timestamp() - self._now())


def listens(url: str, timeout_s: float) -> bool:
    """Whether anything takes connections there. Raises SinkAddressWrong."""
    parts = urlsplit(checked_url(url))
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        with socket.create_connection((parts.hostname or "", port), timeout_s):
            return True
    except OSError:
        return False


def checked_url(url: str) -> str:
    """The address without a slash at its end. Raises SinkAddressWrong, without it, where it is none.

    User and password are refused rather than passed over: they would be sent to nobody, and shown in every
    error.
    """
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except (ValueError, LocationParseError):
        good = False
    if not good or parts.query or parts.fragment or "@" in parts.netloc:
        raise SinkAddressWrong("it must be http(s)://host[:port][/path], without user and password")
    return url.rstrip("/")


__all__ = ["Poster", "Reply", "checked_url", "listens"]
