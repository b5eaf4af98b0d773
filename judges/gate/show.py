"""A decision for people: Markdown, for a page or a comment. What others wrote is shown, never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from judges.gate.baseline import Pins
from judges.gate.compare import Row
from judges.gate.decide import Decision, LayerOutcome, State
from judges.gate.diff import Turned
from judges.gate.finding import ALL, Finding
from judges.gate.override import Outcome, Override
from judges.gate.suite import Suite

_MOST_CASES: Final = 50
_QUESTION_CHARS: Final = 90
_ANSWER_CHARS: Final = 120
_MARKS: Final = re.compile(r"[\\`*<>|~&]|\](?=[(\[:])")
_NOBODY: Final = "@\u200b"
"""An @ that calls nobody."""
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+")


@dataclass(frozen=True, slots=True)
class About:
    """What was held against what."""

    suite: Suite
    name: str
    """Of the suite."""
    pins: Pins
    answers: str
    """Where the answers come from."""
    baseline: str
    """The baseline's file and when it was made; empty without one."""


def markdown(decision: Decision, about: About) -> str:
    """The report."""
    lines = [
        f"# Gate {escaped(about.name)}: {'blocked' if decision.blocked else 'passed'}",
        "",
        _sentence(decision),
        "",
        *_facts(decision, about),
        "",
        *_findings(decision.findings),
        *_layers(decision),
        *_measures(decision, about),
        *_diff(decision),
        *_unmeasured(decision),
        *_probes(decision.override),
    ]
    return "\n".join(lines).rstrip() + "\n"


def escaped(text: str, most: int = 0) -> str:
    """Text of others in Markdown: one line, no markup, no HTML, nobody notified; `most` characters."""
    plain = _UNSEEN.sub(" ", text).strip()
    if most and len(plain) > most:
        plain = plain[: most - 1] + "…"
    return _MARKS.sub(lambda mark: f"&#{ord(mark[0])};", plain).replace("@", _NOBODY)


def _sentence(decision: Decision) -> str:
    if not decision.blocked:
        with_baseline = "" if decision.compared else " There is no baseline: nothing was compared."
        return f"**Passed**: no floor, no demand of a case and no allowed drop is missed.{with_baseline}"
    first = decision.findings[0]
    stop = decision.stopped_at
    where = f" at the {stop.value} layer" if stop else ""
    rest = f" ({len(decision.findings) - 1} more below)" if len(decision.findings) > 1 else ""
    above = ""
    if any(one.state is State.NOT_LOOKED_AT for one in decision.layers):
        above = " The layers above it were not looked at: they answer from what it gave them."
    return f"**Blocked**{where}: {escaped(first.message)}{rest}{above}"


def _facts(decision: Decision, about: About) -> Iterator[str]:
    pins = about.pins
    answered = sum(bool(one.values) for one in decision.results)
    cases = f"{len(decision.results):,} cases"
    yield f"- golden set {escaped(pins.golden)}, version {pins.golden_version}: {cases}"
    yield f"- answers: {escaped(about.answers)}; {answered:,} cases answered"
    judges = escaped(", ".join(pins.judges)) or "none asked"
    rubric = f", rubric {escaped(pins.rubric)}" if pins.rubric else ""
    yield f"- scored by {escaped(pins.scorer)}; LLM judges: {judges}{rubric}"
    yield f"- baseline: {escaped(about.baseline) or 'none'}"


def _findings(findings: Sequence[Finding]) -> Iterator[str]:
    if findings:
        yield "## Findings\n"
        for number, one in enumerate(findings, 1):
            yield f"{number}. **{one.kind.value.replace('_', ' ')}** {escaped(one.message)}"
        yield ""


def _layers(decision: Decision) -> Iterator[str]:
    yield "## Layers\n"
    yield "| layer | state | findings |\n|---|---|---|"
    for one in decision.layers:
        yield f"| {one.layer.value} | {one.state.value} | {len(one.findings) or ''} |"
    yield ""


def _measures(decision: Decision, about: About) -> Iterator[str]:
    shown = [layer for layer in decision.layers if layer.rows]
    if not shown:
        return
    yield "## Measures\n"
    yield (
        "Intervals of a drop hold for all metrics and strata of a layer together; “seen from” is how many "
        "lost cases would block.\n"
    )
    yield "| layer | metric | of | now | baseline | drop in points | cases | seen from |"
    yield "|---|---|---|---|---|---|---|---|"
    for layer in shown:
        for row in layer.rows:
            if row.stratum == ALL or row.metric in about.suite.wanted or _is_found(layer, row):
                yield _row(layer, row)
    yield ""


