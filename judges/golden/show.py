"""Golden sets and their differences for people (Markdown) and for scripts (JSON)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from judges.golden.case import GoldenCase
from judges.golden.compare import Changed, Difference
from judges.golden.golden_set import GoldenSet

_SHOWN: Final = 200
"""Characters of a text in a table."""


def quota_facts(golden: GoldenSet) -> dict[str, dict[str, int]]:
    """Of every kind: how many there are, how many there should be, how many are missing."""
    return {
        kind.value: {"have": quota.have, "want": quota.want, "missing": quota.missing}
        for kind, quota in golden.quotas.items()
    }


def facts(golden: GoldenSet) -> dict[str, Any]:
    """What a version is, without its cases."""
    return {
        "name": golden.name,
        "version": golden.version,
        "parent": golden.parent,
        "cases": len(golden.cases),
        "who": golden.who,
        "when": golden.when.isoformat() if golden.when else None,
        "why": golden.why,
        "quotas": quota_facts(golden),
        "languages": dict(sorted(Counter(case.language for case in golden.cases).items())),
    }


def difference_facts(found: Difference) -> dict[str, Any]:
    """A difference as one JSON object."""
    return {
        "differs": bool(found),
        "old": facts(found.old),
        "new": facts(found.new),
        "added": [case.as_dict() for case in found.added],
        "removed": [case.as_dict() for case in found.removed],
        "changed": [
            {
                "case_id": one.new.case_id,
                "fields": {name: {"old": old, "new": new} for name, (old, new) in one.fields.items()},
            }
            for one in found.changed
        ],
    }


def difference_markdown(found: Difference) -> str:
    """A difference as a page: what came, went and changed, and what that does to the quotas."""
    old, new = found.old, found.new
    lines = [
        f"# {_cell(new.name)}: {old.version} → {new.version}",
        "",
        f"{len(found.added)} added, {len(found.removed)} removed, {len(found.changed)} changed; "
        f"{len(old.cases)} → {len(new.cases)} cases."
        if found
        else f"The same {len(new.cases)} cases.",
    ]
    if new.who or new.why:
        lines += ["", f"By {_cell(new.who) or 'nobody'}: {_cell(new.why) or 'no reason given'}"]
    lines += ["", "| kind | before | after | wanted |", "|---|---:|---:|---:|"]
    for kind, (before, after) in found.quotas.items():
        lines.append(f"| {kind} | {before.have} | {after.have} | {after.want} |")
    lines += _cases("Added", found.added)
    lines += _cases("Removed", found.removed)
    if found.changed:
        lines += ["", "## Changed"]
        for one in found.changed:
            lines += _change(one)
    return "\n".join(lines) + "\n"


def _cases(title: str, cases: tuple[GoldenCase, ...]) -> Iterator[str]:
    if not cases:
        return
    yield from (
        "",
        f"## {title}",
        "",
        "| case | kind | language | question | truth |",
        "|---|---|---|---|---|",
    )
    for case in cases:
        cells = (case.case_id, case.kind.value, case.language, case.question, _truth(case))
        yield f"| {' | '.join(map(_cell, cells))} |"


def _change(one: Changed) -> Iterator[str]:
    yield from ("", f"### {_cell(one.new.case_id)}: {_cell(one.new.question)}", "")
    yield from ("| field | before | after |", "|---|---|---|")
    for name, (old, new) in one.fields.items():
        yield f"| {name} | {_cell(_plain(old))} | {_cell(_plain(new))} |"


def _truth(case: GoldenCase) -> str:
    if case.should_refuse:
        return "decline"
    if case.reference_answer:
        return case.reference_answer
    return ", ".join(case.gold_chunk_ids)


def _plain(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cell(text: str) -> str:
    """Text of others in a table: one line, no markup of theirs, not too long."""
    line = "".join(letter if letter.isprintable() else "·" for letter in " ".join(text.split()))
    line = line if len(line) <= _SHOWN else f"{line[:_SHOWN]} …"
    for mark in "\\`*_[]|<>#":
        line = line.replace(mark, f"\\{mark}" if mark not in "<>" else {"<": "&lt;", ">": "&gt;"}[mark])
    return line


__all__ = ["difference_facts", "difference_markdown", "facts", "quota_facts"]
