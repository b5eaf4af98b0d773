"""Reports as HTML on a telephone: nothing has to be pushed aside to be read."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from stream.cli import app
from tests.support.chromium import open_context
from tests.support.console_site import Site

pytestmark = [pytest.mark.engine, pytest.mark.browser]

WIDER: str = """() => [document.documentElement, ...document.querySelectorAll(".scrolls")]
    .map(box => box.scrollWidth - box.clientWidth).filter(over => over > 0)"""


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("report", ["gaps", "week"])
def test_no_report_scrolls_sideways_on_a_telephone(
    chromium: Any, site: Site, report: str, language: str
) -> None:
    asked = ["report", report, "--format", "html", "--language", language]
    done = CliRunner().invoke(app, asked, env={"RAGPULSE_CLICKHOUSE__DSN": site.dsn})
    assert done.exit_code == 0, done.output
    context = open_context(chromium, site.address, viewport={"width": 400, "height": 800})
    page = context.new_page()
    page.set_content(done.stdout)
    assert page.locator("table").count() >= 1
    assert page.evaluate(WIDER) == []
    context.close()
