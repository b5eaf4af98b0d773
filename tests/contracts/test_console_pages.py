"""What the console's pages say of a store that is filled, of an empty one, and of one that is away."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from console.queries.case import read_case
from console.queries.incidents import read_story
from console.queries.judges import read_judges
from console.queries.live import read_failed, read_live
from console.queries.period import NAMES, period
from console.queries.rates import CLASSES, MEASURES
from console.queries.redacted import redact_case
from console.queries.segment import Segment
from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.embedded.engine import EmbeddedEngine
from tests.support.console import Browser, open_console
from tests.support.console_data import INCIDENT, SEGMENT
from tests.support.console_site import HOSTILE, LOCAL, PERSONAL, SECRETS, Site, open_site
from tests.support.rows import trace_line

pytestmark = pytest.mark.engine
ALL = Segment()


@pytest.fixture(scope="module")
def site(embedded_engine: EmbeddedEngine) -> Iterator[Site]:
    with open_site(embedded_engine, "console_pages", traces=400) as found:
        yield found


@pytest.fixture(scope="module")
def browser(site: Site) -> Browser:
    app = open_console(f"{site.dsn}", queue=site.queue)
    return Browser(app, "vera")


def now(site: Site) -> float:
    return site.data.end.timestamp() + 60


def plain(page: str) -> str:
    """The words of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))


@pytest.mark.parametrize("name", NAMES)
def test_the_rates_of_a_period_are_the_counts_of_its_traces(site: Site, name: str) -> None:
    asked = period(name, now(site))
    whole = read_live(site.store, asked, Segment(tenant="xinghe")).rates.whole
    rows = {r["trace_id"]: r for r in site.data.traces if r["tenant"] == "xinghe"}
    inside = [r for r in rows.values() if site.moment(r) >= asked.since]
    assert whole.by["traces"] == len(inside)
    assert {c: whole.of_class(c) for c in CLASSES} == {
        c: sum(r["failure"] == c for r in inside) for c in CLASSES
    }
    measured = [r["hallucination"] for r in inside if r["hallucination"] is not None]
    if measured:
        figure = whole.figure("hallucination")
        assert (figure.value, figure.n) == (sum(v >= 0.5 for v in measured) / len(measured), len(measured))
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low <= (figure.value or 0) <= figure.high


def test_minutes_and_traces_tell_the_same(site: Site) -> None:
    """Two ways to the same numbers: what the sink keeps by minute, and the traces themselves."""
    from console.queries import rates

    parameters = period("1h", now(site)).parameters | ALL.parameters
    ways = [site.store.query(sql, parameters) for sql in (rates._FROM_MINUTES, rates._FROM_TRACES)]
    sums = [{c: sum(float(row[f"{c}_"] or 0) for row in rows) for c in rates._COLUMNS} for rows in ways]
    for column, value in sums[0].items():
        assert value == pytest.approx(sums[1][column]), column


def test_a_rate_that_verdicts_correct_stands_beside_the_cheap_one(site: Site) -> None:
    live = read_live(site.store, period("1h", now(site)), ALL)
    corrected = live.rates.corrected["hallucination"]
    assert corrected.method == "prediction_powered"
    assert corrected.judged > 0
    assert set(live.rates.corrected) <= set(MEASURES)
    assert read_live(site.store, period("1h", now(site)), Segment(tenant="xinghe")).rates.corrected == {}


def test_the_last_failures_are_the_newest_of_their_class(site: Site) -> None:
    found = read_failed(site.store, period("1h", now(site)), ALL, failure="over_refusal", most=5)
    wanted = [r["trace_id"] for r in reversed(site.data.traces) if r["failure"] == "over_refusal"][:5]
    assert [one.trace_id for one in found] == wanted


def test_the_story_of_an_incident_has_its_course_its_release_and_its_ten_cases(site: Site) -> None:
    story = read_story(site.store, INCIDENT)
    assert story is not None
    assert story.incident.segment == SEGMENT
    assert [one.trace_id for one in story.cases] == list(story.incident.cases)
    assert len(story.cases) == 10
    assert "prompt=p8" in {one.text for one in story.releases}
    assert all(story.course.since <= point.at <= story.course.until for point in story.course.points)
    assert len(story.course.points) > 20
    assert [one.incident_id for one in story.parts] == ["i-part"]


def test_a_case_has_all_that_is_known_of_it(site: Site) -> None:
    row = site.data.case("hallucination", "en", sampled=True)
    case = read_case(site.store, row["trace_id"])
    assert case is not None
    assert case.row["question"] == row["question"]
    assert {one.row["judge"] for one in case.opinions} == {"strict", "careful"}
    assert case.chunks
    assert all(row["answer"][one.start : one.end] == one.text for one in case.evidence)


