"""Prometheus and Alertmanager themselves, for tests: started on free ports, stopped at the end."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import yaml

from stream.embedded.child import find_free_port

ALERTMANAGER = shutil.which("prometheus-alertmanager") or shutil.which("alertmanager")
PROMETHEUS = shutil.which("prometheus")


@contextmanager
def alertmanager(folder: Path, webhook: str) -> Iterator[str]:
    """One that passes on at once what it hears; yields its address."""
    assert ALERTMANAGER
    config = {
        "route": {"receiver": "hook", "group_wait": "0s", "group_interval": "1s", "group_by": ["incident"]},
        "receivers": [{"name": "hook", "webhook_configs": [{"url": webhook, "send_resolved": True}]}],
    }
    file, port = folder / "alertmanager.yml", find_free_port()
    file.write_text(yaml.safe_dump(config))
    command = [
        ALERTMANAGER, f"--config.file={file}", f"--storage.path={folder / 'alertmanager'}",
        f"--web.listen-address=127.0.0.1:{port}", "--cluster.listen-address=",
    ]  # fmt: skip
    with _running(command, f"http://127.0.0.1:{port}", folder / "alertmanager.log") as url:
        yield url


@contextmanager
def prometheus(folder: Path, targets: Mapping[str, str], rules: Path | None = None) -> Iterator[str]:
    """One that scrapes each `host:port` every second, by the name of its process; yields its address.

    Rules are evaluated every second as well, whatever they say themselves.
    """
    assert PROMETHEUS
    static = [{"targets": [target], "labels": {"process": name}} for name, target in targets.items()]
    config: dict[str, Any] = {
        "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
        "scrape_configs": [{"job_name": "ragpulse", "static_configs": static}],
    }
    if rules:
        quick = folder / "rules.yml"
        quick.write_text(re.sub(r"interval: \d+s", "interval: 1s", rules.read_text()))
        config["rule_files"] = [str(quick)]
    file, port = folder / "prometheus.yml", find_free_port()
    file.write_text(yaml.safe_dump(config))
    command = [
        PROMETHEUS, f"--config.file={file}", f"--storage.tsdb.path={folder / 'prometheus'}",
        f"--web.listen-address=127.0.0.1:{port}",
    ]  # fmt: skip
    with _running(command, f"http://127.0.0.1:{port}", folder / "prometheus.log") as url:
        yield url


def ask_prometheus(url: str, query: str) -> list[dict[str, Any]]:
    """The result of an instant query. Raises HTTPError where Prometheus does not understand it."""
    asked = f"{url}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
    with urllib.request.urlopen(asked, timeout=10) as answer:
        result: list[dict[str, Any]] = orjson.loads(answer.read())["data"]["result"]
    return result


@contextmanager
def _running(command: list[str], url: str, log: Path) -> Iterator[str]:
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=out)
    try:
        _wait_until_ready(url, process, log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def _wait_until_ready(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 30
    while True:
        assert process.poll() is None, log.read_text()[-2_000:]
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            pass
        assert time.monotonic() < until, log.read_text()[-2_000:]
        time.sleep(0.1)
