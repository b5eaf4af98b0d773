"""What Grafana's alerting is provisioned with: of Grafana's own types, and pointing only at what is there."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import alerting as model

from grafana.alerting import provisioned
from grafana.build import ALERTING, text

FILE: dict[str, Any] = json.loads(ALERTING.read_text())
(GROUP,) = FILE["groups"]
RULES = [pytest.param(rule, id=rule["title"]) for rule in GROUP["rules"]]
ROOT = Path(__file__).resolve().parents[2]


def as_json(made: Any) -> Any:
    return json.loads(json.dumps(made, cls=JSONEncoder))


def test_the_file_that_is_committed_is_the_one_that_the_code_makes() -> None:
    assert ALERTING.read_text() == text(provisioned())


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_is_of_grafanas_type(rule: dict[str, Any]) -> None:
    asked = {**rule, "folderUID": GROUP["folder"], "ruleGroup": GROUP["name"], "orgID": GROUP["orgId"]}
    made = as_json(model.Rule.from_json(asked))
    # The type reads the model of a query by its own plugins; what is there is compared as it stands.
    for step, own in zip(made["data"], asked["data"], strict=True):
        step["model"] = own["model"]
    assert made == asked


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_asks_what_is_provisioned_and_decides_by_a_step_of_its_own(rule: dict[str, Any]) -> None:
    sources = yaml.safe_load((ROOT / "grafana/provisioning/datasources/ragpulse.yml").read_text())
    known = {source["uid"] for source in sources["datasources"]} | {"__expr__"}
    steps = {step["refId"]: step for step in rule["data"]}
    assert {step["datasourceUid"] for step in steps.values()} <= known
    last = steps[rule["condition"]]["model"]
    assert last["type"] == "threshold"
    assert last["expression"] in steps
    assert re.fullmatch(r"\d+[smh]", rule["for"])
    assert rule["noDataState"] in {"Alerting", "NoData", "OK"}
    assert rule["execErrState"] in {"Alerting", "Error", "OK"}
    assert rule["annotations"].keys() == {"summary", "remedy"}


def test_whoever_is_named_by_a_policy_exists_and_is_reached_where_compose_has_it() -> None:
    (policy,) = FILE["policies"]
    (contact,) = FILE["contactPoints"]
    assert policy["receiver"] == contact["name"]
    (receiver,) = contact["receivers"]
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    host = re.fullmatch(r"http://([a-z]+):\d+", receiver["settings"]["url"])
    assert host
    assert host[1] in services
    asked = {name: value for name, value in policy.items() if name != "orgId"}
    assert as_json(model.NotificationPolicy.from_json(asked)) == asked
    point = {"name": contact["name"], **receiver}
    assert as_json(model.ContactPoint.from_json(point)) == point


def test_incidents_are_told_by_the_watch_alone_unless_somebody_wants_otherwise() -> None:
    paused = {rule["title"] for rule in GROUP["rules"] if rule.get("isPaused")}
    assert paused == {"RagpulseIncidentOpen"}
