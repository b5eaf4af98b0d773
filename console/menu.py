"""The menu: what there is, and the keys that lead there."""

from __future__ import annotations

from typing import Final, NamedTuple


class Entry(NamedTuple):
    """One page: `name` (module, template and words), address, and the key after `g` that leads there."""

    name: str
    address: str
    key: str


MENU: Final = (
    Entry("live", "/", "l"),
    Entry("incidents", "/incidents", "i"),
    Entry("queue", "/queue", "q"),
    Entry("golden", "/golden", "o"),
    Entry("judges", "/judges", "j"),
    Entry("gaps", "/gaps", "a"),
)

__all__ = ["MENU", "Entry"]
