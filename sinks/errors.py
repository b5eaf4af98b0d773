"""What a store can answer instead of taking the rows, drawn as one tree.

SinkError
├── SinkUnavailable      not now: try the same again later
│   ├── SinkUnreachable  no connection
│   └── SinkOverloaded   it is there, and too busy or too full
├── SinkRejected         these rows are bad: split, and set the culprit aside
│   └── SinkTooLarge     this is too much at once: split
└── SinkMisconfigured    table, schema, rights: no row is to blame, a person must act
    ├── SinkDenied       wrong user or password, or no ClickHouse behind the address
    │   └── SinkUntrusted    a certificate: the server's, which we do not trust, or ours
    └── SinkAddressWrong the address itself is none
"""

from __future__ import annotations


class SinkError(Exception):
    """Anything that kept rows from being stored. `code` is the store's own number, where it gave one."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


class SinkUnavailable(SinkError):
    """The store cannot take anything now."""


class SinkUnreachable(SinkUnavailable):
    """The store does not answer at its address."""


class SinkOverloaded(SinkUnavailable):
    """The store answers, and asks for less or for later."""


class SinkRejected(SinkError):
    """The store does not understand these rows, and would not tomorrow."""


class SinkTooLarge(SinkRejected):
    """The rows are too much for one insert."""


class SinkMisconfigured(SinkError):
    """The store lacks a table, a column or a right that every row needs."""


class SinkDenied(SinkMisconfigured):
    """Something answers at the address, and does not let us in: user, password, or another server."""


class SinkUntrusted(SinkDenied):
    """A certificate is not accepted: the server's by us, or ours by the server; or ours cannot be read."""


class SinkAddressWrong(SinkMisconfigured):
    """What should say where the store is says nothing of the kind."""


__all__ = [
    "SinkAddressWrong",
    "SinkDenied",
    "SinkError",
    "SinkMisconfigured",
    "SinkOverloaded",
    "SinkRejected",
    "SinkTooLarge",
    "SinkUnavailable",
    "SinkUnreachable",
    "SinkUntrusted",
]
