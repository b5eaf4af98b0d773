"""A real browser for tests: Chromium as the system has it, driven by playwright; skipped, with the reason,
where either is absent. Whatever a page does that it should not is written down: dialogs, errors, violations,
requests."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request

NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS: Final = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update", "--font-render-hinting=none",
)  # fmt: skip
PATIENCE_MS: Final = 15_000


def find_chromium() -> str | None:
    """The browser of RAGPULSE_TEST_CHROMIUM, or the one that the system has."""
    named = os.environ.get("RAGPULSE_TEST_CHROMIUM")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


def missing_reason() -> str | None:
    """Why there is no browser; null where there is one."""
    try:
        import playwright.sync_api  # noqa: F401
    except ImportError:
        return "playwright is not installed: pip install 'ragpulse[dev]'"
    if find_chromium() is None:
        return "no Chromium here: apt-get install chromium, or name one in RAGPULSE_TEST_CHROMIUM"
    return None


@dataclass
class Watched:
    """What a page did beside showing itself."""

    dialogs: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    """Requests to any other place than the console."""

    def wrong(self) -> list[str]:
        """All of it."""
        return [*self.dialogs, *self.errors, *self.elsewhere]


@contextmanager
def open_chromium(**launch: Any) -> Iterator[Any]:
    """The browser. Skips the test where there is none."""
    reason = missing_reason()
    if reason:
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=find_chromium(), args=list(ARGUMENTS), **launch)
        try:
            yield browser
        finally:
            browser.close()


def open_context(browser: Any, address: str, **options: Any) -> BrowserContext:
    """A visitor with cookies of their own."""
    wanted = {"locale": "en-US", "color_scheme": "light", "viewport": {"width": 1400, "height": 900}}
    context: BrowserContext = browser.new_context(base_url=address, **{**wanted, **options})
    context.set_default_timeout(PATIENCE_MS)
    return context


def log_in(context: BrowserContext, token: str) -> Page:
    """By the form, as people do."""
    page = context.new_page()
    page.goto("/login")
    page.fill("#token", token)
    page.press("#token", "Enter")
    page.wait_for_url("**/")
    return page


def watch(page: Page, address: str) -> Watched:
    """Write down what happens from now on. A violation of the policy comes as an error on the console."""
    seen = Watched()

    def answer(dialog: Any) -> None:
        seen.dialogs.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def read(said: ConsoleMessage) -> None:
        if said.type == "error":
            seen.errors.append(f"console: {said.text}")

    def follow(asked: Request) -> None:
        if not asked.url.startswith((address, "data:image/")):
            seen.elsewhere.append(asked.url)

    page.on("dialog", answer)
    page.on("pageerror", lambda error: seen.errors.append(f"error: {error}"))
    page.on("console", read)
    page.on("request", follow)
    return seen


__all__ = ["Watched", "find_chromium", "log_in", "missing_reason", "open_chromium", "open_context", "watch"]
