"""What Grafana's ClickHouse plugin does to a query before it is sent, for tests and benchmarks.

Macros and variables are filled in.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parent / "dashboards"
_MACRO = re.compile(r"\$__(timeFilter|timeInterval)\((\w+)\)")
_CONDITION = "$__conditionalAll("


@dataclass(slots=True, frozen=True)
class Shown:
    """What the user of a dashboard has chosen. A variable that is not in `chosen` selects everything."""

    since: datetime
    until: datetime
    interval_s: int = 60
    chosen: Mapping[str, str] | None = None


def dashboards() -> dict[str, dict[str, Any]]:
    """Every dashboard that is committed, by name."""
    return {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


def asked_of(board: Mapping[str, Any], kind: str) -> Iterator[tuple[str, str]]:
    """Where each query of a data source stands, and its text: panels, variables, annotations."""
    key = "expr" if kind == "prometheus" else "rawSql"
    for panel in board["panels"]:
        for target in panel.get("targets", ()):
            if key in target:
                yield f"panel {panel['title']}", target[key]
    if kind == "prometheus":
        return
    for variable in board.get("templating", {}).get("list", ()):
        if variable["type"] == "query":
            yield f"variable {variable['name']}", variable["query"]
    for note in board.get("annotations", {}).get("list", ()):
        if note.get("target", {}).get("rawSql"):
            yield f"annotation {note['name']}", note["target"]["rawSql"]


def asked_by_alerts(kind: str) -> Iterator[tuple[str, str]]:
    """The queries of Grafana's own alert rules to a data source, by the rule's title."""
    key = "expr" if kind == "prometheus" else "rawSql"
    file = json.loads((FOLDER.parent / "provisioning" / "alerting" / "ragpulse.json").read_text())
    for group in file["groups"]:
        for rule in group["rules"]:
            for step in rule["data"]:
                if key in step["model"]:
                    yield f"alert rule {rule['title']}", step["model"][key]


def expand(text: str, shown: Shown) -> str:
    """The query as ClickHouse gets it."""
    chosen = shown.chosen or {}
    text = _expand_conditions(text, chosen)
    text = _MACRO.sub(lambda found: _time(found[1], found[2], shown), text)
    text = text.replace("$__interval_s", str(shown.interval_s))
    for name, at in (("$__fromTime", shown.since), ("$__toTime", shown.until)):
        text = text.replace(name, f"toDateTime({int(at.timestamp())})")
    text = re.sub(r"\$\{(\w+):singlequote\}", lambda found: _quoted(chosen[found[1]]), text)
    text = re.sub(r"\$\{(\w+):raw\}", lambda found: chosen[found[1]], text)
    left = re.search(r"\$[\w{]+", text)
    assert left is None, f"{left[0]} is not filled in"
    return text


def _time(macro: str, column: str, shown: Shown) -> str:
    if macro == "timeFilter":
        since, until = int(shown.since.timestamp()), int(shown.until.timestamp())
        return f"{column} >= toDateTime({since}) AND {column} <= toDateTime({until})"
    return f"toStartOfInterval(toDateTime({column}), INTERVAL {shown.interval_s} second)"


def _expand_conditions(text: str, chosen: Mapping[str, str]) -> str:
    while _CONDITION in text:
        begin = text.index(_CONDITION)
        inside, end = _balanced(text, begin + len(_CONDITION))
        condition, name = inside.rsplit(",", 1)
        holds = f"({condition})" if name.strip().removeprefix("$") in chosen else "1=1"
        text = text[:begin] + holds + text[end:]
    return text


def _balanced(text: str, begin: int) -> tuple[str, int]:
    depth = 1
    for at in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[begin:at], at + 1
    raise ValueError("a bracket is not closed")


def _quoted(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
