"""Which scorer and which traces a rescore means, and what it says where there is none such."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import pytest
from typer.testing import CliRunner

from judges.distilled import load_scorer
from judges.registry import Registry
from stream.cli import app
from stream.doctor import Check, State, examine
from stream.rescore.items import Period
from stream.scorers import ScorerRefused, choose_scorer
from stream.settings import Settings
from tests.support.weights import AT, damage, exchange, registry_of


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    registry = registry_of(tmp_path / "registry", "s-1", "s-2")
    registry.promote("s-1", AT)
    return registry


def test_the_serving_scorer_is_meant_unless_another_is_named(registry: Registry) -> None:
    assert choose_scorer(None, registry).version == "s-1"
    assert choose_scorer(None, None).version == load_scorer().version


@pytest.mark.parametrize("name", ["shipped", "rules", "s-2", "candidate"])
def test_a_scorer_has_a_name(registry: Registry, name: str) -> None:
    registry.shadow("s-2", AT)
    expected = {"shipped": load_scorer().version, "rules": load_scorer("rules").version}.get(name, "s-2")
    assert choose_scorer(name, registry).version == expected


def test_a_file_is_a_scorer_with_or_without_a_registry(registry: Registry) -> None:
    path = str(registry.path("s-2"))
    assert choose_scorer(path, None).version == choose_scorer(path, registry).version == "s-2"


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("s-9", "holds no scorer 's-9'"),
        ("candidate", "has no candidate"),
        ("s-2", "checksum"),
        ("nowhere.npz", "cannot be read"),
        ("../etc", "cannot name a scorer"),
    ],
)
def test_what_cannot_score_is_refused_in_one_sentence(registry: Registry, name: str, sentence: str) -> None:
    damage(registry, "s-2")
    with pytest.raises(ScorerRefused, match=sentence):
        choose_scorer(name, registry)


def test_files_of_another_version_are_not_taken_for_it(registry: Registry) -> None:
    exchange(registry, "s-2", "s-1")
    with pytest.raises(ScorerRefused, match="holds version 's-1', not 's-2'"):
        choose_scorer("s-2", registry)


def checks(registry: Registry) -> dict[str, Check]:
    settings = Settings.model_validate(
        {
            "scorer": {"registry": registry.folder},
            "kafka": {"brokers": "127.0.0.1:1"},
            "clickhouse": {"dsn": "http://127.0.0.1:1/x"},
        }
    )
    return {check.name: check for check in islice(examine(settings), 6)}


def test_the_doctor_names_who_serves_and_who_is_tried(registry: Registry) -> None:
    registry.shadow("s-2", AT)
    found = checks(registry)
    assert found["scorer"].detail == f"s-1 ({registry.folder}, RAGPULSE_SCORER__REGISTRY)"
    assert (found["candidate"].state, found["candidate"].detail) == (State.OK, "s-2")


def test_the_doctor_says_why_weights_are_refused(registry: Registry) -> None:
    damage(registry, "s-1")
    found = checks(registry)["scorer"]
    assert found.state is State.PROBLEM
    assert "checksum" in found.detail
    assert "RAGPULSE_SCORER__REGISTRY" in found.todo


def test_a_version_without_a_registry_says_which_setting_is_missing() -> None:
    with pytest.raises(ScorerRefused, match="RAGPULSE_SCORER__REGISTRY"):
        choose_scorer("s-1", None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--since", "tomorrowish"), "neither an ISO time"),
        (("--since", "1d", "--until", "2d"), "the period ends"),
        (("--since", "1d", "--offset", "0:1"), "add --from kafka"),
        (("--since", "1d", "--from", "kafka", "--offset", "one"), "PARTITION:OFFSET"),
        ((), "--since"),
    ],
)
def test_a_period_that_is_none_is_a_usage_error(arguments: tuple[str, ...], sentence: str) -> None:
    done = CliRunner().invoke(app, ["rescore", *arguments], env={"COLUMNS": "200"})
    assert done.exit_code == 2
    assert sentence in done.output


def test_a_period_holds_its_beginning_and_not_its_end() -> None:
    noon = datetime(2026, 11, 30, 12, tzinfo=UTC)
    period = Period(noon, noon + timedelta(hours=1), "")
    assert period.holds(noon, None)
    assert period.holds(noon, "")
    assert not period.holds(noon, "helpdesk")
    assert not period.holds(noon + timedelta(hours=1), None)
    assert Period(noon, noon + timedelta(hours=1)).holds(noon, "helpdesk")
