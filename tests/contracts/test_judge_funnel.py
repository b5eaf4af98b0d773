"""The funnel to the judges and the weights of verdicts, on the engine."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from schemas.row import Sampling
from schemas.trace import Trace
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.cli import app
from stream.judging.funnel import Funnel, read_funnel
from stream.judging.rows import Around, Identity, unjudged_row, verdict_row
from stream.judging.sampled import Sampled
from stream.rescore.items import Period
from tests.support.rows import NOON, trace_line

pytestmark = pytest.mark.engine

DAY = Period(NOON - timedelta(hours=1), NOON + timedelta(hours=1))
WHO = Identity("panel", "qwen-max", "rag", "1")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "SAMPLING.md"


@pytest.fixture
def store(dsn: str) -> ClickHouse:
    client = connect(dsn)
    migrate(client)
    return client


def seen(
    store: ClickHouse, trace_id: str, probability: float, *reasons: str, chosen: bool = False, **more: Any
) -> None:
    values = {"sampled": chosen, "sample_probability": probability, "sample_reasons": list(reasons), **more}
    store.insert_raw("traces", trace_line(trace_id, **values))


def chosen(store: ClickHouse, trace_id: str, probability: float = 0.5, **more: Any) -> None:
    seen(store, trace_id, probability, "control", chosen=True, **more)


def sampled(trace_id: str, probability: float = 0.5) -> Sampled:
    trace = Trace(trace_id=trace_id, timestamp=NOON, app="helpdesk", question="？", answer="！")
    return Sampled(trace, None, Sampling(True, probability, ("control",)), NOON)


def verdict(store: ClickHouse, trace_id: str, hallucination: float = 0.0, **more: Any) -> None:
    from judges.llm.asking import Opinion, Usage

    opinion = Opinion(
        judge="panel", model="qwen-max", rubric="rag", rubric_version="1", language="zh",
        hallucination=hallucination, usage=Usage(),
    )  # fmt: skip
    row = orjson.loads(verdict_row(sampled(trace_id), opinion, Around(), NOON)) | more
    store.insert_raw("verdicts", orjson.dumps(row))


def unjudged(store: ClickHouse, trace_id: str, reason: str) -> None:
    from judges.llm.asking import Usage

    store.insert_raw("verdicts", unjudged_row(sampled(trace_id), WHO, reason, "because", Usage()))


def dead_letter(store: ClickHouse, offset: int, reason: str, by: str = "judge") -> None:
    stamp = f"{NOON:%F %T}.000"
    row = {"reason": reason, "topic": "rag.judge", "partition": 0, "offset": offset, "timestamp": stamp,
           "size": 1, "by": by, "died_at": stamp}  # fmt: skip
    store.insert_raw("dead_letters", orjson.dumps(row))


def fill(store: ClickHouse) -> None:
    for number in range(4):
        seen(store, f"plain-{number}", 0.1)
    seen(store, "thinned", 0.02, "capped")
    seen(store, "mute", 0.0, "no_answer")
    seen(store, "secret", 0.0, "excluded")
    for name in ("good", "bad", "poor", "long", "lost", "on-its-way"):
        chosen(store, name)
    verdict(store, "good")
    verdict(store, "bad", 1.0)
    unjudged(store, "poor", "over_budget")
    unjudged(store, "long", "too_long")
    dead_letter(store, 1, "timeout")
    dead_letter(store, 2, "not_json", by="worker")


def test_every_trace_is_somewhere_in_the_funnel(store: ClickHouse) -> None:
    fill(store)
    found = read_funnel(store, DAY)
    assert found.facts() == {
        "seen": 13,
        "ineligible": {"no_answer": 1, "excluded": 1},
        "eligible": 11,
        "expected": 3.4,
        "capped": 1,
        "selected": 6,
        "judged": 2,
        "over_budget": 1,
        "failed": {"too_long": 1, "timeout": 1},
        "waiting": 1,
        "hints": ["The budget was spent: the budgets of section `judge` raise it, lower rates spread it."],
    }


def test_what_is_delivered_twice_counts_once(store: ClickHouse) -> None:
    fill(store)
    before = read_funnel(store, DAY)
    fill(store)
    verdict(store, "good", judge="another", created_at=f"{NOON + timedelta(hours=1):%F %T}.000")
    verdict(store, "on-its-way", role="opinion")
    assert read_funnel(store, DAY).facts() == before.facts()


def test_a_trace_that_was_judged_at_a_second_try_is_judged(store: ClickHouse) -> None:
    chosen(store, "t")
    unjudged(store, "t", "over_budget")
    verdict(store, "t", rubric_version="2")
    found = read_funnel(store, DAY)
    assert (found.judged, found.over_budget, found.waiting) == (1, 0, 0)


def test_each_minute_app_tenant_and_language_has_its_own_funnel(store: ClickHouse) -> None:
    chosen(store, "zh", language="zh", tenant="acme")
    chosen(store, "en", language="en", timestamp=f"{NOON + timedelta(minutes=5):%F %T}.000")
    seen(store, "other", 0.1, app="shop")
    verdict(store, "zh", tenant="acme")
    rows = store.query(
        "SELECT formatDateTime(minute, '%H:%i') AS minute, app, tenant, language, stage, traces "
        "FROM judge_funnel WHERE stage IN ('seen', 'judged') ORDER BY ALL"
    )
    assert [tuple(row.values()) for row in rows] == [
        ("12:00", "helpdesk", "acme", "zh", "judged", 1),
        ("12:00", "helpdesk", "acme", "zh", "seen", 1),
        ("12:00", "shop", "", "zh", "seen", 1),
        ("12:05", "helpdesk", "", "en", "seen", 1),
    ]
    assert read_funnel(store, Period(DAY.since, DAY.until, "shop")).seen == 1


def test_the_funnel_says_why_nothing_was_judged() -> None:
    def hint(**stages: Any) -> str:
        (said,) = Funnel(**stages).hints()
        return said

    assert "doctor" in hint()
    assert "RAGPULSE_SAMPLING__RULES" in hint(seen=5)
    assert "about 0.3" in hint(seen=5, eligible=5, expected=0.3)
    assert "does `ragpulse judge` run" in hint(seen=5, eligible=5, selected=2)
    assert "PER_MINUTE" in hint(seen=9, eligible=9, capped=6, selected=2, judged=2)
    assert list(Funnel(seen=9, eligible=9, selected=2, judged=2).hints()) == []


def test_the_command_prints_the_funnel(store: ClickHouse, dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    monkeypatch.setenv("RAGPULSE_CLICKHOUSE__DSN", dsn)
    period = ["--since", DAY.since.isoformat(), "--until", DAY.until.isoformat()]
    shown = CliRunner().invoke(app, ["judge", "--funnel", *period])
    assert shown.exit_code == 0, shown.output
    lines = dict(line.rsplit(maxsplit=1) for line in shown.stdout.splitlines())
    assert {name.strip(): count for name, count in lines.items()} == {
        "seen": "13", "ineligible: no_answer": "1", "ineligible: excluded": "1", "eligible": "11",
        "capped": "1", "selected": "6", "failed: too_long": "1", "failed: timeout": "1",
        "over budget": "1", "waiting": "1", "judged": "2",
    }  # fmt: skip
    as_json = CliRunner().invoke(app, ["judge", "--funnel", "--json", *period])
    facts = orjson.loads(as_json.stdout)
    assert datetime.fromisoformat(facts["since"]) == DAY.since.astimezone(UTC)
    assert facts["judged"] == 2


# --- weights ---


def test_weights_are_those_of_the_trace_and_not_of_the_verdict(store: ClickHouse) -> None:
    """A trace was drawn again after a redelivery; its row is the draw that counts."""
    chosen(store, "again", 0.25)
    seen(store, "not-any-more", 0.1)
    for name in ("again", "not-any-more"):
        verdict(store, name, sample_probability=0.5)
    (row,) = store.query("SELECT trace_id, probability, weight FROM weighted_verdicts")
    assert row == {"trace_id": "again", "probability": 0.25, "weight": 4.0}


def test_verdicts_that_failed_and_opinions_of_single_judges_weigh_nothing(store: ClickHouse) -> None:
    for name in ("failed", "opinion"):
        chosen(store, name)
    unjudged(store, "failed", "too_long")
    verdict(store, "opinion", role="opinion")
    assert store.query("SELECT * FROM weighted_verdicts") == []


def test_the_query_of_the_page_on_sampling_gives_the_rate_of_all_traffic(store: ClickHouse) -> None:
    """1,000 traces, of which 100 are bad and look it: half of those are judged, and a tenth of the others."""
    at = (datetime.now(UTC) - timedelta(minutes=5)).replace(microsecond=0)
    stamp = f"{at:%F %T}.000"
    for number in range(1_000):
        bad = number < 100
        share = 2 if bad else 10
        if number % share:
            continue
        name = f"t-{number}"
        chosen(store, name, 1 / share, timestamp=stamp, conversation_id=f"c-{number // 3}")
        verdict(store, name, 0.9 if bad else 0.1, timestamp=stamp)
    (query,) = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)
    (row,) = store.query(query)
    assert row["app"] == "helpdesk"
    assert row["judged"] == 140
    assert row["rate"] == pytest.approx(0.1)
    assert row["unweighted"] == pytest.approx(50 / 140)
    assert row["effective_n"] == pytest.approx(1_000**2 / (50 * 4 + 90 * 100))
