"""`report gaps` and `report week` on a real engine, over two weeks of simulated traffic, as from a shell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from schemas.unanswered import Why
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from sinks.clickhouse.unanswered import PIECES, read_unanswered
from stream.cli import app
from stream.errors import RagpulseError
from tests.support.report_data import DAYS, Weeks, fill_weeks
from tests.support.rows import trace_line
from tests.support.stand_in_llm import StandIn

pytestmark = pytest.mark.engine

NOW = datetime.now(UTC).replace(microsecond=0)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Weeks]:
    dsn = f"chdb://{tmp_path_factory.mktemp('weeks')}?database=ragpulse"
    client = connect(dsn)
    weeks = fill_weeks(client, NOW, traces=2_000)
    client.close()
    return dsn, weeks


@pytest.fixture(scope="module")
def week(filled: tuple[str, Weeks]) -> dict[str, Any]:
    """The week as facts; read once."""
    return facts(filled[0], "week")


@pytest.fixture(scope="module")
def gaps(filled: tuple[str, Weeks]) -> dict[str, Any]:
    """Both weeks' gaps; read once."""
    return facts(filled[0], "gaps", "--since", f"{DAYS}d")


def invoke(dsn: str, *arguments: str) -> str:
    done = CliRunner().invoke(app, ["report", *arguments], env={"RAGPULSE_CLICKHOUSE__DSN": dsn})
    assert done.exit_code == 0, (done.exception, done.output)
    return done.stdout


