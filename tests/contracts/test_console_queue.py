"""The queue's pages and its API over a real engine: claim, label, undo, conflict, last word."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from sinks.annotation import LeaseBook
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.engine import EmbeddedEngine
from tests.support.console import (
    Browser,
    Heard,
    bearer,
    form_token,
    make_item,
    open_console,
    require_harmless,
    store_items,
)

pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}</textarea></title>\u202e&amp;\"'"

HOSTILE_ID = HOSTILE.replace("\u202e", "")  # ids come back as they are: a browser shows them nowhere else


@pytest.fixture(scope="module")
def dsn(embedded_engine: EmbeddedEngine) -> str:
    """One database for all tests here, since its tables take seconds to make."""
    dsn = embedded_engine.dsn_of("console_queue")
    migrate(connect(dsn))
    return dsn


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    for table in ("annotation_items", "annotations"):
        client.command(f"TRUNCATE TABLE {table}")
    return client


@pytest.fixture
def heard() -> Heard:
    return Heard()


@pytest.fixture
def app(dsn: str, store: ClickHouse, heard: Heard, tmp_path: Path) -> FastAPI:
    return open_console(dsn, observer=heard, leases=LeaseBook(tmp_path / "leases.sqlite"), grows=True)


def claim(browser: Browser, n: int = 3) -> str:
    """Claim, and go to the first case; returns its address."""
    page = browser.get("/queue").text
    answer = browser.submit("/queue/claim", {"n": n}, form=page)
    assert answer.headers["location"] == "/queue/next"
    return str(browser.get("/queue/next").headers["location"])


def label(browser: Browser, address: str, **said: Any) -> str:
    """Send the form of a case; returns where it leads in the end."""
    page = browser.get(address)
    assert page.status_code == 200
    answer = browser.submit(address.partition("?")[0], said, form=page.text)
    assert answer.status_code == 303, answer.text
    return str(browser.get(answer.headers["location"]).headers["location"])


def kappa(page: str) -> str:
    """The kappa that a page shows for the class, with its tags."""
    row = re.search(r'data-measure="failure">.*?data-figure="kappa">(.*?)</td>', page, re.DOTALL)
    assert row is not None
    return " ".join(row[1].split())


def rows(store: ClickHouse) -> list[dict[str, Any]]:
    return store.query("SELECT * FROM annotations FINAL ORDER BY trace_id, annotator")


def test_two_annotators_label_three_cases_each_and_see_kappa_change(
    app: FastAPI, store: ClickHouse, heard: Heard
) -> None:
    store_items(store, [make_item(number) for number in range(4)])
    anna, ben = Browser(app, "anna"), Browser(app, "ben")
    said = ["hallucination", "healthy", "hallucination"]
    address = claim(anna)
    for failure in said:
        assert address.startswith("/queue/label/")
        address = label(anna, address, failure=failure)
    assert re.fullmatch(r"/queue\?last=i-\d", address)
    before = kappa(anna.get("/queue").text)
    assert "nothing was rated by both" in before or "too few" in before
    address = claim(ben)
    for failure in ["hallucination", "healthy", "poor_retrieval"]:
        address = label(ben, address, failure=failure)
    after = kappa(ben.get("/queue").text)
    assert re.search(r'<span class="num">0\.\d\d</span>', after)
    assert after != before
    stored = rows(store)
    assert [(row["annotator"], row["failure"]) for row in stored[:2]] == [
        ("anna", "hallucination"), ("ben", "hallucination"),
    ]  # fmt: skip
    assert {row["source"] for row in stored} == {"console"}
    assert all(row["seconds"] >= 0 for row in stored)
    assert [one["event"] for one in heard.events].count("case labelled") == 6


def test_the_form_says_all_that_a_label_can_say(app: FastAPI, store: ClickHouse) -> None:
    store_items(store, [make_item(1)])
    anna = Browser(app, "anna")
    label(
        anna, claim(anna), **{"claim.0.23": "yes", "claim.24.44": "no"}, failure="hallucination", gold="k1",
        should_refuse="no", context_sufficient="yes", refusal="none", reference_answer="两个接口。", note="n",
        kind="single_hop",
    )  # fmt: skip
    (row,) = rows(store)
    assert (row["gold_chunk_ids"], row["should_refuse"], row["context_sufficient"]) == (["k1"], False, True)
    assert (row["reference_answer"], row["note"], row["kind"]) == ("两个接口。", "n", "single_hop")
    assert '"supported":false' in row["claims"]
    assert row["spans"] == "[[24,44]]"


def test_a_label_that_says_nothing_comes_back_with_what_was_entered(app: FastAPI, store: ClickHouse) -> None:
    store_items(store, [make_item(1)])
    anna = Browser(app, "anna")
    address = claim(anna)
    answer = anna.submit(address, {"note": "kept <b>"}, form=anna.get(address).text)
    assert answer.status_code == 422
    assert "This label says nothing" in answer.text
    assert "kept &lt;b&gt;</textarea>" in answer.text
    assert rows(store) == []


def test_undo_changes_the_last_label(app: FastAPI, store: ClickHouse) -> None:
    store_items(store, [make_item(1)])
    anna = Browser(app, "anna")
    label(anna, claim(anna), failure="healthy", gold="k2")
    page = anna.get("/queue/again/i-1").text
    assert re.search(r'value="healthy"[^>]*checked', page)
    assert re.search(r'name="gold" value="k2"[^>]*checked', page)
    answer = anna.submit("/queue/again/i-1", {"failure": "empty_recall"}, form=page)
    assert answer.headers["location"] == "/queue/next?last=i-1"
    assert [row["failure"] for row in rows(store)] == ["empty_recall"]
    assert Browser(app, "ben").get("/queue/again/i-1").status_code == 404


def test_a_skip_goes_to_others_and_a_case_given_back_to_anybody(app: FastAPI, store: ClickHouse) -> None:
    store_items(store, [make_item(1)])
    anna = Browser(app, "anna")
    for action in ("release", "skip"):
        address = claim(anna)
        page = anna.get(address).text
        answer = anna.submit(address.replace("/label/", f"/{action}/"), form=page)
        assert answer.status_code == 303
    page = anna.get("/queue").text
    assert anna.submit("/queue/claim", {"n": 1}, form=page).headers["location"] == "/queue?empty=1"
    assert claim(Browser(app, "ben")).startswith("/queue/label/")
    assert [row["role"] for row in rows(store)] == ["skip"]


def test_a_case_in_other_hands_is_neither_shown_nor_labelled(app: FastAPI, store: ClickHouse) -> None:
    store_items(store, [make_item(1)])
    anna, ben = Browser(app, "anna"), Browser(app, "ben")
    address = claim(anna)
    assert ben.get(address).status_code == 409
    token = ben.get("/api/v1/me").json()["form_token"]
    for path in (address, address.replace("label", "skip"), address.replace("label", "release")):
        answer = ben.post(path, data={"csrf": token, "failure": "healthy"})
        assert answer.status_code in (403, 409), path
    lease = address.split("/")[-1]
    assert ben.post(f"/api/v1/queue/leases/{lease}/heartbeat", headers=bearer("ben")).status_code == 403
    assert rows(store) == []


def test_votes_that_contradict_each_other_get_a_last_word_by_somebody_else(
    app: FastAPI, store: ClickHouse
) -> None:
    store_items(store, [make_item(1)])
    for name, failure in (("anna", "healthy"), ("ben", "hallucination")):
        browser = Browser(app, name)
        label(browser, claim(browser, 1), failure=failure)
    adam = Browser(app, "adam")
    assert '/queue/conflict/i-1"' in adam.get("/queue").text
    page = adam.get("/queue/conflict/i-1").text
    assert "<b>anna</b>" in page
    assert (
        adam.submit("/queue/conflict/i-1", {"failure": "healthy"}, form=page).headers["location"] == "/queue"
    )
    assert [row["role"] for row in rows(store)] == ["arbitration", "vote", "vote"]
    again = adam.submit("/queue/conflict/i-1", {"failure": "healthy"}, form=page)
    assert again.status_code == 409


def test_hostile_text_is_shown_and_does_nothing(app: FastAPI, store: ClickHouse) -> None:
    trace = {
        "question": HOSTILE,
        "rewritten_query": HOSTILE,
        "history": [{"role": HOSTILE, "content": HOSTILE}],
        "retrieval": {"chunks": [{"id": HOSTILE_ID, "doc_id": HOSTILE, "text": HOSTILE}], "error": HOSTILE},
        "answer": f"{HOSTILE} It weighs 3 kg. Two ports.",
        "feedback": {"rating": -1, "comment": HOSTILE},
    }
    evidence = [{"start": 0, "end": 40, "chunk": 0, "chunk_start": 3, "chunk_end": 20, "support": 0.1}]
    payload = {"trace": trace, "scores": {"failure": HOSTILE, "evidence": evidence}, "verdicts": []}
    hostile = make_item(
        1, payload=payload, language="zh", because=HOSTILE, intent=HOSTILE, reason="uncertain"
    )
    store_items(store, [hostile])
    anna = Browser(app, "anna")
    address = claim(anna, 1)
    for page in (anna.get("/queue"), anna.get(address), anna.get(f"{address}?last={'<script>alert(3)'}")):
        assert page.status_code == 200
        require_harmless(page.text)
        assert "\u202e" not in page.text
        assert "{{7*7}}" in page.text
    assert "&lt;script&gt;" in anna.get(address).text
    assert label(anna, address, failure="healthy", note=HOSTILE, gold=HOSTILE_ID).startswith("/queue")
    require_harmless(anna.get("/queue/again/i-1").text)


def test_the_same_operations_are_there_for_programs(app: FastAPI, store: ClickHouse) -> None:
    store_items(store, [make_item(number) for number in range(3)])
    client = Browser(app)
    anna = bearer("anna")
    cases = client.post("/api/v1/queue/claims", json={"n": 2}, headers=anna).json()["cases"]
    assert [case["item"]["item_id"] for case in cases] == ["i-0", "i-1"]
    assert cases[0]["item"]["payload"]["trace"]["question"].startswith("How many ports")
    held = client.get("/api/v1/queue/leases", headers=anna).json()["cases"]
    assert [case["lease_id"] for case in held] == [case["lease_id"] for case in cases]
    first, second = (f"/api/v1/queue/leases/{case['lease_id']}" for case in cases)
    assert client.post(f"{first}/heartbeat", headers=anna).json()["expires_at"] >= cases[0]["expires_at"]
    assert client.post(f"{first}/label", json={"failure": "healthy"}, headers=anna).status_code == 204
    assert (
        client.post(f"{first}/label", json={"failure": "healthy"}, headers=anna).json()["kind"] == "LeaseLost"
    )
    assert client.post(f"{second}/label", json={}, headers=anna).status_code == 422
    assert client.post(f"{second}/skip", headers=anna).status_code == 204
    change = client.put("/api/v1/queue/items/i-0/label", json={"failure": "empty_recall"}, headers=anna)
    assert change.status_code == 204
    early = client.put("/api/v1/queue/items/i-2/label", json={"failure": "healthy"}, headers=anna)
    assert early.status_code == 404
    assert "claim it first" in early.json()["detail"]
    item = client.get("/api/v1/queue/items/i-0", headers=anna).json()
    assert [vote["label"]["failure"] for vote in item["votes"]] == ["empty_recall"]
    assert client.get("/api/v1/queue/items/i-0", headers=bearer("vera")).json()["votes"] == []
    assert client.get("/api/v1/queue/stats", headers=anna).json()["annotators"]["anna"]["votes"] == 1
    assert client.get("/api/v1/queue/agreement", headers=anna).json()["failure"]["kappa"]["value"] is None
    ben = bearer("ben")
    lease = client.post("/api/v1/queue/claims", json={"n": 1}, headers=ben).json()["cases"][0]
    assert lease["item"]["item_id"] == "i-0"
    path = f"/api/v1/queue/leases/{lease['lease_id']}"
    assert client.post(f"{path}/label", json={"failure": "healthy"}, headers=ben).status_code == 204
    adam = bearer("adam")
    found = client.get("/api/v1/queue/conflicts", headers=adam).json()["conflicts"]
    assert [(one["item_id"], sorted(one["voters"])) for one in found] == [("i-0", ["anna", "ben"])]
    settled = client.post("/api/v1/queue/conflicts/i-0", json={"failure": "healthy"}, headers=adam)
    assert settled.status_code == 204
    assert client.get("/api/v1/queue/conflicts", headers=adam).json() == {"conflicts": []}


def test_a_session_uses_the_api_only_with_its_form_token(app: FastAPI, store: ClickHouse) -> None:
    store_items(store, [make_item(1)])
    anna = Browser(app, "anna")
    lease = claim(anna, 1).split("/")[-1].partition("?")[0]
    path = f"/api/v1/queue/leases/{lease}/heartbeat"
    assert anna.post(path).status_code == 403
    token = form_token(anna.get("/queue").text)
    assert anna.post(path, headers={"x-csrf-token": token}).status_code == 200


def test_leases_outlive_the_console(dsn: str, store: ClickHouse, tmp_path: Path) -> None:
    store_items(store, [make_item(1)])
    first = open_console(dsn, leases=LeaseBook(tmp_path / "leases.sqlite"))
    address = claim(Browser(first, "anna"), 1)
    again = open_console(dsn, leases=LeaseBook(tmp_path / "leases.sqlite"))
    anna = Browser(again, "anna")
    assert anna.get(address).status_code == 200
    assert label(anna, address, failure="healthy") == "/queue?last=i-1"


def test_what_people_agreed_on_becomes_a_golden_set_by_the_hand_of_an_admin(
    app: FastAPI, store: ClickHouse, heard: Heard
) -> None:
    store_items(store, [make_item(1)])
    adam = Browser(app, "adam")
    form = {"name": "desk", "why": "first <round>", "days": "30"}
    page = adam.get("/golden").text
    assert adam.submit("/golden/grow", form, form=page).headers["location"] == "/golden?grown=0"
    assert "agreed on nothing" in adam.get("/golden?grown=0").text
    for name in ("anna", "ben"):
        browser = Browser(app, name)
        said = {"failure": "hallucination", "gold": "k1", "reference_answer": "Two.", "should_refuse": "no"}
        label(browser, claim(browser, 1), **said)
    grown = adam.submit("/golden/grow", form, form=page)
    assert grown.headers["location"] == "/golden/desk?grown=1"
    shown = adam.get("/golden/desk").text
    require_harmless(shown)
    assert "How many ports does the X200 have?" in shown
    assert "adam" in shown
    again = adam.post("/api/v1/golden/desk/versions", json={"why": "again"}, headers=bearer("adam")).json()
    assert (again["cases"], again["added"], again["is_new"]) == (1, 0, False)
    assert adam.submit("/golden/grow", form | {"name": "../etc"}, form=page).status_code == 422
    assert [one["by"] for one in heard.events if one["event"] == "golden set grown"] == ["adam"] * 3


def test_programs_of_annotators_are_as_blind_as_the_page(app: FastAPI, store: ClickHouse) -> None:
    store_items(store, [make_item(1)])
    client, anna = Browser(app), bearer("anna")
    (claimed,) = client.post("/api/v1/queue/claims", json={"n": 1}, headers=anna).json()["cases"]
    (held,) = client.get("/api/v1/queue/leases", headers=anna).json()["cases"]
    seen = client.get("/api/v1/queue/items/i-1", headers=anna).json()
    for shown in (claimed, held, seen):
        assert set(shown["item"]["payload"]) == {"trace"}
        assert not {"failure", "first_failed_stage", "scorer_version", "because"} & set(shown["item"])
    whole = client.get("/api/v1/queue/items/i-1", headers=bearer("adam")).json()["item"]
    assert whole["payload"]["scores"]["failure"] == whole["failure"] == "hallucination"
