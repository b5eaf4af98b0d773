"""Score the traces of a file, in order, in bounded memory: no broker, no store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, Final

import orjson

from schemas.scored import Judged, Scorer
from schemas.taxonomy import FAILURES, HEALTHY, UNSEEN, Coverage
from schemas.trace import Trace
from stream.files.lines import Reader
from stream.pipeline import judge_batch

BATCH_TRACES: Final = 128
BATCH_BYTES: Final = 8 * 1024 * 1024


@dataclass(slots=True)
class Tally:
    """How many traces of each class, and how many could not be scored."""

    by_class: Counter[str] = field(default_factory=Counter)
    by_language: Counter[str] = field(default_factory=Counter)
    healthy_unseen: Counter[str] = field(default_factory=Counter)
    """Healthy traces by the coverage under which nobody could look."""
    scorer_errors: int = 0
    scorer_version: str = ""

    def count(self, judged: Judged) -> None:
        """Take one judged trace into account."""
        if judged.scores.coverage is Coverage.SCORER_ERROR:
            self.scorer_errors += 1  # not measured is no verdict
            return
        self.by_class[judged.verdict.failure.value if judged.verdict.failure else HEALTHY] += 1
        if judged.verdict.failure is None and judged.scores.coverage in UNSEEN:
            self.healthy_unseen[judged.scores.coverage.value] += 1
        self.by_language[judged.scores.language or "unknown"] += 1

    def summary(self, reader: Reader) -> dict[str, Any]:
        """What a script reads."""
        return {
            "scored": self.by_class.total(),
            "unreadable": reader.unreadable.total(),
            "unreadable_by_reason": dict(reader.unreadable),
            "damaged": reader.damaged,
            "late_feedback": reader.late_feedback,
            "scorer_errors": self.scorer_errors,
            "by_class": {name: self.by_class[name] for name in (HEALTHY, *(f.value for f in FAILURES))},
            "healthy_unseen": self.healthy_unseen.total(),
            "healthy_unseen_by_coverage": dict(self.healthy_unseen),
            "by_language": dict(self.by_language),
            "scorer_version": self.scorer_version,
        }


SecondOpinion = Callable[[Sequence[Judged]], Sequence[dict[str, Any]]]
"""What the LLM judges say of each trace of a batch, in order."""


def score_file(
    reader: Reader,
    scorer: Scorer,
    out: IO[bytes],
    on_progress: Callable[[], None] = lambda: None,
    second: SecondOpinion | None = None,
) -> Tally:
    """Write one line a trace to `out`, as `Judged.line` has it. Late feedback has nothing to score.

    With a second opinion, it stands beside that under the key `judge`.
    """
    tally = Tally(scorer_version=scorer.version)
    for batch in _batches(reader):
        scored = judge_batch(batch, scorer)
        beside = second(scored) if second else None
        for number, judged in enumerate(scored):
            tally.count(judged)
            line = judged.line() if beside is None else judged.line() | {"judge": beside[number]}
            out.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))
        on_progress()
    return tally


def _batches(reader: Reader) -> Iterator[list[Trace]]:
    batch: list[Trace] = []
    size = 0
    for line, item in reader.items():
        if isinstance(item, Trace):
            batch.append(item)
            size += len(line.data)
        if len(batch) >= BATCH_TRACES or size >= BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


__all__ = ["SecondOpinion", "Tally", "score_file"]
