"""Dashboards and alerting as JSON: `python -m grafana.build` writes it, `--check` says if it is in step."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, Final

from grafana_foundation_sdk.cog.encoder import JSONEncoder

from grafana.alerting import provisioned
from grafana.boards import incident, judges, overview, pipeline, releases, retrieval, segments

FOLDER: Final = Path(__file__).parent / "dashboards"
ALERTING: Final = Path(__file__).parent / "provisioning" / "alerting" / "ragpulse.json"
_OF_INTERVALS: Final = ("auto", "auto_count", "auto_min")
"""Fields of variables that hold an interval, which the builder writes into all of them."""
BOARDS: Final = (overview, incident, segments, releases, retrieval, judges, pipeline)


def dashboards() -> dict[str, dict[str, Any]]:
    """File name to dashboard, as Grafana reads it."""
    return {f"{board.UID.removeprefix('ragpulse-')}.json": _as_json(board) for board in BOARDS}


def text(board: dict[str, Any]) -> str:
    """How it is written: the same text for the same content."""
    return json.dumps(board, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def main(arguments: list[str]) -> int:
    """Write, or check; exit code 1 where files and code differ."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args(arguments).check
    made = {FOLDER / name: text(board) for name, board in dashboards().items()}
    made[ALERTING] = text(provisioned())
    differ = [path for path, body in made.items() if not path.exists() or path.read_text() != body]
    differ += [path for path in FOLDER.glob("*.json") if path not in made]
    if check:
        for path in differ:
            print(f"{path} is not what the code makes: run `make dashboards`", file=sys.stderr)
        return 1 if differ else 0
    for path in made:
        path.parent.mkdir(exist_ok=True)
    for path in differ:
        if path in made:
            path.write_text(made[path])
        else:
            path.unlink()
    print(f"{len(made) - 1} dashboards in {FOLDER}, alerting in {ALERTING}; {len(differ)} changed")
    return 0


def _as_json(board: Any) -> dict[str, Any]:
    made: dict[str, Any] = json.loads(json.dumps(board.build().build(), cls=JSONEncoder))
    for variable in made.get("templating", {}).get("list", ()):
        for name in _OF_INTERVALS:
            variable.pop(name, None)
    return made


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
