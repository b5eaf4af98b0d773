"""The console on a port, over a store that is filled: traffic, incidents, judges, labels, golden sets,
attacks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import orjson

from schemas.row import stamp
from sinks.annotation import AnnotationQueue, LeaseBook
from sinks.clickhouse.client import ClickHouse, connect
from sinks.clickhouse.rollup import roll_up
from stream.console.server import WebServer
from stream.embedded.engine import EmbeddedEngine
from tests.support.console import open_console
from tests.support.console_data import INCIDENT, Filled, fill, just_now
from tests.support.console_people import fill_golden, fill_queue, label_some
from tests.support.engine import ask
from tests.support.rows import trace_values

LOCAL: Final = frozenset({"127.0.0.1"})
HOSTILE: Final = "t-hostile"
PERSONAL: Final = "t-personal"
SECRETS: Final = ("anna.lindqvist@example.com", "13912345678")
"""What one trace holds that nobody but an admin may read."""
ATTACK: Final = (
    "<script>window.pwned=1;alert('q')</script><img src=x onerror=\"window.pwned=2;alert('i')\">"
    "</p></main><svg onload=window.pwned=3><iframe srcdoc='<script>parent.pwned=4</script>'></iframe>"
    "<a href=javascript:window.pwned=5>x</a>{{7*7}}\u202e\x00<style>*{display:none}</style>"
    '<form action="https://evil.example"><input name=csrf></form><!-- <base href="https://evil.example/">'
)
"""What somebody may type into a chat, or into a document."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the console is, and what it shows."""

    address: str
    store: ClickHouse
    queue: AnnotationQueue
    data: Filled
    dsn: str

    @property
    def pages(self) -> dict[str, str]:
        """One address of every page, by a name that is fit for a file."""
        case = self.data.case("hallucination", "en", tenant="lumen", rule="unsupported_claims", sampled=True)
        return {
            "live": "/?period=1h",
            "incidents": "/incidents",
            "incident": f"/incident/{INCIDENT}",
            "case": f"/case/{case['trace_id']}",
            "queue": "/queue",
            "golden": "/golden",
            "golden-set": "/golden/helpdesk",
            "judges": "/judges",
            "gaps": "/gaps?period=1h",
        }

    @staticmethod
    def moment(row: dict[str, Any]) -> float:
        """When a trace happened, in seconds since 1970."""
        return datetime.fromisoformat(row["timestamp"]).replace(tzinfo=UTC).timestamp()


@contextmanager
def open_site(
    engine: EmbeddedEngine, name: str, *, traces: int = 600, attacked: bool = True, **console: Any
) -> Iterator[Site]:
    """Fill a database of this name and serve the console over it. Ben has labelled, and Anna most of the
    same. `console`: what `open_console` takes besides."""
    dsn = engine.dsn_of(name)
    client = connect(dsn)
    data = fill(client, end=just_now(), traces=traces)
    leases = LeaseBook(None)
    queue = AnnotationQueue(client, leases)
    fill_queue(client)
    label_some(queue, "ben", 14)
    label_some(queue, "anna", 10, differs_every=5)
    fill_golden(client, data.traces, data.end)
    if attacked:
        attack(client)
        confide(client)
        roll_up(client)
    app = open_console(dsn, hosts=LOCAL, queue=queue, **console)
    with WebServer(app, "127.0.0.1", 0) as server:
        yield Site(f"http://127.0.0.1:{server.port}", client, queue, data, dsn)
    client.close()
    ask(engine.address, f"DROP DATABASE {name} SYNC")


def attack(client: ClickHouse) -> None:
    """A trace whose every text is hostile, with verdicts, feedback and an incident that are no better."""
    now = stamp(just_now())
    chunk = {"id": ATTACK, "doc_id": ATTACK, "text": ATTACK, "score": 0.5, "rerank_score": None, "rank": 1}
    claim = {
        "text": ATTACK, "start": 0, "end": 60, "support": 0.1, "chunk": 0, "chunk_id": ATTACK,
        "chunk_start": -5, "chunk_end": 10**9, "why": ATTACK,
    }  # fmt: skip
    texts = dict.fromkeys(
        ("question", "rewritten_query", "answer", "prompt_context", "feedback_comment", "generation_error",
         "retrieval_error", "tenant", "release_prompt", "intent", "model", "finish_reason", "rule",
         "conversation_id"),
        ATTACK,
    )  # fmt: skip
    row = trace_values(HOSTILE, failure="hallucination", first_failed_stage="generation", app="helpdesk")
    row |= texts | {
        "timestamp": now, "received_at": now, "scored_at": now, "language": "en", "refusal": True,
        "quadrant": "honest", "parametric_leak": True,
        "history": orjson.dumps([{"role": ATTACK, "content": ATTACK}]).decode(),
        "chunks": orjson.dumps([chunk]).decode(), "evidence": orjson.dumps([claim]).decode(),
        "because": orjson.dumps({ATTACK: ATTACK, "hallucination": 0.9}).decode(),
    }  # fmt: skip
    judged: dict[str, Any] = dict.fromkeys(
        ("rationale", "root_cause", "suggested_fix", "judge", "model"), ATTACK
    )
    said = {
        "text": ATTACK,
        "label": "supported",
        "claimed": "supported",
        "quote": ATTACK,
        "chunk": 0,
        "void": ATTACK,
    }
    client.insert_raw("traces", orjson.dumps(row))
    client.insert_raw(
        "verdicts",
        orjson.dumps(
            judged
            | {"trace_id": HOSTILE, "timestamp": now, "app": "helpdesk", "failure": "hallucination",
               "claims": orjson.dumps([said]).decode(), "created_at": now}
        ),
    )  # fmt: skip
    client.insert_raw(
        "incidents",
        orjson.dumps(
            {"incident_id": ATTACK, "status": "open", "severity": "ticket", "kind": "budget",
             "measure": "refusal", "segment": ATTACK, "app": "helpdesk", "onset": now,
             "detected_at": now, "updated_at": now, "release": ATTACK, "summary": ATTACK, "cases": [HOSTILE],
             "explanation": orjson.dumps({"splits": [{"segment": ATTACK}, 7]}).decode()}
        ),
    )  # fmt: skip


def confide(client: ClickHouse) -> None:
    """A trace with an address and a phone number in question, chunk and answer."""
    mail, phone = SECRETS
    text = f"Write to {mail} or call {phone}."
    now = stamp(just_now() - timedelta(hours=3))
    row = trace_values(PERSONAL, failure="healthy", app="helpdesk", language="en") | {
        "timestamp": now, "question": f"Is {mail} still right? My number is {phone}.", "answer": text,
        "chunks": orjson.dumps([{"id": "k1", "text": text, "score": 0.9, "rank": 1}]).decode(),
        "evidence": orjson.dumps([{
            "text": text, "start": 0, "end": len(text), "support": 0.9, "chunk": 0, "chunk_id": "k1",
            "chunk_start": 0, "chunk_end": len(text), "why": "",
        }]).decode(),
    }  # fmt: skip
    client.insert_raw("traces", orjson.dumps(row))


__all__ = ["ATTACK", "HOSTILE", "PERSONAL", "SECRETS", "Site", "attack", "confide", "open_site"]
