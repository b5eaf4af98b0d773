"""docs/INTEGRATE.md, done as it stands there: each program is run, each configuration read."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from judges.distilled import load_scorer
from schemas.formats.assembly import DEFAULT, Segments, assemble
from schemas.formats.foreign import SPAN_FORMATS
from schemas.formats.own import decode
from schemas.trace import Trace
from stream.embedded.broker import EmbeddedBroker
from stream.kafka.admin import ensure_topics
from stream.pipeline import judge_batch
from stream.settings import Settings
from tests.support.kafka import SCRIPT, read_until, unique
from tests.support.stand_in_collector import StandInCollector

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "INTEGRATE.md").read_text()
JARS = SCRIPT.parent / "jars"
BROKER, TOPIC = "127.0.0.1:9092", "rag.traces"


def blocks(language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def the_block(language: str, holding: str) -> str:
    """The one block of a language that holds this."""
    (found,) = [block for block in blocks(language) if holding in block]
    return found


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


# Plain producers.


def adapted(program: str, address: str, topic: str) -> str:
    """The program as a reader would change it: another broker, another topic."""
    assert BROKER in program
    assert TOPIC in program
    return program.replace(BROKER, address).replace(TOPIC, topic)


def new_topic(address: str) -> str:
    topic = unique("integrate")
    ensure_topics(Settings.model_validate({"kafka": {"brokers": address}}).kafka, [topic])
    return topic


def check_published(address: str, topic: str, name: str) -> None:
    """One trace of ours, keyed by its conversation, with nothing that we do not know, and healthy."""
    (message,) = read_until(address, topic, 1)
    (trace,) = decode(message.value() or b"")
    assert isinstance(trace, Trace)
    assert trace.trace_id == name
    assert (message.key() or b"").decode() == trace.conversation_id
    assert trace.unknown == {}
    assert trace.timestamp is not None
    (judged,) = judge_batch([trace], load_scorer())
    assert (judged.verdict.failure, judged.scores.faithfulness) == (None, 1.0)


@pytest.mark.broker
def test_the_producer_in_python_publishes_a_trace(embedded_broker: EmbeddedBroker) -> None:
    topic = new_topic(embedded_broker.address)
    program = adapted(the_block("python", "Producer("), embedded_broker.address, topic)
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
    check_published(embedded_broker.address, topic, "python-1")


@pytest.mark.kafka
def test_the_producer_in_java_publishes_a_trace(apache_kafka: str, tmp_path: Path) -> None:
    if shutil.which("javac") is None or not list(JARS.glob("kafka-clients-*.jar")):
        pytest.skip(f"needs a JDK, and kafka-clients in {JARS}")
    topic = new_topic(apache_kafka)
    program = the_block("java", "KafkaProducer")
    source = tmp_path / "Publish.java"
    source.write_text(adapted(program, apache_kafka, topic), encoding="utf-8")
    command = ["java", "-Dfile.encoding=UTF-8", "-cp", f"{JARS}/*", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    check_published(apache_kafka, topic, "java-1")


@pytest.mark.kafka
def test_the_producer_in_go_publishes_a_trace(apache_kafka: str, tmp_path: Path) -> None:
    if shutil.which("go") is None:
        pytest.skip("needs Go")
    topic = new_topic(apache_kafka)
    program = the_block("go", "kgo.NewClient")
    (tmp_path / "main.go").write_text(adapted(program, apache_kafka, topic), encoding="utf-8")
    for command in (["go", "mod", "init", "publish"], ["go", "mod", "tidy"]):
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode != 0:
            pytest.skip(f"franz-go cannot be had here: {done.stderr[-300:]}")
    done = subprocess.run(
        ["go", "run", "."], cwd=tmp_path, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stderr[-2_000:]
    check_published(apache_kafka, topic, "go-1")


# The Collector, and our settings beside it.

EXPORTER_KEYS = {"brokers", "traces", "logs", "partition_traces_by_id", "producer"}
"""Of the Collector's `kafka` exporter: what the page uses of its documented settings."""


def collector_configurations() -> list[dict[str, Any]]:
    """For traces, for logs, for files."""
    holding = ("topic: otlp_spans", "topic: otlp_logs", "file:")
    return [yaml.safe_load(the_block("yaml", text)) for text in holding]


def test_the_collectors_configurations_hang_together() -> None:
    whole, logs, file = collector_configurations()
    for configuration in (whole, logs):
        exporter = configuration["exporters"]["kafka"]
        assert exporter.keys() <= EXPORTER_KEYS
        for signal in exporter.keys() & {"traces", "logs"}:
            assert exporter[signal].keys() == {"topic", "encoding"}
            assert exporter[signal]["encoding"] in ("otlp_proto", "otlp_json")
        for name, pipeline in configuration["service"]["pipelines"].items():
            assert name in exporter, f"the exporter says nothing of {name}"
            assert set(pipeline["exporters"]) <= configuration["exporters"].keys()
    assert whole["service"]["pipelines"]["traces"]["receivers"] == list(whole["receivers"])
    assert file["exporters"].keys() == {"file"}


