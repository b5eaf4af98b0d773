"""The manifests: valid by the schemas of those who read them, closed, and in step with us."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from stream import topics
from stream.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
SCHEMAS = ROOT / "tests" / "data" / "kubernetes"
FOREIGN = {"ScaledObject", "ServiceMonitor"}
VERSIONS = ("1.31.0", "1.37.0")
"""Of Kubernetes: the oldest and the newest that the manifests are held to."""
ALONE = {"watch", "filler", "console", "judge"}
"""Processes of which there may be only one."""

Manifest = dict[str, Any]


def manifests() -> Iterator[tuple[str, Manifest]]:
    for path in sorted(FOLDER.rglob("*.yaml")):
        if path.name != "kustomization.yaml":
            for manifest in yaml.safe_load_all(path.read_text(encoding="utf-8")):
                yield f"{path.stem}-{manifest['kind']}-{manifest['metadata']['name']}", manifest


ALL = dict(manifests())
PODS = {name: m["spec"]["template"] for name, m in ALL.items() if m["kind"] in ("Deployment", "Job")}
DEPLOYMENTS = {m["metadata"]["name"]: m for m in ALL.values() if m["kind"] == "Deployment"}

each_pod = pytest.mark.parametrize("name", PODS)


@pytest.fixture(scope="module")
def validate() -> Callable[..., object]:
    """The validator of Kubernetes' own kinds; its schemas are large, so it is an extra."""
    module = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate is not installed (extra `manifests`)"
    )
    return module.validate


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("name", [name for name, m in ALL.items() if m["kind"] not in FOREIGN])
def test_a_manifest_is_valid_in_every_field(name: str, version: str, validate: Callable[..., object]) -> None:
    validate(ALL[name], version, strict=True)


def test_a_manifest_with_a_misspelt_field_is_found(validate: Callable[..., object]) -> None:
    wrong = json.loads(json.dumps(DEPLOYMENTS["worker"]))
    wrong["spec"]["template"]["spec"]["containers"][0]["securityContext"]["readOnlyRootFileSystem"] = True
    with pytest.raises(import_module("kubernetes_validate").ValidationError):
        validate(wrong, VERSIONS[-1], strict=True)


@pytest.mark.parametrize("name", [name for name, m in ALL.items() if m["kind"] in FOREIGN])
def test_what_operators_read_is_valid_in_every_field(name: str) -> None:
    schema = json.loads((SCHEMAS / f"{ALL[name]['kind']}.json").read_text(encoding="utf-8"))
    jsonschema.validate(ALL[name], schema)
    spoilt = ALL[name] | {"spec": ALL[name]["spec"] | {"unheardOf": 1}}
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(spoilt, schema)


def test_every_file_is_named_in_the_kustomization_and_every_name_is_a_file() -> None:
    text = (FOLDER / "kustomization.yaml").read_text(encoding="utf-8")
    for path in FOLDER.rglob("*.yaml"):
        if path.name != "kustomization.yaml":
            assert f"- {path.relative_to(FOLDER)}" in text
    for name in yaml.safe_load(text)["resources"]:
        assert (FOLDER / name).is_file()


