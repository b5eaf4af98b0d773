"""Reading files of traces: whatever a line holds, the rest goes on, in bounded memory."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson
import pytest

from schemas.formats import decoder
from schemas.trace import LateFeedback, Trace
from stream.files.lines import FileProblem, Reader, open_traces, write_whole

GOOD = b'{"trace_id":"t-1","question":"q","answer":"a"}'


@contextmanager
def reading(path: Path, limit: int = 10_000) -> Iterator[tuple[Reader, list[str]]]:
    said: list[str] = []
    with open_traces(str(path), decoder("auto"), limit) as file:
        yield Reader(file, said.append), said


def ids(reader: Reader) -> list[str | None]:
    return [item.trace_id if item else None for _, item in reader.items()]


def test_each_line_is_a_trace_and_blank_ones_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(GOOD + b"\n\n  \r\n" + GOOD.replace(b"t-1", b"t-2") + b"\r\n")
    with reading(path) as (reader, said):
        assert ids(reader) == ["t-1", "t-2"]
        assert not said
        assert not reader.had_problems


def test_a_last_line_without_its_end_counts(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(GOOD + b"\n" + GOOD)
    with reading(path) as (reader, _):
        assert len(ids(reader)) == 2


def test_malformed_lines_are_named_with_number_and_reason_and_the_rest_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(
        b"\n".join([GOOD, b'{"trace_id":', b"\xff\xfe\x00", b'{"question":"q","answer":1}', GOOD])
    )
    with reading(path) as (reader, said):
        assert ids(reader) == ["t-1", None, None, None, "t-1"]
        assert [line.split(": ")[1:3] for line in said] == [
            ["line 2", "not_json"],
            ["line 3", "not_utf8"],
            ["line 4", "missing_field"],
        ]
        assert reader.unreadable.total() == 3
        assert reader.traces_read == 2


def test_late_feedback_is_told_from_traces(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(GOOD + b'\n{"trace_id":"t-1","feedback":{"rating":1}}\n')
    with reading(path) as (reader, _):
        kinds = [type(item) for _, item in reader.items()]
        assert kinds == [Trace, LateFeedback]
        assert (reader.traces_read, reader.late_feedback) == (1, 1)


def test_a_gzipped_file_is_recognised_by_its_bytes_whatever_its_name(tmp_path: Path) -> None:
    path = tmp_path / "no-suffix"
    path.write_bytes(gzip.compress(GOOD + b"\n" + GOOD))
    with reading(path) as (reader, _):
        assert len(ids(reader)) == 2


def test_a_gzip_file_that_breaks_off_gives_what_it_holds_and_says_where(tmp_path: Path) -> None:
    path = tmp_path / "t.gz"
    lines = b"".join(GOOD.replace(b"t-1", f"t-{n}".encode()) + b"\n" for n in range(5000))
    path.write_bytes(gzip.compress(lines)[:-2000])
    with reading(path) as (reader, said):
        read = ids(reader)
        assert 0 < len(read) < 5000
        assert reader.damaged
        assert f"beyond line {len(read)}" in said[-1]


def test_a_line_that_is_too_long_is_skipped_without_being_held(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    with path.open("wb") as out:
        out.write(GOOD + b'\n{"trace_id":"big","question":"')
        for _ in range(64):
            out.write(b"x" * 100_000)
        out.write(b'","answer":"a"}\n' + GOOD + b"\n")
    with reading(path, limit=50_000) as (reader, said):
        assert ids(reader) == ["t-1", None, "t-1"]
        assert dict(reader.unreadable) == {"too_large": 1}
        assert "line 2" in said[0]
        assert "6,400,046 bytes" in said[0]


def test_a_line_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(GOOD + b"\n" + GOOD)
    with reading(path, limit=len(GOOD)) as (reader, _):
        assert ids(reader) == ["t-1", "t-1"]


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match=r"nowhere\.jsonl cannot be read: No such file"):
        open_traces(str(tmp_path / "nowhere.jsonl"), decoder("auto"), 100).__enter__()


def test_a_written_file_appears_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with write_whole(path) as out:
        out.write(b"half")
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert list(tmp_path.iterdir()) == [path]


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        interrupt_a_write(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def interrupt_a_write(path: Path) -> None:
    with write_whole(path) as out:
        out.write(b"new")
        raise KeyboardInterrupt


def test_a_written_file_keeps_its_mode_and_its_link(tmp_path: Path) -> None:
    real = tmp_path / "real.jsonl"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to(real)
    with write_whole(link) as out:
        out.write(b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_name_that_ends_in_gz_is_compressed(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl.gz"
    with write_whole(path) as out:
        out.write(orjson.dumps({"a": 1}))
    assert gzip.decompress(path.read_bytes()) == b'{"a":1}'


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        (GOOD.decode().encode("utf-16"), "looks like UTF-16"),
        (GOOD.decode().encode("utf-16-le"), "looks like UTF-16"),
        (b'{\n "trace_id": "t"\n}\n', "jq -c . "),
        (b'[\n {"trace_id": "t"}\n]\n', "jq -c '.[]' "),
    ],
)
def test_what_a_file_may_be_instead_is_said_once(tmp_path: Path, content: bytes, hint: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    with reading(path) as (reader, said):
        assert not any(ids(reader))
        assert sum("looks like" in line for line in said) == 1
        assert any(hint in line for line in said)


def test_a_broken_line_in_a_good_file_gets_no_advice(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(GOOD + b'\n{"trace_id":\n')
    with reading(path) as (reader, said):
        assert ids(reader) == ["t-1", None]
        assert len(said) == 1