@pytest.mark.broker
def test_the_page_configures_what_the_stand_in_collector_of_the_tests_does(
    embedded_broker: EmbeddedBroker,
) -> None:
    collector = StandInCollector(embedded_broker.address)
    whole, logs, _ = collector_configurations()
    assert collector.topics == {
        "/v1/traces": whole["exporters"]["kafka"]["traces"]["topic"],
        "/v1/logs": logs["exporters"]["kafka"]["logs"]["topic"],
    }
    collector.close()


def exported(block: str) -> dict[str, str]:
    """What a shell block sets."""
    return dict(re.findall(r"(RAGPULSE_\w+)='?((?<=')[^']*|[^\s']+)'?", block))


def test_every_setting_on_the_page_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [variables for block in blocks("sh") if (variables := exported(block))]
    assert len(found) >= 4
    for variables in found:
        with monkeypatch.context() as patch:
            for name, value in variables.items():
                patch.setenv(name, value)
            Settings()


def test_the_topics_of_the_settings_are_those_of_the_collector(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, logs, _ = collector_configurations()
    second = exported(the_block("sh", "otlp_logs"))
    first = exported(the_block("sh", '{"name": "rag.traces"}, {"name": "otlp_spans"'))
    spans, events = whole["exporters"]["kafka"]["traces"], logs["exporters"]["kafka"]["logs"]
    monkeypatch.setenv("RAGPULSE_KAFKA__SOURCES", first["RAGPULSE_KAFKA__SOURCES"])
    own, foreign = Settings().kafka.sources
    assert own.name == TOPIC
    assert (foreign.name, foreign.format) == (spans["topic"], spans["encoding"])
    monkeypatch.setenv("RAGPULSE_KAFKA__SOURCES", second["RAGPULSE_KAFKA__SOURCES"])
    also_foreign, log = Settings().kafka.sources
    assert also_foreign.name == foreign.name
    assert (log.name, log.format) == (events["topic"], events["encoding"].replace("otlp", "otlp_logs"))
    assert log.format in SPAN_FORMATS


def test_every_verdict_that_is_sent_back_finds_its_address(monkeypatch: pytest.MonkeyPatch) -> None:
    from stream.export.main import DESTINATIONS, open_destination

    for name, value in exported(the_block("sh", "ragpulse export otlp")).items():
        monkeypatch.setenv(name, value)
    settings = Settings().export
    for name in DESTINATIONS:
        url, destination = open_destination(settings, name)
        assert url.startswith("http")
        assert destination.name == name
        assert f"ragpulse export {name}" in PAGE


# What a trace is counted under; and a retrieval of your own.


def test_the_page_tells_the_mapping_as_it_is() -> None:
    rows = re.findall(r"^\| `[\w.]+` \| `RAGPULSE_SEGMENTS__(\w+)` \| (.*?) \|$", PAGE, re.MULTILINE)
    told = {name.lower(): tuple(re.findall(r"`([^`]+)`", names)) for name, names in rows}
    assert told == {field.name: getattr(DEFAULT, field.name) for field in fields(Segments)}


def test_the_formats_on_the_page_are_those_that_exist() -> None:
    (told,) = re.findall(r"`--format` names one of (.*?)\. A Collector", PAGE, re.DOTALL)
    assert set(re.findall(r"`(\w+)`", told)) == {"ragpulse", *SPAN_FORMATS}


def test_a_retrieval_of_your_own_is_read_as_one() -> None:
    if importlib.util.find_spec("opentelemetry.sdk") is None:
        pytest.skip("needs opentelemetry-sdk: pip install -e '.[live]'")
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    kept, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(kept))
    passages = [SimpleNamespace(id="kb-8", text="保修期为两年。", score=0.8)]
    names: dict[str, Any] = {
        "json": __import__("json"),
        "tracer": provider.get_tracer("app"),
        "query": "保修多久？",
        "index": SimpleNamespace(search=lambda query: passages),
    }
    exec(the_block("python", "vector_search"), names)
    trace = assemble(spans_of(kept))
    assert isinstance(trace, Trace)
    assert trace.retrieval is not None
    assert [(c.id, c.text, c.score) for c in trace.retrieval.chunks or ()] == [
        ("kb-8", "保修期为两年。", 0.8)
    ]
    assert trace.question == "保修多久？"


def spans_of(kept: Any) -> list[Any]:
    """Finished spans by way of OTLP, as they would leave the application."""
    from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans

    read = SPAN_FORMATS["otlp_proto"](encode_spans(kept.get_finished_spans()).SerializeToString())
    assert isinstance(read, list)
    return read
