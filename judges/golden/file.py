"""The golden file: one header line, then one line of JSON a case, in the order of ids. Fit for git.

    {"golden": "helpdesk", "format": 1, "version": "3f…", "parent": "", "who": "li", "when": "…", "why": "…",
     "quotas": {"single_hop": {"have": 31, "want": 40}, …}}
    {"case_id": "g-01ab…", "kind": "single_hop", "language": "zh", "question": "…", …}

`version` is the hash of the cases. Whoever edits a case by hand changes it: `Reading.version_said` then
differs from the set's version, and `load` refuses the file until it is sealed anew.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import orjson

from judges.golden.case import CaseRefused, GoldenCase, Kind, read_case
from judges.golden.golden_set import NAME, VERSION, GoldenSet, in_order
from judges.whole_files import replace_file

FORMAT: Final = 1
_HEADER_KEYS: Final = frozenset({"golden", "format", "version", "parent", "who", "when", "why", "quotas"})
_MOST_WANTED: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a file, and on which line (from 1; 0 is the whole file)."""

    line: int
    why: str


class GoldenFileBroken(ValueError):
    """No golden file, or one that was edited and not sealed. `problems` has all that is wrong."""

    def __init__(self, name: str, problems: tuple[Problem, ...]) -> None:
        first = problems[0]
        where = f"{name}, line {first.line}" if first.line else name
        more = f" (and {len(problems) - 1:,} more)" if len(problems) > 1 else ""
        super().__init__(f"{where}: {first.why}{more}")
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Reading:
    """What a file holds, as far as it could be read."""

    golden: GoldenSet
    version_said: str
    """What the header says; the set's own version where nobody touched the cases."""
    lines: Mapping[str, int]
    """Line of each case by its id."""
    problems: tuple[Problem, ...]
    """Lines that are not in `golden`, headers that say nothing, ids that occur twice."""

    @property
    def is_sealed(self) -> bool:
        """Whether the cases are those that the version was made of."""
        return self.version_said == self.golden.version


def dump(golden: GoldenSet) -> bytes:
    """The file. The same set gives the same bytes."""
    header = {
        "golden": golden.name,
        "format": FORMAT,
        "version": golden.version,
        "parent": golden.parent,
        "who": golden.who,
        "when": golden.when.astimezone(UTC).isoformat(timespec="seconds") if golden.when else "",
        "why": golden.why,
        "quotas": {kind.value: {"have": q.have, "want": q.want} for kind, q in golden.quotas.items()},
    }
    lines = [header, *(case.as_dict() for case in in_order(golden.cases))]
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def read(data: bytes) -> Reading:
    """Read a file, broken lines and all: they are named in `problems`."""
    problems: list[Problem] = []
    golden, version_said = GoldenSet("", ()), ""
    cases: dict[str, GoldenCase] = {}
    at: dict[str, int] = {}
    seen_header = False
    for number, line in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            value = orjson.loads(line)
            if not seen_header:
                seen_header = True
                golden, version_said = _read_header(value)
                continue
            case = read_case(value)
            if case.case_id in at:
                raise CaseRefused(f"case {case.case_id!r} stands on line {at[case.case_id]} already")
        except orjson.JSONDecodeError as error:
            problems.append(Problem(number, f"no JSON: {error}"))
        except CaseRefused as error:
            problems.append(Problem(number, str(error)))
        else:
            cases[case.case_id], at[case.case_id] = case, number
    if not seen_header and not problems:
        problems.append(Problem(0, "the file is empty"))
    return Reading(golden.with_cases(cases.values()), version_said, at, tuple(problems))


def load(path: Path) -> GoldenSet:
    """A set from its file. Raises OSError; GoldenFileBroken where a line is wrong or the hash is another."""
    reading = read(path.read_bytes())
    if reading.problems:
        raise GoldenFileBroken(str(path), reading.problems)
    if not reading.is_sealed:
        raise GoldenFileBroken(
            str(path),
            (
                Problem(
                    1,
                    f"the cases are no longer those of version {reading.version_said or '(none)'}: somebody "
                    f"edited them; look at them with `ragpulse golden check {path}`, then seal them",
                ),
            ),
        )
    return reading.golden


def save(golden: GoldenSet, path: Path) -> None:
    """Write a set to its file, whole or not at all. Raises OSError."""
    replace_file(path, dump(golden))


def _read_header(value: Any) -> tuple[GoldenSet, str]:
    if not isinstance(value, dict) or not isinstance(value.get("golden"), str):
        raise CaseRefused('no golden file: its first line must be a header, {"golden": NAME, …}')
    unknown = sorted(value.keys() - _HEADER_KEYS)
    if unknown:
        raise CaseRefused(f"the header has no field {unknown[0]!r}")
    if value.get("format") != FORMAT:
        raise CaseRefused(f"format {value.get('format')!r} is not known here; {FORMAT} is")
    if not NAME.fullmatch(value["golden"]):
        raise CaseRefused("a set is called by letters, digits, dots, dashes and underscores, at most 100")
    texts = {key: value.get(key) or "" for key in ("version", "parent", "who", "when", "why")}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise CaseRefused(f"{key} must be a text")
    if texts["parent"] and not VERSION.fullmatch(texts["parent"]):
        raise CaseRefused(f"parent {texts['parent'][:40]!r} is no version")
    golden = GoldenSet(
        name=value["golden"],
        cases=(),
        parent=texts["parent"],
        who=texts["who"],
        when=_moment(texts["when"]),
        why=texts["why"],
        wanted=_wanted(value.get("quotas") or {}),
    )
    return golden, texts["version"]


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise CaseRefused(f"when {text[:40]!r} is no time") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _wanted(quotas: Any) -> dict[Kind, int]:
    """What a header says is wanted; `have` is counted, never believed."""
    if not isinstance(quotas, dict):
        raise CaseRefused("quotas must be an object by kind")
    wanted: dict[Kind, int] = {}
    for name, quota in quotas.items():
        want = quota.get("want") if isinstance(quota, dict) else quota
        if name not in set(Kind) or not isinstance(want, int) or isinstance(want, bool):
            raise CaseRefused(f"quotas: {name!r} must be a kind with a whole number that is wanted")
        if not 0 <= want <= _MOST_WANTED:
            raise CaseRefused(f"quotas: {name} cannot want {want}")
        wanted[Kind(name)] = want
    return {kind: wanted[kind] for kind in Kind if kind in wanted}


__all__ = ["FORMAT", "GoldenFileBroken", "Problem", "Reading", "dump", "load", "read", "save"]
