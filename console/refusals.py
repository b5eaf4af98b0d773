"""What the console says no to, as values that pages and the API show alike."""

from __future__ import annotations

from typing import Any


class Refused(Exception):
    """A request that is not fulfilled. `word` names the sentence in `console/words`, `facts` fill it."""

    status = 400

    def __init__(self, word: str, *, status: int | None = None, **facts: Any) -> None:
        super().__init__(word)
        self.word, self.facts = word, facts
        if status is not None:
            self.status = status


class NotLoggedIn(Refused):
    """Nobody is logged in, or no longer."""

    status = 401

    def __init__(self, word: str = "error.not_logged_in") -> None:
        super().__init__(word)


class NotAllowed(Refused):
    """Somebody is logged in whose role does not allow this."""

    status = 403

    def __init__(self, needed: str) -> None:
        super().__init__("error.not_allowed", needed=needed)


class FormRefused(Refused):
    """A change that did not come from a page of ours, or from one that is too old."""

    status = 403

    def __init__(self) -> None:
        super().__init__("error.form")


class NotFound(Refused):
    """No such case, incident, set."""

    status = 404

    def __init__(self, what: str) -> None:
        super().__init__("error.not_found", what=what)


class TooManyTries(Refused):
    """Too many wrong tokens from one address."""

    status = 429

    def __init__(self, wait_s: float) -> None:
        super().__init__("error.too_many_tries", seconds=max(1, round(wait_s + 0.5)))


__all__ = ["FormRefused", "NotAllowed", "NotFound", "NotLoggedIn", "Refused", "TooManyTries"]
