"""Golden sets in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sinks.golden import Head
from stream.golden.build import Built
from stream.terminal import printable


def head_lines(head: Head) -> Iterator[str]:
    """One version: what it is, and what is missing."""
    grown = f"from {head.parent}" if head.parent else "the first"
    languages = ", ".join(f"{count:,} {language or '?'}" for language, count in head.languages.items())
    cases = f"{head.cases:,} cases ({languages or 'none'})"
    yield f"{head.name}@{head.version}  {head.when:%F %T}  {cases}, {grown}"
    yield f"    {printable(head.who) or 'nobody'}: {printable(head.why) or 'no reason given'}"
    yield "    " + "  ".join(f"{kind} {quota.have}/{quota.want}" for kind, quota in head.quotas.items())


def head_facts(head: Head) -> dict[str, Any]:
    """The same as JSON."""
    return {
        "name": head.name,
        "version": head.version,
        "parent": head.parent,
        "cases": head.cases,
        "who": head.who,
        "when": head.when.isoformat(),
        "why": head.why,
        "quotas": {
            kind.value: {"have": quota.have, "want": quota.want, "missing": quota.missing}
            for kind, quota in head.quotas.items()
        },
        "languages": dict(head.languages),
    }


def built_lines(built: Built) -> Iterator[str]:
    """What was agreed on, what became of it, why the rest is no case, and the quotas."""
    gathered, growth = built.gathered, built.growth
    yield f"{gathered.labelled:,} labelled traces, {len(gathered.cases):,} of them agreed on"
    for reason, count in gathered.left_out.most_common():
        yield f"  {count:>6,}  left out: {reason}"
    yield f"{len(growth.golden.cases):,} cases: {len(growth.added):,} new, {len(growth.refreshed):,} changed"
    if growth.repeated:
        yield f"  {growth.repeated:>6,}  ask what another case asks already"
    if growth.otherwise:
        yield f"  {len(growth.otherwise):>6,}  of which labels say something else now (--refresh takes it)"
    if gathered.redacted:
        taken = ", ".join(f"{count:,} {kind}" for kind, count in gathered.redacted.most_common())
        yield f"taken out, for they tell who somebody is: {taken}"
    yield f"{'kind':<16} {'have':>6} {'want':>6} {'missing':>8}"
    for kind, quota in growth.golden.quotas.items():
        yield f"{kind:<16} {quota.have:>6,} {quota.want:>6,} {quota.missing or '':>8}"


__all__ = ["built_lines", "head_facts", "head_lines"]
