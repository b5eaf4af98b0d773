"""How well gaps are found, against what the simulated traffic injected; and how quickly.

    .venv/bin/python -m benchmarks.gaps [--traces 6000] [--seed 5] [--no-glossary] [--json]

Traces of the demo are scored by the serving scorer; those that count as unanswered are put together, and held
against the topics that no article holds (the truth never travels in a trace). For the speed, questions in
words of their own, ten thousand of them, on one core.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from random import Random
from typing import Any

import orjson

from judges.clustering import Gap, Gaps, find_gaps, terms
from judges.distilled import load_scorer
from judges.triage import triage
from schemas.taxonomy import Failure, Quadrant
from schemas.trace import Trace
from schemas.unanswered import Asked, Unanswered, Why
from stream.demo.knowledge import load_library
from stream.demo.traffic import Traffic, Truth

_BATCH = 500
_START = datetime(2026, 11, 1, tzinfo=UTC)


@dataclass(slots=True, frozen=True)
class Found:
    """How one topic, which no article holds, was found."""

    topic: str
    questions: int
    languages: int
    together: float
    """Of its questions, how many are in one gap."""
    alone: float
    """Of that gap's questions, how many are of this topic."""
    met: bool
    """Whether that gap has it in all of its languages."""
    met_by: tuple[str, ...]


def unanswered_of_demo(traces: int, seed: int) -> tuple[Asked, dict[str, Truth]]:
    """Unanswered questions among the demo's traces, as the scorer sees them; and the truth by trace_id."""
    messages = list(Traffic(seed, clock=lambda: _START).traces(traces))
    scorer = load_scorer()
    questions = []
    for at in range(0, len(messages), _BATCH):
        batch = [Trace.model_validate(orjson.loads(message.value)) for message in messages[at : at + _BATCH]]
        for place, (trace, scores) in enumerate(zip(batch, scorer.score(batch), strict=True)):
            verdict = triage(trace, scores)
            empty = verdict.failure is Failure.EMPTY_RECALL
            declined = verdict.failure is Failure.POOR_RETRIEVAL and verdict.quadrant is Quadrant.HONEST
            if empty or declined:
                questions.append(
                    Unanswered(
                        trace.trace_id,
                        float(at + place),
                        trace.rewritten_query or trace.question or "",
                        Why.EMPTY_RECALL if empty else Why.CORRECT_REFUSAL,
                        trace.app or "",
                        trace.tenant or "",
                        trace.language or "",
                        trace.conversation_id or "",
                    )
                )
    truths = {str(message.trace_id): message.truth for message in messages if message.truth}
    return Asked(0.0, float(traces), tuple(questions), (traces // 14,) * 14), truths


def hold_against(gaps: Gaps, asked: Asked, truths: Mapping[str, Truth]) -> list[Found]:
    """Every topic that no article holds and that was asked about at least three times."""
    gap_of = {trace_id: gap for gap in gaps.gaps for trace_id in gap.trace_ids}
    topics: dict[str, list[str]] = defaultdict(list)
    for one in asked.questions:
        topics[truths[one.trace_id].topic].append(one.trace_id)
    return [
        _found(topic, ids, gap_of, truths)
        for topic, ids in sorted(topics.items())
        if topic.startswith("lack-") and len(ids) >= 3
    ]


def _found(topic: str, ids: Sequence[str], gap_of: Mapping[str, Gap], truths: Mapping[str, Truth]) -> Found:
    in_gaps = Counter(gap_of[i].gap_id for i in ids if i in gap_of)
    languages = {truths[i].language for i in ids}
    if not in_gaps:
        return Found(topic, len(ids), len(languages), 0.0, 0.0, met=False, met_by=())
    most = max(in_gaps.values())
    gap = next(gap_of[i] for i in ids if i in gap_of and in_gaps[gap_of[i].gap_id] == most)
    own = [i for i in gap.trace_ids if truths[i].topic == topic]
    return Found(
        topic,
        len(ids),
        len(languages),
        most / len(ids),
        len(own) / len(gap.trace_ids),
        met=len(languages) > 1 and {truths[i].language for i in own} == languages,
        met_by=gap.met_by,
    )


def meetings(gaps: Gaps, truths: Mapping[str, Truth]) -> tuple[int, int]:
    """Gaps of several languages, a topic without article being the most of one of them: right, and wrong.

    Right: it is the most of the other language too. Articles have no truth across languages: where both are
    about articles, nobody can say.
    """
    right = wrong = 0
    for gap in gaps.gaps:
        topics: dict[str, Counter[str]] = defaultdict(Counter)
        for trace_id in gap.trace_ids:
            topics[truths[trace_id].language][truths[trace_id].topic] += 1
        most = {counts.most_common(1)[0][0] for counts in topics.values()}
        if len(topics) > 1 and any(topic.startswith("lack-") for topic in most):
            right, wrong = (right + 1, wrong) if len(most) == 1 else (right, wrong + 1)
    return right, wrong


def of_their_own(count: int, seed: int = 1) -> Asked:
    """Questions of which hardly two have the same words: what takes longest."""
    random = Random(seed)
    cases = [case for language in ("en", "zh") for case in _cases(language)]
    questions = []
    for number in range(count):
        (one, language), (other, _) = random.choice(cases), random.choice(cases)
        text = f"{one} {other} {random.randrange(100_000)}"
        questions.append(Unanswered(f"t{number}", float(number), text, Why.EMPTY_RECALL, language=language))
    return Asked(0.0, float(count), tuple(questions), (count,) * 14)


def _cases(language: str) -> Iterator[tuple[str, str]]:
    for case in load_library(language).openings:
        for question in case.asked.questions:
            yield question, language


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--traces", type=int, default=6_000)
    parser.add_argument("--seed", type=int, default=5)
    parser.add_argument("--no-glossary", action="store_true", help="names, numbers and words alone")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    asked, truths = unanswered_of_demo(options.traces, options.seed)
    if options.no_glossary:
        vars(terms)["take_concepts"] = lambda folded: (folded, {})
    gaps = find_gaps(asked, lambda text: text)
    found = hold_against(gaps, asked, truths)
    right, wrong = meetings(gaps, truths)
    many = of_their_own(10_000)
    start = time.process_time()
    find_gaps(many, lambda text: text)
    seconds = time.process_time() - start
    if options.json:
        facts: dict[str, Any] = {"questions": len(asked.questions), "gaps": len(gaps.gaps), "once": gaps.once}
        facts |= {"topics": [asdict(one) for one in found], "met_right": right, "met_wrong": wrong}
        print(orjson.dumps(facts | {"seconds_of_10000": round(seconds, 2)}).decode())
        return
    print(
        f"{len(asked.questions)} unanswered of {options.traces} traces: {len(gaps.gaps)} gaps, "
        f"{gaps.once} asked once"
    )
    print(f"{'topic':<18}{'asked':>6}{'together':>10}{'alone':>8}  met by")
    for one in found:
        met = ", ".join(one.met_by) if one.met else ("no" if one.languages > 1 else "one language")
        print(f"{one.topic:<18}{one.questions:>6}{one.together:>10.0%}{one.alone:>8.0%}  {met}")
    print(f"languages met: {right} right, {wrong} wrong")
    print(f"10,000 questions: {seconds:.1f} s on one core")


if __name__ == "__main__":
    main()
