"""One filled console for all tests of this folder, and a browser for each of its files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stream.embedded.engine import EmbeddedEngine
from tests.support.chromium import missing_reason, open_chromium
from tests.support.console_site import Site, open_site


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """The browser; a skip that says why where there is none.

    For no longer than a file: while playwright runs, so does an event loop of its own in this thread, and no
    other test of this process could run one.
    """
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(embedded_engine: EmbeddedEngine) -> Iterator[Site]:
    """The console, filled; not where there is no browser to look at it."""
    if reason := missing_reason():
        pytest.skip(reason)
    with open_site(embedded_engine, "console_site") as found:
        yield found
