"""Answers scored: by the student, with their reference answers beside them, and by the judges where asked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from judges.gate.measure import Answered, measure
from judges.gate.result import CaseResult
from judges.golden import GoldenCase, GoldenSet
from schemas.row import Sampling
from schemas.scored import Judged, Scorer, Scores
from schemas.trace import Gold, Trace
from stream.judging.lines import said_of
from stream.judging.sampled import Sampled
from stream.judging.session import Session
from stream.pipeline import judge_batch

_BATCH: Final = 128
_ALL: Final = Sampling(selected=True, probability=1.0, reasons=("gate",))
OnProgress = Callable[[int], None]


class Scored:
    """All that is known of a candidate's answers so far, by case."""

    def __init__(self, golden: GoldenSet, k: int, index: Collection[str] | None) -> None:
        self.golden = golden
        self._k, self._index = k, index
        self.judged: dict[str, Judged] = {}
        self._references: dict[str, Scores] = {}
        self.opinions: dict[str, Mapping[str, Any]] = {}

    def score(self, answers: Mapping[str, Trace], scorer: Scorer, on_progress: OnProgress) -> None:
        """Have the student score each answer, and the reference answer over the same chunks."""
        cases = [case for case in self.golden.cases if case.case_id in answers]
        done = 0
        for batch in _batches(cases):
            traces = [answers[case.case_id] for case in batch]
            for case, judged in zip(batch, judge_batch(traces, scorer), strict=True):
                self.judged[case.case_id] = judged
            self._score_references(batch, traces, scorer)
            done += len(batch)
            on_progress(done)

    def _score_references(self, cases: Sequence[GoldenCase], traces: Sequence[Trace], scorer: Scorer) -> None:
        pairs = [
            (case.case_id, reference)
            for case, trace in zip(cases, traces, strict=True)
            if (reference := _reference(case, trace)) is not None
        ]
        scored = judge_batch([trace for _, trace in pairs], scorer)
        self._references |= {
            case_id: judged.scores for (case_id, _), judged in zip(pairs, scored, strict=True)
        }

    def ask_judges(
        self, session: Session, case_ids: Sequence[str], on_progress: Callable[[], None]
    ) -> dict[str, Mapping[str, Any]]:
        """What the judges say of these cases, as `ragpulse score --judge` prints it."""
        cases = {case.case_id: case for case in self.golden.cases}
        now = datetime.now(UTC)
        batch = []
        for case_id in case_ids:
            judged = self.judged[case_id]
            trace = _with_gold(cases[case_id], judged.trace)
            batch.append(Sampled(trace, {"language": judged.scores.language}, _ALL, now))
        said = session.judge(batch, on_progress)
        return {case_id: said_of(outcome) for case_id, (_, outcome) in zip(case_ids, said, strict=True)}

    def results(self) -> list[CaseResult]:
        """Every case of the set, measured."""
        return [
            measure(case, self._answered(case.case_id), k=self._k, index=self._index)
            for case in self.golden.cases
        ]

    def result(self, case_id: str, opinion: Mapping[str, Any]) -> CaseResult:
        """One case under another opinion of the judges."""
        case = self.golden.case(case_id)
        if case is None:
            raise KeyError(case_id)
        answered = Answered(self.judged[case_id], self._references.get(case_id), opinion)
        return measure(case, answered, k=self._k, index=self._index)

    def _answered(self, case_id: str) -> Answered | None:
        if case_id not in self.judged:
            return None
        return Answered(self.judged[case_id], self._references.get(case_id), self.opinions.get(case_id))

    @property
    def served_by(self) -> tuple[str, ...]:
        """The models that the judges' servers say answered."""
        named = {str(said["served_by"]) for said in self.opinions.values() if said.get("served_by")}
        return tuple(sorted(named))


def _batches(cases: Sequence[GoldenCase]) -> Iterator[Sequence[GoldenCase]]:
    for start in range(0, len(cases), _BATCH):
        yield cases[start : start + _BATCH]


def _reference(case: GoldenCase, trace: Trace) -> Trace | None:
    """The reference answer as if it had been given from the candidate's chunks: what it lacks, they lack."""
    if not case.reference_answer or case.should_refuse or trace.retrieval is None:
        return None
    chunks = trace.retrieval.chunks
    if not chunks or any(chunk.text is None for chunk in chunks):
        return None
    return Trace(
        trace_id=trace.trace_id,
        question=case.question,
        answer=case.reference_answer,
        language=trace.language,
        retrieval=trace.retrieval,
    )


def _with_gold(case: GoldenCase, trace: Trace) -> Trace:
    gold = Gold(
        chunk_ids=list(case.gold_chunk_ids) or None,
        answer=case.reference_answer,
        should_refuse=case.should_refuse,
    )
    return trace.model_copy(update={"gold": gold})


__all__ = ["OnProgress", "Scored"]
