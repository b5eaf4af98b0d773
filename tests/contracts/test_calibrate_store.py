"""Judges held against people over real tables: a sheet out, labels back, agreement stored and read again."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from judges.calibration.labels import JudgeKey
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream.calibrate.from_store import read_about
from stream.calibrate.sheet import NothingToLabel, draw_sheet
from stream.calibrate.stored import calibrated_judges
from stream.cli import app
from stream.distill.from_store import Period
from tests.support.rows import trace_line
from tests.unit.stream.cli.test_files_commands import run

pytestmark = pytest.mark.engine

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = Period(NOW - timedelta(days=1), NOW + timedelta(hours=1))
AT = f"{NOW - timedelta(hours=2):%F %T}.000"
KEY = JudgeKey("strict", "m-1", "faithfulness", "1")


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    migrate(client)
    yield client
    client.close()


def is_bad(number: int) -> bool:
    return number % 3 == 0


def language_of(number: int) -> str:
    return "zh" if number % 2 else "en"


def fill(store: ClickHouse, count: int, wrong: tuple[int, ...] = (), judge: str = "strict") -> None:
    """Traces, and what one judge says of them; of some it says the opposite of what is true."""
    traces, verdicts = [], []
    for number in range(count):
        values = {"timestamp": AT, "received_at": AT, "language": language_of(number)}
        traces.append(trace_line(f"t{number:04}", **values, conversation_id=f"c{number // 2}"))
        says = is_bad(number) != (number in wrong)
        verdict = {
            "trace_id": f"t{number:04}", "timestamp": AT, "app": "helpdesk", "judge": judge, "model": "m-1",
            "rubric": "faithfulness", "rubric_version": "1", "language": language_of(number),
            "failure": "hallucination" if says else "healthy", "failure_confidence": 0.9,
            "hallucination": float(says), "sample_probability": 0.5, "created_at": AT,
        }  # fmt: skip
        verdicts.append(orjson.dumps(verdict))
    store.insert_raw("traces", b"\n".join(traces))
    store.insert_raw("verdicts", b"\n".join(verdicts))


def answer(path: Path, store: ClickHouse, to: Path) -> None:
    """Fill in a sheet as somebody would who knows the truth."""
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    header = rows[0]
    known = store.query("SELECT item, trace_id FROM calibration_sheets FINAL")
    truth = {row["item"]: is_bad(int(row["trace_id"][1:])) for row in known}
    for row in rows[1:]:
        row[header.index("hallucination")] = "yes" if truth[row[0]] else "no"
        row[header.index("failure")] = "hallucination" if truth[row[0]] else "healthy"
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";").writerows(rows)
    to.write_bytes(out.getvalue().encode("utf-8-sig"))


def calibrate(dsn: str, *arguments: str | Path) -> tuple[int, dict[str, Any], str]:
    """The command, in this process: exit code, its JSON, what it said to the person."""
    env = {"RAGPULSE_CLICKHOUSE__DSN": dsn}
    done = CliRunner().invoke(app, ["calibrate", *map(str, arguments), "--json"], env=env)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, orjson.loads(done.stdout or "{}"), done.stderr


def test_a_sheet_goes_out_and_comes_back_and_the_judge_is_calibrated(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    fill(store, 240, wrong=(4, 5, 99))
    code, drawn, _ = calibrate(dsn, "--sheet", "160", "--out", tmp_path / "sheet", "--since", "1d")
    assert (code, drawn["items"], drawn["population"]) == (0, 160, 240)
    assert all(count == 40 for count in drawn["strata"].values())
    answer(tmp_path / "sheet.csv", store, tmp_path / "back.csv")

    code, back, _ = calibrate(dsn, "--import", tmp_path / "back.csv", "--annotator", "li")
    assert (code, back) == (0, {"stored": 160, "blank": 0, "broken": []})
    stored = store.query("SELECT * FROM annotations FINAL ORDER BY trace_id LIMIT 1")[0]
    assert (stored["annotator"], stored["app"], stored["guideline"]) == (
        "li",
        "helpdesk",
        f"sheet {drawn['sheet']}",
    )
    assert calibrated_judges(store).trusts(KEY) is False, "nobody has looked yet"

    code, found, _ = calibrate(dsn, "--since", "1d")
    assert code == 0
    assert found["stored"] == len(found["judges"])
    judges = calibrated_judges(store)
    for language in ("", "en", "zh"):
        assert judges.trusts(KEY, "hallucination", language)
        standing = judges.standing(KEY, "hallucination", language)
        assert standing is not None
        assert standing.low < standing.kappa <= 1.0  # type: ignore[operator]
    assert not judges.trusts(KEY, "hallucination", "ja")
    assert not judges.trusts(JudgeKey("strict", "m-2", "faithfulness", "1"))
    everything = next(
        one for one in found["judges"] if one["measure"] == "hallucination" and not one["language"]
    )
    assert everything["traffic_kappa"]["n"] == 160


def test_a_judge_below_the_bar_is_a_finding_and_its_newest_measurement_counts(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    fill(store, 120, wrong=tuple(range(0, 120, 5)))
    labels = tmp_path / "labels.jsonl"
    labels.write_bytes(
        b"\n".join(
            orjson.dumps({"trace_id": f"t{n:04}", "label": is_bad(n), "annotator": "li"}) for n in range(120)
        )
    )
    code, found, said = calibrate(dsn, "--labels", labels, "--min-kappa", "0.3")
    assert code == 0
    assert calibrated_judges(store).trusts(KEY)
    code, found, said = calibrate(dsn, "--labels", labels)
    assert code == 1
    assert "uncalibrated, so that its verdicts correct no rates: strict (m-1, faithfulness 1)" in said
    assert {one["shortfall"] for one in found["judges"]} == {"below_min_kappa"}
    assert not calibrated_judges(store).trusts(KEY)
    code, found, _ = calibrate(dsn, "--labels", labels, "--min-kappa", "0.3", "--min-labels", "500")
    assert {one["shortfall"] for one in found["judges"]} == {"too_few_labels"}


def test_labels_and_verdicts_may_both_be_files_and_then_no_store_is_needed(tmp_path: Path) -> None:
    labels, verdicts = tmp_path / "labels.jsonl", tmp_path / "verdicts.jsonl"
    rows = [
        {
            "trace_id": f"t{n}",
            "failure": "hallucination" if is_bad(n) else "healthy",
            "language": language_of(n),
        }
        for n in range(120)
    ]
    labels.write_bytes(b"\n".join(map(orjson.dumps, rows)) + b"\nno json\n")
    said = [
        {
            "trace_id": f"t{n}",
            "judge": "strict",
            "model": "m-1",
            "rubric": "r",
            "rubric_version": "1",
            "hallucination": 0.9 if is_bad(n) else 0.2,
        }
        for n in range(120)
    ]
    verdicts.write_bytes(b"\n".join(map(orjson.dumps, said)))
    nowhere = "http://127.0.0.1:9/nothing"
    code, found, _ = calibrate(nowhere, "--labels", labels, "--verdicts", verdicts)
    assert code == 0
    assert found["stored"] == 0
    assert {one["language"] for one in found["judges"]} == {None, "en", "zh"}
    assert any("line 121" in reason for reason in found["left_out"])
    shown = run(
        "calibrate", "--labels", labels, "--verdicts", verdicts, env={"RAGPULSE_CLICKHOUSE__DSN": nowhere}
    )
    assert "kappa 1.00" in shown.stdout.decode()
    assert "PABAK" in shown.stdout.decode()


def test_broken_rows_of_a_sheet_are_named_and_the_others_stored(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    fill(store, 20)
    sheet = draw_sheet(store, DAY, 4, 0, NOW)
    names = [item.item for item in sheet.items]
    path = tmp_path / "back.csv"
    path.write_text(
        f"item,failure,hallucination\n{names[0]},healthy,\n{names[1]},nonsense,\ncal00000000-001,healthy,\n{names[2]},,\n"
    )
    code, back, _ = calibrate(dsn, "--import", path, "--annotator", "li")
    assert (code, back["stored"], back["blank"]) == (1, 1, 1)
    assert [one["line"] for one in back["broken"]] == [3, 4]
    assert "no sheet that was drawn here" in back["broken"][1]["why"]
    assert calibrate(dsn, "--import", path)[0] == 2, "nobody says who filled it in"


def test_judges_are_compared_with_each_other_where_both_have_judged(store: ClickHouse, dsn: str) -> None:
    fill(store, 60)
    fill(store, 40, wrong=(0, 1, 2, 3), judge="lenient")
    code, found, _ = calibrate(dsn, "--between-judges", "--since", "1d")
    assert code == 0
    first = next(one for one in found["between"] if one["measure"] == "hallucination" and not one["language"])
    assert (first["n"], first["raw"]["value"]) == (40, 0.9)
    code, _, said = calibrate(dsn, "--between-judges", "--since", "1d", "--app", "none")
    assert code == 1
    assert "no trace was judged by two judges" in said


def test_a_sheet_may_be_drawn_before_anybody_has_judged(store: ClickHouse) -> None:
    with pytest.raises(NothingToLabel, match="--unjudged"):
        draw_sheet(store, DAY, 10, 0, NOW)
    store.insert_raw(
        "traces", b"\n".join(trace_line(f"x{n}", timestamp=AT, received_at=AT) for n in range(30))
    )
    assert len(draw_sheet(store, DAY, 10, 0, NOW, unjudged=True).items) == 10


def test_texts_that_were_cut_or_have_expired_never_come_onto_a_sheet(store: ClickHouse) -> None:
    fill(store, 6)
    store.insert_raw(
        "traces",
        trace_line(
            "t0000", timestamp=AT, received_at=AT, language="en", history="", scored_at=f"{NOW:%F %T}.000"
        ),
    )
    assert draw_sheet(store, DAY, 10, 0, NOW).population == 5


def test_two_sheets_with_the_same_trace_make_it_likelier_to_be_labelled(store: ClickHouse) -> None:
    fill(store, 40)
    for seed in (1, 2):
        draw_sheet(store, DAY, 20, seed, NOW)
    about = read_about(store, [f"t{n:04}" for n in range(40)])
    assert about["t0001"].language == "zh"
    assert about["t0001"].conversation == "c0"
    seen = {one.sheet_probability for one in about.values()} - {None}
    assert any(abs(one - 0.75) < 0.1 for one in seen if one is not None)


def test_no_store_is_exit_code_3() -> None:
    done = run("calibrate", "--since", "1d", env={"RAGPULSE_CLICKHOUSE__DSN": "http://127.0.0.1:9/nothing"})
    assert done.returncode == 3
    assert b"does not answer" in done.stderr