@each_pod
def test_a_process_runs_as_nobody_in_particular_and_can_write_nowhere_but_where_it_is_meant_to(
    name: str,
) -> None:
    spec = PODS[name]["spec"]
    (container,) = spec["containers"]
    assert spec["securityContext"]["runAsNonRoot"] is True
    assert (
        "USER {runAsUser}:{runAsGroup}".format(**spec["securityContext"]) in (ROOT / "Dockerfile").read_text()
    )
    assert spec["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert spec["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert "memory" in container["resources"]["limits"]
    for mount in container["volumeMounts"]:
        assert mount.get("readOnly") or mount["mountPath"] in ("/tmp", "/var/lib/ragpulse")


@each_pod
def test_settings_of_a_pod_are_settings_of_ours_and_no_secret_stands_in_it(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (container,) = PODS[name]["spec"]["containers"]
    common = next(m["data"] for m in ALL.values() if m["kind"] == "ConfigMap")
    assert container["envFrom"] == [{"configMapRef": {"name": "ragpulse"}}]
    for variable in container.get("env", []):
        if "valueFrom" in variable:
            assert variable["valueFrom"].keys() == {"secretKeyRef"}
        else:
            assert not {"KEY", "TOKEN", "PASSWORD", "SECRET", "DSN"} & set(variable["name"].split("_"))
    for variable in [*container.get("env", []), *({"name": k, "value": v} for k, v in common.items())]:
        monkeypatch.setenv(variable["name"], variable.get("value", "sk-of-a-secret"))
    monkeypatch.setenv("RAGPULSE_CONFIG", str(tmp_path / "none.toml"))
    assert Settings().kafka.partitions == int(common["RAGPULSE_KAFKA__PARTITIONS"])


@each_pod
def test_a_command_of_a_pod_exists(name: str) -> None:
    from typer.main import get_command

    from stream.cli import app

    command: Any = get_command(app)
    for word in PODS[name]["spec"]["containers"][0]["args"]:
        if hasattr(command, "commands"):
            command = command.commands[word]
    assert not hasattr(command, "commands")


def test_what_must_be_one_is_never_two_not_even_while_it_is_replaced() -> None:
    for name in ALONE:
        assert DEPLOYMENTS[name]["spec"]["replicas"] == 1
        assert DEPLOYMENTS[name]["spec"]["strategy"] == {"type": "Recreate"}
    budgets = {m["metadata"]["name"]: m for m in ALL.values() if m["kind"] == "PodDisruptionBudget"}
    assert budgets.keys() == DEPLOYMENTS.keys() - ALONE - {"export"}
    for name in budgets:
        assert DEPLOYMENTS[name]["spec"]["replicas"] >= 2


def test_no_more_workers_than_partitions() -> None:
    settings = Settings()
    common = next(m["data"] for m in ALL.values() if m["kind"] == "ConfigMap")
    partitions = int(common["RAGPULSE_KAFKA__PARTITIONS"])
    scaled = next(m["spec"] for m in ALL.values() if m["kind"] == "ScaledObject")
    by_cpu = next(m["spec"] for m in ALL.values() if m["kind"] == "HorizontalPodAutoscaler")
    assert scaled["maxReplicaCount"] == by_cpu["maxReplicas"] == partitions
    (trigger,) = scaled["triggers"]
    assert trigger["metadata"]["topic"] == settings.kafka.topic(topics.TRACES)
    assert trigger["metadata"]["consumerGroup"] == f"{settings.kafka.group_prefix}-worker"
    assert trigger["metadata"]["bootstrapServers"] == common["RAGPULSE_KAFKA__BROKERS"]
    assert all(isinstance(value, str) for value in trigger["metadata"].values())


@pytest.mark.parametrize("name", DEPLOYMENTS)
def test_a_selector_finds_its_own_pods(name: str) -> None:
    labels = PODS[next(key for key in PODS if key.endswith(f"-Deployment-{name}"))]["metadata"]["labels"]
    for manifest in ALL.values():
        if manifest["metadata"]["name"] == name and "selector" in manifest["spec"]:
            selector = manifest["spec"]["selector"]
            assert (selector.get("matchLabels") or selector).items() <= labels.items()
    assert DEPLOYMENTS[name]["spec"]["selector"]["matchLabels"] == labels


def test_prometheus_sees_the_job_and_the_label_that_the_rules_ask_for() -> None:
    monitor = next(m for m in ALL.values() if m["kind"] == "ServiceMonitor")
    service = next(m for m in ALL.values() if m["metadata"]["name"] == "ragpulse-metrics")
    assert monitor["spec"]["selector"]["matchLabels"].items() <= service["metadata"]["labels"].items()
    assert service["metadata"]["labels"][monitor["spec"]["jobLabel"]] == "ragpulse"
    assert 'job="ragpulse"' in (ROOT / "grafana/rules/ragpulse.yml").read_text()
    for template in PODS.values():
        ports = {p["name"]: p["containerPort"] for p in template["spec"]["containers"][0].get("ports", [])}
        assert ports.get("metrics", 9464) == service["spec"]["ports"][0]["port"]
