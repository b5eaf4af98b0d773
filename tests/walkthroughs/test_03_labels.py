"""Walk-through 3: from traffic to labels, from labels to a golden set, from a golden set to a gate.

The demo's traffic lies in ClickHouse, scored. The filler picks cases; two *simulated* annotators, who know
what was injected, label them on the command line, and neither sees what the other says. What they agree on
becomes a golden set, somebody adds a floor by hand, and a candidate that finds nothing any more is blocked.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from judges.distilled import load_scorer
from judges.golden import GoldenSet, load, save
from schemas.formats.own import decode
from schemas.row import Provenance, Sampling
from schemas.taxonomy import Failure
from schemas.trace import Trace
from sinks.clickhouse.client import connect
from sinks.clickhouse.migrate import migrate
from stream.cli import app
from stream.demo.traffic import Traffic
from stream.errors import RagpulseError
from stream.pipeline import judge_batch
from stream.worker.outputs import encode_judged

pytestmark = pytest.mark.engine

TRACES = 240
PULLED = 40
NOW = datetime.now(UTC)

Ragpulse = Callable[..., tuple[int, str]]


@pytest.fixture
def ragpulse(dsn: str, tmp_path: Path) -> Ragpulse:
    """The command: exit code and standard output."""
    env = {
        "RAGPULSE_CLICKHOUSE__DSN": dsn,
        "RAGPULSE_ANNOTATION__LEASE_FILE": str(tmp_path / "leases.sqlite"),
    }

    def run(*arguments: str | Path) -> tuple[int, str]:
        done = CliRunner().invoke(app, list(map(str, arguments)), env=env)
        if isinstance(done.exception, RagpulseError):
            return done.exception.exit_code, str(done.exception)
        assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
        return done.exit_code, done.stdout

    return run


def store_traffic(dsn: str) -> dict[str, str]:
    """The demo's traffic of two hours, as worker and sink would store it; what was injected, by trace."""
    moment = [NOW - timedelta(hours=2)]
    source = Traffic(5, lambda: moment[0])
    traces: list[Trace] = []
    injected: dict[str, str] = {}
    while len(traces) < TRACES:
        moment[0] += timedelta(hours=2) / (TRACES + 1)
        for message in source.next():
            if message.truth:
                (trace,) = decode(message.value)
                assert isinstance(trace, Trace)
                traces.append(trace)
                injected[trace.trace_id] = str(message.truth.failure)
    rows = [
        encode_judged(one, Provenance("rag.traces", 0, number, NOW), Sampling(True, 1.0, ("all",)), NOW).row
        for number, one in enumerate(judge_batch(traces, load_scorer()))
    ]
    client = connect(dsn)
    migrate(client)
    client.insert_raw("traces", b"\n".join(rows))
    client.close()
    return injected


def label(item: dict[str, Any], failure: str) -> dict[str, Any]:
    """What somebody who knows says: the class, and where a chunk answers the question, which."""
    trace = item["payload"]["trace"]
    chunks = (trace["retrieval"] or {}).get("chunks") or []
    if failure == Failure.EMPTY_RECALL:
        return {"failure": failure, "should_refuse": True}
    if failure in (Failure.SYSTEM_ERROR, Failure.REWRITE_FAILURE, Failure.POOR_RETRIEVAL) or not chunks:
        return {"failure": failure}
    answer = set(trace["answer"] or "")
    gold = max(chunks, key=lambda chunk: len(answer & set(chunk["text"] or "")))
    return {"failure": failure, "should_refuse": False, "gold_chunk_ids": [gold["id"]]}


def answer_of(golden: GoldenSet, *, finds: bool) -> bytes:
    """A candidate's answers: it reads what it finds out loud, and declines where there is nothing."""
    lines = []
    for case in golden.cases:
        chunks = [{"id": name, "text": text} for name, text in case.gold_texts.items()]
        if not finds:
            chunks = [{"id": "elsewhere", "text": "Nothing of interest. 无关内容。"}] if chunks else []
        said = (
            chunks[0]["text"].split("\n")[-1] if chunks else "Sorry, I cannot answer that. 抱歉，我无法回答。"
        )
        trace = {
            "trace_id": case.case_id, "question": case.question, "language": case.language,
            "retrieval": {"chunks": chunks}, "answer": said,
        }  # fmt: skip
        lines.append(orjson.dumps(trace))
    return b"\n".join(lines)


