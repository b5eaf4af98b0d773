"""What enters the queue on a real engine: from the demo's traffic, and from traces of one policy each."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson
import pytest

from judges.distilled import load_scorer
from judges.redaction import redact
from schemas.annotation import AnnotationItem
from schemas.row import Provenance, Sampling, encode, stamp, trace_row
from schemas.taxonomy import HEALTHY
from schemas.trace import Trace
from sinks.annotation import AnnotationQueue, LeaseBook
from sinks.annotation.reading import read_cases, read_items
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.annotation.filler import Filler
from stream.annotation.handed_in import read_case
from stream.demo.queue import NEXT, compare_queue, count_near_duplicates
from stream.demo.traffic import Kind, Traffic, Truth
from stream.embedded.engine import EmbeddedEngine
from stream.pipeline import judge_batch
from stream.settings import AnnotationSettings
from tests.support.engine import ask

pytestmark = pytest.mark.engine

TRACES = 1_500
BEGIN = datetime.now(UTC).replace(microsecond=0) - timedelta(minutes=30)
PERSONAL = ("13812345678", "li.na@example.com", "110101199003074258", "sk-proj-Ab12Cd34Ef56Gh78Ij90Kl12")


@dataclass(frozen=True, slots=True)
class Demo:
    """The demo's traffic in the tables, its truth beside it, and the queue that was filled from it."""

    store: ClickHouse
    truths: dict[str, Truth]
    queue: AnnotationQueue


@pytest.fixture(scope="module")
def dsn(embedded_engine: EmbeddedEngine) -> Iterator[str]:
    dsn = embedded_engine.dsn_of("annotation_filling")
    client = connect(dsn)
    migrate(client)
    client.close()
    yield dsn
    ask(embedded_engine.address, "DROP DATABASE annotation_filling SYNC")


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    """No traces, no cases."""
    client = connect(dsn)
    for table in ("traces", "feedback", "verdicts", "annotation_items", "annotations"):
        client.command(f"TRUNCATE TABLE {table}")
    yield client
    client.close()


@pytest.fixture(scope="module")
def demo(embedded_engine: EmbeddedEngine) -> Iterator[Demo]:
    client = connect(embedded_engine.dsn_of("annotation_demo"))
    migrate(client)
    rows, feedback, truths = simulate(seed=5)
    client.insert_raw("traces", b"\n".join(rows))
    client.insert_raw("feedback", b"\n".join(feedback))
    Filler(client, AnnotationSettings()).turn(slack_s=0)
    yield Demo(client, truths, AnnotationQueue(client, LeaseBook(None)))
    client.close()
    ask(embedded_engine.address, "DROP DATABASE annotation_demo SYNC")


def simulate(seed: int) -> tuple[list[bytes], list[bytes], dict[str, Truth]]:
    """The demo's traffic with its spike, scored as the worker scores it."""
    traffic = Traffic(seed)
    traces: list[Trace] = []
    truths: dict[str, Truth] = {}
    feedback: list[bytes] = []
    while len(traces) < TRACES:
        for message in traffic.next(spiking=len(traces) > TRACES / 2):
            if message.kind is Kind.TRACE and message.trace_id and message.truth:
                traces.append(Trace.model_validate_json(message.value))
                truths[message.trace_id] = message.truth
            elif message.kind is Kind.FEEDBACK:
                said = orjson.loads(message.value)
                feedback.append(encode(late(said["trace_id"], said["feedback"]["rating"])))
    rows: list[bytes] = []
    scorer = load_scorer()
    for at in range(0, TRACES, 250):
        for judged in judge_batch(traces[at : at + 250], scorer):
            judged.trace.timestamp = BEGIN + timedelta(seconds=len(rows))
            place = Provenance("rag.traces", 0, len(rows), judged.trace.timestamp)
            rows.append(encode(trace_row(judged, place, Sampling(), judged.trace.timestamp)))
    return rows, feedback, truths


