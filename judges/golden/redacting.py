"""Golden cases without what would tell who somebody is: they go into files, and files into repositories."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from judges.golden.case import GoldenCase, Turn
from judges.redaction import Redactor


def redact_case(case: GoldenCase) -> tuple[GoldenCase, Counter[str]]:
    """The case with marks for what was taken out, and how much of each kind that was.

    What an answer must or must not contain goes altogether where something would be taken out of it: no
    answer holds a mark, so such a demand could never be met. A case that is clean comes back equal.
    """
    redactor = Redactor()

    def clean(text: str) -> str:
        return redactor.redact(text).text

    def keep(texts: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(text for text in texts if clean(text) == text)

    redacted = replace(
        case,
        history=tuple(Turn(turn.role, clean(turn.content)) for turn in case.history),
        question=clean(case.question),
        gold_texts={chunk: clean(text) for chunk, text in case.gold_texts.items()},
        reference_answer=clean(case.reference_answer) if case.reference_answer else None,
        must_contain=keep(case.must_contain),
        must_not_contain=keep(case.must_not_contain),
    )
    return redacted, redactor.counts


__all__ = ["redact_case"]
