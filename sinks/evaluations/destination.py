"""What a receiver of verdicts is: requests made of findings, and what its answers mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from sinks.evaluations.finding import Finding


@dataclass(slots=True, frozen=True)
class Request:
    """One POST. `path` is added to the receiver's address."""

    path: str
    content_type: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of this request alone."""


@dataclass(slots=True, frozen=True)
class Reading:
    """What a receiver that answered well did not take: refused for good, or to be sent again."""

    refused: int = 0
    again: tuple[Finding, ...] = field(default=())
    detail: str = ""


class Destination(Protocol):
    """One kind of receiver."""

    @property
    def name(self) -> str:
        """By which settings, groups and metrics call it."""

    @property
    def headers(self) -> dict[str, str]:
        """With every request: who we are."""

    def takes(self, finding: Finding) -> bool:
        """Whether there is a place at the receiver for what is said of this trace."""

    def groups(self, findings: Sequence[Finding]) -> list[list[Finding]]:
        """Findings by the request that carries them."""

    def build(self, findings: Sequence[Finding]) -> Request:
        """The request for one group."""

    def read(self, body: bytes, findings: Sequence[Finding]) -> Reading:
        """What an answer that says yes (status 2xx) still leaves out. Never raises."""


__all__ = ["Destination", "Reading", "Request"]
