"""Files of spans in every framing and compression, found out from their bytes."""

from __future__ import annotations

import gzip
import io
import struct
from pathlib import Path
from typing import Any

import orjson
import pytest
from backports import zstd
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from schemas.trace import Trace
from stream.files.lines import FileProblem, Reader
from stream.files.opening import open_any

LONGEST = 1 << 20
FOLDER = Path(__file__).resolve().parents[4] / "shared" / "data" / "traces" / "otel"
REAL = sorted(path.name.removesuffix(".expected.jsonl") for path in FOLDER.glob("*.expected.jsonl"))
OWN = b'{"trace_id":"own","question":"q","answer":"a"}\n'


def request(number: int, *, parent: bool = False) -> ExportTraceServiceRequest:
    """Half of a trace: the model's call, or the root above it."""
    made = ExportTraceServiceRequest()
    span = made.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id = number.to_bytes(16, "big")
    span.span_id = (number if parent else number + 1000).to_bytes(8, "big")
    span.parent_span_id = b"" if parent else number.to_bytes(8, "big")
    span.name = "ask" if parent else "chat"
    span.start_time_unix_nano, span.end_time_unix_nano = 10**18 + (0 if parent else 10), 10**18 + 100
    pairs = (
        {
            "input.value": f"question {number}?",
            "output.value": f"answer {number}",
            "openinference.span.kind": "CHAIN",
        }
        if parent
        else {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
    )
    for key, value in pairs.items():
        pair = span.attributes.add()
        pair.key, pair.value.string_value = key, value
    return made


CHILDREN_FIRST = [request(1), request(2), request(1, parent=True), request(2, parent=True)]


def as_json(message: ExportTraceServiceRequest) -> bytes:
    from google.protobuf.json_format import MessageToDict

    return orjson.dumps(MessageToDict(message))


def framed(messages: list[bytes]) -> bytes:
    return b"".join(struct.pack(">I", len(message)) + message for message in messages)


PROTO = [message.SerializeToString() for message in CHILDREN_FIRST]
JSON = [as_json(message) for message in CHILDREN_FIRST]
LINES = b"\n".join(JSON) + b"\n"
FILES = {
    "json lines": LINES,
    "json lines, gzip": gzip.compress(LINES),
    "json lines, zstd": zstd.compress(LINES),
    "json lines without a last line end": LINES.rstrip(),
    "proto frames": framed(PROTO),
    "proto frames, gzip as a whole": gzip.compress(framed(PROTO)),
    "proto frames, zstd each": framed([zstd.compress(message) for message in PROTO]),
    "json frames, zstd each": framed([zstd.compress(message) for message in JSON]),
    "json frames": framed(JSON),
}


def read(path: Path, format: str = "auto") -> tuple[list[Trace], Reader, list[str]]:
    said: list[str] = []
    with open_any(str(path), format, LONGEST) as file:
        reader = Reader(file, said.append)
        traces = [item for _, item in reader.items() if isinstance(item, Trace)]
    return traces, reader, said


def answers(path: Path, format: str = "auto") -> list[str | None]:
    return [trace.answer for trace in read(path, format)[0]]


@pytest.mark.parametrize("data", FILES.values(), ids=FILES.keys())
def test_every_framing_and_compression_reads_the_same(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "spans"
    path.write_bytes(data)
    traces, reader, said = read(path)
    assert [(t.question, t.answer) for t in traces] == [
        ("question 1?", "answer 1"),
        ("question 2?", "answer 2"),
    ]
    assert traces[0].trace_id == f"{1:032x}"
    assert not reader.had_problems
    assert not said


def test_one_message_alone_is_a_file_too(tmp_path: Path) -> None:
    whole = ExportTraceServiceRequest()
    for message in CHILDREN_FIRST:
        whole.MergeFrom(message)
    path = tmp_path / "request.pb"
    path.write_bytes(whole.SerializeToString())
    assert answers(path) == ["answer 1", "answer 2"]
    assert answers(path, "otlp_proto") == ["answer 1", "answer 2"]
    path.write_bytes(orjson.dumps(orjson.loads(as_json(whole)), option=orjson.OPT_INDENT_2))
    assert answers(path) == ["answer 1", "answer 2"]


def test_own_json_lines_are_read_as_before(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    for data in (OWN * 3, gzip.compress(OWN * 3), zstd.compress(OWN * 3), b"\n\n" + OWN * 3):
        path.write_bytes(data)
        assert answers(path) == ["a"] * 3
        assert len(answers(path, "ragpulse") if data == OWN * 3 else [1, 1, 1]) == 3


def test_a_line_that_is_no_json_keeps_its_number(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(OWN + b"oops\n" + OWN)
    traces, reader, said = read(path)
    assert len(traces) == 2
    assert reader.unreadable == {"not_json": 1}
    assert "line 2" in said[0]


def test_a_broken_first_line_does_not_make_a_document_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(b'{"trace_id": "t", "question": oops}\n' + OWN * 2)
    traces, reader, said = read(path)
    assert len(traces) == 2
    assert reader.unreadable == {"not_json": 1}
    assert "line 1" in said[0]


@pytest.mark.parametrize("format", ["auto", "otlp_json"])
@pytest.mark.parametrize("damaged", [JSON[0][9:], JSON[0][:60] + b"{", b"oops", b"\xff\xfe"])
def test_a_log_that_begins_in_the_middle_of_a_line_loses_that_line_alone(
    tmp_path: Path, damaged: bytes, format: str
) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_bytes(damaged + b"\n" + LINES)
    traces, reader, said = read(path, format)
    assert [trace.answer for trace in traces] == ["answer 1", "answer 2"]
    assert reader.unreadable.total() == 1
    assert "line 1" in said[0]


@pytest.mark.parametrize("odd", [b"half \\ud83d character", b'", "n": NaN, "o": "', b""])
def test_json_as_other_languages_write_it_is_found_out_as_well(tmp_path: Path, odd: bytes) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf" + LINES.replace(b'"resourceSpans"', b'"odd":"' + odd + b'","resourceSpans"')
    )
    assert answers(path) == ["answer 1", "answer 2"]


def test_messages_that_cannot_be_read_are_counted_and_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "spans.jsonl"
    path.write_bytes(JSON[0] + b'\n{"resourceSpans": [\n[]\n"text"\n' + JSON[2] + b"\n")
    traces, reader, _ = read(path)
    assert [trace.answer for trace in traces] == ["answer 1"]
    assert reader.unreadable.total() == 3


@pytest.mark.parametrize(
    "name", ["proto frames", "json lines, gzip", "json lines, zstd", "proto frames, zstd each"]
)
def test_what_came_before_a_cut_is_worth_having(tmp_path: Path, name: str) -> None:
    path = tmp_path / "cut"
    path.write_bytes(FILES[name][:-9])
    traces, reader, said = read(path)
    assert reader.had_problems
    assert said
    if "zstd" not in name or "each" in name:
        assert traces


def test_a_length_that_cannot_be_ends_the_file(tmp_path: Path) -> None:
    path = tmp_path / "spans"
    path.write_bytes(framed(PROTO[:3]) + b"\xff\xff\xff\xff" + b"rest")
    traces, reader, _ = read(path)
    assert [trace.answer for trace in traces if trace.answer] == ["answer 1"]
    assert reader.unreadable == {"too_large": 1}


def test_a_bomb_of_a_message_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stream.files.opening.MESSAGE_BYTES", 10_000)
    path = tmp_path / "spans"
    path.write_bytes(framed([zstd.compress(b"\0" * 1_000_000), gzip.compress(b"\0" * 1_000_000), PROTO[2]]))
    traces, reader, _ = read(path)
    assert len(traces) == 1
    assert reader.unreadable == {"too_large": 2}


def test_traces_that_say_nothing_of_a_question_are_left_out_and_counted(tmp_path: Path) -> None:
    made = ExportTraceServiceRequest()
    span = made.resource_spans.add().scope_spans.add().spans.add()
    span.trace_id, span.span_id, span.name = b"w" * 16, b"w" * 8, "GET /health"
    path = tmp_path / "spans"
    path.write_bytes(framed([*PROTO, made.SerializeToString()]))
    traces, reader, said = read(path)
    assert len(traces) == 2
    assert reader.left_out == {"no_retrieval_no_generation": 1}
    assert not reader.had_problems
    assert not said


def test_spans_without_a_trace_id_are_a_counted_reason(tmp_path: Path) -> None:
    made = request(3, parent=True)
    made.resource_spans[0].scope_spans[0].spans[0].trace_id = b""
    path = tmp_path / "spans"
    path.write_bytes(framed([made.SerializeToString()]))
    assert read(path)[1].unreadable == {"no_trace_id": 1}


def test_standard_input_is_found_out_as_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "spans.gz"
    path.write_bytes(FILES["json lines, gzip"])

    class Standard(io.StringIO):
        def fileno(self) -> int:
            return file.fileno()

    with path.open("rb") as file:
        monkeypatch.setattr("sys.stdin", Standard())
        with open_any("-", "auto", LONGEST) as opened:
            found: list[Any] = [item for _, item in Reader(opened, print).items()]
    assert [trace.answer for trace in found] == ["answer 1", "answer 2"]


def test_a_file_that_is_not_there_is_a_matter_of_usage(tmp_path: Path) -> None:
    with pytest.raises(FileProblem), open_any(str(tmp_path / "none"), "auto", LONGEST):
        pass
    with pytest.raises(FileProblem), open_any(str(tmp_path), "auto", LONGEST):
        pass


@pytest.mark.shared
@pytest.mark.skipif(not REAL, reason=f"{FOLDER} is not here")
@pytest.mark.parametrize("name", REAL)
def test_a_collectors_files_read_the_same_from_both_encodings(tmp_path: Path, name: str) -> None:
    expected = [orjson.loads(line) for line in (FOLDER / f"{name}.expected.jsonl").read_bytes().splitlines()]
    zipped = tmp_path / "spans.gz"
    zipped.write_bytes(gzip.compress((FOLDER / f"{name}.otlp.binpb").read_bytes()))
    traces, reader, _ = read(FOLDER / f"{name}.otlp.jsonl")
    assert {trace.trace_id for trace in traces} == {line["trace_id"] for line in expected}
    assert not reader.had_problems
    assert read(FOLDER / f"{name}.otlp.binpb")[0] == traces
    assert read(zipped)[0] == traces
