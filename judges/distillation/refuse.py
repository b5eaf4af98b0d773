"""When there is nothing to learn from: too few labels, of one kind only, or from one person only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from judges.distillation.examples import Example, Source
from judges.distilled.reading.language import SUPPORTED

PER_CLASS: Final = 40
"""Labels of each kind (hallucinated, supported) that are needed."""
PER_LANGUAGE: Final = 20
"""The same in each language that is labelled at all beyond a stray trace."""
STRAY: Final = 0.05
"""Share of the labels up to which a language counts as stray: it is neither learned nor guarded."""
NAMES: Final = {True: "hallucinated", False: "supported"}


class LabelsRefused(ValueError):
    """Nothing can be learned from these labels; the message says why, and what is needed."""


def refuse_few(examples: Sequence[Example], *, teaching: bool = False) -> None:
    """Raise LabelsRefused unless there are enough labels of both kinds, in every language.

    `teaching`: these are what is left to teach, of which half as many are enough.
    """
    least, each = (PER_CLASS // 2, PER_LANGUAGE // 2) if teaching else (PER_CLASS, PER_LANGUAGE)
    left = "Without what is held out, and what cannot be measured: " if teaching else ""
    count = Counter(e.label.hallucination for e in examples if e.label.hallucination is not None)
    total = count.total()
    if not total:
        raise LabelsRefused(
            f"{left}There is no label to learn from: at least "
            f"{least} hallucinated and {least} supported traces are needed. Labels come from table "
            "annotations (people), table verdicts (judges), and files (--labels)."
        )
    for kind in (True, False):
        if not count[kind]:
            raise LabelsRefused(
                f"{left}All {total:,} labels say {NAMES[not kind]!r}: nothing tells the two apart. At least "
                f"{least} traces labelled {NAMES[kind]!r} are needed as well."
            )
    for kind in (True, False):
        if count[kind] < least:
            raise LabelsRefused(
                f"{left}Too few labels: {count[kind]} traces are labelled {NAMES[kind]!r}, at least {least} "
                f"are needed (and {least} {NAMES[not kind]!r}; there are {count[not kind]:,}). Label "
                "more, or take a longer period (--since)."
            )
    _refuse_thin_languages(examples, total, each, left)


def refuse_single_annotator(examples: Sequence[Example]) -> None:
    """Raise LabelsRefused where one person alone labelled everything."""
    names = {name for e in examples for name in e.label.who}
    if any(e.label.by is Source.JUDGE or not e.label.who for e in examples) or len(names) != 1:
        return
    raise LabelsRefused(
        f"All {len(examples):,} labels are from one annotator ({names.pop()}): whether they would hold for "
        "anybody else cannot be known. Have a second person label a share of them, add judge verdicts, or "
        "say --allow-single-annotator."
    )


def _refuse_thin_languages(examples: Sequence[Example], total: int, each: int, left: str) -> None:
    by_language: defaultdict[str, Counter[bool]] = defaultdict(Counter)
    for e in examples:
        if e.label.hallucination is not None:
            by_language[e.language][e.label.hallucination] += 1
    for language in SUPPORTED:
        count = by_language[language]
        if count.total() <= max(STRAY * total, 2):
            continue
        for kind in (True, False):
            if count[kind] < each:
                raise LabelsRefused(
                    f"{left}Too few labels in language {language}: {count[kind]} of its {count.total():,} "
                    f"labelled traces are {NAMES[kind]!r}, at least {each} are needed. Label more "
                    "of them, or leave the language out (--language)."
                )


__all__ = ["LabelsRefused", "refuse_few", "refuse_single_annotator"]
