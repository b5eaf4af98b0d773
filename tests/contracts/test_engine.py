"""The embedded engine's front, as ClickHouse clients see it."""

from __future__ import annotations

import contextlib
import gzip
import os
import shutil
import subprocess
import threading
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import clickhouse_connect
import lz4.frame
import pytest
from backports import zstd

from stream.embedded.engine import EmbeddedEngine
from stream.errors import RagpulseError
from tests.support.engine import ask

pytestmark = pytest.mark.engine

HOSTILE = 'it\'s \\ "quoted"\n\ttab \0 🀄 😀 שלום 它支持INT4吗？'


@pytest.fixture
def client(embedded_engine: EmbeddedEngine, dsn: str) -> Any:
    database = dsn.rsplit("/", 1)[1]
    ask(embedded_engine.address, f"CREATE DATABASE {database} ENGINE = Atomic")
    client = clickhouse_connect.get_client(dsn=dsn)
    client.command("CREATE TABLE t (a Int64, s String) ENGINE = MergeTree ORDER BY a")
    return client


def count(client: Any, where: str = "1") -> int:
    return int(client.query(f"SELECT count() FROM t WHERE {where}").result_rows[0][0])


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system that is soon full, or a skip where none may be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=300m", "ragpulse-test", str(place)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here (this needs root)")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def test_it_answers_ping_and_queries_by_get_and_post(embedded_engine: EmbeddedEngine) -> None:
    with urllib.request.urlopen(f"http://{embedded_engine.address}/ping", timeout=5) as answer:
        assert answer.read() == b"Ok.\n"
    assert ask(embedded_engine.address, "SELECT 1", method="GET").body == b"1\n"
    assert ask(embedded_engine.address, "SELECT 1").body == b"1\n"
    assert ask(embedded_engine.address, "SELECT 1 AS x FORMAT JSONEachRow").body == b'{"x":1}\n'


def test_parameters_and_settings_reach_the_query(embedded_engine: EmbeddedEngine) -> None:
    answer = ask(
        embedded_engine.address,
        "SELECT {n:Int64} + 1, getSetting('max_threads')",
        param_n="41",
        max_threads="1",
    )
    assert answer.body == b"42\t1\n"


def test_settings_of_one_request_are_gone_in_the_next(embedded_engine: EmbeddedEngine) -> None:
    ask(embedded_engine.address, "SELECT 1", max_result_rows="7")
    assert ask(embedded_engine.address, "SELECT getSetting('max_result_rows')").body != b"7\n"


@pytest.mark.parametrize(
    ("sql", "parameters", "code", "status"),
    [
        ("SELECT * FROM nowhere", {}, "60", 404),
        ("SELEC 1", {}, "62", 400),
        ("SELECT throwIf(1)", {}, "395", 500),
        ("SELECT 1", {"database": "nowhere"}, "81", 404),
        ("SELECT 1", {"no_such_setting": "1"}, "115", 400),
        ("SELECT 1", {"bad name; DROP": "1"}, "115", 400),
    ],
)
def test_errors_carry_their_code(
    embedded_engine: EmbeddedEngine, sql: str, parameters: dict[str, str], code: str, status: int
) -> None:
    answer = ask(embedded_engine.address, sql, headers=None, **parameters)
    assert (answer.headers["X-ClickHouse-Exception-Code"], answer.status) == (code, status)
    assert answer.body.startswith(f"Code: {code}.".encode())


def test_an_ordinary_client_inserts_and_reads_back_hostile_text(client: Any) -> None:
    client.insert("t", [[1, HOSTILE]], column_names=["a", "s"])
    rows = client.query("SELECT s FROM t WHERE s = {s:String}", parameters={"s": HOSTILE}).result_rows
    assert rows == [(HOSTILE,)]


def test_an_empty_result_still_names_its_columns(client: Any) -> None:
    assert client.query("SELECT a, s FROM t WHERE 0").column_names == ("a", "s")


@pytest.mark.parametrize(
    ("encoding", "compress"),
    [("gzip", gzip.compress), ("lz4", lz4.frame.compress), ("zstd", zstd.compress)],
)
def test_compressed_bodies_are_read(client: Any, encoding: str, compress: Callable[[bytes], bytes]) -> None:
    lines = b"\n".join(b'{"a":%d,"s":"x"}' % number for number in range(1000))
    client.raw_insert("t", insert_block=compress(lines), fmt="JSONEachRow", compression=encoding)
    assert count(client) == 1000


def test_a_streamed_insert_arrives_whole(client: Any) -> None:
    pieces = (b'{"a":%d,"s":"%s"}\n' % (number, b"y" * 100) for number in range(20_000))
    client.raw_insert("t", insert_block=pieces, fmt="JSONEachRow")
    assert count(client) == 20_000


