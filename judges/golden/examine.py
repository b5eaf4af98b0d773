"""What is wrong with a golden file that somebody edited, and what is only worth knowing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from judges.gate.metrics import METRICS
from judges.golden.case import GoldenCase
from judges.golden.file import Reading
from judges.golden.grow import asks
from judges.golden.redacting import redact_case
from schemas.golden import Kind


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found. An error makes the file unfit; anything else is worth a look."""

    line: int
    """From 1; 0 is the whole file."""
    case_id: str
    what: str
    is_error: bool


def examine(reading: Reading) -> list[Finding]:
    """Everything worth telling, errors first, then by line. Whether it is sealed is for `unsealed` to say."""
    found = [Finding(problem.line, "", problem.why, True) for problem in reading.problems]
    asked: dict[object, str] = {}
    for case in reading.golden.cases:
        line = reading.lines.get(case.case_id, 0)
        found += [Finding(line, case.case_id, what, error) for what, error in _about(case)]
        first = asked.setdefault(asks(case), case.case_id)
        if first != case.case_id:
            found.append(Finding(line, case.case_id, f"asks what {first} asks already", False))
    for kind, quota in reading.golden.quotas.items():
        if quota.missing:
            what = f"{kind}: {quota.have} of {quota.want} cases, {quota.missing} missing"
            found.append(Finding(0, "", what, False))
    return sorted(found, key=lambda one: (not one.is_error, one.line, one.case_id))


def unsealed(reading: Reading) -> list[Finding]:
    """What to say of a file whose cases are others than its version was made of; else nothing."""
    if reading.is_sealed or not reading.golden.name:
        return []
    said = reading.version_said or "(none)"
    what = f"the cases are version {reading.golden.version}, and the header says {said}: seal them (--seal)"
    return [Finding(1, "", what, True)]


def _about(case: GoldenCase) -> Iterator[tuple[str, bool]]:
    _, taken = redact_case(case)
    if taken:
        kinds = ", ".join(f"{count} × {kind}" for kind, count in sorted(taken.items()))
        yield f"holds what tells who somebody is: {kinds}", True
    for name in case.minima:
        if name not in METRICS:
            yield f"minima: there is no metric {name!r}; there are: {', '.join(METRICS)}", True
    for text in case.must_contain:
        if any(text.casefold() == other.casefold() for other in case.must_not_contain):
            yield f"must and must not contain {text[:60]!r}", True
    if case.should_refuse and (case.must_contain or case.reference_answer):
        yield "should be declined, and yet says what a right answer holds", True
    if case.kind is Kind.UNANSWERABLE and not case.should_refuse:
        yield "is unanswerable, and yet should not be declined", True
    if not case.should_refuse and not (case.gold_chunk_ids or case.reference_answer or case.must_contain):
        yield "says nothing that an answer could be held against", False
    if case.kind is Kind.MULTI_HOP and len(case.gold_chunk_ids) == 1:
        yield "is multi_hop with a single gold chunk", False


__all__ = ["Finding", "examine", "unsealed"]
