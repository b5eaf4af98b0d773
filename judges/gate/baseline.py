"""The baseline: what was measured of a system that counts as good, and by whom. A file fit for git."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Final

from judges.gate.result import CaseResult

FORMAT: Final = 1
MEASURES: Final = 1
"""Raised whenever a metric of the gate comes to mean something else."""


class BaselineRefused(ValueError):
    """A file that is no baseline, or one that nothing can be compared with: what is wrong, in words."""


@dataclass(frozen=True, slots=True)
class Pins:
    """Who measured what: numbers are compared only under the same."""

    golden: str
    golden_version: str
    k: int
    scorer: str
    judges: tuple[str, ...] = ()
    """Models of the LLM judges, in order; none where they were not asked."""
    rubric: str = ""
    """Name and version."""
    panel: str = ""
    """How opinions of several judges become one."""
    served_by: tuple[str, ...] = ()
    """The models that the servers said answered."""
    measures: int = MEASURES

    def changed(self, now: Pins) -> list[str]:
        """What is different now, each in words; nothing where numbers can be compared."""
        said = {
            "golden": "the golden set",
            "golden_version": "the version of the golden set",
            "k": "k",
            "scorer": "the scorer",
            "judges": "the judges' model",
            "rubric": "the judges' rubric",
            "panel": "the rule of the panel",
            "served_by": "the model that the judges' server says answered",
            "measures": "the meaning of the gate's metrics",
        }
        return [
            f"{words} was {_told(getattr(self, name))}, and is {_told(getattr(now, name))}"
            for name, words in said.items()
            if getattr(self, name) != getattr(now, name)
        ]


@dataclass(frozen=True, slots=True)
class Past:
    """One case as it was."""

    values: Mapping[str, float]
    failed: tuple[str, ...] = ()
    """Keys of the checks that did not hold."""
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Baseline:
    """All cases as they were, and who measured them."""

    pins: Pins
    made_at: str
    cases: Mapping[str, Past] = field(default_factory=dict)


def baseline_of(pins: Pins, made_at: str, results: Iterable[CaseResult]) -> Baseline:
    """A baseline of what was measured now. Cases that nobody answered are no part of it."""
    return Baseline(
        pins,
        made_at,
        {
            one.case_id: Past(dict(one.values), tuple(check.key for check in one.failed), one.answer)
            for one in results
            if one.values
        },
    )


def dump(baseline: Baseline) -> bytes:
    """The file: one line a case, in order, so that git shows what changed."""
    head = json.dumps({"format": FORMAT, "made_at": baseline.made_at, "pins": asdict(baseline.pins)})
    lines = [
        json.dumps(
            {
                "case_id": case_id,
                "values": dict(sorted(past.values.items())),
                "failed": sorted(past.failed),
                "answer": past.answer,
            },
            ensure_ascii=False,
        )
        for case_id, past in sorted(baseline.cases.items())
    ]
    return "".join(f"{line}\n" for line in (head, *lines)).encode()


def read(data: bytes) -> Baseline:
    """A baseline from its file. Raises BaselineRefused."""
    try:
        head, *lines = [json.loads(line) for line in data.splitlines() if line.strip()]
        if head["format"] != FORMAT:
            raise BaselineRefused(f"it has format {head['format']!r}; {FORMAT} is known here")
        cases = {line["case_id"]: _past(line) for line in lines}
        return Baseline(_pins(head["pins"]), str(head["made_at"]), cases)
    except BaselineRefused:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BaselineRefused(f"it is no baseline of a gate ({type(error).__name__}: {error})") from error


def _pins(said: dict[str, Any]) -> Pins:
    known: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in said.items()
    }
    return Pins(**known)


def _past(line: dict[str, Any]) -> Past:
    values = {str(name): float(value) for name, value in line["values"].items()}
    if not all(0 <= value <= 1 for value in values.values()):
        raise BaselineRefused(f"case {line['case_id']!r} has a value beyond 0..1")
    return Past(values, tuple(map(str, line["failed"])), str(line["answer"]))


def _told(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value) or "none"


__all__ = ["FORMAT", "MEASURES", "Baseline", "BaselineRefused", "Past", "Pins", "baseline_of", "dump", "read"]
