"""Several opinions of one trace made into one, and how far apart they were.

Classes and yes-or-no go to what more than half of those say that say anything; with no majority there is no
verdict. Scores are their mean or median. What less than half of the opinions measured stays null.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import fmean, median
from typing import Any, Final, Literal

from judges.llm.asking import Opinion, Usage

Rule = Literal["mean", "median"]
PANEL: Final = "panel"
NO_MAJORITY, TOO_FEW = "no_majority", "too_few_opinions"
MEASURES: Final = (
    "faithfulness",
    "hallucination",
    "answer_relevance",
    "context_relevance",
    "context_sufficiency",
    "context_precision",
    "context_recall",
    "citation_precision",
)
SAYINGS: Final = ("failure", "refusal", "refusal_correct", "parametric_leak")
_SUMMARIES: Final[dict[str, Callable[[Sequence[float]], float]]] = {"mean": fmean, "median": median}
_SCALE: Final = 4
"""From 1 to 5."""


def agree(opinions: Sequence[Opinion], rule: Rule = "mean") -> Opinion:
    """One opinion of at least one. The only one there is is returned as it is."""
    if len(opinions) == 1:
        return opinions[0]
    joint = _joint(opinions)
    for name in SAYINGS:
        _settle_saying(joint, name, opinions)
    for name in MEASURES:
        _settle_measure(joint, name, opinions, rule)
    _settle_ratings(joint, opinions, rule)
    _settle_confidence(joint, opinions)
    _speak(joint, opinions)
    return joint


def disagreement(opinions: Sequence[Opinion]) -> float | None:
    """How far apart the opinions are on what they are farthest apart on, 0..1; null for fewer than two.

    For each item that two opinions measured: 1 or 0 for classes and yes-or-no, the difference of scores, a
    quarter of the difference of ratings; the mean over all such pairs; then the largest of these. So two
    judges who differ on the class are fully apart, however many scores they share.
    """
    if len(opinions) < 2:
        return None
    apart = [_apart([getattr(o, name) for o in opinions], _differ) for name in SAYINGS]
    apart += [_apart([getattr(o, name) for o in opinions], _distance) for name in MEASURES]
    names = {name for o in opinions for name in o.ratings}
    apart += [_apart([o.ratings.get(name) for o in opinions], _distance) / _SCALE for name in names]
    return max(apart)


def _apart(values: Sequence[Any], measure: Callable[[Any, Any], float]) -> float:
    pairs = [measure(a, b) for a, b in combinations([v for v in values if v is not None], 2)]
    return fmean(pairs) if pairs else 0.0


def _differ(a: object, b: object) -> float:
    return float(a != b)


def _distance(a: float, b: float) -> float:
    return abs(a - b)


def _joint(opinions: Sequence[Opinion]) -> Opinion:
    first, usage = opinions[0], Usage()
    for opinion in opinions:
        usage.add(opinion.usage)
    return Opinion(
        judge=PANEL,
        model="+".join(opinion.model for opinion in opinions),
        rubric=first.rubric,
        rubric_version=first.rubric_version,
        language=first.language,
        truncated=list(dict.fromkeys(name for opinion in opinions for name in opinion.truncated)),
        usage=usage,
        served_by="+".join(opinion.served_by for opinion in opinions if opinion.served_by),
    )


def _why_null(opinions: Sequence[Opinion], name: str) -> str:
    """The commonest reason why a score is null."""
    reasons = Counter(o.not_measured[name] for o in opinions if name in o.not_measured)
    return reasons.most_common(1)[0][0] if reasons else TOO_FEW


def _settle_saying(joint: Opinion, name: str, opinions: Sequence[Opinion]) -> None:
    said = [value for o in opinions if (value := getattr(o, name)) is not None]
    if 2 * len(said) < len(opinions) or not said:
        joint.not_measured[name] = _why_null(opinions, name)
        return
    value, count = Counter(said).most_common(1)[0]
    if 2 * count > len(said):
        setattr(joint, name, value)
        ways = {o.measured_by[name] for o in opinions if name in o.measured_by}
        if len(ways) == 1:
            joint.measured_by[name] = ways.pop()
    else:
        joint.not_measured[name] = NO_MAJORITY


def _settle_measure(joint: Opinion, name: str, opinions: Sequence[Opinion], rule: Rule) -> None:
    given = [value for o in opinions if (value := getattr(o, name)) is not None]
    if not given or 2 * len(given) < len(opinions):
        joint.not_measured[name] = _why_null(opinions, name)
    else:
        setattr(joint, name, _SUMMARIES[rule](given))
    ways = {o.measured_by[name] for o in opinions if name in o.measured_by}
    if len(ways) == 1:
        joint.measured_by[name] = ways.pop()


def _settle_ratings(joint: Opinion, opinions: Sequence[Opinion], rule: Rule) -> None:
    """Ratings stay on their scale: rounded, halves up."""
    for name in dict.fromkeys(name for o in opinions for name in o.ratings):
        given = [o.ratings[name] for o in opinions if name in o.ratings]
        if 2 * len(given) >= len(opinions):
            joint.ratings[name] = int(_SUMMARIES[rule](given) + 0.5)
        else:
            joint.not_measured[f"rating_{name}"] = _why_null(opinions, f"rating_{name}")


def _settle_confidence(joint: Opinion, opinions: Sequence[Opinion]) -> None:
    """How sure those are who agree, times their share of those who said anything."""
    said = [o for o in opinions if o.failure is not None]
    agreeing = [o.failure_confidence or 0.0 for o in said if o.failure == joint.failure]
    if joint.failure is not None and agreeing:
        joint.failure_confidence = fmean(agreeing) * len(agreeing) / len(said)


def _speak(joint: Opinion, opinions: Sequence[Opinion]) -> None:
    """Words and claims are one judge's: of those who agree on the class, the nearest in faithfulness."""

    def distance(opinion: Opinion) -> tuple[bool, float]:
        apart = 1.0
        if opinion.faithfulness is not None and joint.faithfulness is not None:
            apart = abs(opinion.faithfulness - joint.faithfulness)
        return opinion.failure != joint.failure, apart

    speaker = min(opinions, key=distance)
    joint.claims = speaker.claims
    joint.rationale, joint.root_cause = speaker.rationale, speaker.root_cause
    joint.suggested_fix = speaker.suggested_fix
    joint.measured_by["rationale"] = speaker.judge


__all__ = ["MEASURES", "NO_MAJORITY", "PANEL", "SAYINGS", "Rule", "agree", "disagreement"]