def test_what_people_agree_on_stops_a_bad_release(ragpulse: Ragpulse, dsn: str, tmp_path: Path) -> None:
    injected = store_traffic(dsn)

    # The filler chooses, redacts, and puts into the queue.
    code, out = ragpulse("annotate", "fill", "--once", "--json")
    assert code == 0
    assert orjson.loads(out)["entered"] > PULLED

    # Two people pull cases, write what they think into `label`, and push them back.
    for annotator in ("li", "wang"):
        code, out = ragpulse("annotate", "pull", "--n", PULLED, "--annotator", annotator, "--json")
        pulled = orjson.loads(out)
        assert code == 0
        for item in pulled["items"]:
            item["label"] = label(item, injected[item["trace_id"]])
        (tmp_path / "cases.json").write_bytes(orjson.dumps(pulled))
        code, out = ragpulse("annotate", "push", tmp_path / "cases.json", "--annotator", annotator, "--json")
        assert (code, orjson.loads(out)["stored"]) == (0, len(pulled["items"]))
    stats = orjson.loads(ragpulse("annotate", "stats", "--json")[1])
    assert stats["states"]["agreed"] > PULLED // 2
    assert stats["agreement"]["failure"]["kappa"]["value"] == 1.0

    # What they agree on becomes a golden set; who only named a class has said nothing of the truth.
    path = tmp_path / "helpdesk.jsonl"
    code, out = ragpulse("golden", "build", "helpdesk", "--why", "the first round", "--out", path, "--json")
    built = orjson.loads(out)
    assert code == 0
    assert built["cases"] == built["agreed"] - built["repeated_questions"] > 5
    assert built["quotas"]["unanswerable"]["have"] > 0
    assert built["quotas"]["single_hop"]["have"] > 0
    assert set(built["languages"]) == {"en", "zh"}

    # Somebody writes floors into the file; the file says that it was touched, until it is sealed.
    golden = load(path)
    text = path.read_bytes().replace(
        b'"kind": "single_hop"', b'"minima": {"hit_at_k": 1}, "kind": "single_hop"'
    )
    path.write_bytes(text)
    assert ragpulse("golden", "check", path)[0] == 1
    assert ragpulse("golden", "check", path, "--seal", "--why", "floors")[0] == 0
    assert load(path).parent == golden.version
    assert ragpulse("golden", "import", path)[0] == 0
    code, out = ragpulse("golden", "diff", f"helpdesk@{golden.version}", "helpdesk", "--exit-code")
    assert code == 1
    assert "| minima | – |" in out

    # The release that serves passes, and is what others are held against.
    suite = tmp_path / "suite.toml"
    suite.write_text('[suite]\ngolden = "helpdesk.jsonl"\nbaseline = "baseline.jsonl"\n')
    answers = tmp_path / "answers.jsonl"
    answers.write_bytes(answer_of(load(path), finds=True))
    code, out = ragpulse("gate", suite, "--answers", answers, "--save-baseline", tmp_path / "baseline.jsonl")
    assert code == 0, out
    assert ragpulse("gate", suite, "--answers", answers)[0] == 0

    # The next one finds nothing of use any more, and is stopped at the layer that is to blame.
    answers.write_bytes(answer_of(load(path), finds=False))
    code, out = ragpulse("gate", suite, "--answers", answers)
    assert code == 1
    assert "blocked" in out
    assert "retrieval" in out

    # A set that nobody sealed guards nothing: the gate does not go by it.
    save(golden, path)
    path.write_bytes(path.read_bytes().replace(b'"should_refuse": true', b'"should_refuse": false'))
    code, out = ragpulse("gate", suite, "--answers", answers)
    assert code == 2
    assert "seal" in out