def test_a_body_that_is_not_what_it_says_is_refused(client: Any) -> None:
    with pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError) as caught:
        client.raw_insert("t", insert_block=b"not lz4", fmt="JSONEachRow", compression="lz4")
    assert caught.value.code == 27


def test_a_bad_row_refuses_the_whole_insert_and_says_why(client: Any) -> None:
    with pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError) as caught:
        client.raw_insert("t", insert_block=b'{"a":1}\n{"a":"x"}', fmt="JSONEachRow")
    assert caught.value.code == 27
    assert count(client) == 0


def test_an_error_that_quotes_bytes_which_are_no_text_keeps_its_code(client: Any) -> None:
    with pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError) as caught:
        client.raw_insert("t", insert_block=b'{"a":"\xff\xfe"}', fmt="JSONEachRow")
    assert caught.value.code == 27


def test_a_long_query_text_with_many_parameters_travels_as_a_form(client: Any) -> None:
    wanted = [f"value {number} {'z' * 40}" for number in range(500)]
    rows = client.query("SELECT length({many:Array(String)})", parameters={"many": wanted}).result_rows
    assert rows == [(500,)]


def test_a_result_larger_than_memory_would_like_is_streamed(client: Any) -> None:
    with client.query_row_block_stream("SELECT number FROM numbers(500000)") as blocks:
        assert sum(len(block) for block in blocks) == 500_000


def test_an_error_midway_in_a_result_is_not_taken_for_its_end(client: Any) -> None:
    sql = "SELECT throwIf(number = 900000) FROM numbers(1000000)"
    with pytest.raises(clickhouse_connect.driver.exceptions.DatabaseError) as caught:
        client.query(sql)
    assert caught.value.code == 395
    with (
        pytest.raises(clickhouse_connect.driver.exceptions.StreamFailureError, match="non-zero"),
        client.query_row_block_stream(sql) as blocks,
    ):
        list(blocks)


def test_many_clients_write_and_read_at_once(client: Any, dsn: str) -> None:
    def work(number: int) -> None:
        own = clickhouse_connect.get_client(dsn=dsn)
        for step in range(5):
            own.raw_insert("t", insert_block=b'{"a":%d}' % (number * 100 + step), fmt="JSONEachRow")
            own.query("SELECT count() FROM t")

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
    assert count(client) == 80


def test_a_long_query_does_not_silence_ping(embedded_engine: EmbeddedEngine) -> None:
    slow = threading.Thread(
        target=ask, args=(embedded_engine.address, "SELECT sleepEachRow(0.5) FROM numbers(3)")
    )
    slow.start()
    assert ask(embedded_engine.address, "SELECT 1").body == b"1\n"
    assert slow.is_alive()
    slow.join()


def test_its_data_survives_a_stop_and_a_kill(killable_engine: EmbeddedEngine) -> None:
    address = killable_engine.address
    ask(address, "CREATE TABLE t (a Int8) ENGINE = MergeTree ORDER BY a", database="ragpulse")
    ask(address, "INSERT INTO t VALUES (1)", database="ragpulse")
    killable_engine.stop()
    killable_engine.start()
    ask(address, "INSERT INTO t VALUES (2)", database="ragpulse")
    killable_engine.kill()
    killable_engine.start()
    assert killable_engine.address == address
    assert ask(address, "SELECT count() FROM t", database="ragpulse").body == b"2\n"


def test_an_insert_on_a_full_disk_is_refused_and_succeeds_when_there_is_room(small_disk: Path) -> None:
    with EmbeddedEngine(path=small_disk / "engine", log=small_disk.parent / "engine.log") as engine:
        ask(engine.address, "CREATE TABLE t (n UInt64, s String) ENGINE = MergeTree ORDER BY n")
        rows = b"".join(b'{"n":%d,"s":"%s"}\n' % (n, os.urandom(40).hex().encode()) for n in range(2_000))
        ballast = small_disk / "ballast"
        with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as file:
            while True:
                file.write(os.urandom(2**16))
        refused = ask(engine.address, b"INSERT INTO t FORMAT JSONEachRow " + rows)
        assert (refused.status, refused.headers["X-ClickHouse-Exception-Code"]) == (500, "243")
        assert b"not enough space" in refused.body
        ballast.unlink()
        assert ask(engine.address, b"INSERT INTO t FORMAT JSONEachRow " + rows).status == 200
        assert ask(engine.address, "SELECT count() FROM t").body == b"2000\n"


def test_a_folder_in_use_is_refused_with_one_sentence(tmp_path: Path) -> None:
    with (
        EmbeddedEngine(tmp_path / "data"),
        pytest.raises(RagpulseError, match="another process may hold it"),
    ):
        EmbeddedEngine(tmp_path / "data").start()
