"""Label files are read as they are meant; what is no label is counted, not guessed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from judges.distillation.examples import Example, Source
from judges.distillation.refuse import LabelsRefused
from stream.distill.from_file import read_label_file
from stream.distill.from_store import read_spans
from stream.distill.gathered import Gathered

OWN: dict[str, Any] = {"trace_id": "t-1", "question": "它支持INT4吗？", "answer": "不支持。"}
SET = {"id": "r-1", "question": "q", "contexts": ["a text", "another"], "answer": "an answer", "lang": "en"}


def gather(tmp_path: Path, *rows: Any) -> Gathered:
    file = tmp_path / "labels.jsonl"
    file.write_bytes(b"".join((r if isinstance(r, bytes) else orjson.dumps(r)) + b"\n" for r in rows))
    gathered = Gathered()
    read_label_file(str(file), 1 << 20, gathered, lambda *_: None)
    return gathered


def one(tmp_path: Path, row: Any) -> Example:
    (example,) = gather(tmp_path, row).examples()
    return example


@pytest.mark.parametrize(
    ("given", "bad", "failure"),
    [
        ({"label": 1}, True, None),
        ({"label": 0}, False, None),
        ({"label": True}, True, None),
        ({"label": "hallucination"}, True, "hallucination"),
        ({"label": "healthy"}, False, "healthy"),
        ({"expected": "over_refusal"}, None, "over_refusal"),
        ({"expected": None}, False, "healthy"),
        ({"expected": "healthy", "label": None}, False, "healthy"),
        ({"expected": {"failure": "hallucination"}}, True, "hallucination"),
        ({"expected": "poor_retrieval", "label": 1}, True, "poor_retrieval"),
    ],
)
def test_own_lines_say_it_as_label_or_as_expected(
    given: dict[str, Any], bad: bool | None, failure: str | None, tmp_path: Path
) -> None:
    example = one(tmp_path, OWN | given)
    assert (example.label.hallucination, example.label.failure) == (bad, failure)
    assert example.label.by is Source.FILE
    assert example.trace.unknown == {}  # the label is not left in the trace


def test_annotators_weights_and_marks_are_read(tmp_path: Path) -> None:
    row = OWN | {"label": 1, "annotator": "ann", "weight": 0.5, "spans": [[0, 3]]}
    found = one(tmp_path, row).label
    assert (found.who, found.weight, found.spans) == (("ann",), 0.5, ((0, 3),))


def test_rows_of_a_data_set_become_traces(tmp_path: Path) -> None:
    row = SET | {"label": 1, "group": 7, "source": "set-a", "spans": [[0, 2]], "train_ok": True}
    example = one(tmp_path, row)
    trace = example.trace
    assert (trace.trace_id, trace.tenant, trace.language, example.group) == ("r-1", "set-a", "en", "7")
    assert trace.retrieval
    assert [c.text for c in trace.retrieval.chunks or ()] == ["a text", "another"]


def test_what_may_not_train_does_not(tmp_path: Path) -> None:
    rows = [SET | {"id": f"r-{n}", "label": n % 2, "train_ok": n < 2} for n in range(5)]
    gathered = gather(tmp_path, *rows)
    assert set(gathered.traces) == {"r-0", "r-1"}
    assert gathered.left_out["a line of a file says train_ok: false"] == 3


def test_lines_that_are_none_are_counted(tmp_path: Path) -> None:
    gathered = gather(
        tmp_path, OWN | {"label": 1}, b"{oops", OWN, OWN | {"label": "rather bad"}, {"label": 1}, [1], b""
    )
    assert len(gathered.examples()) == 1
    assert gathered.left_out["a line of a file has no label"] == 3
    assert gathered.left_out["a line of a file cannot be read"] == 2


def test_two_annotators_of_one_trace_are_two_voices(tmp_path: Path) -> None:
    rows = [OWN | {"label": 1, "annotator": who} for who in ("ann", "bob")]
    (example,) = gather(tmp_path, *rows).examples()
    assert example.label.who == ("ann", "bob")


def test_a_file_without_any_label_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LabelsRefused, match="holds no labelled trace"):
        gather(tmp_path, OWN)


@pytest.mark.parametrize(
    ("value", "spans"),
    [
        ([[3, 9]], ((3, 9),)),
        ([{"start": 3, "end": 9, "why": "x"}], ((3, 9),)),
        ('[{"start": 3, "end": 9}]', ((3, 9),)),
        ("", None),
        ("[]", None),
        ("no json", None),
        ([[3]], None),
        ([7, "x"], None),
        ([["3", "9"]], None),
        (None, None),
        ({"start": 1}, None),
    ],
)
def test_marks_are_offsets_or_nothing(value: Any, spans: Any) -> None:
    assert read_spans(value) == spans
