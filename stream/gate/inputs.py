"""The files of a gate: the suite, its golden set, the baseline, and what an index holds."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from judges.gate import baseline as baselines
from judges.gate.baseline import Baseline, BaselineRefused, Pins
from judges.gate.metrics import METRICS
from judges.gate.suite import Suite, SuiteRefused, read_suite
from judges.golden import GoldenFileBroken, GoldenSet, load
from stream.errors import SettingRefused
from stream.files.lines import FileProblem


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a gate reads before it asks anybody."""

    suite: Suite
    name: str
    golden: GoldenSet
    folder: Path
    """Of the suite: names of files in it are seen from here."""


def read_inputs(path: Path, *, golden: Path | None = None) -> Inputs:
    """The suite and its golden set. Raises SettingRefused or FileProblem, each in one sentence."""
    said = _read_toml(path)
    if golden is not None:
        said = {**said, "suite": {**said.get("suite", {}), "golden": str(golden.resolve())}}
    try:
        suite = read_suite(said)
    except SuiteRefused as error:
        raise SettingRefused(f"{path} is no suite: {error}.") from error
    return Inputs(suite, path.stem, _read_golden(path.parent / suite.suite.golden), path.parent)


def read_baseline(path: Path) -> Baseline:
    """A baseline from its file. Raises SettingRefused or FileProblem."""
    try:
        return baselines.read(path.read_bytes())
    except FileNotFoundError as error:
        raise FileProblem(
            f"There is no baseline {path}: make one of answers that count as good, with "
            f"--save-baseline {path}."
        ) from error
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error
    except BaselineRefused as error:
        raise SettingRefused(f"{path} cannot be used: {error}.") from error


def require_same(path: Path, baseline: Baseline, pins: Pins) -> None:
    """Raises SettingRefused where numbers of the baseline mean something else than those of now."""
    changed = baseline.pins.changed(pins)
    if changed:
        raise SettingRefused(
            f"The baseline {path} was measured otherwise, so nothing can be compared with it: "
            f"{'; '.join(changed)}. Make a new baseline: measure the answers of the system that counts as "
            f"good again, with --save-baseline {path}."
        )


def read_index(path: Path) -> frozenset[str]:
    """Ids of all chunks of an index: one a line, or JSON lines with `id`. Raises FileProblem."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error
    found = frozenset(_id_in(path, number, line) for number, line in enumerate(lines, 1) if line.strip())
    if not found:
        raise FileProblem(
            f"{path} holds no chunk id: an index with nothing in it is a mistake, not a measure."
        )
    return found


def _id_in(path: Path, number: int, line: bytes) -> str:
    line = line.strip()
    if not line.startswith(b"{"):
        return line.decode("utf-8", "replace")
    try:
        value = orjson.loads(line)["id"]
    except (orjson.JSONDecodeError, KeyError) as error:
        raise FileProblem(f"{path}, line {number}: no JSON object with an id.") from error
    return str(value)


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingRefused(f"{path} is no TOML: {error}.") from error


def _read_golden(path: Path) -> GoldenSet:
    try:
        golden = load(path)
    except GoldenFileBroken as error:
        raise SettingRefused(f"{error}.") from error
    except OSError as error:
        raise FileProblem(f"{path} cannot be read: {error.strerror}.") from error
    for case in golden.cases:
        for name in case.minima:
            if name not in METRICS:
                raise SettingRefused(
                    f"{path}: case {case.case_id} has a minimum of {name!r}; there are: {', '.join(METRICS)}."
                )
    if not golden.cases:
        raise SettingRefused(f"{path} holds no case: there is nothing to ask.")
    return golden


__all__ = ["Inputs", "read_baseline", "read_index", "read_inputs", "require_same"]
