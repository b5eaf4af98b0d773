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
