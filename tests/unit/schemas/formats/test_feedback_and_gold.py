"""What users say, in the trace or long after it, by whatever way it comes; and what was expected."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import permutations
from typing import Any

import orjson
import pytest
from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from schemas.formats.assembly import NotRag, assemble
from schemas.formats.base import Unreadable
from schemas.formats.exports.langfuse import read_langfuse
from schemas.formats.foreign import SPAN_FORMATS, read_recognised, recognise
from schemas.formats.gold import read_gold
from schemas.formats.own import decode
from schemas.formats.span import Event, Span
from schemas.row import Provenance, evaluation_rows
from schemas.trace import Evaluation, Feedback, Gold, LateFeedback, Trace
from sinks.evaluations import Otlp
from stream.files.convert import own_line
from tests.support.stand_in_collector import encode
from tests.unit.schemas.formats.spans import START_NS, TRACE, convert, span
from tests.unit.schemas.formats.writers_otel import A, Q, openinference
from tests.unit.sinks.test_evaluations import finding

SPAN = "b7ad6b7169203331"


def logs(*records: dict[str, Any], scope: str = "app", trace_id: str = TRACE) -> ExportLogsServiceRequest:
    """Evaluation events as OpenTelemetry's logs SDKs send them; `name` alone makes another record."""
    request = ExportLogsServiceRequest()
    group = request.resource_logs.add()
    group.scope_logs.add().scope.name = scope
    for at, held in enumerate(records):
        record = group.scope_logs[0].log_records.add()
        record.event_name = held.get("name", "gen_ai.evaluation.result")
        record.trace_id, record.span_id = bytes.fromhex(trace_id), bytes.fromhex(SPAN)
        record.time_unix_nano = START_NS + at
        for key, value in held.get("attributes", {}).items():
            pair = record.attributes.add(key=f"gen_ai.evaluation.{key}").value
            if isinstance(value, float):
                pair.double_value = value
            else:
                pair.string_value = value
    return request


DOWN = {"attributes": {"name": "user_feedback", "score.label": "thumbs_down", "explanation": "错了"}}
UP = {"attributes": {"name": "user_feedback", "score.value": 1.0}}
METRIC = {"attributes": {"name": "faithfulness", "score.value": 0.4}}
READ = {
    "otlp_logs_proto": lambda request: SPAN_FORMATS["otlp_logs_proto"](request.SerializeToString()),
    "otlp_logs_json": lambda request: SPAN_FORMATS["otlp_logs_json"](encode(request, "otlp_json")),
    "base64": lambda request: SPAN_FORMATS["otlp_logs_json"](orjson.dumps(MessageToDict(request))),
}


def read(request: ExportLogsServiceRequest, form: str = "otlp_logs_proto") -> list[Span]:
    spans = READ[form](request)
    assert isinstance(spans, list)
    return spans


@pytest.mark.parametrize("form", READ)
def test_an_evaluation_event_among_the_logs_joins_its_trace(form: str) -> None:
    spans = read(logs(DOWN, METRIC, {"name": "gen_ai.user.message"}, {"name": ""}), form)
    assert len(spans) == 2
    trace = convert(*openinference(), *spans)
    assert trace.feedback == Feedback(rating=-1, comment="错了")
    assert (trace.question, trace.answer) == (Q, A)
    assert [held["name"] for held in (trace.extra or {})["evaluations"]] == ["user_feedback", "faithfulness"]


@pytest.mark.parametrize("form", READ)
def test_an_evaluation_event_that_comes_after_its_trace_is_late_feedback(form: str) -> None:
    late = assemble(read(logs(METRIC, DOWN), form))
    assert isinstance(late, LateFeedback)
    assert (late.trace_id, late.feedback) == (TRACE, Feedback(rating=-1, comment="错了"))
    assert late.timestamp is not None
    assert int(late.timestamp.timestamp()) == START_NS // 10**9


def test_a_metric_that_comes_alone_is_nobodys_feedback() -> None:
    found = assemble(read(logs(METRIC)))
    assert isinstance(found, NotRag)
    assert found.reason == "evaluation_only"
    assert found.late is not None
    assert not found.late.holds_feedback
    assert found.late.evaluations == [Evaluation(name="faithfulness", score=0.4, source="otel")]


def test_what_evaluators_say_beside_a_user_is_kept_apart() -> None:
    late = assemble(read(logs(METRIC, DOWN)))
    assert isinstance(late, LateFeedback)
    assert late.holds_feedback
    assert [said.name for said in late.evaluations] == ["faithfulness"]
    provenance = Provenance("otlp_logs", 0, 7, datetime(2026, 11, 30, 12, tzinfo=UTC))
    (row,) = evaluation_rows(late, provenance)
    assert (row["trace_id"], row["name"], row["source"], row["score"]) == (TRACE, "faithfulness", "otel", 0.4)


def test_empty_feedback_alone_takes_back_what_was_said() -> None:
    (late,) = decode(b'{"trace_id": "t", "feedback": {}}')
    assert isinstance(late, LateFeedback)
    assert late.holds_feedback
    (beside,) = decode(b'{"trace_id": "t", "feedback": {}, "evaluations": [{"name": "x", "score": true}]}')
    assert isinstance(beside, LateFeedback)
    assert not beside.holds_feedback
    assert orjson.loads(own_line(beside))["evaluations"][0]["score"] == 1.0
    assert "evaluations" not in orjson.loads(own_line(late))


