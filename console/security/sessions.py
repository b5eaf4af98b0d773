"""Sessions: kept here, by a random id that a signed cookie holds. A restart ends them all.

Each login opens a new session under a new id, whatever cookie came with it (no session fixation), and
logging out ends it here, not only in the browser.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from console.security.roles import Role

_MOST: Final = 10_000
"""Sessions at once; the one that was idle longest ends first."""


@dataclass(slots=True)
class Session:
    """One person, logged in with one browser. Times in seconds of the clock."""

    key: str
    name: str
    role: Role
    opened_at: float
    seen_at: float


class Sessions:
    """All sessions of this process; may be used by several threads."""

    def __init__(self, secret: bytes, clock: Callable[[], float], lifetime_s: float, idle_s: float) -> None:
        self._secret, self._clock = secret, clock
        self._lifetime_s, self._idle_s = lifetime_s, idle_s
        self._open: dict[str, Session] = {}
        self._lock = threading.Lock()

    def open(self, name: str, role: Role) -> str:
        """Open a session; returns the value of its cookie."""
        now, key = self._clock(), secrets.token_urlsafe(32)
        with self._lock:
            self._end_old(now)
            while len(self._open) >= _MOST:
                del self._open[min(self._open.values(), key=lambda one: one.seen_at).key]
            self._open[key] = Session(key, name, role, now, now)
        return f"{key}.{self._sign('session', key)}"

    def find(self, cookie: str | None, *, used: bool = True) -> Session | None:
        """The session of a cookie, or null: none, forged, ended, too old.

        `used` false: a page asked by itself, which keeps no session from being idle.
        """
        key = self._key_of(cookie)
        if key is None:
            return None
        now = self._clock()
        with self._lock:
            session = self._open.get(key)
            if session is None:
                return None
            if self._is_over(session, now):
                del self._open[key]
                return None
            if used:
                session.seen_at = now
            return session

    def end(self, cookie: str | None) -> None:
        """Log out: the cookie is worth nothing from now on, wherever it may have been copied to."""
        key = self._key_of(cookie)
        with self._lock:
            self._open.pop(key or "", None)

    def form_token(self, of: str) -> str:
        """What forms carry, so that only our own pages can send them: bound to a session, or to a visit."""
        return self._sign("form", of)

    def is_form_token(self, given: str, of: str) -> bool:
        """Whether a form carried the right one."""
        return hmac.compare_digest(given.encode("utf-8", "replace"), self.form_token(of).encode())

    def __len__(self) -> int:
        return len(self._open)

    def _key_of(self, cookie: str | None) -> str | None:
        key, _, signature = (cookie or "").partition(".")
        signed = self._sign("session", key).encode()
        return key if key and hmac.compare_digest(signature.encode("utf-8", "replace"), signed) else None

    def _sign(self, purpose: str, text: str) -> str:
        said = f"{purpose}:{text}".encode("utf-8", "replace")
        return hmac.new(self._secret, said, hashlib.sha256).hexdigest()

    def _is_over(self, session: Session, now: float) -> bool:
        return now - session.opened_at >= self._lifetime_s or now - session.seen_at >= self._idle_s

    def _end_old(self, now: float) -> None:
        for session in [one for one in self._open.values() if self._is_over(one, now)]:
            del self._open[session.key]


__all__ = ["Session", "Sessions"]
