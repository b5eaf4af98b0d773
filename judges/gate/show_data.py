"""A decision for programs: JUnit XML, where failures are what blocks, and JSON with everything."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final
from xml.etree import ElementTree as Xml

from judges.gate.compare import Pairing, Row
from judges.gate.decide import Decision, LayerOutcome, State
from judges.gate.diff import Turned
from judges.gate.finding import ALL, Finding
from judges.gate.override import Outcome, Override
from judges.gate.result import CaseResult
from judges.gate.show import About

_NO_XML: Final = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_GENERAL: Final = "answers"


def junit(decision: Decision, about: About) -> bytes:
    """JUnit XML. A test fails where it blocks: there is a failure exactly where the gate says no.

    One suite a layer with one test a metric and stratum, and one suite with a test a case. What was not
    measured, or not looked at, is skipped and says why.
    """
    root = Xml.Element("testsuites", name=_clean(f"gate {about.name}"))
    for layer in decision.layers:
        _suite(root, layer.layer.value, _layer_tests(layer))
    if decision.others:
        _suite(
            root, _GENERAL, [_test(_GENERAL, one.metric or one.kind.value, one) for one in decision.others]
        )
    blocking = _blocking_cases(decision.findings)
    _suite(root, "cases", [_case_test(one, blocking.get(one.case_id)) for one in decision.results])
    Xml.indent(root)
    written: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def facts(decision: Decision, about: About) -> dict[str, Any]:
    """The decision as one JSON object. Null is not measured."""
    return {
        "gate": about.name,
        "blocked": decision.blocked,
        "stopped_at": decision.stopped_at.value if decision.stopped_at else None,
        "answers": about.answers,
        "baseline": about.baseline or None,
        "pins": asdict(about.pins),
        "findings": [_finding_facts(one) for one in decision.findings],
        "layers": [
            {
                "layer": one.layer.value,
                "state": one.state.value,
                "measures": [_row_facts(row) for row in one.rows],
            }
            for one in decision.layers
        ],
        "broke": [_turned_facts(one) for one in decision.diff.broke],
        "mended": [one.result.case_id for one in decision.diff.mended],
        "still_failing": list(decision.diff.still_failing),
        "cases": [_case_facts(one) for one in decision.results],
        "override": _override_facts(decision.override),
    }


def _suite(root: Xml.Element, name: str, tests: Sequence[Xml.Element]) -> None:
    suite = Xml.SubElement(root, "testsuite", name=name, tests=str(len(tests)))
    suite.set("failures", str(sum(test.find("failure") is not None for test in tests)))
    suite.set("skipped", str(sum(test.find("skipped") is not None for test in tests)))
    suite.set("errors", "0")
    suite.extend(tests)


def _layer_tests(layer: LayerOutcome) -> list[Xml.Element]:
    name = layer.layer.value
    if layer.state in (State.NOT_LOOKED_AT, State.NOT_MEASURED):
        test = _element(name, "everything")
        Xml.SubElement(test, "skipped", message=layer.state.value)
        return [test]
    seen: set[tuple[str, str]] = set()
    tests = []
    for one in layer.findings:
        tests.append(_test(name, f"{one.kind.value} {one.metric} of {one.stratum}", one))
        seen.add((one.metric, str(one.stratum)))
    for row in layer.rows:
        if (row.metric, str(row.stratum)) not in seen:
            test = _element(name, f"{row.metric} of {row.stratum}")
            if row.value is None:
                Xml.SubElement(test, "skipped", message="not measured")
            tests.append(test)
    return tests


def _test(suite: str, name: str, finding: Finding) -> Xml.Element:
    test = _element(suite, name)
    failure = Xml.SubElement(test, "failure", type=finding.kind.value, message=_clean(finding.message))
    failure.text = _clean("\n".join((finding.message, *finding.cases)))
    return test


def _case_test(one: CaseResult, finding: Finding | None) -> Xml.Element:
    test = _element("cases", one.case_id)
    said = "\n".join(f"{check.layer.value}: {check.key}: {check.detail}" for check in one.failed)
    if finding is not None:
        failure = Xml.SubElement(test, "failure", type=finding.kind.value, message=_clean(finding.message))
        failure.text = _clean(said)
    elif not one.values:
        Xml.SubElement(test, "skipped", message="nobody answered it")
    elif said:
        Xml.SubElement(test, "system-out").text = _clean(said)
    return test


def _blocking_cases(findings: Sequence[Finding]) -> dict[str, Finding]:
    blocking: dict[str, Finding] = {}
    for one in findings:
        for case_id in one.cases:
            blocking.setdefault(case_id, one)
    return blocking


def _element(suite: str, name: str) -> Xml.Element:
    return Xml.Element("testcase", classname=f"gate.{suite}", name=_clean(name))


def _clean(text: str) -> str:
    """Without the characters that no XML may hold."""
    return _NO_XML.sub("\ufffd", text)


def _finding_facts(one: Finding) -> dict[str, Any]:
    return {
        "kind": one.kind.value,
        "layer": one.layer.value if one.layer else None,
        "metric": one.metric or None,
        "by": one.stratum.by or None,
        "value": one.stratum.value or None,
        "message": one.message,
        "cases": list(one.cases),
        "numbers": {name: _rounded(value) for name, value in one.numbers.items()},
    }


def _row_facts(row: Row) -> dict[str, Any]:
    return {
        "metric": row.metric,
        "by": row.stratum.by or None,
        "of": row.stratum.value if row.stratum != ALL else None,
        "value": _rounded(row.value),
        "measured": row.measured,
        "possible": row.possible,
        "not_measured": dict(row.gaps),
        "against_baseline": None if row.pairing is None else _pair_facts(row.pairing),
    }


def _pair_facts(pair: Pairing) -> dict[str, Any]:
    return {
        "cases": len(pair.drops),
        "before": _rounded(pair.before),
        "after": _rounded(pair.after),
        "drop": _rounded(pair.drop),
        "low": _rounded(pair.low),
        "high": _rounded(pair.high),
        "chance": _rounded(pair.chance),
        "lost": list(pair.lost),
        "gained": pair.gained,
        "seen_from": pair.visible,
    }


def _turned_facts(turned: Turned) -> dict[str, Any]:
    return _case_facts(turned.result) | {"answer_before": turned.answered_before}


def _case_facts(one: CaseResult) -> dict[str, Any]:
    return {
        "case_id": one.case_id,
        **{name: value or None for name, value in one.strata.items()},
        "question": one.question,
        "answer": one.answer,
        "passed": one.passed,
        "failed": [
            {"check": check.key, "layer": check.layer.value, "detail": check.detail} for check in one.failed
        ],
        "values": dict(one.values),
        "not_measured": dict(one.gaps),
    }


def _override_facts(override: Override | None) -> dict[str, Any] | None:
    if override is None:
        return None
    return {
        "rate": _rounded(override.rate),
        "low": _rounded(override.interval.low),
        "high": _rounded(override.interval.high),
        "wanted": override.wanted,
        "made": len(override.results),
        "outcomes": {outcome.value: override.count(outcome) for outcome in Outcome},
        "probes": [asdict(one) for one in override.results],
    }


def _rounded(value: Any) -> Any:
    return round(value, 5) if isinstance(value, float) else value


__all__ = ["facts", "junit"]