@pytest.mark.parametrize(
    ("language", "empty", "gone"),
    [
        ("en", ("There is no question.", "There is no answer."), "are no longer kept"),
        ("zh", ("没有问题。", "没有答案。"), "已不再保留"),
    ],
)
def test_an_empty_text_is_told_from_one_that_is_no_longer_kept(
    site: Site, browser: Browser, language: str, empty: tuple[str, str], gone: str
) -> None:
    spoken = {"accept-language": language}
    old = {"timestamp": "2026-01-01 00:00:00.000", "app": "elsewhere", "question": "", "answer": None}
    lines = [trace_line("t-empty", **old), trace_line("t-expired", **(old | {"history": ""}))]
    site.store.insert_raw("traces", b"\n".join(lines))
    shown = {name: browser.get(f"/case/{name}", headers=spoken).text for name in ("t-empty", "t-expired")}
    assert all(text in shown["t-empty"] for text in empty)
    assert gone not in shown["t-empty"]
    assert shown["t-expired"].count(gone) == 2


def test_evidence_stays_at_its_place_when_a_case_is_redacted(site: Site) -> None:
    case = read_case(site.store, PERSONAL)
    assert case is not None
    clean, taken = redact_case(case)
    assert sum(taken.values()) >= 2
    assert not [secret for secret in SECRETS if secret in repr(clean)]
    claim, chunk = clean.evidence[0], (clean.chunks or ())[0]
    assert clean.row["answer"][claim.start : claim.end] == claim.text
    assert (chunk.text or "")[claim.chunk_start : claim.chunk_end] == chunk.text


def test_feedback_that_came_late_is_that_of_the_case(site: Site) -> None:
    case = read_case(site.store, site.data.worst())
    assert case is not None
    assert case.row["feedback_was_late"]
    assert case.row["feedback_rating"] == -1


def test_judges_show_kappa_funnel_spend_and_probes(site: Site) -> None:
    found = read_judges(site.store, period("24h", now(site) + 3_600))  # filling takes long on a busy machine
    strict = next(one for one in found.standings if one.judge == "strict")
    assert {a.language for a in strict.agreements} == {"", "en", "zh"}
    sampled = len({row["trace_id"] for row in site.data.traces if row["sampled"]})
    stages = found.funnel.stages
    assert (stages["selected"], stages["judged"]) == (sampled, sampled + 1), "the hostile trace has a verdict"
    assert {one.judge: one.judged for one in found.spent}["strict"] == sampled
    assert [run.baseline for run in found.probes] == [False, True]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_is_there_in_both_languages(site: Site, browser: Browser, language: str) -> None:
    for path in site.pages.values():
        answer = browser.get(path, headers={"accept-language": language})
        assert answer.status_code == 200, path
        assert f'<html lang="{language}"' in answer.text


def test_a_list_shows_no_name_and_no_number_of_a_person(browser: Browser) -> None:
    for path in ("/?period=6h", f"/case/{PERSONAL}", f"/case/{PERSONAL}?original=1"):
        page = plain(browser.get(path).text)
        assert not [secret for secret in SECRETS if secret in page], path


def test_what_is_not_there_is_not_found_and_says_so(browser: Browser) -> None:
    for path in ("/case/nobody", "/incident/none", "/golden/nothing", "/golden/helpdesk?version=zzz"):
        answer = browser.get(path)
        assert answer.status_code == 404, path
        assert "<main" in answer.text


def test_a_hostile_trace_is_shown_as_text(browser: Browser) -> None:
    page = browser.get(f"/case/{HOSTILE}").text
    main = page[page.index("<main") : page.index("</main>")]
    assert "&lt;script&gt;window.pwned" in main
    assert not re.search(r"<(script|img|iframe|style|base|object|embed)\b", main)
    assert not re.search(r"<[^>]+\son\w+=", main)


def test_an_empty_store_is_no_error(embedded_engine: EmbeddedEngine) -> None:
    dsn = embedded_engine.dsn_of("console_empty")
    client = connect(dsn)
    migrate(client)
    browser = Browser(open_console(dsn), "vera")
    for path in ("/", "/incidents", "/golden", "/judges", "/gaps", "/queue", "/?period=7d"):
        answer = browser.get(path)
        assert answer.status_code == 200, path
    assert "No trace came in this period" in plain(browser.get("/").text)
    client.command("DROP DATABASE console_empty SYNC", in_database=False)
    client.close()


def test_a_store_that_is_away_is_told_of_in_a_sentence() -> None:
    browser = Browser(open_console(hosts=LOCAL | {"console.test"}), "vera")
    for path in ("/", "/incidents", "/case/t-1", "/golden", "/judges", "/gaps"):
        answer = browser.get(path)
        assert answer.status_code == 503, path
        assert "retry-after" in answer.headers
