"""Logging in, in a real browser: by the form, and by the address that is printed at the start."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chromium import open_context, watch
from tests.support.console import TOKEN_OF
from tests.support.console_site import Site

pytestmark = [pytest.mark.engine, pytest.mark.browser]


def test_the_address_that_is_printed_logs_in_and_leaves_no_token_behind(chromium: Any, site: Site) -> None:
    context = open_context(chromium, site.address)
    page = context.new_page()
    seen = watch(page, site.address)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"/login#token={TOKEN_OF['adam']}")
    page.wait_for_url(f"{site.address}/")
    assert page.locator(".who").inner_text() == "adam"
    assert not [url for url in asked if TOKEN_OF["adam"] in url and "#" not in url]
    page.go_back()
    assert TOKEN_OF["adam"] not in page.url
    assert seen.wrong() == []
    context.close()


def test_one_comes_back_to_where_one_wanted_to_go_and_leaves_for_good(chromium: Any, site: Site) -> None:
    context = open_context(chromium, site.address)
    page = context.new_page()
    page.goto("/judges?period=6h")
    page.wait_for_url("**/login?next=*")
    page.fill("#token", "not-a-token-of-this-console")
    page.press("#token", "Enter")
    page.locator("[role=alert]").wait_for()
    page.fill("#token", TOKEN_OF["vera"])
    page.press("#token", "Enter")
    page.wait_for_url("**/judges?period=6h")
    assert all(one["httpOnly"] for one in context.cookies())
    page.click("text=Log out")
    page.wait_for_url("**/login")
    page.goto("/judges")
    page.wait_for_url("**/login?next=*")
    context.close()
