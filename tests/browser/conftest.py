"""One filled console and one browser for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from stream.embedded.engine import EmbeddedEngine
from tests.support.chromium import open_chromium
from tests.support.console_site import Site, open_site


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; a skip that says why where there is none."""
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="session")
def site(chromium: Any, embedded_engine: EmbeddedEngine) -> Iterator[Site]:
    """The console, filled. Asked for after the browser: without one it is not needed."""
    with open_site(embedded_engine, "console_site") as found:
        yield found
