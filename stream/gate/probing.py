"""Counterfactual probes put to an endpoint that answers from the chunks it is sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from judges.gate.override import Override, ProbeResult
from judges.gate.probes import Probe, make_probe, read_outcome
from judges.gate.suite import Probing
from judges.golden import GoldenSet
from schemas.scored import Scorer
from schemas.trace import Trace
from stream.gate.endpoint import Endpoint, Question
from stream.pipeline import judge_batch


def make_probes(golden: GoldenSet, answers: Mapping[str, Trace], options: Probing) -> list[Probe]:
    """At most so many probes, of cases drawn at random; the same for the same seed and answers."""
    random = Random(options.seed)
    cases = [case for case in golden.cases if case.case_id in answers]
    random.shuffle(cases)
    probes: list[Probe] = []
    for case in cases:
        if len(probes) >= options.count:
            break
        trace = answers[case.case_id]
        chunks = trace.retrieval.chunks if trace.retrieval else None
        if chunks and trace.answer and (probe := make_probe(case, chunks, trace.answer, random)):
            probes.append(probe)
    return probes


def put(
    probes: list[Probe],
    endpoint: Endpoint,
    scorer: Scorer,
    wanted: int,
    on_progress: Callable[[int], None],
) -> Override:
    """The outcomes. Raises what the endpoint raises."""
    by_case = {probe.case.case_id: probe for probe in probes}
    results: list[ProbeResult] = []
    for asked in endpoint.ask_all(Question(probe.case, probe.chunks) for probe in probes):
        trace = Trace.model_validate(asked.trace)
        refused = bool(trace.answer) and judge_batch([trace], scorer)[0].scores.refusal
        probe = by_case[asked.question.case.case_id]
        results.append(read_outcome(probe, trace.answer, refused=refused))
        on_progress(len(results))
    return Override(tuple(sorted(results, key=lambda one: one.case_id)), wanted)


__all__ = ["make_probes", "put"]