def late(trace_id: str, rating: int) -> dict[str, Any]:
    return {"trace_id": trace_id, "timestamp": stamp(BEGIN), "received_at": stamp(BEGIN), "rating": rating}


def row(name: str, **fields: Any) -> dict[str, Any]:
    """A trace as it lies in the table: healthy, and asking something of its own."""
    letters = "".join(chr(0x4E00 + ord(letter) * 7 % 5_000) for letter in name * 4)
    base = {
        "trace_id": name,
        "timestamp": stamp(BEGIN),
        "received_at": stamp(BEGIN),
        "scored_at": stamp(BEGIN),
        "app": "helpdesk",
        "language": "en",
        "question": letters,
        "answer": "Yes.",
        "history": "[]",
        "chunks": '[{"id": "kb-1", "text": "It is so."}]',
        "retrieval_state": "recorded",
        "failure": HEALTHY,
        "failure_confidence": 0.98,
        "hallucination": 0.02,
        "coverage": "full",
        "scorer_version": "student-1",
    }
    return base | fields


def verdict(name: str, **fields: Any) -> dict[str, Any]:
    base = {
        "trace_id": name,
        "timestamp": stamp(BEGIN),
        "judge": "strict",
        "model": "m",
        "role": "verdict",
        "failure": HEALTHY,
        "hallucination": 0.02,
        "created_at": stamp(BEGIN),
    }
    return base | fields


def put(store: ClickHouse, table: str, *rows: dict[str, Any]) -> None:
    store.insert_raw(table, b"\n".join(encode(one) for one in rows))


def fill(store: ClickHouse, **settings: Any) -> dict[str, AnnotationItem]:
    """One turn of a new filler; the policy cases by trace, whole, without the controls that chance adds."""
    Filler(store, AnnotationSettings(**settings)).turn(slack_s=0)
    return {trace_id: item for trace_id, item in cases(store).items() if not item.control}


def cases(store: ClickHouse) -> dict[str, AnnotationItem]:
    heads = read_cases(store, BEGIN - timedelta(days=1))
    items = read_items(store, [case.item.item_id for case in heads])
    return {item.trace_id: item for item in items.values()}


# --- the demo's traffic ---


def test_the_next_twenty_cases_of_the_demo_are_injected_failures_of_many_classes(demo: Demo) -> None:
    found = compare_queue(demo.queue, demo.truths)
    assert found.next_cases == NEXT
    assert sum(found.injected.values()) >= 15
    assert len(found.injected) >= 5
    assert found.near_duplicates <= 2


def test_picking_by_chance_finds_the_base_rate_and_more_near_duplicates(demo: Demo) -> None:
    chance = random.Random(1)
    truths = list(demo.truths.values())
    base = sum(truth.failure != HEALTHY for truth in truths) / len(truths)
    picked = [truth for _ in range(100) for truth in chance.sample(truths, NEXT)]
    share = sum(truth.failure != HEALTHY for truth in picked) / len(picked)
    assert share == pytest.approx(base, abs=0.05)
    assert base < 0.5
    queued = compare_queue(demo.queue, demo.truths)
    assert sum(queued.injected.values()) / NEXT > 1.5 * base


def test_controls_are_drawn_by_chance_whatever_they_are(demo: Demo) -> None:
    drawn = [item for item in cases(demo.store).values() if item.control]
    assert 3 <= len(drawn) <= 25
    assert {item.reason for item in drawn} == {"control"}
    assert {item.probability for item in drawn} == {drawn[0].probability}
    assert 0 < drawn[0].probability < 0.05
    assert any(item.failure == HEALTHY for item in drawn)


def test_near_duplicates_are_merged_and_counted(demo: Demo) -> None:
    items = [item for item in cases(demo.store).values() if not item.control]
    assert sum(item.duplicates for item in items) > 20
    assert all(len(item.duplicate_ids) == min(item.duplicates, 100) for item in items)
    by_kind = {(item.app, item.cluster, item.failure) for item in items}
    assert len(by_kind) == len(items)
    assert count_near_duplicates(items[:1] * 3) == 2


