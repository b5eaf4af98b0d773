"""The queue's pages in a real browser: leases that are kept and lost, undo, no script at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pytest

from schemas.annotation import Annotation
from sinks.annotation import AnnotationQueue, LeaseBook
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.console.server import WebServer
from stream.embedded.engine import EmbeddedEngine
from tests.support.chromium import log_in, open_context, watch
from tests.support.console import TOKEN_OF, make_item, open_console, store_items

pytestmark = [pytest.mark.engine, pytest.mark.browser, pytest.mark.timeout(240)]
LEASE_S: Final = 60.0


@dataclass(slots=True)
class Desk:
    """A console over a queue of three cases, whose leases see the time that a test sets."""

    address: str
    store: ClickHouse
    queue: AnnotationQueue
    leases: LeaseBook
    ahead: timedelta = timedelta(0)

    def now(self) -> datetime:
        """What the leases take for now."""
        return datetime.now(UTC) + self.ahead


@pytest.fixture(scope="module")
def store(chromium: Any, embedded_engine: EmbeddedEngine) -> ClickHouse:
    client = connect(embedded_engine.dsn_of("console_desk"))
    migrate(client)
    return client


@pytest.fixture
def desk(store: ClickHouse, embedded_engine: EmbeddedEngine) -> Iterator[Desk]:
    for table in ("annotation_items", "annotations"):
        store.command(f"TRUNCATE TABLE {table}")
    store_items(store, [make_item(number) for number in range(3)])
    found: list[Desk] = []
    leases = LeaseBook(None, ttl_s=LEASE_S, clock=lambda: found[0].now() if found else datetime.now(UTC))
    queue = AnnotationQueue(store, leases)
    hosts = frozenset({"127.0.0.1"})
    app = open_console(embedded_engine.dsn_of("console_desk"), hosts=hosts, queue=queue, heartbeat_s=0.5)
    with WebServer(app, "127.0.0.1", 0) as server:
        found.append(Desk(f"http://127.0.0.1:{server.port}", store, queue, leases))
        yield found[0]


def begin(chromium: Any, desk: Desk, name: str = "anna", **options: Any) -> Any:
    """Log in and claim three cases; returns the page of the first."""
    page = log_in(open_context(chromium, desk.address, **options), TOKEN_OF[name])
    page.goto("/queue")
    page.click("button[data-key=c]")
    page.wait_for_url("**/queue/label/*")
    return page


def test_leases_are_kept_while_somebody_is_there(chromium: Any, desk: Desk) -> None:
    page = begin(chromium, desk)
    seen = watch(page, desk.address)
    before = {one.lease_id: one.expires_at for one in desk.queue.held_by("anna")}
    desk.ahead = timedelta(seconds=LEASE_S / 2)
    page.keyboard.press("j")
    page.wait_for_timeout(2_500)
    after = {one.lease_id: one.expires_at for one in desk.queue.held_by("anna")}
    assert len(after) == 3
    assert all(after[lease] > before[lease] + timedelta(seconds=LEASE_S / 4) for lease in before)
    assert seen.wrong() == []
    page.context.close()


def test_a_case_that_went_to_somebody_else_is_said_to_be_gone(chromium: Any, desk: Desk) -> None:
    page = begin(chromium, desk)
    lease = page.url.split("/")[-1]
    desk.queue.release(lease, "anna")
    page.locator("#queue-state").wait_for(state="visible")
    assert "no longer yours" in page.locator("#queue-state").inner_text()
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.locator("main h1").get_by_text("409").wait_for()
    assert "no longer yours" in page.locator("main").inner_text()
    page.context.close()


def test_whoever_is_logged_out_is_told_before_work_is_lost(chromium: Any, desk: Desk) -> None:
    page = begin(chromium, desk)
    page.context.clear_cookies()
    page.locator("#queue-state").wait_for(state="visible")
    assert "logged out" in page.locator("#queue-state").inner_text()
    page.context.close()


def test_a_label_is_made_changed_and_skipped_by_keys_alone(chromium: Any, desk: Desk) -> None:
    page = begin(chromium, desk)
    seen = watch(page, desk.address)
    for key in ("j", "x", "c", "1", "r", "n", "t", "y", "f", "n", "a"):
        page.keyboard.press(key)
    page.keyboard.type("Two ports; c1 7")
    page.keyboard.press("Escape")
    page.keyboard.press("7")
    here = page.url
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != here)
    (row,) = desk.store.query("SELECT * FROM annotations FINAL")
    assert (row["failure"], row["gold_chunk_ids"], row["reference_answer"]) == (
        "hallucination", ["k1"], "Two ports; c1 7",
    )  # fmt: skip
    assert (row["should_refuse"], row["context_sufficient"], row["refusal"]) == (False, True, "none")

    page.keyboard.press("u")
    page.wait_for_url("**/queue/again/*")
    assert page.locator("[name=failure][value=hallucination]").is_checked()
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    page.wait_for_url("**/queue/label/*")
    assert [row["failure"] for row in desk.store.query("SELECT failure FROM annotations FINAL")] == [
        "poor_retrieval"
    ]
    here = page.url
    page.keyboard.press("z")
    page.wait_for_url(lambda url: url != here)
    page.keyboard.press("b")
    page.wait_for_url("**/queue")
    assert desk.queue.held_by("anna") == []
    # A heartbeat that is on its way while its case is labelled finds no lease: nothing is wrong with that.
    assert [one for one in seen.wrong() if "409" not in one] == []
    page.context.close()


def test_the_same_key_twice_takes_an_answer_back_and_help_lists_all_keys(chromium: Any, desk: Desk) -> None:
    page = begin(chromium, desk)
    page.keyboard.press("3")
    page.keyboard.press("3")
    assert page.locator("[name=failure]:checked").count() == 0
    page.keyboard.press("?")
    page.locator("#help[open]").wait_for()
    told = page.locator("#help-keys").inner_text()
    assert "Hallucination" in told
    assert "Chunk 2 holds the answer" in told
    page.keyboard.press("Escape")
    assert page.locator("#help[open]").count() == 0
    page.context.close()


def test_without_any_script_a_case_is_labelled_all_the_same(chromium: Any, desk: Desk) -> None:
    page = begin(chromium, desk, java_script_enabled=False)
    page.check("[name=failure][value=empty_recall]")
    page.click("text=Save, next")
    page.wait_for_url("**/queue/label/*last=*")
    assert desk.queue.stats().annotators["anna"]["votes"] == 1
    page.context.close()


def test_agreement_grows_on_a_page_while_others_label(chromium: Any, desk: Desk) -> None:
    page = begin(chromium, desk)
    held = desk.queue.held_by("anna")
    answers = ("hallucination", "healthy", "hallucination")
    for claimed, failure in zip(held, answers, strict=True):
        said = Annotation.model_validate({"failure": failure})
        desk.queue.vote(claimed.item.item_id, "ben", said)
        desk.queue.vote(claimed.item.item_id, "carla", said)
    page.mouse.move(5, 5)
    figure = page.locator("[data-measure=failure] [data-figure=kappa] .num").first
    figure.get_by_text("1.00").wait_for(timeout=20_000)
    page.context.close()
