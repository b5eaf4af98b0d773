"""Golden sets in ClickHouse: written once a version, never changed, kept.

store = GoldenStore(client)
store.save(golden)
store.load("helpdesk"), store.load("helpdesk", "3f9a")     # the newest; the one that begins so
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from judges.golden.case import CaseRefused, GoldenCase, read_case
from judges.golden.golden_set import GoldenSet, Quota, in_order
from schemas.golden import Kind
from schemas.row import encode, stamp
from sinks.clickhouse.client import ClickHouse
from sinks.golden.errors import GoldenSetDamaged, NoSuchGoldenSet

_PAGE: Final = 500
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_HEADS: Final = """
SELECT name, version, parent, cases, made_by, made_at, why, have, wanted, languages
FROM golden_sets FINAL
WHERE ({name:String} = '' OR name = {name:String}) AND ({version:String} = '' OR version = {version:String})
"""
_CASES: Final = """
SELECT content FROM golden_cases FINAL
WHERE name = {name:String} AND version = {version:String}
ORDER BY case_id
"""


@dataclass(frozen=True, slots=True)
class Head:
    """One version of a set, without its cases."""

    name: str
    version: str
    parent: str
    cases: int
    who: str
    when: datetime
    why: str
    quotas: Mapping[Kind, Quota]
    languages: Mapping[str, int]


class GoldenStore:
    """The golden sets of one database. Every method may raise SinkError."""

    def __init__(self, client: ClickHouse) -> None:
        self._client = client

    def heads(self, name: str = "") -> list[Head]:
        """All versions (of one set), the newest first."""
        return newest_first(_head(row) for row in self._client.query(_HEADS, {"name": name, "version": ""}))

    def find(self, name: str, version: str = "") -> Head:
        """The newest version, or the one that begins so. Raises NoSuchGoldenSet."""
        found = [head for head in self.heads(name) if name and head.version.startswith(version)]
        if not found:
            what = f"{name}@{version}" if version else name
            raise NoSuchGoldenSet(f"There is no golden set {what}: see `ragpulse golden list`.")
        if version and len(found) > 1:
            raise NoSuchGoldenSet(f"{len(found)} versions of {name} begin with {version}: give more of it.")
        return found[0]

    def load(self, name: str, version: str = "") -> GoldenSet:
        """A version with its cases. Raises NoSuchGoldenSet, GoldenSetDamaged."""
        head = self.find(name, version)
        rows = self._client.query(_CASES, {"name": head.name, "version": head.version})
        golden = GoldenSet(
            name=head.name,
            cases=in_order(self._read_case(head, row["content"]) for row in rows),
            parent=head.parent,
            who=head.who,
            when=head.when,
            why=head.why,
            wanted={kind: quota.want for kind, quota in head.quotas.items()},
        )
        if golden.version != head.version:
            raise GoldenSetDamaged(
                f"{head.name}@{head.version} at {self._client.address} should have {head.cases} cases, and "
                f"those that are there ({len(golden.cases)}) are not what it was made of: import it again "
                "from its file."
            )
        return golden

    def _read_case(self, head: Head, content: str) -> GoldenCase:
        try:
            return read_case(orjson.loads(content))
        except (orjson.JSONDecodeError, CaseRefused) as error:
            raise GoldenSetDamaged(
                f"A case of {head.name}@{head.version} at {self._client.address} cannot be read ({error}): "
                "import it again from its file."
            ) from error

    def save(self, golden: GoldenSet) -> bool:
        """Store a version; false where it is there already, and stays as it is."""
        known = self._client.query(_HEADS, {"name": golden.name, "version": golden.version})
        if known and self._holds_all(golden):
            return False
        lines = list(_case_lines(golden))
        for start in range(0, len(lines), _PAGE):
            self._client.insert_raw("golden_cases", b"\n".join(lines[start : start + _PAGE]))
        if not known:
            self._client.insert_raw("golden_sets", encode(_set_row(golden)))
        return True

    def aim(self, name: str, version: str, wanted: Mapping[Kind, int]) -> None:
        """Want other numbers of cases: the one thing of a version that may change. Raises NoSuchGoldenSet."""
        head = self.find(name, version)
        row = _head_row(head) | {"wanted": {kind.value: count for kind, count in wanted.items()}}
        self._client.insert_raw("golden_sets", encode(row))

    def _holds_all(self, golden: GoldenSet) -> bool:
        rows = self._client.query(_CASES, {"name": golden.name, "version": golden.version})
        return len(rows) == len(golden.cases)


def newest_first(heads: Iterable[Head]) -> list[Head]:
    """A version is newer than the one that it grew from, whatever the clocks of their machines said."""
    known = {(head.name, head.version): head for head in heads}

    def line_of(head: Head) -> tuple[datetime, int]:
        """The latest time among a version and its ancestors, and how many of these there are."""
        latest, seen = head.when, {head.version}
        parent = known.get((head.name, head.parent))
        while parent is not None and parent.version not in seen:
            seen.add(parent.version)
            latest = max(latest, parent.when)
            parent = known.get((parent.name, parent.parent))
        return latest, len(seen)

    in_order_of_names = sorted(known.values(), key=lambda head: (head.name, head.version))
    return sorted(in_order_of_names, key=line_of, reverse=True)


def _head(row: Mapping[str, Any]) -> Head:
    have, wanted = row["have"], row["wanted"]
    made_at = row["made_at"]
    return Head(
        name=row["name"],
        version=row["version"],
        parent=row["parent"],
        cases=int(row["cases"]),
        who=row["made_by"],
        when=made_at.replace(tzinfo=UTC) if made_at.tzinfo is None else made_at.astimezone(UTC),
        why=row["why"],
        quotas={kind: Quota(int(have.get(kind, 0)), int(wanted.get(kind, 0))) for kind in Kind},
        languages={language: int(count) for language, count in sorted(row["languages"].items())},
    )


def _head_row(head: Head) -> dict[str, Any]:
    return {
        "name": head.name,
        "version": head.version,
        "parent": head.parent,
        "cases": head.cases,
        "made_by": head.who,
        "made_at": stamp(head.when),
        "why": head.why,
        "have": {kind.value: quota.have for kind, quota in head.quotas.items()},
        "languages": dict(head.languages),
    }


def _set_row(golden: GoldenSet) -> dict[str, Any]:
    return {
        "name": golden.name,
        "version": golden.version,
        "parent": golden.parent,
        "cases": len(golden.cases),
        "made_by": golden.who,
        "made_at": stamp(golden.when or _EPOCH),
        "why": golden.why,
        "have": {kind.value: quota.have for kind, quota in golden.quotas.items()},
        "wanted": {kind.value: quota.want for kind, quota in golden.quotas.items()},
        "languages": Counter(case.language for case in golden.cases),
    }


def _case_lines(golden: GoldenSet) -> Iterator[bytes]:
    for case in golden.cases:
        yield encode(
            {
                "name": golden.name,
                "version": golden.version,
                "case_id": case.case_id,
                "case_hash": case.digest,
                "kind": case.kind.value,
                "language": case.language,
                "intent": case.intent,
                "trace_id": case.trace_id,
                "content": encode(case.as_dict()).decode(),
            }
        )


__all__ = ["GoldenStore", "Head", "newest_first"]
