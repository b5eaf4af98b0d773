"""Whoever is woken finds the alert in the runbook, and nothing there is out of date."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "grafana" / "rules" / "ragpulse.yml"
RUNBOOK = (ROOT / "docs" / "RUNBOOK.md").read_text(encoding="utf-8")
OF_THE_WATCH = "RagpulseIncident"
"""Told by the watch itself, not by a rule of Prometheus."""


def alerts() -> dict[str, dict[str, Any]]:
    groups = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule for group in groups for rule in group["rules"] if "alert" in rule}


def sections() -> dict[str, str]:
    parts = re.split(r"^### (\S+)\n", RUNBOOK, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_alert_has_its_section_and_every_section_its_alert() -> None:
    assert sections().keys() == alerts().keys() | {OF_THE_WATCH}


@pytest.mark.parametrize("name", alerts())
def test_a_section_says_what_it_means_what_to_check_and_what_to_do(name: str) -> None:
    for step in ("- **Means**", "- **Check**", "- **Do**"):
        assert sections()[name].count(step) == 1


@pytest.mark.parametrize("name", alerts())
def test_an_alert_leads_to_its_section(name: str) -> None:
    assert alerts()[name]["annotations"]["runbook"] == f"docs/RUNBOOK.md#{name.lower()}"


def test_metrics_and_settings_that_it_names_exist() -> None:
    metrics = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "stream/telemetry").glob("*.py"))
    for metric in set(re.findall(r"`(ragpulse_[a-z_]+)`", RUNBOOK)):
        assert f'"{metric.removesuffix("_total")}"' in metrics, metric
    settings = (ROOT / "docs" / "SETTINGS.md").read_text(encoding="utf-8")
    for setting in set(re.findall(r"`(RAGPULSE_[A-Z]+__[A-Z_]+)`", RUNBOOK)):
        assert setting in settings, setting


def test_every_command_of_kafka_says_which_broker() -> None:
    commands = re.findall(r"\bkafka-(?:configs|consumer-groups)\b\s[^`]*", RUNBOOK)
    assert len(commands) >= 2
    for command in commands:
        assert "--bootstrap-server" in command, command


def test_a_rollback_starts_all_that_wait_for_a_migration_without_it() -> None:
    """The older one refuses the newer schema, and would hold up whatever waits for its success."""
    (command,) = re.findall(r"`docker compose up -d --no-deps ([a-z ]+)`", RUNBOOK)
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))["services"]
    waiting = {name for name, service in services.items() if "migrate" in service.get("depends_on", {})}
    assert waiting
    assert waiting <= set(command.split()) <= services.keys()
    assert "migrate" not in command.split()
