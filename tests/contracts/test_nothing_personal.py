"""What tells who somebody is stays in `traces`: it is not in the queue, on its topic, in exports, or logs.

Traces are full of made-up people: in each text that a trace has, in verdicts about it, in what annotators
write. All that comes behind the redaction is searched for any of it as plain text.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from judges.distilled import load_scorer
from schemas.annotation import Annotation, ClaimLabel
from schemas.row import Provenance, Sampling, encode, trace_row
from schemas.trace import Trace
from sinks.annotation import AnnotationQueue, LeaseBook
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.migrate import migrate
from stream import topics
from stream.annotation.filler import Filler
from stream.annotation.main import ASSIGNED, compose
from stream.cli import app
from stream.endpoint import Health
from stream.judging.deliver import DISAGREEMENT, annotation_case
from stream.judging.sampled import read_sampled
from stream.pipeline import judge_batch
from stream.settings import AnnotationSettings
from stream.sink.main import SCHEMA
from stream.telemetry import AnnotationMetrics
from tests.support.kafka import isolated_settings, publish, read_all, wait_until_committed
from tests.support.running import Running

pytestmark = [pytest.mark.engine, pytest.mark.timeout(240)]

NOW = datetime.now(UTC).replace(microsecond=0)
PEOPLE: tuple[dict[str, str], ...] = (
    {
        "language": "zh", "name": "欧阳若溪", "phone": "13987654321", "mail": "ruoxi.ouyang@example.cn",
        "id": "11010519491231002X", "home": "杭州市西湖区文一西路98号7幢302室", "card": "6222021001122334457",
        "key": "sk-" + "proj-Ab12Cd34Ef56Gh78Ij90Kl12",
        "says": "我叫{name}，手机{phone}，邮箱{mail}，身份证{id}，住在{home}，银行卡{card}，密钥{key}。",
    },
    {
        "language": "en", "name": "Wilhelmina Ashdown", "phone": "+44 20 7946 0321",
        "mail": "w.ashdown@example.org",
        "id": "536-90-4399", "home": "17 Larkspur Lane, Guildford GU1 4RT", "card": "4539 1488 0343 6467",
        "key": "gh" + "p_Zx8Kq2Wm5Vt7Bn1Lc4Yd9Rf3Hj6Pq0aSdF",
        "says": "My name is {name}, phone {phone}, mail {mail}, SSN {id}, at {home}, card {card}, key {key}",
    },
)  # fmt: skip
SECRETS = tuple(value for one in PEOPLE for kind, value in one.items() if kind not in ("language", "says"))


def make_trace(number: int) -> Trace:
    """A trace with a person in every text of it, whose answer invents something."""
    one = PEOPLE[number % 2]
    said = one["says"].format(**one)
    word = "".join(chr(0x4E00 + ord(letter) * 31 % 6_000) for letter in f"{number:03}topic{number:03}")
    return Trace.model_validate(
        {
            "trace_id": f"t-{number}",
            "timestamp": NOW - timedelta(minutes=number + 1),
            "app": "helpdesk",
            "tenant": "acme",
            "language": one["language"],
            "conversation_id": one["mail"],
            "history": [{"role": "user", "content": said}, {"role": "assistant", "content": said}],
            "question": f"{word} {said}",
            "rewritten_query": f"{word} {one['name']} {one['phone']}",
            "retrieval": {
                "top_k": 5,
                "error": said if number % 3 == 0 else None,
                "chunks": [{"id": f"mail/{one['mail']}", "text": f"{word}: {said}", "score": 0.4, "rank": 1}],
            },
            "generation": {"model": "m", "error": None},
            "answer": f"{said} {word} 1847 Paris 42%.",
            "feedback": {"rating": -1, "comment": said},
            "extra": {"user": {"name": one["name"], "mobile": one["phone"]}, one["mail"]: said},
        }
    )


def verdict(number: int) -> dict[str, Any]:
    """A judge that quotes what it read."""
    one = PEOPLE[number % 2]
    said = one["says"].format(**one)
    return {
        "trace_id": f"t-{number}", "timestamp": f"{NOW:%F %T}.000", "app": "helpdesk", "judge": "strict",
        "model": "m-1", "failure": "healthy", "hallucination": 0.1, "failure_confidence": 0.9,
        "rationale": said, "root_cause": said, "suggested_fix": said, "sample_probability": 1.0,
        "created_at": f"{NOW:%F %T}.000",
    }  # fmt: skip


def require_clean(content: str | bytes, where: str) -> None:
    """Raises AssertionError where any of it is found, as it is or as JSON escapes it."""
    text = content if isinstance(content, str) else content.decode()
    plain = text.replace("\\/", "/")
    for value in SECRETS:
        assert value not in plain, (where, value)
        assert orjson.dumps(value).decode().strip('"') not in plain, (where, value)
        assert value.encode("unicode_escape").decode() not in plain, (where, value)


@pytest.fixture
def store(dsn: str) -> Iterator[ClickHouse]:
    client = connect(dsn)
    migrate(client)
    traces = [make_trace(number) for number in range(24)]
    rows = [
        encode(trace_row(judged, Provenance("rag.traces", 0, number, NOW), Sampling(), NOW))
        for number, judged in enumerate(judge_batch(traces, load_scorer()))
    ]
    client.insert_raw("traces", b"\n".join(rows))
    client.insert_raw("verdicts", b"\n".join(orjson.dumps(verdict(number)) for number in range(24)))
    yield client
    client.close()


@pytest.fixture
def shell(dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGPULSE_CLICKHOUSE__DSN", dsn)
    monkeypatch.setenv("RAGPULSE_ANNOTATION__LEASE_FILE", str(tmp_path / "leases.sqlite"))

    def run(*words: str) -> str:
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code in (0, 1), (done.exception, done.output)
        return done.output

    return run


def dump(store: ClickHouse, *tables: str) -> str:
    """All rows of tables, as text."""
    return "\n".join(
        orjson.dumps(row, default=str).decode()
        for table in tables
        for row in store.query(f"SELECT * FROM {table}")
    )


def test_the_search_would_find_what_is_not_redacted(store: ClickHouse) -> None:
    with pytest.raises(AssertionError):
        require_clean(dump(store, "traces"), "traces")


def test_nothing_personal_is_in_the_queues_tables_nor_in_anything_that_leaves_it(
    store: ClickHouse, shell: Callable[..., str], tmp_path: Path, capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:  # fmt: skip
    caplog.set_level(logging.DEBUG)
    turned = Filler(store, AnnotationSettings(votes=2)).turn(slack_s=0)
    assert len(turned.entered) >= 4
    require_clean(dump(store, "annotation_items"), "annotation_items")
    assert all(item.redactions for item in turned.entered)

    # Annotators write down what they know, which is not asked of them.
    one = PEOPLE[1]
    said = one["says"].format(**one)
    label = Annotation(
        failure="hallucination",
        claims=(ClaimLabel(text=said, start=0, end=5, supported=False),),
        gold_chunk_ids=("k1",),
        should_refuse=False,
        reference_answer=said,
        note=said,
    )
    with_leases = AnnotationQueue(store, LeaseBook(tmp_path / "leases.sqlite"))
    for who in ("anna", "ben"):
        for claimed in with_leases.claim(who, 20):
            with_leases.label(claimed.lease_id, who, label)
    with_leases.close()
    require_clean(dump(store, "annotation_items", "annotations"), "tables")

    # What leaves by commands.
    leaves = (
        ("annotate", "pull", "--peek", "--n", "100", "--with-scores", "--json"),
        ("annotate", "export", "--with-labels"),
        ("annotate", "export", "--with-labels", "--format", "label-studio"),
        ("annotate", "stats", "--json"),
        ("golden", "build", "helpdesk", "--why", "first", "--out", str(tmp_path / "golden.jsonl")),
        ("golden", "export", "helpdesk"),
    )
    for words in leaves:
        require_clean(shell(*words), " ".join(words[:2]))
    require_clean((tmp_path / "golden.jsonl").read_bytes(), "golden.jsonl")
    require_clean(dump(store, "golden_sets", "golden_cases"), "golden tables")
    require_clean((tmp_path / "leases.sqlite").read_bytes().decode("latin-1"), "leases")
    out, err = capfd.readouterr()
    require_clean(out + err + caplog.text, "logs")


@pytest.mark.broker
def test_nothing_personal_is_on_the_topic_nor_in_the_logs_of_the_filler_that_reads_it(
    embedded_broker: Any, store: ClickHouse, dsn: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    annotation = {"interval_s": 0.5, "lease_file": str(tmp_path / "leases.sqlite")}
    settings = isolated_settings(
        embedded_broker.address, annotation=annotation, clickhouse={"dsn": dsn, "timeout_s": 20.0}
    )
    topic = settings.kafka.topic(topics.ANNOTATION)
    cases = []
    for number in range(40, 44):
        message = {
            "trace": make_trace(number).model_dump(mode="json"),
            "scores": {"failure": None, "scorer_version": "s"},
            "sample": {"probability": 0.5, "reasons": ["x"]},
        }
        sampled = read_sampled(orjson.dumps(message), NOW)
        cases.append(annotation_case(sampled, DISAGREEMENT, [orjson.dumps(verdict(number))]))
    broken = orjson.dumps({"trace": {"question": PEOPLE[0]["says"].format(**PEOPLE[0]), "answer": None}})
    publish(embedded_broker.address, topic, [*cases, broken])
    metrics, health = AnnotationMetrics(), Health(SCHEMA, ASSIGNED)
    filler = Running("filler", metrics, health)
    filler._body = compose(settings, metrics, health).run
    filler.start()
    try:
        wait_until_committed(settings, "annotate", 5)
    finally:
        filler.stop()
    published = [message.value() or b"" for message in read_all(embedded_broker.address, topic)]
    for case in published:
        if case != broken:
            require_clean(case, topic)
    assert len(published) == 5
    require_clean(dump(store, "annotation_items"), "annotation_items")
    out, err = capfd.readouterr()
    require_clean(out + err, "logs")
