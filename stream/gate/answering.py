"""A candidate asked for its answers, which may be kept on the way."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from judges.golden import GoldenSet
from schemas.trace import Trace
from stream.gate.answers import Joined
from stream.gate.endpoint import Endpoint, Question
from stream.gate.journal import open_journal


def ask_candidate(
    golden: GoldenSet, endpoint: Endpoint, keep: Path | None, show: Callable[[int, int, str], None]
) -> tuple[Joined, int]:
    """The answers of all cases, and how many were kept from before. Raises what the endpoint raises."""
    joined = Joined()
    with ExitStack() as stack:
        journal = (
            stack.enter_context(open_journal(keep, golden, endpoint.options)) if keep is not None else None
        )
        kept = journal.kept if journal else {}
        for case_id, line in kept.items():
            joined.answers[case_id] = Trace.model_validate(line)
        left = [case for case in golden.cases if case.case_id not in kept]
        for asked in endpoint.ask_all(Question(case) for case in left):
            if journal:
                journal.keep(asked, endpoint.options)
            joined.answers[asked.question.case.case_id] = Trace.model_validate(asked.trace)
            show(len(joined.answers), len(golden.cases), "answers")
    return joined, len(kept)


__all__ = ["ask_candidate"]
