"""The part of the traffic that a page looks at: which app, tenant and language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

COLUMNS: Final = ("app", "tenant", "language")
WITHIN: Final = " AND ".join(f"({{{c}:String}} = '' OR {c} = {{{c}:String}})" for c in COLUMNS)
"""The condition, for a table with these columns."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Empty means any."""

    app: str = ""
    tenant: str = ""
    language: str = ""

    @property
    def parameters(self) -> dict[str, Any]:
        """As WITHIN names them."""
        return {column: getattr(self, column) for column in COLUMNS}

    @property
    def text(self) -> str:
        """As the tables of the watch name it: `app=helpdesk,language=zh`; empty for all traffic."""
        return ",".join(f"{c}={getattr(self, c)}" for c in sorted(COLUMNS) if getattr(self, c))


def segment(chosen: Mapping[str, str]) -> Segment:
    """What a query string chooses; anything else in it is left alone."""
    return Segment(**{column: chosen.get(column, "") for column in COLUMNS})


__all__ = ["COLUMNS", "WITHIN", "Segment", "segment"]
