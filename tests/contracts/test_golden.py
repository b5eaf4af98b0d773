"""Golden sets on a real engine, from what annotators said to files and back, as a shell sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from judges.golden import GoldenCase, GoldenSet, Kind, load, read, save
from schemas.annotation import Annotation, AnnotationItem, ItemRole, annotation_row
from schemas.row import encode, stamp
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from sinks.golden import GoldenSetDamaged, GoldenStore, NoSuchGoldenSet
from stream.cli import app
from stream.errors import RagpulseError
from stream.golden.from_store import TEXTS_GONE, case_id_of
from tests.support.rows import trace_line

pytestmark = pytest.mark.engine

NOW = datetime.now(UTC).replace(microsecond=0)
THEN = NOW - timedelta(hours=2)
CHUNKS = [
    {
        "id": "kb-1",
        "doc_id": "refunds",
        "text": "A refund takes 14 days. My name is Mary Jones, 555-867-5309.",
    },
    {"id": "kb-2", "doc_id": "returns", "text": "Returns are free within the first month of all."},
]

CASE = GoldenCase("g-1", "How long?", Kind.SINGLE_HOP, gold_chunk_ids=("kb-1",))


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    migrate(client)
    yield client
    client.close()


def golden(dsn: str, *arguments: str | Path) -> tuple[int, str, str]:
    """A command, in this process: exit code, output, what it said to the person."""
    done = CliRunner().invoke(app, ["golden", *map(str, arguments)], env={"RAGPULSE_CLICKHOUSE__DSN": dsn})
    if isinstance(done.exception, RagpulseError):
        return done.exception.exit_code, done.stdout, str(done.exception)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr


def build(dsn: str, *arguments: str | Path, why: str = "a test") -> dict[str, Any]:
    code, out, _ = golden(dsn, "build", "helpdesk", "--why", why, "--who", "li", "--json", *arguments)
    assert code == 0, out
    facts: dict[str, Any] = orjson.loads(out)
    return facts


def add_trace(store: ClickHouse, trace_id: str, question: str, **values: Any) -> None:
    columns = {
        "timestamp": stamp(THEN), "received_at": stamp(THEN), "question": question, "language": "en",
        "intent": "refunds", "tenant": "lumen", "chunks": encode(CHUNKS).decode(),  # type: ignore[arg-type]
        "retrieval_state": "recorded",
    } | values  # fmt: skip
    store.insert_raw("traces", trace_line(trace_id, **columns))


def say(
    store: ClickHouse, trace_id: str, annotator: str, role: ItemRole = ItemRole.VOTE, **said: Any
) -> None:
    item = AnnotationItem(f"i-{trace_id}", trace_id, THEN, app="helpdesk", language="en")
    label = None if role is ItemRole.SKIP else Annotation(**said)
    store.insert_raw("annotations", encode(annotation_row(label, item, annotator, NOW, role=role)))


def agreed(store: ClickHouse, trace_id: str, question: str, **said: Any) -> None:
    add_trace(store, trace_id, question)
    for annotator in ("li", "wang"):
        say(store, trace_id, annotator, **said)


def three_cases(store: ClickHouse) -> None:
    agreed(store, "t-1", "How long does a refund take?", gold_chunk_ids=("kb-1",), reference_answer="14 days")
    agreed(store, "t-2", "And if I return it in June?", gold_chunk_ids=("kb-1", "kb-2"))
    agreed(store, "t-3", "Who won the cup?", should_refuse=True)


def test_what_people_agreed_on_becomes_a_set_and_the_rest_says_why_not(store: ClickHouse, dsn: str) -> None:
    three_cases(store)
    agreed(store, "t-4", "how long does a refund take", gold_chunk_ids=("kb-1",))
    agreed(store, "t-5", "Only a class?", failure="healthy")
    add_trace(store, "t-6", "One voice?")
    say(store, "t-6", "li", gold_chunk_ids=("kb-1",))
    say(store, "t-6", "wang", role=ItemRole.SKIP)
    add_trace(store, "t-7", "Which?")
    say(store, "t-7", "li", gold_chunk_ids=("kb-1",))
    say(store, "t-7", "wang", gold_chunk_ids=("kb-2",))
    add_trace(store, "t-8", "Gone?", history="")
    for annotator in ("li", "wang"):
        say(store, "t-8", annotator, should_refuse=True)
    facts = build(dsn)
    assert (facts["labelled"], facts["cases"], facts["repeated_questions"]) == (8, 3, 1)
    assert facts["left_out"] == {
        "too few annotators said what is true of it": 1,
        "nobody said which chunks hold the answer, what it is, or that it should be declined": 1,
        "annotators name different chunks": 1,
        TEXTS_GONE: 1,
    }
    have = {kind: quota["have"] for kind, quota in facts["quotas"].items() if quota["have"]}
    assert have == {"single_hop": 1, "multi_hop": 1, "unanswerable": 1}
    case = GoldenStore(store).load("helpdesk").case(case_id_of("t-1"))
    assert case is not None
    assert (case.question, case.reference_answer, case.tenant, case.intent, case.language) == (
        "How long does a refund take?", "14 days", "lumen", "refunds", "en",
    )  # fmt: skip
    assert case.gold_chunk_ids == ("kb-1",)


def test_nothing_is_stored_where_its_file_has_no_place(store: ClickHouse, dsn: str, tmp_path: Path) -> None:
    three_cases(store)
    for place in (tmp_path / "none" / "golden.jsonl", tmp_path):
        code, _, said = golden(dsn, "build", "helpdesk", "--why", "a test", "--out", place)
        assert code == 2
        assert "--out" in said
    assert golden(dsn, "list")[1] == ""


def test_no_name_and_no_number_of_a_person_is_in_store_or_file(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    agreed(
        store, "t-1", "My phone is 13812345678, refund please?",
        gold_chunk_ids=("kb-1",), reference_answer="Write to mary.jones@example.com",
    )  # fmt: skip
    build(dsn, "--out", tmp_path / "golden.jsonl")
    stored = "".join(str(row) for row in store.query("SELECT content FROM golden_cases"))
    for text in (stored, (tmp_path / "golden.jsonl").read_text(), golden(dsn, "export", "helpdesk")[1]):
        assert "[phone]" in text
        for secret in ("13812345678", "555-867-5309", "mary.jones", "Jones"):
            assert secret not in text


def test_an_arbitrator_settles_what_two_could_not(store: ClickHouse, dsn: str) -> None:
    add_trace(store, "t-1", "Which?")
    say(store, "t-1", "li", gold_chunk_ids=("kb-1",))
    say(store, "t-1", "wang", should_refuse=True)
    code, out, said = golden(dsn, "build", "helpdesk", "--why", "x")
    assert code == 1
    assert "annotators disagree on whether it should be declined" in out
    assert "agreed on nothing" in said
    say(
        store, "t-1", "zhao", role=ItemRole.ARBITRATION,
        gold_chunk_ids=("kb-2",), kind=Kind.CONFLICTING,
    )  # fmt: skip
    build(dsn)
    case = GoldenStore(store).load("helpdesk").cases[0]
    assert (case.gold_chunk_ids, case.kind) == (("kb-2",), Kind.CONFLICTING)


def test_texts_come_from_the_queue_where_a_trace_has_lost_them(store: ClickHouse, dsn: str) -> None:
    payload = {"trace": {"trace_id": "t-1", "question": "How long?", "retrieval": {"chunks": CHUNKS}}}
    item = AnnotationItem("i-1", "t-1", THEN, app="helpdesk", language="en", payload=payload, created_at=NOW)
    store.insert_raw("annotation_items", encode(item.as_row(NOW)))
    for annotator in ("li", "wang"):
        say(store, "t-1", annotator, gold_chunk_ids=("kb-2",))
    build(dsn)
    case = GoldenStore(store).load("helpdesk").cases[0]
    assert (case.question, case.gold_texts) == ("How long?", {"kb-2": CHUNKS[1]["text"]})


def test_versions_grow_on_each_other_and_building_again_adds_none(store: ClickHouse, dsn: str) -> None:
    three_cases(store)
    first = build(dsn, "--want", "multi_hop=4")
    again = build(dsn)
    assert (again["new"], again["stored"], again["version"]) == (False, False, first["version"])
    assert build(dsn, "--want", "multi_hop=6")["version"] == first["version"]
    assert GoldenStore(store).find("helpdesk").quotas[Kind.MULTI_HOP].want == 6
    assert build(dsn, "--want", "multi_hop=4", "--dry-run")["quotas"]["multi_hop"]["want"] == 4
    agreed(store, "t-9", "Something new?", reference_answer="Yes")
    dry = build(dsn, "--dry-run")
    assert (dry["new"], dry["stored"]) == (True, False)
    second = build(dsn, why="a fourth case")
    assert second["parent"] == first["version"]
    assert second["quotas"]["multi_hop"] == {"have": 1, "want": 6, "missing": 5}
    code, out, _ = golden(dsn, "list", "helpdesk", "--json")
    assert code == 0
    newest, oldest = orjson.loads(out)["versions"]
    assert (newest["why"], newest["who"], newest["parent"], newest["cases"]) == (
        "a fourth case", "li", oldest["version"], 4,
    )  # fmt: skip
    assert oldest["parent"] == ""
    code, out, _ = golden(dsn, "list")
    assert "multi_hop 1/6" in out


def test_a_file_that_was_edited_becomes_a_version_of_its_own(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    three_cases(store)
    path = tmp_path / "golden.jsonl"
    built = build(dsn, "--out", path)
    assert golden(dsn, "check", path)[0] == 0
    path.write_bytes(path.read_bytes().replace(b'"reference_answer": "14 days"', b'"must_contain": ["14"]'))
    code, _, said = golden(dsn, "check", path)
    assert code == 1
    assert f"the header says {built['version']}: seal them" in said
    code, _, said = golden(dsn, "diff", path, "helpdesk")
    assert (code, "somebody edited them" in said) == (2, True)
    code, out, _ = golden(dsn, "import", path, "--why", "floors", "--who", "wang", "--json")
    imported = orjson.loads(out)
    assert (code, imported["stored"], imported["parent"]) == (0, True, built["version"])
    code, out, _ = golden(dsn, "check", path, "--seal", "--why", "floors", "--json")
    assert (code, orjson.loads(out)["sealed"], load(path).version) == (0, True, imported["version"])
    assert orjson.loads(golden(dsn, "import", path, "--json")[1])["stored"] is False
    code, out, _ = golden(dsn, "diff", f"helpdesk@{built['version'][:6]}", path, "--exit-code")
    assert code == 1
    assert '| must_contain | – | \\["14"\\] |' in out
    code, out, _ = golden(dsn, "diff", path, "helpdesk", "--json", "--exit-code")
    assert (code, orjson.loads(out)["differs"]) == (0, False)
    assert build(dsn)["new"] is False, "what was written by hand stays"


def test_a_file_with_errors_is_not_stored_and_each_is_named(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    three_cases(store)
    path = tmp_path / "golden.jsonl"
    build(dsn, "--out", path)
    lines = path.read_bytes().splitlines()
    call = b'{"case_id": "g-x", "question": "Call 13812345678?", "kind": "single_hop", "should_refuse": true}'
    path.write_bytes(b"\n".join([*lines, lines[1], b"{", call]))
    code, _, said = golden(dsn, "import", path, "--why", "x")
    assert code == 1
    for line, why in (
        (5, "stands on line 2 already"),
        (6, "no JSON"),
        (7, "tells who somebody is: 1 × phone"),
    ):
        assert any(f"line {line}" in told and why in told for told in said.splitlines()), (why, said)
    assert len(GoldenStore(store).heads()) == 1
    assert golden(dsn, "check", path, "--seal", "--why", "x")[0] == 1
    assert not read(path.read_bytes()).is_sealed, "a file with errors is not sealed"


def test_missing_cases_are_told_and_a_finding_only_when_asked_for(
    store: ClickHouse, dsn: str, tmp_path: Path
) -> None:
    three_cases(store)
    path = tmp_path / "golden.jsonl"
    build(dsn, "--out", path)
    code, _, said = golden(dsn, "check", path)
    assert code == 0
    assert "note: multi_hop: 1 of 20 cases, 19 missing" in said
    assert golden(dsn, "check", path, "--quotas")[0] == 1


REFUSED = [
    (("export", "nothing"), "no golden set nothing"),
    (("export", "helpdesk@ffff"), "no golden set helpdesk@ffff"),
    (("export", "a/b.jsonl"), "a/b.jsonl cannot be read"),
    (("export", "two words"), "neither a file that is there nor a name"),
    (("check", "nowhere.jsonl"), "nowhere.jsonl cannot be read"),
    (("build", "-x", "--why", "y"), ""),
    (("build", "a", "--why", " "), ""),
    (("build", "a", "--why", "y", "--want", "easy=3"), ""),
    (("build", "a", "--why", "y", "--since", "1h", "--until", "2h"), ""),
]


def test_what_cannot_be_done_is_usage(store: ClickHouse, dsn: str) -> None:
    three_cases(store)
    build(dsn)
    for arguments, why in REFUSED:
        code, _, said = golden(dsn, *arguments)
        assert (code, why in said) == (2, True), (arguments, said)


def test_a_version_is_found_by_its_beginning_where_only_one_begins_so(store: ClickHouse) -> None:
    sets = GoldenStore(store)
    base = GoldenSet("helpdesk", (), who="li", when=NOW)
    versions = {base.with_cases([replace(CASE, case_id=f"g-{n}")]).version for n in range(30)}
    for n in range(30):
        sets.save(base.with_cases([replace(CASE, case_id=f"g-{n}")]))
    crowded = next(v[0] for v in versions if sum(other[0] == v[0] for other in versions) > 1)
    one = min(versions)
    assert sets.load("helpdesk", one[:12]).version == one
    with pytest.raises(NoSuchGoldenSet, match=r"begin with .: give more of it"):
        sets.load("helpdesk", crowded)


def test_a_version_is_newer_than_the_one_that_it_grew_from_whatever_a_clock_says(store: ClickHouse) -> None:
    sets = GoldenStore(store)
    first = GoldenSet("helpdesk", (CASE,), who="li", when=NOW)
    second = replace(first.with_cases([replace(CASE, case_id="g-2")]), parent=first.version)
    third = replace(first.with_cases([replace(CASE, case_id="g-3")]), parent=second.version)
    other = GoldenSet("aside", (CASE,), when=NOW - timedelta(days=2))
    for made in (replace(third, when=NOW - timedelta(days=1)), first, second, other):
        sets.save(made)
    versions = [head.version for head in sets.heads()]
    assert versions == [third.version, second.version, first.version, other.version]
    assert sets.load("helpdesk").version == third.version


def test_a_version_is_written_once_and_a_damaged_one_is_said_and_mended(store: ClickHouse) -> None:
    sets = GoldenStore(store)
    made = GoldenSet("helpdesk", (CASE,), who="li", when=NOW, why="first")
    assert sets.save(made)
    assert not sets.save(replace(made, who="wang", why="again"))
    assert sets.load("helpdesk").who == "li"
    store.command("TRUNCATE TABLE golden_cases")
    with pytest.raises(GoldenSetDamaged, match="should have 1 cases"):
        sets.load("helpdesk")
    assert sets.save(made)
    assert sets.load("helpdesk").cases == (CASE,)


def test_comparing_files_needs_no_store(tmp_path: Path) -> None:
    one, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    save(GoldenSet("a", (CASE,)), one)
    save(GoldenSet("a", (replace(CASE, question="And <b>now</b>?|"),)), other)
    code, out, _ = golden("http://127.0.0.1:1/none", "diff", one, other)
    assert code == 0
    assert "And &lt;b&gt;now&lt;/b&gt;?\\|" in out