def test_every_case_says_what_it_is_worth_and_why_in_both_languages(demo: Demo) -> None:
    for item in cases(demo.store).values():
        assert 0 <= item.value < 1
        assert item.because == item.payload["because"]["en"]
        assert any("\u4e00" <= letter <= "\u9fff" for letter in item.payload["because"]["zh"])
        assert item.trace["trace_id"] == item.trace_id
        assert item.payload["scores"]["scorer_version"] == item.scorer_version


def test_a_filler_that_starts_again_doubles_nothing(demo: Demo) -> None:
    before = cases(demo.store)
    turned = Filler(demo.store, AnnotationSettings(per_turn=1)).turn(slack_s=0)
    after = cases(demo.store)
    assert set(before) <= set(after)
    assert len(after) <= len(before) + 1 + sum(item.control for item in turned.entered)
    assert all(len(set(item.duplicate_ids)) == len(item.duplicate_ids) for item in after.values())


# --- one policy each ---


def test_what_nobody_doubts_enters_by_chance_alone(store: ClickHouse) -> None:
    put(store, "traces", *(row(f"t-{chr(97 + n)}") for n in range(20)))
    assert fill(store) == {}
    assert all(item.control for item in cases(store).values())


def test_a_late_thumbs_down_brings_a_trace_that_looked_healthy(store: ClickHouse) -> None:
    put(store, "traces", row("disliked"), *(row(f"t-{chr(97 + n)}") for n in range(20)))
    filler = Filler(store, AnnotationSettings())
    filler.turn(slack_s=0)
    put(store, "feedback", late("disliked", -1))
    filler.turn(slack_s=0)
    item = cases(store)["disliked"]
    assert (item.reason, item.failure) == ("thumbs_down", HEALTHY)


def test_a_verdict_that_disagrees_brings_a_trace(store: ClickHouse) -> None:
    put(store, "traces", *(row(name) for name in ("seen", "split", "same", "fine")))
    put(
        store,
        "verdicts",
        verdict("seen", failure="hallucination", hallucination=0.95, rationale="The document says 14 days."),
        verdict("split", disagreement=0.8),
        verdict("same"),
    )
    fill(store)
    found = cases(store)
    for name in ("seen", "split"):
        assert "disagreement" in found[name].reasons
    assert "same" not in found or found["same"].reasons == ("control",)
    (said,) = found["seen"].payload["verdicts"]
    assert said["rationale"] == "The document says 14 days."


def test_what_is_asked_often_and_hardly_supported_says_how_often(store: ClickHouse) -> None:
    gap = [
        row(f"gap-{n}", question=f"Do you ship order {n} to Iceland?", failure="poor_retrieval",
            first_failed_stage="retrieval", failure_confidence=0.7 + n / 100)
        for n in range(12)
    ]  # fmt: skip
    put(store, "traces", *gap, *(row(f"t-{chr(97 + n)}") for n in range(20)))
    items = [item for item in fill(store).values() if item.failure == "poor_retrieval"]
    assert len(items) == 1
    assert "low_support" in items[0].reasons
    assert "asked 12 times, 12 of them with little support" in items[0].because
    assert items[0].duplicates >= 10  # but for what chance drew


def test_a_kind_of_question_that_was_not_there_before_is_new(store: ClickHouse) -> None:
    now = datetime.now(UTC)
    old, young = stamp(now - timedelta(hours=20)), stamp(now - timedelta(minutes=5))
    usual = [row(f"usual-{n}", question="How long does a refund take?", timestamp=old) for n in range(250)]
    new = [
        row(
            f"new-{n}",
            question="Why does the app ask for my fingerprint?",
            timestamp=young,
            hallucination=0.5,
        )
        for n in range(8)
    ]
    put(store, "traces", *usual, *new)
    items = [item for item in fill(store).values() if item.trace_id.startswith("new-")]
    assert len(items) == 1
    assert "new_cluster" in items[0].reasons
    assert "asked 8 times" in items[0].because


