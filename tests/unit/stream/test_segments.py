"""What a trace is counted under is a mapping that a deployment may set."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import orjson
import pytest
from typer.testing import CliRunner

from schemas.formats.assembly import DEFAULT, Segments, assemble
from schemas.trace import Trace
from stream.cli import app
from stream.settings import Settings
from tests.support.stand_in_collector import encode
from tests.unit.schemas.formats.spans import convert
from tests.unit.schemas.formats.writers_otel import openinference
from tests.unit.stream.test_span_files import request


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def test_each_part_of_the_mapping_is_a_setting() -> None:
    section = Settings().segments
    assert set(section.model_dump()) == {field.name for field in fields(Segments)}
    assert section.mapping() == DEFAULT


def test_a_list_replaces_the_built_in_one_and_leaves_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGPULSE_SEGMENTS__TENANT", '["org.id", "metadata:customer"]')
    mapping = Settings().segments.mapping()
    assert mapping.tenant == ("org.id", "metadata:customer")
    assert mapping.app == DEFAULT.app


def test_the_first_attribute_that_is_there_wins() -> None:
    spans = openinference()
    spans[0].attributes = {**spans[0].attributes, "metadata": '{"customer": "lumen"}', "tenant.id": "x"}
    mapping = Settings.model_validate(
        {"segments": {"tenant": ["org.id", "metadata:customer"]}}
    ).segments.mapping()
    found = assemble(spans, segments=mapping)
    assert isinstance(found, Trace)
    assert found.tenant == "lumen"
    assert convert(*spans).tenant == "x"


def test_convert_goes_by_the_mapping(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    message = request(1, parent=True)
    pair = message.resource_spans[0].scope_spans[0].spans[0].attributes.add()
    pair.key, pair.value.string_value = "org.id", "亿嘉和"
    (tmp_path / "spans.jsonl").write_bytes(encode(message, "otlp_json"))
    monkeypatch.setenv("RAGPULSE_SEGMENTS__TENANT", '["org.id"]')
    said = CliRunner().invoke(app, ["convert", "spans.jsonl"])
    assert orjson.loads(said.stdout)["tenant"] == "亿嘉和"


def test_a_trace_from_spans_remembers_the_span_to_attach_verdicts_to() -> None:
    spans = openinference()
    assert (convert(*spans).extra or {})["ragpulse_span"] == spans[0].span_id
    spans[0].span_id, spans[1].parent_id, spans[2].parent_id = "trace:7", "trace:7", "trace:7"
    assert "ragpulse_span" not in (convert(*spans).extra or {})
