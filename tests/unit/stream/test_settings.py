"""One prefix renames all our topics, and leaves those of others alone."""

from __future__ import annotations

import pytest

from stream import topics
from stream.settings import Settings


@pytest.fixture(autouse=True)
def _no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGPULSE_CONFIG", "/nonexistent.toml")


def test_the_default_names_are_the_names_of_the_contract() -> None:
    kafka = Settings().kafka
    assert [kafka.topic(name) for name in topics.ALL] == list(topics.ALL)
    assert [source.name for source in kafka.sources] == ["rag.traces"]


def test_a_prefix_renames_every_topic_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGPULSE_KAFKA__TOPIC_PREFIX", "team-a.")
    kafka = Settings().kafka
    assert kafka.topic(topics.SCORED) == "team-a.scored"
    assert [source.name for source in kafka.sources] == ["team-a.traces"]


def test_sources_that_are_named_keep_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGPULSE_KAFKA__TOPIC_PREFIX", "team-a.")
    monkeypatch.setenv("RAGPULSE_KAFKA__SOURCES", '[{"name": "otlp_spans"}]')
    assert [source.name for source in Settings().kafka.sources] == ["otlp_spans"]


def source(**fields: str) -> dict[str, object]:
    return {"kafka": {"sources": [{"name": "otlp_spans", **fields}]}}


@pytest.mark.parametrize("form", ["auto", "ragpulse", "otlp_proto", "otlp_json", "langfuse"])
def test_a_source_may_have_any_format_that_is_read(form: str) -> None:
    assert Settings.model_validate(source(format=form)).kafka.sources[0].format == form


def test_an_unknown_format_is_answered_with_those_that_exist() -> None:
    with pytest.raises(ValueError, match=r"no format 'otlp'.*ragpulse.*otlp_proto"):
        Settings.model_validate(source(format="otlp"))


def test_spans_change_partition_only_where_a_topic_may_hold_them() -> None:
    assert not Settings().kafka.regroups
    assert not Settings.model_validate(source(format="ragpulse")).kafka.regroups
    assert Settings.model_validate(source(format="auto")).kafka.regroups
    assert Settings.model_validate(source(format="otlp_proto")).kafka.regroups
    assert not Settings.model_validate(source(format="otlp_proto", partitioned="yes")).kafka.regroups


def test_waits_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(ValueError, match="must not fall"):
        Settings.model_validate({"assembly": {"grace_s": 60, "quiet_s": 30}})