def facts(dsn: str, *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(invoke(dsn, *arguments, "--json"))
    return found


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    migrate(client)
    yield client
    client.close()


# --- what is read ---


def line(number: int, **values: Any) -> bytes:
    at = f"{NOW - timedelta(hours=20) + timedelta(hours=number):%F %T}.000"
    return trace_line(f"t{number}", **({"timestamp": at, "received_at": at} | values))


def test_empty_recalls_and_honest_refusals_are_unanswered_and_nothing_else_is(store: ClickHouse) -> None:
    store.insert_raw("traces", b"\n".join([
        line(0, failure="empty_recall", quadrant="lucky"),
        line(1, failure="poor_retrieval", refusal=True, quadrant="honest"),
        line(2, failure="poor_retrieval", refusal=False, quadrant="lucky"),
        line(3, failure="over_refusal", refusal=True, quadrant="over_refused"),
        line(4, failure="rewrite_failure", refusal=True, quadrant="honest"),
        line(5, failure="healthy", quadrant="good"),
    ]))  # fmt: skip
    found = read_unanswered(store, NOW - timedelta(days=1), NOW)
    assert {one.trace_id: one.why for one in found.questions} == {
        "t0": Why.EMPTY_RECALL, "t1": Why.CORRECT_REFUSAL,
    }  # fmt: skip
    assert (sum(found.traffic), len(found.traffic)) == (6, PIECES)


def test_a_follow_up_is_read_as_it_was_rewritten(store: ClickHouse) -> None:
    store.insert_raw("traces", b"\n".join([
        line(0, failure="empty_recall", question="那它呢？", rewritten_query="A10支持HomeKit吗？"),
        line(1, failure="empty_recall", question=None, rewritten_query=None),
        line(2, failure="empty_recall", question="  ", rewritten_query=None),
        line(3, failure="empty_recall", question="x" * 5_000, rewritten_query=""),
    ]))  # fmt: skip
    found = read_unanswered(store, NOW - timedelta(days=1), NOW)
    assert [len(one.question) for one in found.questions] == [600, len("A10支持HomeKit吗？")]
    assert found.without_text == 2


def test_the_latest_are_read_where_there_are_too_many_and_the_rest_is_counted(store: ClickHouse) -> None:
    store.insert_raw("traces", b"\n".join(line(n, failure="empty_recall") for n in range(9)))
    found = read_unanswered(store, NOW - timedelta(days=1), NOW, most=4)
    assert [one.trace_id for one in found.questions] == ["t8", "t7", "t6", "t5"]
    assert found.left_out == 5


def test_only_the_app_and_period_that_are_asked_for_are_read(store: ClickHouse) -> None:
    store.insert_raw("traces", b"\n".join([
        line(0, failure="empty_recall", app="other"), line(1, failure="empty_recall"),
        line(30, failure="empty_recall"),
    ]))  # fmt: skip
    found = read_unanswered(store, NOW - timedelta(days=1), NOW, "helpdesk")
    assert [one.trace_id for one in found.questions] == ["t1"]


def test_a_store_without_traces_has_no_gaps_and_its_week_is_empty(store: ClickHouse, dsn: str) -> None:
    assert facts(dsn, "gaps")["gaps"] == []
    assert "No traffic in this week." in invoke(dsn, "week")


# --- report gaps ---


def test_gaps_are_what_the_articles_lack(filled: tuple[str, Weeks], gaps: dict[str, Any]) -> None:
    """Of the topics that no article holds, those asked about most lead the list."""
    weeks = filled[1]
    topics = [
        Counter(weeks.truths[trace_id].topic for trace_id in gap["trace_ids"]).most_common(1)[0][0]
        for gap in gaps["gaps"][:8]
    ]
    assert sum(topic.startswith("lack-") for topic in topics) >= 6, topics
    both = [gap for gap in gaps["gaps"] if len(gap["languages"]) > 1]
    assert both
    assert all(gap["met_by"] for gap in both)


def test_every_gap_has_its_share_with_an_interval_and_a_trend(gaps: dict[str, Any]) -> None:
    for gap in gaps["gaps"]:
        share = gap["share"]
        assert share["low"] < share["value"] < share["high"]
        assert share["n"] > 1_900
        assert sum(gap["trend"]["pieces"]) == gap["conversations"]


@pytest.mark.parametrize(("command", "language"), [("gaps", "zh"), ("week", "en")])
def test_no_hostile_text_and_no_number_of_a_person_gets_through(
    filled: tuple[str, Weeks], tmp_path: Path, command: str, language: str
) -> None:
    markdown = invoke(filled[0], command, "--language", language)
    invoke(filled[0], command, "--language", language, "--out", str(tmp_path / "report.html"))
    page = (tmp_path / "report.html").read_text("utf-8")
    for text in (markdown, page):
        assert "alert(1)" in text
        assert "<script" not in text
        assert "13812345678" not in text
    assert "http://evil" not in markdown
    assert "<img" not in page


def test_no_number_of_a_person_is_in_the_facts(week: dict[str, Any], gaps: dict[str, Any]) -> None:
    assert "13812345678" not in str(week) + str(gaps)


def test_reports_speak_chinese_where_that_is_wanted(filled: tuple[str, Weeks]) -> None:
    assert "# 知识缺口" in invoke(filled[0], "gaps", "--language", "zh")
    said = invoke(filled[0], "week", "--language", "zh")
    assert "## 发生在哪里" in said
    assert "**变差**" in said


def test_html_is_one_file_with_pictures_that_loads_nothing(filled: tuple[str, Weeks]) -> None:
    page = invoke(filled[0], "week", "--format", "html")
    assert page.count("<svg") > 20
    for tag in ("<script", "<link", "<img", "<iframe", "url(", "@import", "src="):
        assert tag not in page


# --- report week ---


def test_the_week_tells_what_got_worse_where_and_after_what(week: dict[str, Any]) -> None:
    assert week["worse"]
    assert week["changes"]["hallucination"]["verdict"] == "worse"
    assert {"tenant", "hour"} <= set(week["stratified_by"])
    worst = week["places"][0]
    assert worst["tenant"] == "lumen"
    assert worst["worse"]
    assert [one["release"] for one in week["incidents"]] == ["prompt=p8"]
    assert [one["value"] for one in week["releases"]] == ["p8"]


def test_every_rate_of_the_week_lies_in_its_interval_and_says_what_it_is_of(week: dict[str, Any]) -> None:
    rates = [week["failed"], *week["classes"].values(), *week["measures"].values()]
    rates += [*week["coverage"].values(), *(one["failed"] for one in week["places"])]
    rates += week["judges"]["same_class_as_scorer"]
    for one in rates:
        assert one["low"] <= one["value"] <= one["high"]
        assert one["n"] > 0
    assert sum(one["count"] for one in week["classes"].values()) == week["traces"]


def test_budgets_burn_by_what_was_measured(week: dict[str, Any]) -> None:
    for one in week["budgets"]:
        assert one["burn"] == pytest.approx(one["rate"]["value"] / one["budget"], rel=1e-3)
        assert one["low"] <= one["burn"] <= one["high"]


def test_judges_are_told_with_their_cost_and_their_agreement(week: dict[str, Any]) -> None:
    judges = week["judges"]
    spent = judges["spent"][0]
    assert judges["cost_usd"] == pytest.approx(0.002 * (spent["judged"] + spent["failed"]))
    assert judges["same_class_as_scorer"][0]["value"] > 0.8
    assert {one["language"] for one in judges["kappas"]} == {None, "zh", "en"}


def test_a_week_that_ended_earlier_can_be_asked_for(filled: tuple[str, Weeks]) -> None:
    week = facts(filled[0], "week", "--until", "7d")
    assert week["traces"] > 900
    assert week["traces_before"] <= 1
    assert week["incidents"] == []
    assert all(one["difference_low"] is None for one in week["places"])


@pytest.mark.parametrize("report", ["gaps", "week"])
def test_whoever_names_an_app_that_there_is_not_is_told_which_there_are(
    store: ClickHouse, dsn: str, report: str
) -> None:
    env = {"RAGPULSE_CLICKHOUSE__DSN": dsn}

    def said(app_name: str) -> str:
        done = CliRunner().invoke(app, ["report", report, "--app", app_name], env=env)
        assert done.exit_code == 0
        return done.stderr

    assert "No stored trace names an app." in said("helpdesk")
    store.insert_raw("traces", b"\n".join([line(1, app="helpdesk"), line(2, app="shop")]))
    long_ago = f"{NOW - timedelta(days=40):%F %T}.000"
    store.insert_raw("traces", trace_line("old", app="archive", timestamp=long_ago, received_at=long_ago))
    assert "There is no app helpdeks; there are: shop, helpdesk, archive." in said("helpdeks")
    assert "App archive has traces, and none in this period." in said("archive")
    assert "app" not in said("shop").lower()


def test_what_cannot_be_written_is_one_sentence(filled: tuple[str, Weeks], tmp_path: Path) -> None:
    env = {"RAGPULSE_CLICKHOUSE__DSN": filled[0]}
    done = CliRunner().invoke(app, ["report", "gaps", "--out", str(tmp_path / "no" / "x.html")], env=env)
    assert isinstance(done.exception, RagpulseError)
    assert done.exception.exit_code == 2  # 1 would say that something is worse
    assert "cannot be written" in str(done.exception)


def test_an_embedding_model_is_shown_one_redacted_question_a_group(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    """Over HTTP, to a stand-in."""
    texts = (
        "Can you engrave 13812345678?",
        "Engrave 13812345678?",
        "外壳上可以刻字吗？",
        "When is the gym open?",
    )
    rows = [line(n, failure="empty_recall", question=text, rewritten_query=None, language="")
            for n, text in enumerate(texts)]  # fmt: skip
    store.insert_raw("traces", b"\n".join(rows))
    with StandIn() as server:
        env = {
            "RAGPULSE_CLICKHOUSE__DSN": dsn,
            "RAGPULSE_JUDGE__BASE_URL": server.base_url,
            "RAGPULSE_JUDGE__API_KEY": "k",
            "RAGPULSE_JUDGE__MODEL": "stand-in-1",
            "RAGPULSE_JUDGE__EMBEDDING_MODEL": "stand-in-e",
            "RAGPULSE_JUDGE__PRICES": '{"stand-in-1": {"input": 1, "output": 1}, "stand-in-e": {"input": 1}}',
            "RAGPULSE_JUDGE__STATE_FILE": str(tmp_path / "judge.sqlite"),
        }
        done = CliRunner().invoke(app, ["report", "gaps", "--since", "2d", "--embed", "--json"], env=env)
        assert done.exit_code == 0, (done.exception, done.output)
        shown = [text for request in server.requests for text in request.body["input"]]
    assert len(shown) == 3
    assert not [text for text in shown if "13812345678" in text]
    assert [gap["questions"] for gap in orjson.loads(done.stdout)["gaps"]] == [2]


def test_without_an_embedding_model_there_is_nothing_to_ask(dsn: str) -> None:
    env = {"RAGPULSE_CLICKHOUSE__DSN": dsn}
    done = CliRunner().invoke(app, ["report", "gaps", "--embed"], env=env)
    assert "RAGPULSE_JUDGE__EMBEDDING_MODEL" in str(done.exception)