def _is_found(layer: LayerOutcome, row: Row) -> bool:
    return any(one.metric == row.metric and one.stratum == row.stratum for one in layer.findings)


def _row(layer: LayerOutcome, row: Row) -> str:
    bold = "**" if _is_found(layer, row) else ""
    now = "not measured" if row.value is None else f"{row.value:.3f}"
    cases = f"{row.measured:,}" if row.measured == row.possible else f"{row.measured:,} of {row.possible:,}"
    before = drop = seen = ""
    if row.pairing is not None:
        pair = row.pairing
        before = f"{pair.before:.3f}"
        known = pair.high - pair.low < 2
        drop = f"{pair.drop * 100:+.1f} " + (
            f"[{pair.low * 100:+.1f}, {pair.high * 100:+.1f}]" if known else "(too few cases)"
        )
        seen = f"{pair.visible:,}" if pair.visible else "never"
    values = (layer.layer.value, row.metric, escaped(str(row.stratum)), f"{bold}{now}{bold}", before, drop)
    return f"| {' | '.join(values)} | {cases} | {seen} |"


def _diff(decision: Decision) -> Iterator[str]:
    diff = decision.diff
    if decision.compared:
        yield f"## Passed before, fail now: {len(diff.broke):,}\n"
        yield from _turned(diff.broke)
        yield (
            f"Failed before, pass now: {len(diff.mended):,}"
            f"{_listed(turned.result.case_id for turned in diff.mended)}; fail as before: "
            f"{len(diff.still_failing):,}{_listed(diff.still_failing)}.\n"
        )
        return
    failing = [one for one in decision.results if not one.passed]
    yield f"## Cases that fail: {len(failing):,}\n"
    yield from _turned([Turned(one, (), "") for one in failing])


def _turned(turned: Sequence[Turned]) -> Iterator[str]:
    if not turned:
        return
    yield "| case | kind | question | what fails | answer before | answer now |\n|---|---|---|---|---|---|"
    for one in turned[:_MOST_CASES]:
        fails = "; ".join(
            f"{check.demand.value.replace('_', ' ')} ({check.layer.value})"
            + (f": {check.about}" if check.about else "")
            + (f": {check.detail}" if check.detail else "")
            for check in one.result.failed
        )
        cells = (
            escaped(one.result.case_id, 60),
            escaped(one.result.strata.get("kind", "")),
            escaped(one.result.question, _QUESTION_CHARS),
            escaped(fails, 2 * _ANSWER_CHARS),
            escaped(one.answered_before, _ANSWER_CHARS),
            escaped(one.result.answer, _ANSWER_CHARS),
        )
        yield f"| {' | '.join(cells)} |"
    if len(turned) > _MOST_CASES:
        yield f"\n{len(turned) - _MOST_CASES:,} more are in the JSON report."
    yield ""


def _listed(cases: Sequence[str] | Iterator[str]) -> str:
    named = [escaped(one, 60) for one in cases]
    if not named:
        return ""
    more = f" and {len(named) - _MOST_CASES:,} more" if len(named) > _MOST_CASES else ""
    return f" ({', '.join(named[:_MOST_CASES])}{more})"


def _unmeasured(decision: Decision) -> Iterator[str]:
    gaps = [
        (layer, row)
        for layer in decision.layers
        for row in layer.rows
        if row.stratum == ALL and row.measured < row.possible
    ]
    empty = [layer.layer.value for layer in decision.layers if layer.state is State.NOT_MEASURED]
    if not gaps and not empty:
        return
    yield "## Not measured\n"
    if empty:
        yield f"- nothing at all was measured of: {', '.join(empty)}"
    for layer, row in gaps:
        why = ", ".join(f"{escaped(reason)} {count:,}" for reason, count in sorted(row.gaps.items()))
        yield f"- {row.metric} ({layer.layer.value}): {row.possible - row.measured:,} cases: {why}"
    yield ""


def _probes(override: Override | None) -> Iterator[str]:
    if override is None:
        return
    yield "## Counterfactual probes\n"
    told = ", ".join(
        f"{outcome.value} {override.count(outcome)}" for outcome in Outcome if override.count(outcome)
    )
    yield f"{len(override.results)} of {override.wanted} probes made: {told or 'none'}."
    if override.rate is not None:
        interval = override.interval
        yield f"Override rate: {override.rate:.1%} [{interval.low:.1%}, {interval.high:.1%}]."


__all__ = ["About", "escaped", "markdown"]
