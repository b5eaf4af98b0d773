"""One run of the gate, from answers to a decision. It asks as little as it can: judges only where the layers
below stand, an endpoint only what was not answered yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from judges.gate.advice import advise
from judges.gate.baseline import Baseline, Pins, baseline_of, dump
from judges.gate.decide import Decision, decide
from judges.gate.finding import Kind
from judges.gate.metrics import METRICS, Layer
from judges.gate.override import Override
from judges.gate.result import CaseResult, Demand
from judges.gate.show import About
from judges.whole_files import replace_file
from schemas.scored import Scorer
from schemas.trace import Trace
from stream.errors import SettingRefused
from stream.files.lines import FileProblem
from stream.gate.answers import Joined
from stream.gate.endpoint import Endpoint
from stream.gate.inputs import Inputs, read_baseline, read_index, require_same
from stream.gate.probing import make_probes, put
from stream.gate.scoring import Scored
from stream.judging.opening import identity_of
from stream.judging.session import Session, judging
from stream.settings import JudgeSettings

Show = Callable[[int, int, str], None]
"""How far something is: done, of how many, and what."""
_LOOSE: Final = frozenset({Kind.UNANSWERED, Kind.NOT_MEASURED})
"""Findings with which no baseline is made: it would hold less than it seems to."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be done."""

    inputs: Inputs
    scorer: Scorer
    judge: JudgeSettings
    baseline: Path | None
    save_baseline: Path | None = None
    index: Path | None = None
    endpoint: Endpoint | None = None


@dataclass(slots=True)
class Ran:
    """What came of it."""

    decision: Decision
    about: About
    notes: list[str] = field(default_factory=list)
    """What a person should know beside the report."""


def pins_of(plan: Plan) -> Pins:
    """Who is going to measure what."""
    suite, golden = plan.inputs.suite, plan.inputs.golden
    pins = Pins(golden.name, golden.version, suite.suite.k, plan.scorer.version)
    if not suite.suite.judges:
        return pins
    identity = identity_of(plan.judge)
    models = tuple(endpoint.model for endpoint in plan.judge.endpoints())
    return replace(
        pins,
        judges=models,
        rubric=f"{identity.rubric} {identity.rubric_version}",
        panel=str(plan.judge.panel) if len(models) > 1 else "",
    )


def check_first(plan: Plan) -> Baseline | None:
    """The baseline, if it can be compared with: known before anybody is asked and anything is paid.

    Which model the judges' server says answered is only known later. Raises SettingRefused, FileProblem.
    """
    can_probe = plan.endpoint is not None and plan.endpoint.options.chunks_key is not None
    if plan.inputs.suite.probes.count and not can_probe:
        raise SettingRefused(
            "Probes (probes.count) need an endpoint that answers from the chunks it is sent: give it, and "
            "endpoint.chunks_key, or set probes.count = 0."
        )
    if plan.save_baseline is not None or plan.baseline is None:
        return None
    found = read_baseline(plan.baseline)
    require_same(plan.baseline, found, replace(pins_of(plan), served_by=found.pins.served_by))
    return found


def run_gate(plan: Plan, joined: Joined, answers: str, baseline: Baseline | None, show: Show) -> Ran:
    """The decision on answers that were joined to the cases. Raises what judges and endpoints raise."""
    suite, golden = plan.inputs.suite, plan.inputs.golden
    index = read_index(plan.index) if plan.index else None
    scored = Scored(golden, suite.suite.k, index)
    total = len(joined.answers)
    scored.score(joined.answers, plan.scorer, lambda done: show(done, total, "answers scored"))
    results = scored.results()
    pins = pins_of(plan)
    notes = list(_notes(joined))
    if suite.suite.judges:
        below = decide(suite, results, baseline, last=Layer.RERANK) if not plan.save_baseline else None
        stop = below.stopped_at if below else None
        if below is not None and stop is not None:
            notes.append(f"The LLM judges were not asked: {stop.value} fails without them.")
            return Ran(below, _about(plan, pins, answers, baseline), notes)
        with judging(plan.judge) as session:
            results = _judge(scored, session, show)
            notes.append(session.tally.sentence())
        pins = replace(pins, served_by=scored.served_by)
        if baseline is not None and plan.baseline is not None:
            require_same(plan.baseline, baseline, pins)
        results = _confirm(plan, scored, results, show)
    decision = decide(suite, results, baseline)
    decision = _probe(plan, joined.answers, results, baseline, decision, show)
    if plan.save_baseline is not None:
        notes += _save(plan, plan.save_baseline, pins, decision)
    return Ran(decision, _about(plan, pins, answers, baseline), notes)


