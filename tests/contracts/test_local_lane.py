"""The lane with the local judge, over a real broker: its model in a process of its own, without a key."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from stream.embedded.broker import EmbeddedBroker
from stream.judging.main import Chosen, run_judge
from stream.local.bench import identity_of_local, open_local_bench
from tests.support.judging import publish_sampled, verdicts_on
from tests.support.kafka import isolated_settings

pytestmark = pytest.mark.broker

TEXT = "The warranty lasts 24 months from the day of delivery."


def nothing(what: str, done: int, total: int) -> None:
    """Nobody watches."""


def test_what_arrives_is_judged_by_the_model_on_this_machine(
    embedded_broker: EmbeddedBroker, tmp_path: Path
) -> None:
    settings = isolated_settings(embedded_broker.address)
    model = tmp_path / "stand-in.gguf"
    model.write_bytes(b"GGUF")
    found = {"retrieval": {"chunks": [{"text": TEXT}]}, "question": "How long?", "language": "en"}
    publish_sampled(settings, ["good"], answer="The warranty lasts 24 months.", **found)
    publish_sampled(settings, ["bad"], answer="Refurbished devices carry thirteen extra vouchers.", **found)
    publish_sampled(settings, ["empty"], answer="Hello!", **found)
    opens = lambda observe: open_local_bench(model, nothing, "tests.support.stand_in_local")  # noqa: E731
    chosen, stop = Chosen(identity_of_local(model), opens), threading.Event()
    lane = threading.Thread(target=lambda: ended.append(run_judge(settings, stop, chosen)), daemon=True)
    ended: list[int] = []
    lane.start()
    try:
        rows = {row["trace_id"]: row for row in verdicts_on(settings, 3)}
    finally:
        stop.set()
        lane.join(30)
    assert ended == [0]
    assert (rows["good"]["faithfulness"], rows["bad"]["faithfulness"]) == (1.0, 0.0)
    assert rows["good"]["hallucination"] < 0.5 < rows["bad"]["hallucination"]
    assert rows["empty"]["error"] == "not_judgeable"
    assert {(row["judge"], row["model"], row["rubric"]) for row in rows.values()} == {
        ("local", "stand-in", "local_claims")
    }
    assert rows["bad"]["sample_probability"] == 0.5
