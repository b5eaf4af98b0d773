"""Release marks and reports on a real engine, as a shell sees them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import orjson
import pytest
from typer.testing import CliRunner

from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.cli import app
from stream.report.read import BADNESS, read_releases
from stream.rescore.items import Period
from stream.watch.measures import badness
from stream.watch.reader import Reader
from stream.watch.records import Measure
from tests.support.rows import trace_line

pytestmark = pytest.mark.engine

NOW = datetime.now(UTC).replace(microsecond=0)
AT = (NOW - timedelta(hours=6)).replace(minute=0, second=0)
"""The start of an hour: no traffic below is longer, so that releases share theirs at any time of day."""


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    migrate(client)
    yield client
    client.close()


def invoke(dsn: str, *arguments: str) -> tuple[int, str, str]:
    """A command, in this process: exit code, output, what it said to the person."""
    done = CliRunner().invoke(app, list(arguments), env={"RAGPULSE_CLICKHOUSE__DSN": dsn})
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def report(dsn: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    code, out, _ = invoke(dsn, "report", "release", "kb-1", "kb-2", "--part", "index", "--json", *arguments)
    return code, orjson.loads(out)


def traffic(
    index: str, language: str, count: int, bad: float, intent: str = "price", **more: Any
) -> list[bytes]:
    """So many traces of a release in a language; this share of them is hallucinated, evenly spread."""
    lines = []
    for number in range(count):
        is_bad = int(number * bad) != int((number + 1) * bad)
        at = f"{AT + timedelta(seconds=number):%F %T}.000"
        values = {
            "timestamp": at, "received_at": at, "language": language, "intent": intent,
            "release_index": index, "conversation_id": "", "hallucination": 0.9 if is_bad else 0.05,
            "faithfulness": 0.4 if is_bad else 1.0, "failure": "hallucination" if is_bad else "healthy",
        }  # fmt: skip
        lines.append(trace_line(f"{index}-{language}-{intent}-{number}", **(values | more)))
    return lines


def fill(store: ClickHouse, *parts: list[bytes]) -> None:
    store.insert_raw("traces", b"\n".join(line for part in parts for line in part))


# --- reports ---


def test_a_shift_to_the_difficult_language_is_no_change(store: ClickHouse, dsn: str) -> None:
    fill(
        store,
        traffic("kb-1", "en", 900, 0.04), traffic("kb-1", "zh", 300, 0.20),
        traffic("kb-2", "en", 300, 0.04), traffic("kb-2", "zh", 900, 0.20),
    )  # fmt: skip
    code, found = report(dsn)
    one = found["measures"]["hallucination"]
    assert (code, found["worse"], one["verdict"]) == (0, False, "no clear difference")
    assert one["b"]["raw"] - one["a"]["raw"] > 0.06
    assert one["by_mix"] == pytest.approx(one["b"]["raw"] - one["a"]["raw"], abs=0.005)
    assert {row["value"] for row in found["mix"]} == {"en", "zh"}

    code, text, _ = invoke(dsn, "report", "release", "kb-1", "kb-2", "--part", "index")
    assert code == 0
    assert "No clear difference" in text
    assert "| language zh | 25.0% | 75.0% |" in text


def test_a_real_change_amid_a_shift_of_the_mix_is_found(store: ClickHouse, dsn: str) -> None:
    """And one that the mix hides: on the whole kb-2 looks no worse."""
    fill(
        store,
        traffic("kb-1", "en", 300, 0.04), traffic("kb-1", "zh", 900, 0.20),
        traffic("kb-2", "en", 900, 0.14), traffic("kb-2", "zh", 300, 0.30),
    )  # fmt: skip
    code, found = report(dsn)
    one = found["measures"]["hallucination"]
    assert one["b"]["raw"] == pytest.approx(one["a"]["raw"], abs=0.03)
    assert (code, found["worse"], one["verdict"]) == (1, True, "worse")
    assert one["low"] > 0.03
    faithfulness = found["measures"]["faithfulness"]
    assert faithfulness["verdict"] == "worse"
    assert faithfulness["difference"] < 0 < faithfulness["b"]["value"] < faithfulness["a"]["value"]

    code, text, _ = invoke(dsn, "report", "release", "kb-1", "kb-2", "--part", "index")
    assert code == 1
    assert "**kb-2 is clearly worse in Hallucination, Faithfulness" in text


def test_the_other_way_round_it_is_better(store: ClickHouse, dsn: str) -> None:
    fill(store, traffic("kb-1", "en", 600, 0.25), traffic("kb-2", "en", 600, 0.05))
    code, found = report(dsn)
    assert (code, found["measures"]["hallucination"]["verdict"]) == (0, "better")


def test_an_intent_that_became_more_frequent_is_no_change(store: ClickHouse, dsn: str) -> None:
    fill(
        store,
        traffic("kb-1", "en", 500, 0.02), traffic("kb-1", "en", 100, 0.30, intent="legal"),
        traffic("kb-2", "en", 100, 0.02), traffic("kb-2", "en", 500, 0.30, intent="legal"),
    )  # fmt: skip
    assert report(dsn)[0] == 0


def test_another_scorer_is_said_and_not_compared(store: ClickHouse, dsn: str) -> None:
    fill(store, traffic("kb-1", "en", 200, 0.05), traffic("kb-2", "en", 200, 0.5, scorer_version="s-9"))
    code, found = report(dsn)
    assert (code, found["comparable"], found["worse"]) == (1, False, False)
    code, text, _ = invoke(dsn, "report", "release", "kb-1", "kb-2", "--part", "index")
    assert code == 1
    assert "scored by different scorers" in text


def test_a_release_that_never_ran_is_no_good_news(store: ClickHouse, dsn: str) -> None:
    fill(store, traffic("kb-1", "en", 200, 0.05))
    code, _, said = invoke(dsn, "report", "release", "kb-1", "kb-9", "--part", "index")
    assert code == 1
    assert "no trace of this period has index kb-9; there are: kb-1 (200)" in said


def test_only_the_app_and_the_period_that_were_asked_for_count(store: ClickHouse, dsn: str) -> None:
    fill(
        store,
        traffic("kb-1", "en", 200, 0.05), traffic("kb-2", "en", 200, 0.05),
        traffic("kb-2", "fr", 300, 0.9, app="shop"), traffic("kb-1", "fr", 300, 0.1, app="shop"),
    )  # fmt: skip
    assert report(dsn)[0] == 1
    assert report(dsn, "--app", "helpdesk")[0] == 0
    code, found = report(dsn, "--since", "1h")
    assert (code, found["a"]["traces"], found["b"]["traces"]) == (1, 0, 0)


def test_a_trace_that_was_delivered_twice_counts_once(store: ClickHouse, dsn: str) -> None:
    lines = traffic("kb-1", "en", 50, 0.05)
    fill(store, lines)
    fill(store, lines, traffic("kb-2", "en", 50, 0.05))
    assert report(dsn)[1]["a"]["traces"] == 50


def test_the_same_release_twice_is_a_mistake(dsn: str) -> None:
    assert invoke(dsn, "report", "release", "kb-1", "kb-1", "--part", "index")[0] == 2
    assert invoke(dsn, "report", "release", "kb-1", "kb-2", "--part", "weather")[0] == 2


@pytest.mark.parametrize("margin", ["nan", "-0.1", "inf", "much"])
def test_a_margin_that_would_let_everything_pass_is_refused(dsn: str, margin: str) -> None:
    code, _, said = invoke(
        dsn, "report", "release", "kb-1", "kb-2", "--part", "index", "--margin", margin
    )  # fmt: skip
    assert (code, "--margin" in said) == (2, True)


def test_the_engine_measures_what_the_watch_measures(store: ClickHouse) -> None:
    """Two spellings of each measure, and conversations whose turns belong together."""
    unmeasured = {"hallucination": None, "faithfulness": None, "refusal": True}
    kinds: tuple[dict[str, Any], ...] = (
        {"failure": "healthy", "quadrant": "honest", **unmeasured},
        {"failure": "over_refusal", **unmeasured},
        {"failure": "system_error", "hallucination": 0.25, "faithfulness": 0.5},
        {"failure": "rewrite_failure"}, {"failure": "empty_recall"}, {"failure": "poor_retrieval"},
    )  # fmt: skip
    lines = [
        line for number, values in enumerate(kinds)
        for line in traffic(
            "kb-1", "en", number + 1, 0.5, f"i{number}", **{**values, "conversation_id": f"c{number // 4}"}
        )
    ]  # fmt: skip
    fill(store, lines)
    reader = Reader(store, 3_600.0, 100_000)
    batch = reader.look(reader.now() + 1)
    found = read_releases(store, "index", "kb-1", "kb-2", Period(AT - timedelta(days=1), NOW)).arms.a
    assert set(BADNESS) == set(Measure)
    for number, measure in enumerate(Measure):
        values = badness(batch, measure)
        known = values[~np.isnan(values)]
        n, total, squares = found[:, number, :3].sum(axis=0)
        assert (n, total) == pytest.approx((len(known), known.sum())), measure
        assert squares == pytest.approx((known**2).sum(), rel=1e-5)


# --- marks ---


def test_a_release_is_marked_and_listed(store: ClickHouse, dsn: str) -> None:
    code, out, said = invoke(
        dsn, "release", "mark", "--app", "helpdesk", "--app", "shop", "--part", "index", "--value", "kb-42",
        "--at", "2026-11-01T08:00:00+08:00", "--note", "新知识库", "--json",
    )  # fmt: skip
    assert code == 0, said
    made = orjson.loads(out)["marks"]
    assert [(mark["app"], mark["at"]) for mark in made] == [
        ("helpdesk", "2026-11-01T00:00:00+00:00"), ("shop", "2026-11-01T00:00:00+00:00"),
    ]  # fmt: skip
    code, out, _ = invoke(dsn, "release", "list", "--since", "2026-10-01", "--app", "shop", "--json")
    assert code == 0
    (line,) = out.splitlines()
    assert orjson.loads(line) == made[1]
    assert (made[1]["source"], made[1]["note"]) == ("manual", "新知识库")

    code, out, said = invoke(dsn, "release", "list", "--since", "2026-10-01")
    assert code == 0
    assert "index=kb-42" in out
    assert "2 release marks" in said


def test_the_same_mark_again_is_one_mark(store: ClickHouse, dsn: str) -> None:
    for text in ("", "with a note"):
        mark = ("--app", "a", "--part", "prompt", "--value", "p8", "--at", "2026-11-01", "--note", text)
        assert invoke(dsn, "release", "mark", *mark)[0] == 0
    out = invoke(dsn, "release", "list", "--since", "2026-10-01", "--json")[1]
    (line,) = out.splitlines()
    assert orjson.loads(line)["note"] == "with a note"


def test_what_ran_before_is_noted(store: ClickHouse, dsn: str) -> None:
    minute = f"{AT:%F %H:%M}:00"
    rows = [
        {"minute": minute, "app": "helpdesk", "release_index": value, "marker": 0, "version": 1, "traces": 5}
        for value in ("kb-1", "kb-2")
    ]
    store.insert_raw("minute_rollup", b"\n".join(orjson.dumps(row) for row in rows))
    out = invoke(dsn, "release", "mark", "--app", "helpdesk", "--part", "index", "--value", "kb-2", "--json")[
        1
    ]
    assert orjson.loads(out)["marks"][0]["previous"] == "kb-1"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--value", " "), ("--value", "x" * 201), ("--value", "two\nlines"), ("--part", "Index!"),
        ("--part", ""), ("--at", "yesterday"), ("--at", "1970-01-01"), ("--at", "2999-01-01"),
        ("--note", "a\x1b[2J"),
    ],
)  # fmt: skip
def test_a_mark_that_cannot_be_is_refused_and_named(dsn: str, option: str, value: str) -> None:
    given = {"--app": "helpdesk", "--part": "index", "--value": "kb-2", option: value}
    code, _, said = invoke(dsn, "release", "mark", *(text for pair in given.items() for text in pair))
    assert code == 2
    assert option in said


def test_tenants_and_hours_are_held_fixed_where_both_releases_have_them(store: ClickHouse, dsn: str) -> None:
    fill(
        store,
        traffic("kb-1", "en", 300, 0.05, tenant="a"), traffic("kb-1", "en", 100, 0.4, intent="x", tenant="b"),
        traffic("kb-2", "en", 100, 0.05, tenant="a"), traffic("kb-2", "en", 300, 0.4, intent="x", tenant="b"),
    )  # fmt: skip
    code, found = report(dsn)
    assert code == 0
    assert {"tenant", "hour"} <= set(found["stratified_by"])
    assert {row["column"] for row in found["mix"]} == {"tenant", "intent"}


def test_a_report_of_releases_is_a_page_in_both_languages(store: ClickHouse, dsn: str) -> None:
    fill(store, traffic("kb-1", "en", 200, 0.05), traffic("kb-2", "en", 200, 0.3))
    options = ("report", "release", "kb-1", "kb-2", "--part", "index", "--language", "zh")
    code, page, _ = invoke(dsn, *options, "--format", "html")
    assert code == 1
    assert '<html lang="zh-Hans">' in page
    assert page.count('class="interval"') >= 9
    assert "<script" not in page
    assert "kb-2 明显变差" in invoke(dsn, *options)[1]
