"""The console in a real browser: what people do with it, by keys alone, and what hostile texts cannot do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest

from tests.support.chromium import log_in, open_context, watch
from tests.support.console import TOKEN_OF
from tests.support.console_data import INCIDENT
from tests.support.console_site import ATTACK, HOSTILE, PERSONAL, SECRETS, Site

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.engine, pytest.mark.browser]
INTRUDERS = (
    "main script, main img, main iframe, main style, main base, main [onload], main [onerror], "
    "main a[href^=javascript]"
)
NAME = quote(ATTACK, safe="")

HOSTILE_PAGES = (
    "/?period=15m", f"/?tenant={NAME}", "/incidents", f"/incident/{NAME}", f"/case/{HOSTILE}",
    f"/case/{NAME}", f"/golden/{NAME}", "/gaps?period=15m",
)  # fmt: skip


@pytest.fixture
def page(chromium: Any, site: Site) -> Any:
    """An annotator who has just logged in."""
    context = open_context(chromium, site.address)
    yield log_in(context, TOKEN_OF["anna"])
    context.close()


def kappa(page: Page) -> str:
    return page.locator("[data-measure=failure] [data-figure=kappa]").first.inner_text()


def test_from_an_incident_to_a_case_to_three_labels_that_change_kappa_all_by_keys(
    page: Page, site: Site
) -> None:
    seen = watch(page, site.address)
    page.keyboard.press("g")
    page.keyboard.press("i")
    page.wait_for_url("**/incidents")
    page.locator(f"a[href='/incident/{INCIDENT}']").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/incident/{INCIDENT}")
    assert "p8" in page.locator(".story").inner_text()
    assert page.locator(".cases tbody tr").count() == 10

    page.keyboard.press("c")
    page.wait_for_url("**/case/*")
    assert page.locator(".stages .s-failed").count() == 1
    assert page.locator(".mark-unsupported, .mark-supported").count() >= 1

    page.keyboard.press("g")
    page.keyboard.press("q")
    page.wait_for_url("**/queue")
    before = kappa(page)
    assert "[" in before, "a kappa comes with its interval"

    page.keyboard.press("c")
    page.wait_for_url("**/queue/label/*")
    for _ in range(3):
        lease = page.url

        def has_left(url: str, held: str = lease) -> bool:
            return url != held

        page.keyboard.press("7")
        page.keyboard.press("x")
        page.keyboard.press("Enter")
        page.wait_for_url(has_left)
    page.goto("/queue")
    assert kappa(page) != before
    mine = site.queue.stats().annotators["anna"]
    assert (mine["votes"], mine["held"]) == (13, 0)
    assert seen.wrong() == []


def test_hostile_texts_do_nothing_anywhere(page: Page, site: Site) -> None:
    seen = watch(page, site.address)
    for path in HOSTILE_PAGES:
        answer = page.goto(path)
        assert answer is not None
        assert answer.status in (200, 404), path
        page.wait_for_load_state("networkidle")
        assert page.locator(INTRUDERS).count() == 0, path
        assert page.evaluate("window.pwned") is None, path
        assert page.locator("form[action*='evil']").count() == 0, path
        assert page.locator("header.top").is_visible(), path
    wrong = [one for one in seen.wrong() if "404" not in one]
    assert wrong == []


def test_hostile_texts_are_shown_as_what_they_are(page: Page, site: Site) -> None:
    page.goto(f"/case/{HOSTILE}")
    said = page.locator("section[aria-labelledby=answer-title]").inner_text()
    assert "<script>window.pwned=1" in said
    assert "{{7*7}}" in said
    assert "\u202e" not in said, "what turns the order of letters is made visible"


def test_the_live_page_takes_over_what_is_new_and_leaves_the_focus_where_it_was(
    page: Page, site: Site
) -> None:
    page.goto("/?period=15m")
    page.locator("#live .cases a").nth(1).focus()
    focused = page.evaluate("document.activeElement.getAttribute('href')")
    page.evaluate("document.getElementById('live').dataset.old = 'yes'")
    page.wait_for_selector("#live:not([data-old])", timeout=30_000)
    assert page.evaluate("document.activeElement.getAttribute('href')") == focused

    page.keyboard.press("p")
    assert page.locator("#pause").get_attribute("aria-pressed") == "true"


def test_a_claim_leads_to_its_evidence_and_back(page: Page, site: Site) -> None:
    row = next(
        r for r in site.data.traces if r["failure"] == "hallucination" and '"chunk":0' in r["evidence"]
    )
    page.goto(f"/case/{row['trace_id']}")
    link = page.locator("section[aria-labelledby=answer-title] sup a").first
    number = link.inner_text()
    link.click()
    assert page.url.endswith(f"#evidence-{number}")
    assert page.locator(f"#evidence-{number}").is_visible()
    page.locator(f"#evidence-{number} a").click()
    assert page.url.endswith(f"#claim-{number}")


def test_only_an_admin_sees_the_original(chromium: Any, site: Site, page: Page) -> None:
    path = f"/case/{PERSONAL}?original=1"
    page.goto(path)
    said = page.locator("main").inner_text()
    assert not [one for one in SECRETS if one in said]
    context = open_context(chromium, site.address)
    admin = log_in(context, TOKEN_OF["adam"])
    admin.goto(f"/case/{PERSONAL}")
    assert not [one for one in SECRETS if one in admin.locator("main").inner_text()]
    admin.keyboard.press("r")
    admin.wait_for_url("**original=1")
    said = admin.locator("main").inner_text()
    assert [one for one in SECRETS if one in said] == list(SECRETS)
    context.close()


@pytest.mark.parametrize("width", [400, 1400])
def test_no_page_is_wider_than_the_screen(chromium: Any, site: Site, width: int) -> None:
    context = open_context(chromium, site.address, viewport={"width": width, "height": 800})
    page = log_in(context, TOKEN_OF["anna"])
    for name, path in site.pages.items():
        page.goto(path)
        over = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert over <= 0, f"{name} is {over} pixels wider than {width}"
    context.close()
