"""What is sent back to where a trace lives, byte by byte; and how answers are read."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import Any

import orjson
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import (
    ExportLogsServiceRequest,
    ExportLogsServiceResponse,
)

from schemas.row import encode
from sinks.errors import SinkAddressWrong, SinkUnreachable
from sinks.evaluations import Finding, Langfuse, Otlp, Phoenix, Request
from sinks.evaluations.finding import from_trace_row, from_verdict_row
from sinks.evaluations.http import Poster, checked_url
from sinks.evaluations.langfuse import identity
from tests.support.rows import trace_values
from tests.support.stand_in_receiver import Answer, stand_in_receiver

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
EVIDENCE = [{"text": "续航三十小时。", "support": 0.12, "why": "number not in any chunk"}]
ASKED = Request("/x", "application/json", b"{}")


def row(**values: Any) -> dict[str, Any]:
    """A row as it is read from the topic: JSON in JSON."""
    line = encode(
        trace_values(
            TRACE,
            failure="hallucination",
            first_failed_stage="generation",
            rule="unsupported_claims",
            evidence=orjson.dumps(EVIDENCE).decode(),
            extra=orjson.dumps({"ragpulse_span": SPAN}).decode(),
            environment="prod",
            **values,
        )
    )
    found: dict[str, Any] = orjson.loads(line)
    return found


def finding(**values: Any) -> Finding:
    found = from_trace_row(row(**values))
    assert found is not None
    return found


def test_a_finding_holds_what_was_measured_and_no_null() -> None:
    found = finding()
    assert (found.trace_id, found.span_id, found.by, found.version) == (TRACE, SPAN, "CODE", "test-1")
    scores = {score.name: (score.value, score.label) for score in found.scores}
    assert scores == {
        "ragpulse.failure": (None, "hallucination"),
        "ragpulse.faithfulness": (0.5, None),
        "ragpulse.hallucination": (0.75, None),
        "ragpulse.refusal": (0.0, "no"),
        "ragpulse.parametric_leak": (0.0, "no"),
    }


def test_no_text_of_the_trace_leaves_unless_it_is_asked_for() -> None:
    held = row()
    quiet, open_ = from_trace_row(held), from_trace_row(held, texts=True)
    texts = ("续航三十小时", held["question"], held["answer"])
    for destination in (Otlp(), Langfuse("pk", "sk"), Phoenix()):
        assert quiet is not None
        assert open_ is not None
        body = destination.build([quiet]).body.decode("utf-8", "replace")
        assert not any(text in body for text in texts)
        assert "unsupported_claims" in body
        assert "续航三十小时" in destination.build([open_]).body.decode("utf-8", "replace")


def test_what_nobody_could_look_at_is_not_called_healthy() -> None:
    found = from_trace_row(row() | {"failure": "healthy", "faithfulness": None, "hallucination": None})
    assert found is not None
    assert found.scores[0].label == "not_measured"
    assert not found.failed


def test_a_trace_of_no_spans_has_no_span_to_attach_to() -> None:
    for extra in (
        "",
        "{}",
        '{"ragpulse_span": 7}',
        '{"ragpulse_span": "zz"}',
        "[",
        '{"ragpulse_span": "00"}',
    ):
        found = from_trace_row(row() | {"extra": extra})
        assert found is not None
        assert found.span_id is None
    assert from_trace_row({"trace_id": "", "failure": "healthy"}) is None
    assert from_trace_row({"no": "row"}) is None


def test_a_judges_verdict_is_told_apart_and_its_words_stay_here() -> None:
    verdict = {
        "trace_id": TRACE, "judge": "panel", "failure": "poor_retrieval", "faithfulness": 0.25,
        "rationale": "it says 30 hours", "created_at": "2026-11-30 12:00:00.000", "error": None,
    }  # fmt: skip
    found = from_verdict_row(verdict)
    assert found is not None
    assert (found.by, found.version, found.failed) == ("LLM", "panel", True)
    assert {score.name for score in found.scores} == {"ragpulse.judge.failure", "ragpulse.judge.faithfulness"}
    assert found.scores[0].explanation is None
    spoken = from_verdict_row(verdict, texts=True)
    assert spoken is not None
    assert spoken.scores[0].explanation == "it says 30 hours"
    assert from_verdict_row(verdict | {"error": "timeout"}) is None
    assert from_verdict_row(verdict | {"role": "opinion"}) is None
    named = from_verdict_row(verdict | {"role": "verdict", "rubric": "rag"})
    assert named is not None
    assert named.version == "panel:rag"


def test_otlp_gets_one_event_a_score_in_the_context_of_the_span() -> None:
    request = Otlp().build([finding()])
    assert (request.path, request.content_type) == ("/v1/logs", "application/x-protobuf")
    (group,) = ExportLogsServiceRequest.FromString(request.body).resource_logs
    assert group.resource.attributes[0].value.string_value == "ragpulse"
    records = group.scope_logs[0].log_records
    assert len(records) == 5
    for record in records:
        assert record.event_name == "gen_ai.evaluation.result"
        assert (record.trace_id.hex(), record.span_id.hex()) == (TRACE, SPAN)
        assert record.time_unix_nano == 1_796_040_001 * 10**9
    held = {pair.key: pair.value for pair in records[1].attributes}
    assert held["gen_ai.evaluation.name"].string_value == "ragpulse.faithfulness"
    assert held["gen_ai.evaluation.score.value"].double_value == 0.5
    assert held["ragpulse.by"].string_value == "test-1"
    first = {pair.key: pair.value.string_value for pair in records[0].attributes}
    assert first["gen_ai.evaluation.score.label"] == "hallucination"
    assert "unsupported_claims" in first["gen_ai.evaluation.explanation"]


def test_otlp_has_no_place_for_ids_of_another_kind() -> None:
    assert Otlp().takes(finding())
    for trace_id in ("t-1", "0" * 32, "g" * 32, TRACE[:-1]):
        assert not Otlp().takes(replace(finding(), trace_id=trace_id))
        assert not Phoenix().takes(replace(finding(), trace_id=trace_id))
        assert Langfuse("pk", "sk").takes(replace(finding(), trace_id=trace_id))


def test_otlp_tells_how_many_it_rejected() -> None:
    answer = ExportLogsServiceResponse()
    answer.partial_success.rejected_log_records = 2
    answer.partial_success.error_message = "too old"
    reading = Otlp().read(answer.SerializeToString(), [finding(), finding(), finding()])
    assert (reading.refused, reading.again, reading.detail) == (2, (), "too old")
    assert Otlp().read(b"<html>", [finding()]).refused == 0


def test_langfuse_gets_typed_scores_with_ids_that_stay() -> None:
    langfuse = Langfuse("pk-1", "sk-1")
    assert langfuse.headers["Authorization"] == "Basic " + base64.b64encode(b"pk-1:sk-1").decode()
    request = langfuse.build([finding()])
    assert request.path == "/api/public/scores"
    scores = orjson.loads(request.body)
    bodies = {score["name"]: score for score in scores}
    failure, faithful = bodies["ragpulse.failure"], bodies["ragpulse.faithfulness"]
    assert (failure["value"], failure["dataType"]) == ("hallucination", "CATEGORICAL")
    assert (faithful["value"], faithful["dataType"]) == (0.5, "NUMERIC")
    assert (bodies["ragpulse.refusal"]["value"], bodies["ragpulse.refusal"]["dataType"]) == (0, "BOOLEAN")
    assert (failure["traceId"], failure["observationId"], failure["environment"]) == (TRACE, SPAN, "prod")
    assert orjson.loads(langfuse.build([finding()]).body) == scores
    assert len({score["id"] for score in scores}) == len(scores)


def test_an_older_langfuse_gets_the_same_scores_as_events() -> None:
    scores = orjson.loads(Langfuse("pk", "sk").build([finding()]).body)
    request = Langfuse("pk", "sk", "ingestion").build([finding()])
    assert request.path == "/api/public/ingestion"
    events = orjson.loads(request.body)["batch"]
    assert [event["body"] for event in events] == scores
    assert {event["type"] for event in events} == {"score-create"}
    assert {event["timestamp"] for event in events} == {"2026-11-30T12:00:01.000Z"}


def test_langfuse_counts_what_it_rejects() -> None:
    answer = orjson.dumps({"accepted": 7, "rejected": 2, "errors": [{"message": "no such config"}]})
    reading = Langfuse("pk", "sk").read(answer, [finding(), finding(), finding()])
    assert (reading.refused, reading.again, reading.detail) == (2, (), "no such config")
    for body in (b'{"message": "Accepted"}', b"", b"[]", b'{"rejected": "x"}', b'{"errors": 7}'):
        assert Langfuse("pk", "sk").read(body, [finding()]).refused == 0


def test_an_older_langfuse_says_which_to_send_again_and_which_never() -> None:
    good, bad, busy = (replace(finding(), trace_id=f"{i:032x}") for i in (1, 2, 3))
    answer = {
        "successes": [],
        "errors": [
            {"id": identity(bad, bad.scores[0]), "status": 400, "message": "no such thing"},
            {"id": identity(busy, busy.scores[1]), "status": 429},
            {"id": "somebody else's", "status": 400},
            "nonsense",
        ],
    }
    reading = Langfuse("pk", "sk", "ingestion").read(orjson.dumps(answer), [good, bad, busy])
    assert (reading.refused, reading.again, reading.detail) == (1, (busy,), "no such thing")
    for body in (b"", b"[]", b"{", b'{"errors": 7}'):
        assert Langfuse("pk", "sk", "ingestion").read(body, [good]).refused == 0


def test_phoenix_gets_annotations_on_spans_and_on_traces_apart() -> None:
    phoenix = Phoenix("key")
    assert phoenix.headers == {"Authorization": "Bearer key"}
    assert Phoenix().headers == {}
    bare = replace(finding(), span_id=None, by="LLM", version="panel")
    with_span, without = phoenix.groups([bare, finding()])
    on_spans, on_traces = phoenix.build(with_span), phoenix.build(without)
    assert (on_spans.path, on_traces.path) == (
        "/v1/span_annotations?sync=false",
        "/v1/trace_annotations?sync=false",
    )
    first = orjson.loads(on_spans.body)["data"][0]
    assert (first["span_id"], first["annotator_kind"], first["identifier"]) == (
        SPAN,
        "CODE",
        "ragpulse:test-1",
    )
    assert first["result"]["label"] == "hallucination"
    other = orjson.loads(on_traces.body)["data"][1]
    assert (other["trace_id"], other["annotator_kind"], other["result"]) == (TRACE, "LLM", {"score": 0.5})


# Over HTTP.


def test_a_receiver_that_says_when_to_come_again_is_understood() -> None:
    date = "Mon, 30 Nov 2026 12:00:30 GMT"
    with stand_in_receiver(
        Answer(429, headers={"Retry-After": "7"}),
        Answer(503, headers={"Retry-After": date}),
        Answer(503, headers={"Retry-After": "soon"}),
        Answer(302, headers={"Location": "http://127.0.0.1:1/elsewhere"}),
    ) as receiver:
        poster = Poster(receiver.url, {"Authorization": "x"}, 5.0, now=lambda: 1_796_040_000.0)
        said = [poster.post(ASKED) for _ in range(5)]
    assert [reply.status for reply in said] == [429, 503, 503, 302, 200]
    assert [reply.retry_after_s for reply in said] == [7.0, 30.0, None, None, None]
    assert receiver.received[0].headers["Authorization"] == "x"


@pytest.mark.parametrize("answer", [Answer(after_s=30), Answer(body=b"x" * 500, drip_s=0.05)])
def test_a_receiver_that_hangs_or_dawdles_costs_no_more_than_the_time_allowed(answer: Answer) -> None:
    with stand_in_receiver(answer) as receiver:
        poster = Poster(receiver.url, {}, 0.3)
        with pytest.raises(SinkUnreachable):
            poster.post(ASKED)
        assert poster.post(ASKED).status == 200


def test_an_endless_answer_is_read_in_part() -> None:
    with stand_in_receiver(Answer(body=b"x" * 3_000_000)) as receiver:
        reply = Poster(receiver.url, {}, 5.0).post(ASKED)
    assert 1_000_000 < len(reply.body) < 1_200_000


@pytest.mark.parametrize(
    "url", ["", "collector:4318", "ftp://x", "http://", "http://x:99999", "http://x?y=1"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SinkAddressWrong):
        checked_url(url)