def _judge(scored: Scored, session: Session, show: Show) -> list[CaseResult]:
    names = [case_id for case_id, judged in scored.judged.items() if judged.trace.answer]
    scored.opinions = scored.ask_judges(
        session, names, lambda: show(session.tally.done, len(names), "answers judged")
    )
    return scored.results()


def _confirm(plan: Plan, scored: Scored, results: list[CaseResult], show: Show) -> list[CaseResult]:
    """Ask the judges again where a case misses its own minimum of a judged metric.

    The minimum counts as missed only where it is missed each time: one judge in a bad mood blocks nobody.
    """
    doubted = [one for one in results if _misses_by_judges(one)]
    again = plan.inputs.suite.cases.confirmations
    if not doubted or not again:
        return results
    best = {one.case_id: one for one in doubted}
    with judging(plan.judge, fresh=True) as session:
        for turn in range(1, again + 1):
            left = [case_id for case_id, one in best.items() if _misses_by_judges(one)]
            said = scored.ask_judges(session, left, lambda: None) if left else {}
            for case_id, opinion in said.items():
                other = scored.result(case_id, opinion)
                if not _misses_by_judges(other):
                    best[case_id] = _with_checks_of(best[case_id], other)
            show(turn, again, f"times asked again about {len(doubted)} cases")
    return [best.get(one.case_id, one) for one in results]


def _misses_by_judges(one: CaseResult) -> bool:
    return any(
        check.demand is Demand.MINIMUM and check.passed is False and METRICS[check.about].judged
        for check in one.checks
    )


def _with_checks_of(one: CaseResult, other: CaseResult) -> CaseResult:
    """The values stay as they were first measured: whoever is asked until it is well measures nothing."""
    return replace(one, checks=other.checks)


def _probe(
    plan: Plan,
    answers: Mapping[str, Trace],
    results: list[CaseResult],
    baseline: Baseline | None,
    decision: Decision,
    show: Show,
) -> Decision:
    options = plan.inputs.suite.probes
    if not options.count or plan.endpoint is None or decision.stopped_at is not None:
        return decision
    probes = make_probes(plan.inputs.golden, answers, options)
    override = (
        put(
            probes,
            plan.endpoint,
            plan.scorer,
            options.count,
            lambda done: show(done, len(probes), "probes put"),
        )
        if probes
        else Override((), options.count)
    )
    return decide(plan.inputs.suite, results, baseline, override=override)


def _save(plan: Plan, path: Path, pins: Pins, decision: Decision) -> list[str]:
    """Write the baseline, unless it would hold less than it seems to; what is to be said of it."""
    loose = [one for one in decision.findings if one.kind in _LOOSE]
    if loose:
        return [f"No baseline was written: {loose[0].message}"]
    made = baseline_of(pins, datetime.now(UTC).isoformat(timespec="seconds"), decision.results)
    try:
        replace_file(path, dump(made))
    except OSError as error:
        raise FileProblem(f"{path} cannot be written: {error.strerror}.") from error
    said = [f"baseline of {len(made.cases):,} cases written: {path}"]
    failing = [one.case_id for one in decision.results if not one.passed]
    if failing:
        said.append(f"{len(failing):,} of them fail, and count as known from now on")
    return said + advise(plan.inputs.suite, decision)


def _about(plan: Plan, pins: Pins, answers: str, baseline: Baseline | None) -> About:
    held = f"{plan.baseline}, made {baseline.made_at}" if baseline is not None else ""
    return About(plan.inputs.suite, plan.inputs.name, pins, answers, held)


def _notes(joined: Joined) -> list[str]:
    notes = []
    if joined.strangers:
        notes.append(f"{joined.strangers:,} traces belong to no case of the golden set, and were left out")
    if joined.ambiguous:
        notes.append(
            f"{joined.ambiguous:,} traces ask what several cases ask, and were left out: give them a case_id"
        )
    if joined.repeated:
        notes.append(f"{len(joined.repeated):,} cases were answered more than once: the last answer counts")
    return notes


__all__ = ["Plan", "Ran", "Show", "check_first", "pins_of", "run_gate"]