def test_the_last_word_counts_whatever_order_it_comes_in() -> None:
    for order in permutations([*openinference(), *read(logs(UP, DOWN))]):
        trace = assemble(order)
        assert isinstance(trace, Trace)
        assert trace.feedback == Feedback(rating=-1, comment="错了")


def test_a_record_that_comes_twice_is_one() -> None:
    trace = convert(*openinference(), *read(logs(DOWN)), *read(logs(DOWN)))
    assert len((trace.extra or {})["evaluations"]) == 1


def test_our_own_verdicts_do_not_come_back_as_opinions() -> None:
    sent = Otlp().build([finding()]).body
    assert SPAN_FORMATS["otlp_logs_proto"](sent) == []


def test_logs_are_recognised_and_what_is_none_is_told() -> None:
    value = orjson.loads(encode(logs(UP), "otlp_json"))
    assert recognise(value) == "otlp_logs_json"
    found = read_recognised(value, "otlp_logs_json")
    assert isinstance(found, list)
    assert len(found) == 1
    for form, bad in (
        ("otlp_logs_proto", b""),
        ("otlp_logs_proto", b"\xff\xff"),
        ("otlp_logs_json", b"{"),
        ("otlp_logs_json", b"[]"),
        ("otlp_logs_json", b'{"resourceSpans": []}'),
    ):
        assert isinstance(SPAN_FORMATS[form](bad), Unreadable)


def test_hostile_logs_are_read_or_passed_over() -> None:
    for hostile in (
        {"resourceLogs": 7},
        {"resourceLogs": [{"scopeLogs": [{"scope": 7, "logRecords": [7, {"eventName": [], "traceId": 9}]}]}]},
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [{"eventName": "gen_ai.evaluation.result",
            "timeUnixNano": "x", "traceId": "zz", "attributes": [{"key": "gen_ai.evaluation.name"}]}]}]}]},
    ):  # fmt: skip
        spans = SPAN_FORMATS["otlp_logs_json"](orjson.dumps(hostile))
        assert isinstance(spans, list)
        if spans:
            assert isinstance(assemble(spans), NotRag)


def test_an_event_on_a_span_and_an_annotation_beside_it_say_the_same() -> None:
    said = {"gen_ai.evaluation.name": "thumbs", "gen_ai.evaluation.score.label": "👎"}
    root, found, called = openinference()
    root.events = (Event("gen_ai.evaluation.result", START_NS, said),)
    assert convert(root, found, called).feedback == Feedback(rating=-1)
    root, found, called = openinference()
    root.attributes = {**root.attributes, "annotations.0.annotation.name": "thumbs",
                       "annotations.0.annotation.label": "👎"}  # fmt: skip
    assert convert(root, found, called).feedback == Feedback(rating=-1)


SCORE = {"id": "s1", "traceId": "t1", "name": "user-feedback", "value": 0, "comment": "没用", "source": "API"}


def test_langfuse_scores_come_with_their_trace_in_a_batch_of_their_own_or_alone() -> None:
    moment = "2026-11-30T12:00:00Z"
    trace = {"id": "t1", "timestamp": moment, "input": "q?", "output": "a."}
    batch = {"batch": [{"type": "score-create", "timestamp": moment, "body": SCORE}]}
    exported = {"trace": {**trace, "observations": [], "scores": [{**SCORE, "timestamp": moment}]}}
    whole = assemble(read_langfuse(exported))
    assert isinstance(whole, Trace)
    assert whole.feedback == Feedback(rating=-1, comment="没用")
    for alone in (batch, {**SCORE, "dataType": "NUMERIC"}):
        late = assemble(read_langfuse(alone))
        assert isinstance(late, LateFeedback)
        assert (late.trace_id, late.feedback) == ("t1", Feedback(rating=-1, comment="没用"))


def test_a_score_by_an_evaluator_is_no_word_of_a_user() -> None:
    assert isinstance(assemble(read_langfuse({**SCORE, "source": "EVAL", "dataType": "NUMERIC"})), NotRag)


@pytest.mark.parametrize(
    ("expected", "beside", "gold"),
    [
        ("2 GB", None, Gold(answer="2 GB")),
        ('"2 GB"', None, Gold(answer="2 GB")),
        ({"answer": "六个月", "chunk_ids": ["k1", 7]}, None, Gold(answer="六个月", chunk_ids=["k1", "7"])),
        (
            '{"reference": "x", "relevant_docs": [{"id": "d1"}]}',
            None,
            Gold(answer="x", chunk_ids=["d1"]),
        ),
        ("2 GB", '{"expected_chunk_ids": ["k1"]}', Gold(answer="2 GB", chunk_ids=["k1"])),
        (None, {"unanswerable": True}, Gold(should_refuse=True)),
        ({"chunk_ids": []}, None, Gold(chunk_ids=[])),
        (None, None, None),
        (None, {"topic": "billing"}, None),
        ({"chunk_ids": "k1"}, None, None),
    ],
)
def test_what_an_experiment_expects_is_gold(expected: Any, beside: Any, gold: Gold | None) -> None:
    assert read_gold(expected, beside) == gold


def test_gold_of_a_langfuse_experiment_reaches_the_trace() -> None:
    item = {
        "langfuse.experiment.item.expected_output": '{"answer": "2 GB", "chunk_ids": ["k1"]}',
        "langfuse.experiment.item.metadata": '{"should_refuse": false}',
    }
    root = span(
        "task",
        also={
            "langfuse.observation.type": "span",
            "langfuse.observation.input": "q?",
            "langfuse.observation.output": "2 GB",
            **item,
        },
    )
    assert convert(root).gold == Gold(answer="2 GB", chunk_ids=["k1"], should_refuse=False)
