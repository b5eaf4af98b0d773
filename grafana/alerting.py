"""Grafana's own alerting, as it provisions it: rules, where they go, and who is told.

Prometheus and the watch tell Alertmanager by themselves. What is left for Grafana is what only it sees,
since it asks both data sources: that the watch has fallen silent, or that Prometheus has. A rule on open
incidents is there too, paused: for those whose on-call lives in Grafana and who have no Alertmanager.
"""

from __future__ import annotations

import json
from typing import Any, Final

from grafana_foundation_sdk.builders import alerting, expr
from grafana_foundation_sdk.builders.expr import TypeReduce, TypeThreshold
from grafana_foundation_sdk.cog.builder import Builder
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.variants import Dataquery
from grafana_foundation_sdk.models.alerting import RelativeTimeRange, Rule

from grafana import parts

ALERTMANAGER: Final = "alertmanager"
GROUP: Final = "ragpulse.grafana"
FOLDER: Final = "ragpulse"
_EVALUATED_S: Final = 60
_LOOKS_BACK_S: Final = 600
_EXPRESSION: Final = "__expr__"

_WATCH_SILENT: Final = """
SELECT if(
    (SELECT count() FROM minute_rollup WHERE minute > now() - INTERVAL 10 MINUTE AND traces > 0) > 0,
    dateDiff('second', (SELECT max(computed_at) FROM rates WHERE at > now() - INTERVAL 1 DAY), now64(3)),
    0
) AS seconds"""
_INCIDENTS: Final = """
SELECT incident_id AS incident, severity, kind, measure, segment, app, tenant, language, 1 AS open
FROM incidents FINAL
WHERE status = 'open'"""


def provisioned() -> dict[str, Any]:
    """The one file, as Grafana reads it from `provisioning/alerting/`."""
    rules: list[Builder[Rule]] = [_watch_silent(), _prometheus_silent(), _incident_open()]
    group = alerting.RuleGroup(GROUP).folder_uid(FOLDER).interval(_EVALUATED_S).rules(rules)
    return {
        "apiVersion": 1,
        "contactPoints": [
            {
                "orgId": 1,
                "name": ALERTMANAGER,
                "receivers": [
                    {
                        "uid": "ragpulse-alertmanager",
                        "type": "prometheus-alertmanager",
                        "settings": {"url": "http://alertmanager:9093"},
                        "disableResolveMessage": False,
                    }
                ],
            }
        ],
        "policies": [{"orgId": 1, **_as_json(_policy())}],
        "groups": [_of_file(_as_json(group))],
    }


def _policy() -> alerting.NotificationPolicy:
    """Grouped as Alertmanager groups: it must hear of the end of things as soon as of their beginning."""
    policy = alerting.NotificationPolicy().receiver(ALERTMANAGER).group_by(["alertname", "app", "tenant"])
    return policy.group_wait("10s").group_interval("1m").repeat_interval("4h")


def _watch_silent() -> alerting.Rule:
    rule = _rule("ragpulse-watch-silent", "RagpulseWatchSilent", "page", _LOOKS_BACK_S, above=True)
    return (
        rule.with_query(_asked(parts.CLICKHOUSE.uid, parts.sql(_WATCH_SILENT, series=False)))
        .for_val("2m")
        .no_data_state("Alerting")
        .exec_err_state("Error")
        .annotations(
            {
                "summary": "Traces come, and for ten minutes the watch has written no rate",
                "remedy": "Does `ragpulse watch` run, what does its log say? No incident is found now.",
            }
        )
    )


def _prometheus_silent() -> alerting.Rule:
    rule = _rule(
        "ragpulse-prometheus-silent", "RagpulsePrometheusSilent", "page", 1, above=False, reduced="B"
    )
    up = parts.prom('sum(up{job="ragpulse"})')
    return (
        rule.with_query(_asked(parts.PROMETHEUS.uid, up))
        .with_query(_reduced("A", "B"))
        .for_val("5m")
        .no_data_state("Alerting")
        .exec_err_state("Alerting")
        .annotations(
            {
                "summary": "Prometheus does not answer, or hears of no ragpulse process",
                "remedy": "Is it up, does it find the processes? Its own rules cannot fire until then.",
            }
        )
    )


def _incident_open() -> alerting.Rule:
    rule = _rule("ragpulse-incident-open", "RagpulseIncidentOpen", "", 0, above=True)
    return (
        rule.with_query(_asked(parts.CLICKHOUSE.uid, parts.sql(_INCIDENTS, series=False)))
        .is_paused(True)
        .for_val("0s")
        .no_data_state("OK")
        .exec_err_state("Error")
        .annotations(
            {
                "summary": "{{ $labels.measure }} of {{ $labels.segment }} is worse than usual",
                "remedy": "/d/ragpulse-incident?var-incident={{ $labels.incident }}",
            }
        )
    )


def _rule(
    uid: str, title: str, severity: str, limit: float, *, above: bool, reduced: str = "A"
) -> alerting.Rule:
    """A rule that fires where its query is above, or below, the limit. Its last step is `C`."""
    rule = alerting.Rule(title).uid(uid).folder_uid(FOLDER).rule_group(GROUP).org_id(1).condition("C")
    rule = rule.with_query(_threshold(reduced, limit, above))
    return rule.labels({"severity": severity} if severity else {})


def _asked(source: str | None, query: Builder[Dataquery]) -> alerting.Query:
    made = alerting.Query("A").datasource_uid(source or "").model(query).query_type("")
    return made.relative_time_range(RelativeTimeRange(from_val=_LOOKS_BACK_S, to=0))


def _reduced(of: str, name: str) -> alerting.Query:
    step = TypeReduce().expression(of).reducer("last").ref_id(name)
    return _expression(name, step)


def _threshold(of: str, limit: float, above: bool) -> alerting.Query:
    evaluator = expr.ExprTypeThresholdConditionsEvaluator().params([limit]).type("gt" if above else "lt")
    step = TypeThreshold().expression(of).ref_id("C")
    return _expression("C", step.conditions([expr.ExprTypeThresholdConditions().evaluator(evaluator)]))


def _expression(name: str, step: Builder[Dataquery]) -> alerting.Query:
    made = alerting.Query(name).datasource_uid(_EXPRESSION).model(step).query_type("")
    return made.relative_time_range(RelativeTimeRange(from_val=0, to=0))


def _of_file(group: dict[str, Any]) -> dict[str, Any]:
    """A group as files have it, where Grafana's interface names the same things differently."""
    rules = [
        {name: value for name, value in rule.items() if name not in ("folderUID", "orgID", "ruleGroup")}
        for rule in group["rules"]
    ]
    for rule in rules:
        rule["data"].sort(key=lambda step: str(step["refId"]))
    return {"orgId": 1, "name": GROUP, "folder": FOLDER, "interval": f"{_EVALUATED_S}s", "rules": rules}


def _as_json(made: Builder[Any]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(made.build(), cls=JSONEncoder))
    return found


__all__ = ["ALERTMANAGER", "FOLDER", "GROUP", "provisioned"]
