"""Cases to files and labels from files, on a real engine, as a shell sees it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as Xml

import orjson
import pytest
from typer.testing import CliRunner

from schemas.annotation import Annotation, AnnotationItem, ClaimLabel
from schemas.row import encode
from sinks.annotation import AnnotationQueue, LeaseBook
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.cli import app
from stream.errors import RagpulseError

pytestmark = pytest.mark.engine

NOW = datetime.now(UTC).replace(microsecond=0)
ANSWER = "A refund takes 3 days."
WRONG = Annotation(
    failure="hallucination",
    claims=(ClaimLabel(text="3 days", start=15, end=21, supported=False),),
    gold_chunk_ids=("kb-1",),
    should_refuse=False,
    reference_answer="14 天",
)


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    migrate(client)
    for number in (1, 2, 3):
        payload = {
            "trace": {
                "trace_id": f"t-{number}",
                "question": "How long?",
                "answer": ANSWER,
                "retrieval": {"chunks": [{"id": "kb-1", "text": "14 days"}]},
            },
            "scores": {"failure": "SECRET-SCORE"},
        }
        item = AnnotationItem(
            f"i-{number}", f"t-{number}", NOW - timedelta(hours=1), app="helpdesk", language="en",
            votes_wanted=2, payload=payload, created_at=NOW,
        )  # fmt: skip
        client.insert_raw("annotation_items", encode(item.as_row(NOW)))
    yield client
    client.close()


@pytest.fixture
def queue(store: ClickHouse, tmp_path: Path) -> Iterator[AnnotationQueue]:
    leases = LeaseBook(tmp_path / "leases.sqlite")
    yield AnnotationQueue(store, leases)
    leases.close()


@pytest.fixture
def annotate(dsn: str, tmp_path: Path) -> Any:
    """A command, in this process: exit code, output, what it said to the person."""
    env = {
        "RAGPULSE_CLICKHOUSE__DSN": dsn,
        "RAGPULSE_ANNOTATION__LEASE_FILE": str(tmp_path / "leases.sqlite"),
    }

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        done = CliRunner().invoke(app, ["annotate", *map(str, arguments)], env=env)
        if isinstance(done.exception, RagpulseError):
            return done.exception.exit_code, done.stdout, str(done.exception)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout, done.stderr

    return run


def test_cases_go_to_label_studio_and_labels_come_back(
    queue: AnnotationQueue, annotate: Any, tmp_path: Path
) -> None:
    tasks, config = tmp_path / "tasks.json", tmp_path / "labelling.xml"
    code, _, said = annotate("export", "--format", "label-studio", "--out", tasks, "--config", config)
    assert (code, "3 cases" in said) == (0, True)
    assert Xml.parse(config).getroot().tag == "View"
    exported = orjson.loads(tasks.read_bytes())
    assert "SECRET-SCORE" not in tasks.read_text()
    assert [task["annotations"] for task in exported] == [[], [], []]
    exported[0]["annotations"] = [
        {
            "id": 7, "completed_by": {"id": 3, "email": "li@example.com"}, "was_cancelled": False,
            "ground_truth": False, "lead_time": 12.5, "task": 1,
            "result": [
                {"id": "a", "from_name": "claims", "to_name": "answer", "type": "labels", "origin": "manual",
                 "value": {"start": 15, "end": 21, "text": "3 days", "labels": ["unsupported"]}},
                {"id": "b", "from_name": "failure", "to_name": "answer", "type": "choices",
                 "value": {"choices": ["hallucination"]}},
                {"id": "c", "from_name": "should_refuse", "to_name": "answer", "type": "choices",
                 "value": {"choices": ["no"]}},
                {"id": "d", "from_name": "gold_chunk_ids", "to_name": "answer", "type": "choices",
                 "value": {"choices": ["kb-1"]}},
                {"id": "e", "from_name": "reference_answer", "to_name": "answer", "type": "textarea",
                 "value": {"text": ["14 天"]}},
            ],
        },
        {"id": 8, "completed_by": 4, "was_cancelled": True, "result": []},
    ]  # fmt: skip
    exported[1]["annotations"] = [{"completed_by": 3, "result": [{"from_name": "failure", "value": {}}]}]
    tasks.write_bytes(orjson.dumps(exported))
    code, out, _ = annotate("import", tasks, "--json")
    done = orjson.loads(out)
    assert code == 1
    assert (done["stored"], done["skipped"], done["blank"]) == (1, 1, 2)
    assert [(one["at"], one["item_id"]) for one in done["refused"]] == [(2, "i-2")]
    votes = {vote.annotator: vote.said for vote in queue.case("i-1").votes}
    assert votes == {"li": WRONG.model_copy(update={"hallucination": True}), "label-studio-4": None}
    again = orjson.loads(annotate("import", tasks, "--json")[1])
    assert (again["stored"], again["skipped"], again["known"]) == (0, 0, 2)


def test_labels_travel_as_json_lines_with_who_said_them(
    queue: AnnotationQueue, annotate: Any, tmp_path: Path
) -> None:
    queue.vote("i-1", "li", WRONG)
    queue.vote("i-1", "wang", Annotation(failure="healthy"))
    queue.vote("i-2", "wang", Annotation(failure="healthy", note="the user's phone is 13812345678"))
    queue.arbitrate("i-1", "zhao", WRONG)
    queue.vote("i-2", "li", None)
    path = tmp_path / "labels.jsonl"
    assert annotate("export", "--with-labels", "--out", path)[0] == 0
    lines = [orjson.loads(line) for line in path.read_bytes().splitlines()]
    assert [(line["item_id"], line["annotator"], line["role"]) for line in lines] == [
        ("i-1", "li", "vote"), ("i-1", "wang", "vote"), ("i-1", "zhao", "arbitration"),
        ("i-2", "li", "skip"), ("i-2", "wang", "vote"), ("i-3", None, "vote"),
    ]  # fmt: skip
    assert lines[0]["case"]["question"] == "How long?"
    done = orjson.loads(annotate("import", path, "--json")[1])
    assert done == {"stored": 0, "skipped": 0, "known": 5, "blank": 1, "refused": []}
    assert "13812345678" not in path.read_text()
    lines[5] |= {"label": {"failure": "healthy"}, "annotator": "qian"}
    lines[0]["label"]["note"] = "on second thoughts"
    path.write_bytes(b"\n".join(map(orjson.dumps, lines)))
    assert orjson.loads(annotate("import", path, "--json")[1])["stored"] == 2
    assert [(vote.annotator, vote.said and vote.said.failure) for vote in queue.case("i-3").votes] == [
        ("qian", "healthy")
    ]


def test_whoever_labels_next_is_shown_no_labels_and_no_settled_cases(
    queue: AnnotationQueue, annotate: Any
) -> None:
    for annotator in ("li", "wang"):
        queue.vote("i-1", annotator, WRONG)
    queue.vote("i-2", "li", WRONG)
    code, out, _ = annotate("export")
    lines = [orjson.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [(line["item_id"], line["label"]) for line in lines] == [("i-2", None), ("i-3", None)]
    assert "3 days" in lines[0]["case"]["answer"]
    settled = [
        orjson.loads(line)["item_id"] for line in annotate("export", "--state", "settled")[1].splitlines()
    ]
    assert settled == ["i-1"]


def test_what_cannot_be_taken_is_named_and_the_rest_is_stored(
    queue: AnnotationQueue, annotate: Any, tmp_path: Path
) -> None:
    path = tmp_path / "labels.jsonl"
    label = {"failure": "healthy"}
    lines: list[object] = [
        {"item_id": "i-1", "label": label, "annotator": "li"},
        {"item_id": "i-9", "label": label, "annotator": "li"},
        {"label": label, "annotator": "li"},
        {"item_id": "i-2", "label": label},
        {"item_id": "i-2", "label": {"failure": "slow"}, "annotator": "li"},
        {"item_id": "i-2", "label": label, "annotator": "li", "role": "boss"},
        {"item_id": "i-2", "label": label, "annotator": "li", "role": "arbitration"},
        ["not an object"],
        {"data": {"item_id": "i-3"}, "annotations": [4, {"completed_by": 1, "result": "?"}]},
    ]
    path.write_bytes(b"\n".join(map(orjson.dumps, lines)) + b"\n{oops\n")
    code, out, _ = annotate("import", path, "--json")
    done = orjson.loads(out)
    assert (code, done["stored"]) == (1, 1)
    told = [(one["at"], one["why"]) for one in done["refused"]]
    for at, why in (
        (2, "no case 'i-9'"), (3, "no item_id"), (4, "nobody is named"), (5, "failure: Input should be"),
        (6, "role 'boss' is none of"), (7, "nothing to arbitrate"), (8, "no object"),
        (9, "an annotation is no object"), (9, "result is no list"), (10, "no JSON"),
    ):  # fmt: skip
        assert any(line == at and why in reason for line, reason in told), (at, why, told)
    assert annotate("import", path, "--annotator", "wang")[0] == 1
    assert {vote.annotator for vote in queue.case("i-2").votes} == {"wang"}


def test_files_that_are_not_there_are_usage(store: ClickHouse, annotate: Any, tmp_path: Path) -> None:
    assert annotate("import", tmp_path / "none.json")[0] == 2
    assert annotate("export", "--out", tmp_path / "none" / "x")[0] == 2
    assert annotate("export", "--config-language", "fr")[0] == 2


@pytest.mark.parametrize("command", ["push", "import"])
@pytest.mark.parametrize("data", [b"", b" \n\n"])
def test_a_file_with_nothing_in_it_is_usage(annotate: Any, tmp_path: Path, command: str, data: bytes) -> None:
    (tmp_path / "labels.jsonl").write_bytes(data)
    code, _, said = annotate(command, tmp_path / "labels.jsonl")
    assert (code, "is empty" in said) == (2, True)


@pytest.mark.usefixtures("store")
def test_nothing_left_to_pull_is_nothing_to_push(annotate: Any, tmp_path: Path) -> None:
    (tmp_path / "cases.json").write_text('{"annotator": "li", "items": []}')
    assert annotate("push", tmp_path / "cases.json")[0] == 0


@pytest.mark.parametrize("command", ["pull", "push", "import"])
def test_nobody_is_no_annotator(annotate: Any, tmp_path: Path, command: str) -> None:
    (tmp_path / "labels.jsonl").write_text('{"item_id": "i-1", "label": {"failure": "healthy"}}')
    files = () if command == "pull" else (tmp_path / "labels.jsonl",)
    code, _, said = annotate(command, *files, "--annotator", " ")
    assert code == 2
    assert "a name cannot be empty" in said
