"""The probe set, and what tells a changed judge from a judge that is merely not quite deterministic."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from judges.distilled.reading.language import detect
from judges.llm.asking import JudgeFailed, Opinion, Reason
from judges.llm.probes import ProbeAnswer, ProbeRun, Signal, detect_drift, load_probes, run_probes
from judges.llm.probes.drift import BASELINE_RUNS
from schemas.taxonomy import FAILURES, HEALTHY
from schemas.trace import Trace

AT = datetime(2026, 12, 1, tzinfo=UTC)


def made(
    random: Random, *, flips: float = 0.0, noise: float = 0.0, sour: float = 0.0, served: str = "m-1"
) -> ProbeRun:
    """A run of a judge that is right, but for flips, noise in its scores, and a bias."""
    answers = []
    for probe in load_probes():
        good = 1.0 if probe.expected == HEALTHY else 0.5
        said = probe.expected if random.random() >= flips else "system_error"
        score = min(1.0, max(0.0, good + random.gauss(0, noise) - sour))
        answers.append(ProbeAnswer(probe.name, probe.language, probe.expected, said, score, 1 - score))
    return ProbeRun("strict", "m", "rag", "1", AT, answers, served_by=served)


def alarms(runs: list[ProbeRun]) -> set[Signal]:
    return set(detect_drift(runs[-1], runs[:-1]).signals)


def test_the_probe_set_is_even_in_both_languages_and_names_known_classes() -> None:
    probes = load_probes()
    assert len(probes) == 24
    assert len({probe.name for probe in probes}) == 24
    by_language = {
        lang: Counter((p.kind, p.expected) for p in probes if p.language == lang) for lang in ("en", "zh")
    }
    assert by_language["en"] == by_language["zh"]
    assert {probe.expected for probe in probes} <= {HEALTHY, *map(str, FAILURES)}
    assert sum(probe.kind == "counterfactual" for probe in probes) == 4
    for probe in probes:
        assert detect(probe.trace.question or "") == probe.language


def test_a_counterfactual_probe_tells_a_judge_that_reads_from_one_that_knows() -> None:
    """In the documents of each counterfactual pair the unlikely answer stands, and the usual one does not."""
    for language, odd, usual in (("en", ("60 degrees",), "in the east"), ("zh", ("铁比木头轻",), "365天")):
        pair = [p for p in load_probes() if p.kind == "counterfactual" and p.language == language]
        healthy, wrong = sorted(pair, key=lambda p: p.expected != HEALTHY)
        texts = " ".join(chunk.text or "" for chunk in healthy.trace.retrieval.chunks or ())  # type: ignore[union-attr]
        assert all(word in texts and word in (healthy.trace.answer or "") for word in odd)
        assert usual in (wrong.trace.answer or "")
        assert usual not in texts


def test_the_first_runs_are_the_baseline_and_raise_nothing() -> None:
    still = [made(Random(n)) for n in range(5)]
    assert detect_drift(still[0], []).baseline_runs == 0
    assert detect_drift(still[1], still[:1]).baseline_runs == 1
    assert detect_drift(still[4], still[:4]).baseline_runs == BASELINE_RUNS
    assert alarms(still) == set()


@pytest.mark.parametrize(("flips", "noise"), [(0.0, 0.02), (0.03, 0.02), (0.08, 0.1)])
def test_a_judge_that_is_not_quite_deterministic_raises_no_alarm(flips: float, noise: float) -> None:
    """A thousand looks at judges that have not changed, three years of daily runs: next to no alarm."""
    random, cried = Random(17), 0
    for _ in range(100):
        baseline = [made(random, flips=flips, noise=noise) for _ in range(BASELINE_RUNS)]
        for _ in range(10):
            cried += bool(alarms([*baseline, made(random, flips=flips, noise=noise)]))
    assert cried <= 3


def test_a_judge_that_answers_a_third_differently_is_mostly_noticed_at_the_first_look() -> None:
    random = Random(5)
    baseline = [made(random, flips=0.02, noise=0.02) for _ in range(BASELINE_RUNS)]
    noticed = sum(
        Signal.ANSWERS in alarms([*baseline, made(random, flips=0.35, noise=0.02)]) for _ in range(100)
    )
    assert noticed >= 80


def test_a_judge_that_has_become_harsher_is_noticed_by_its_scores() -> None:
    random = Random(6)
    baseline = [made(random, noise=0.03) for _ in range(BASELINE_RUNS)]
    found = detect_drift(made(random, noise=0.03, sour=0.15), baseline)
    assert set(found.signals) == {Signal.SCORES}
    assert found.shift == pytest.approx(-0.15, abs=0.04)
    assert "-0.1" in found.signals[Signal.SCORES]


def test_another_model_behind_the_same_name_is_a_fact() -> None:
    baseline = [made(Random(n)) for n in range(BASELINE_RUNS)]
    found = detect_drift(made(Random(9), served="m-2"), baseline)
    assert found.signals == {Signal.MODEL: "m-2 answers instead of m-1"}
    assert detect_drift(made(Random(9), served=""), baseline).signals == {}, "a server need not say"


def test_a_change_that_was_meant_begins_a_new_baseline() -> None:
    old, new = (
        [made(Random(n)) for n in range(4)],
        [made(Random(n), served="m-2", sour=0.3) for n in range(3)],
    )
    begun = replace(new[0], begins_baseline=True)
    assert alarms([*old, new[0]]) == {Signal.MODEL, Signal.SCORES}
    assert alarms([*old, begun]) == set()
    assert alarms([*old, begun, *new]) == set()
    assert alarms([*old, begun, *new, old[0]]) == {Signal.MODEL, Signal.SCORES}


def test_a_run_that_got_no_answers_says_nothing_and_is_no_baseline() -> None:
    mute = made(Random(1))
    mute.answers = [replace(one, said=None, faithfulness=None, error="timeout") for one in mute.answers]
    assert mute.agreement() is None
    assert mute.errors == {"timeout": 24}
    assert detect_drift(mute, [made(Random(1))]).baseline_runs == 0
    assert detect_drift(made(Random(1)), [mute, mute]).baseline_runs == 0


def test_probes_are_asked_a_few_at_a_time_and_failures_are_kept_with_their_reason() -> None:
    busy, most = 0, 0

    async def opine(trace: Trace) -> Opinion:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        await asyncio.sleep(0.001)
        busy -= 1
        if trace.language == "zh":
            raise JudgeFailed(Reason.REFUSED, "no")
        opinion = Opinion("strict", "m", "rag", "1", "en", failure=HEALTHY, served_by="m-7")
        opinion.usage.calls = 2
        return opinion

    run = asyncio.run(
        run_probes(opine, load_probes(), judge="strict", model="m", rubric="rag", rubric_version="1", at=AT)
    )
    assert most == 4
    assert run.errors == {"refused": 12}
    assert (run.served_by, run.usage.calls) == ("m-7", 24)
    assert run.agreement("en") == pytest.approx(4 / 12)
    assert run.agreement("zh") is None
