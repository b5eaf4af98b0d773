"""The tree of errors is drawn in one docstring, and the drawing is complete."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator

import stream
from stream import errors
from stream.errors import RagpulseError


def all_below(kind: type[RagpulseError]) -> Iterator[type[RagpulseError]]:
    for one in kind.__subclasses__():
        yield one
        yield from all_below(one)


def test_every_error_is_in_the_drawing_with_its_exit_code() -> None:
    for module in pkgutil.walk_packages(stream.__path__, "stream."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    drawn = dict(re.findall(r"[├└]── (\w+) .*?\((?:exit code )?(\d)", errors.__doc__ or ""))
    assert {one.__name__: str(one.exit_code) for one in all_below(RagpulseError)} == drawn