def test_a_trace_whose_texts_have_expired_becomes_no_case(store: ClickHouse) -> None:
    put(store, "traces", row("gone", history="", question=None, failure="hallucination",
                             first_failed_stage="generation"))  # fmt: skip
    turned = Filler(store, AnnotationSettings()).turn(slack_s=0)
    assert turned.entered == []
    assert turned.unusable == {"TextsGone": 1}


def test_a_full_queue_keeps_its_cap(store: ClickHouse) -> None:
    put(store, "traces", *(
        row(f"t-{n}", question="".join(chr(0x4E00 + (n * 131 + k * 17) % 9_000) for k in range(12)),
            failure=("hallucination", "over_refusal", "poor_retrieval", "rewrite_failure")[n % 4],
            first_failed_stage=("generation", "generation", "retrieval", "query")[n % 4],
            failure_confidence=0.5 + n / 200)
        for n in range(80)
    ))  # fmt: skip
    for _ in range(3):
        fill(store, cap=20, stage_share=0.5, class_share=0.5)
    inside = [item for item in cases(store).values() if not item.withdrawn]
    assert len(inside) <= 20
    assert len({item.first_failed_stage for item in inside}) == 3


# --- personal data ---


def leaky(name: str) -> dict[str, Any]:
    phone, email, identity, key = PERSONAL
    return row(
        name,
        question=f"我叫李娜，电话 {phone}，为什么还没退款？",
        rewritten_query=f"退款 {email}",
        answer=f"We wrote to {email} and called {phone}.",
        history=orjson.dumps([{"role": "user", "content": f"身份证号 {identity}"}]).decode(),
        chunks=orjson.dumps([{"id": "kb-1", "text": f"api_key = {key}"}]).decode(),
        evidence=orjson.dumps([{"text": f"called {phone}", "start": 33, "end": 51, "support": 0.1}]).decode(),
        feedback_comment=f"ring me: {phone}",
        extra=orjson.dumps({"user": {"mail": email}}).decode(),
        failure="hallucination",
        first_failed_stage="generation",
    )


def test_nothing_that_tells_who_somebody_is_lies_in_the_queue(store: ClickHouse) -> None:
    put(store, "traces", leaky("leaky"))
    put(store, "verdicts", verdict("leaky", failure="healthy", rationale=f"{PERSONAL[0]} is in no document"))
    fill(store)
    stored = orjson.dumps(store.query("SELECT * FROM annotation_items"), default=str).decode()
    assert "[电话]" in stored
    for secret in PERSONAL:
        assert secret not in stored
    item = cases(store)["leaky"]
    assert {"phone", "email", "id_number", "key"} <= set(item.redactions)
    claim = item.payload["scores"]["evidence"][0]
    assert item.trace["answer"][claim["start"] : claim["end"]] == claim["text"]


def test_a_case_of_the_topic_is_redacted_even_if_its_publisher_forgot(store: ClickHouse) -> None:
    trace = {"trace_id": "topic", "question": f"Call {PERSONAL[0]}?", "answer": "No.", "app": "helpdesk"}
    scores = {"failure": "hallucination", "first_failed_stage": "generation", "failure_confidence": 0.9}
    case = {"trace": trace, "scores": scores, "verdicts": [verdict("topic")], "reason": "disagreement"}
    handed_in = read_case(orjson.dumps(case), BEGIN)
    assert PERSONAL[0] not in handed_in.evidence.question
    Filler(store, AnnotationSettings()).turn([handed_in], slack_s=0)
    item = cases(store)["topic"]
    assert "disagreement" in item.reasons
    assert item.trace["question"] == redact(trace["question"]).text
    assert PERSONAL[0] not in orjson.dumps(dict(item.payload)).decode()
