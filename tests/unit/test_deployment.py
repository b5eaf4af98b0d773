"""The deployment files: compose, image, Prometheus, Alertmanager and Grafana configuration."""

from __future__ import annotations

import json
import re
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from prometheus_client import CollectorRegistry

from stream.endpoint import Endpoint, Health
from stream.settings import TelemetrySettings

ROOT = Path(__file__).resolve().parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tool() -> Run:
    """Run a program that may be absent, in which case the test is skipped, saying so."""

    def run(name: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
        return subprocess.run(
            [name, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
        )

    return run


@pytest.fixture
def make_secrets(tmp_path: Path) -> Run:
    """Run scripts/make-secrets on a folder of the test's own."""

    def run(folder: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, str(ROOT / "scripts" / "make-secrets"), str(tmp_path / folder)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    return run


def test_compose_accepts_the_file_on_a_fresh_clone(tool: Run) -> None:
    result = tool("docker-compose", "config", "--quiet")
    assert result.returncode == 0, result.stderr


def test_compose_starts_every_part() -> None:
    assert {"kafka", "clickhouse", "migrate", "worker", "sink"} <= SERVICES.keys()
    assert {"prometheus", "alertmanager", "grafana"} <= SERVICES.keys()


@pytest.mark.parametrize("name", SERVICES)
def test_every_port_is_bound_to_this_machine_alone(name: str) -> None:
    for port in SERVICES[name].get("ports", []):
        assert port.startswith("127.0.0.1:")


@pytest.mark.parametrize("name", SERVICES)
def test_every_image_has_a_pinned_version(name: str) -> None:
    assert re.fullmatch(r"[a-z/-]+:v?\d+\.\d+(\.\d+)+", SERVICES[name]["image"])


@pytest.mark.parametrize("name", [name for name in SERVICES if name != "migrate"])
def test_every_process_that_stays_has_a_health_check(name: str) -> None:
    if SERVICES[name]["image"].startswith("ragpulse:"):
        assert "HEALTHCHECK" in (ROOT / "Dockerfile").read_text()
    else:
        assert SERVICES[name]["healthcheck"]["test"][0] == "CMD"


@pytest.mark.parametrize("name", SERVICES)
def test_every_container_runs_as_nobody_in_particular_on_a_file_system_it_cannot_change(name: str) -> None:
    service = SERVICES[name]
    user = re.search(r"^USER (\d+:\d+)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)
    own = user[1] if user and service["image"].startswith("ragpulse:") else None
    assert str(service.get("user", own)).split(":")[0] not in {"None", "0", "root"}
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in service
    assert service.get("network_mode") != "host"
    assert "/tmp" in [mount.partition(":")[0] for mount in service["tmpfs"]]


@pytest.mark.parametrize("name", SERVICES)
def test_what_a_container_is_given_of_this_checkout_it_can_only_read(name: str) -> None:
    for mount in SERVICES[name].get("volumes", []):
        assert mount.split(":")[0] in COMPOSE["volumes"] or mount.endswith(":ro"), mount


def test_what_a_container_writes_to_is_a_volume_of_its_own_or_gone_with_it() -> None:
    held = [mount.split(":")[0] for one in SERVICES.values() for mount in one.get("volumes", [])]
    named = [volume for volume in held if volume in COMPOSE["volumes"]]
    assert sorted(named) == sorted(COMPOSE["volumes"]), "none is shared by two, none is unused"


def test_every_store_keeps_its_data_in_a_volume() -> None:
    for name in ("kafka", "clickhouse", "prometheus", "alertmanager", "grafana"):
        kept = {mount.split(":")[0] for mount in SERVICES[name]["volumes"]}
        assert kept & COMPOSE["volumes"].keys()


def test_no_password_stands_in_the_file() -> None:
    for service in SERVICES.values():
        for name in service.get("environment", {}):
            assert "PASSWORD" not in name or name.endswith("_FILE")


def test_every_secret_is_one_that_make_secrets_writes(make_secrets: Run, tmp_path: Path) -> None:
    make_secrets("s")
    written = {f".secrets/{path.name}" for path in (tmp_path / "s").iterdir()}
    for_people = {".secrets/console_admin_token"}
    assert {secret["file"] for secret in COMPOSE["secrets"].values()} | for_people == written


def test_make_secrets_writes_new_passwords_into_a_closed_folder(make_secrets: Run, tmp_path: Path) -> None:
    assert make_secrets("one").returncode == 0
    assert make_secrets("two").returncode == 0
    one, two = ((tmp_path / name / "clickhouse_password").read_text() for name in ("one", "two"))
    assert one != two
    assert len(one) >= 32
    assert stat.S_IMODE((tmp_path / "one").stat().st_mode) == 0o700


def test_make_secrets_keeps_what_is_in_use(make_secrets: Run, tmp_path: Path) -> None:
    make_secrets("s")
    before = (tmp_path / "s" / "clickhouse_password").read_text()
    assert make_secrets("s").returncode == 0
    assert (tmp_path / "s" / "clickhouse_password").read_text() == before


def test_make_secrets_does_not_mix_old_passwords_with_new(make_secrets: Run, tmp_path: Path) -> None:
    make_secrets("s")
    (tmp_path / "s" / "ragpulse.toml").unlink()
    result = make_secrets("s")
    assert result.returncode == 1
    assert "ragpulse.toml" in result.stderr


def test_the_secret_settings_are_settings_of_ours(
    make_secrets: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_secrets("s")
    monkeypatch.setenv("RAGPULSE_CONFIG", str(tmp_path / "s" / "ragpulse.toml"))
    from stream.settings import Settings

    password = (tmp_path / "s" / "clickhouse_password").read_text()
    dsn = Settings().clickhouse.dsn.get_secret_value()
    assert dsn == f"http://ragpulse:{password}@clickhouse:8123/ragpulse"


def test_the_admin_of_the_console_has_the_token_whose_hash_is_in_the_settings(
    make_secrets: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_secrets("s")
    monkeypatch.setenv("RAGPULSE_CONFIG", str(tmp_path / "s" / "ragpulse.toml"))
    from console.security.tokens import find_token
    from stream.console.entry import entry_of
    from stream.settings import Settings

    for name, value in SERVICES["console"]["environment"].items():
        monkeypatch.setenv(
            name, value if name != "RAGPULSE_CONFIG" else str(tmp_path / "s" / "ragpulse.toml")
        )
    token = (tmp_path / "s" / "console_admin_token").read_text()
    assert token not in (tmp_path / "s" / "ragpulse.toml").read_text()
    entry = entry_of(Settings().console)
    found = find_token(token, entry.config.tokens)
    assert found is not None
    assert found.role.word == "admin"
    assert {"localhost", "127.0.0.1"} <= entry.config.hosts


def test_the_reader_of_clickhouse_can_only_read(make_secrets: Run, tmp_path: Path) -> None:
    make_secrets("s")
    tree = ElementTree.parse(tmp_path / "s" / "clickhouse_reader.xml")
    grants = [query.text or "" for query in tree.iterfind("users/reader/grants/query")]
    assert grants
    assert all(grant.startswith("GRANT SELECT ON ") for grant in grants)
    assert tree.findtext("profiles/reader/readonly") == "2"


def test_prometheus_accepts_its_configuration(tool: Run) -> None:
    result = tool("promtool", "check", "config", "grafana/prometheus.yml")
    assert result.returncode == 0, result.stdout + result.stderr


def test_prometheus_rules_fire_when_they_should_and_only_then(tool: Run) -> None:
    result = tool("promtool", "test", "rules", "grafana/rules/ragpulse_test.yml")
    assert result.returncode == 0, result.stdout + result.stderr


def test_every_alert_is_tested_and_says_what_to_do() -> None:
    rules = yaml.safe_load((ROOT / "grafana/rules/ragpulse.yml").read_text())
    cases = yaml.safe_load((ROOT / "grafana/rules/ragpulse_test.yml").read_text())["tests"]
    alerts = {rule["alert"]: rule for group in rules["groups"] for rule in group["rules"] if "alert" in rule}
    fired = {c["alertname"] for t in cases for c in t["alert_rule_test"] if c.get("exp_alerts")}
    assert fired == alerts.keys()
    for name, alert in alerts.items():
        assert alert["labels"]["severity"] in {"page", "ticket", "none"}, name
        assert "remedy" in alert["annotations"] or alert["labels"]["severity"] == "none", name


def test_every_metric_in_a_rule_exists() -> None:
    from stream import telemetry

    named = "".join(path.read_text() for path in Path(telemetry.__file__).parent.glob("*.py"))
    text = (ROOT / "grafana/rules/ragpulse.yml").read_text()
    for name in set(re.findall(r"\bragpulse_[a-z_]+", text)):
        base = re.sub(r"_(total|bucket|sum|count)$", "", name)
        assert f'"{base}"' in named, name


def test_alertmanager_accepts_its_configuration(tool: Run) -> None:
    result = tool("amtool", "check-config", "grafana/alertmanager.yml")
    assert result.returncode == 0, result.stdout + result.stderr


def test_prometheus_scrapes_the_processes_that_compose_starts() -> None:
    config = yaml.safe_load((ROOT / "grafana" / "prometheus.yml").read_text())
    jobs = {job["job_name"]: job for job in config["scrape_configs"]}
    (found,) = jobs["ragpulse"]["dns_sd_configs"]
    assert set(found["names"]) <= SERVICES.keys()
    assert f"EXPOSE {found['port']}" in (ROOT / "Dockerfile").read_text()


def test_grafana_reads_from_services_that_compose_starts() -> None:
    config = yaml.safe_load((ROOT / "grafana/provisioning/datasources/ragpulse.yml").read_text())
    clickhouse, prometheus = config["datasources"]
    assert clickhouse["jsonData"]["host"] in SERVICES
    assert prometheus["url"] == "http://prometheus:9090"
    password = clickhouse["secureJsonData"]["password"]
    assert password == "$__file{/run/secrets/clickhouse_reader_password}"
    assert "clickhouse_reader_password" in SERVICES["grafana"]["secrets"]


def health_check(port: int | None) -> int:
    """Exit code of the image's health check, done here."""
    found = re.search(r"HEALTHCHECK .*?CMD (\[.*?\])\n", (ROOT / "Dockerfile").read_text(), re.DOTALL)
    assert found
    _, *arguments = json.loads(found[1])
    env = {"RAGPULSE_TELEMETRY__PORT": str(port)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=env, capture_output=True, timeout=60, check=False).returncode


def test_the_health_check_passes_while_the_loop_turns_and_not_after() -> None:
    now = 0.0
    health = Health("broker", stale_s=30.0, clock=lambda: now)
    with Endpoint(TelemetrySettings(port=0), CollectorRegistry(), health) as endpoint:
        port = endpoint.port
        assert health_check(port) == 0, "alive, though it still waits for the broker"
        now = 31.0
        assert health_check(port) != 0
        now = 0.0
        assert health_check(port) == 0
    assert health_check(port) != 0


def test_the_image_holds_the_packages_and_runs_as_nobody_in_particular() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for pattern in project["tool"]["setuptools"]["packages"]["find"]["include"]:
        package = pattern.rstrip("*")
        if (ROOT / package / "__init__.py").exists():
            assert f"COPY {package} {package}" in dockerfile
            assert f"!{package}\n" in (ROOT / ".dockerignore").read_text()
    assert re.search(r"^USER 10001:10001$", dockerfile, re.MULTILINE)
