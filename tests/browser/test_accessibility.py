"""axe-core finds no serious fault on any page, in either language, in light and in dark."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.chromium import log_in, missing_reason, open_context
from tests.support.console import TOKEN_OF
from tests.support.console_site import Site

pytestmark = [
    pytest.mark.engine,
    pytest.mark.browser,
    pytest.mark.skipif(missing_reason() is not None, reason=str(missing_reason())),
]
LOCALES = {"en": "en-US", "zh": "zh-CN"}
GRAVE = ("serious", "critical")


def faults(page: Any, **options: Any) -> list[str]:
    """What axe-core finds that keeps somebody from using the page, with where it is."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="pip install 'ragpulse[dev]'")
    found = axe.Axe().run(page, options={"resultTypes": ["violations"], **options}).response["violations"]
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node['failureSummary'][:300]}"
        for one in found
        if one["impact"] in GRAVE
        for node in one["nodes"][:3]
    ]


@pytest.mark.parametrize("language", sorted(LOCALES))
def test_no_page_has_a_serious_fault(chromium: Any, site: Site, language: str) -> None:
    context = open_context(chromium, site.address, locale=LOCALES[language])
    page = context.new_page()
    page.goto("/login")
    found = {"login": faults(page)}
    page.close()
    page = log_in(context, TOKEN_OF["adam"])
    for name, path in {**site.pages, "missing": "/case/nobody"}.items():
        page.goto(path)
        assert page.evaluate("document.documentElement.lang") == language
        page.emulate_media(color_scheme="light")
        found[name] = faults(page)
        page.emulate_media(color_scheme="dark")
        found[f"{name} in the dark"] = faults(page, runOnly=["color-contrast"])
    context.close()
    assert {name: wrong for name, wrong in found.items() if wrong} == {}


def test_the_page_of_labels_has_no_serious_fault(chromium: Any, site: Site) -> None:
    context = open_context(chromium, site.address)
    page = log_in(context, TOKEN_OF["carla"])
    page.goto("/queue")
    page.keyboard.press("c")
    page.wait_for_url("**/queue/label/*")
    light = faults(page)
    page.emulate_media(color_scheme="dark")
    assert light + faults(page, runOnly=["color-contrast"]) == []
    context.close()


def test_axe_does_find_a_serious_fault_where_there_is_one(chromium: Any, site: Site) -> None:
    context = open_context(chromium, site.address)
    page = context.new_page()
    page.goto("/login")
    page.evaluate("document.querySelector('#token').labels[0].remove()")
    assert any("label" in one for one in faults(page))
    context.close()
