"""Why a case is worth looking at, and how much: each policy is a function giving a strength and its words.

A policy that has nothing to say gives null. Strengths are 0 to 1; together they make the value as chances do
that are independent (noisy-or): `value = 1 - product(1 - weight * strength)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from schemas.annotation import Reason
from schemas.taxonomy import HEALTHY

WEIGHTS: Final = {
    Reason.DISAGREEMENT: 0.8,
    Reason.STAGE: 0.7,
    Reason.LOW_SUPPORT: 0.35,
    Reason.NEW_CLUSTER: 0.5,
    Reason.THUMBS_DOWN: 0.4,
    Reason.UNCERTAIN: 0.25,
    Reason.CONTROL: 0.0,
}
"""What each policy is worth at full strength. A disagreement is sure to hold an error of somebody; whoever is
uncertain is wrong half of the time; users are often right, and often not."""

NEAR_LINE: Final = 0.15
"""A probability within so much of one half is uncertain."""
UNSURE: Final = 0.6
"""A class that is less likely than that is uncertain."""
DISAGREE_FROM: Final = 0.35
"""Probabilities that differ by less do not disagree, nor judges of a panel."""
BUSY_FROM: Final = 3
"""Traces that ask nearly the same, for traffic to count."""
BUSY_AT: Final = 30
"""So many are as busy as can be."""
NEW_FROM: Final = 5
"""Traces of a kind that was not there before."""


@dataclass(frozen=True, slots=True)
class JudgeSaid:
    """What a judge said of a trace. Null is not measured."""

    judge: str
    failure: str | None = None
    hallucination: float | None = None
    disagreement: float | None = None
    """Within its panel, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Crowd:
    """The traces that ask nearly the same, within the window."""

    traces: int = 1
    unsupported: int = 0
    """Of them, those whose documents hardly hold an answer, or do not support the one that was given."""
    is_new: bool = False
    """None of them is older than the newest part of the window, and others are."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known of one trace when it is decided whether a person should see it."""

    trace_id: str
    timestamp: datetime
    question: str = ""
    """Redacted; compared, and shown to nobody from here."""
    app: str = ""
    tenant: str = ""
    language: str = ""
    intent: str = ""
    failure: str = HEALTHY
    stage: str = ""
    confidence: float = 0.0
    hallucination: float | None = None
    scorer_version: str = ""
    rating: int | None = None
    said: tuple[JudgeSaid, ...] = ()
    crowd: Crowd = field(default_factory=Crowd)
    control: float | None = None
    """The probability with which chance drew it; null where it did not."""


@dataclass(frozen=True, slots=True)
class Argument:
    """What one policy says for a case."""

    reason: Reason
    strength: float
    en: str
    zh: str


@dataclass(frozen=True, slots=True)
class Worth:
    """The value of a case, and why. `arguments` are strongest first, after their weights."""

    value: float
    arguments: tuple[Argument, ...]

    @property
    def reason(self) -> Reason:
        """The policy that counts most."""
        return self.arguments[0].reason

    def in_words(self, language: str = "en") -> str:
        """All arguments in one sentence, in English or (`zh`) Chinese."""
        if language == "zh":
            return "；".join(argument.zh for argument in self.arguments)
        return "; ".join(argument.en for argument in self.arguments)


def weigh(evidence: Evidence) -> Worth | None:
    """What a case is worth; null where no policy speaks for it. A control is one whatever else it is."""
    found = [argument for policy in POLICIES if (argument := policy(evidence)) is not None]
    if not found:
        return None
    value = 1.0 - math.prod(1.0 - WEIGHTS[one.reason] * one.strength for one in found)
    found.sort(
        key=lambda one: (one.reason is not Reason.CONTROL, -WEIGHTS[one.reason] * one.strength, one.reason)
    )
    return Worth(value, tuple(found))


def disagree(evidence: Evidence) -> Argument | None:
    """Student and judge, or the judges of a panel, do not say the same."""
    found = [argument for said in evidence.said for argument in _disagreements(evidence, said)]
    return max(found, key=lambda one: one.strength, default=None)


def doubt(evidence: Evidence) -> Argument | None:
    """The student is near its line, or not sure of the class. Errors and empty retrievals show themselves."""
    chance = evidence.hallucination
    near = 0.0 if chance is None else max(0.0, 1.0 - abs(chance - 0.5) / NEAR_LINE)
    unsure = max(0.0, (UNSURE - evidence.confidence) / UNSURE) if evidence.confidence else 0.0
    if max(near, unsure) <= 0:
        return None
    if near >= unsure and chance is not None:
        return Argument(
            Reason.UNCERTAIN,
            near,
            f"the scorer is near its line: hallucination {chance:.2f}",
            f"评分器接近判定线：幻觉概率 {chance:.2f}",
        )
    return Argument(
        Reason.UNCERTAIN,
        unsure,
        f"the scorer is not sure: {_en(evidence.failure)} with {evidence.confidence:.2f}",
        f"评分器没有把握：{_zh(evidence.failure)}，置信度 {evidence.confidence:.2f}",
    )


def lack_support(evidence: Evidence) -> Argument | None:
    """Asked often, and the documents hardly hold an answer: one document may repair many answers."""
    crowd = evidence.crowd
    if crowd.traces < BUSY_FROM or not crowd.unsupported or evidence.failure == HEALTHY:
        return None
    share = crowd.unsupported / crowd.traces
    busy = min(1.0, math.log(crowd.traces) / math.log(BUSY_AT))
    return Argument(
        Reason.LOW_SUPPORT,
        share * busy,
        f"asked {crowd.traces} times, {crowd.unsupported} of them with little support",
        f"被问了 {crowd.traces} 次，其中 {crowd.unsupported} 次缺少依据",
    )


def heed_user(evidence: Evidence) -> Argument | None:
    """A user said that it is bad. Where the scorer sees nothing, one of the two is wrong: often the user."""
    if evidence.rating is None or evidence.rating >= 0:
        return None
    if evidence.failure == HEALTHY:
        return Argument(
            Reason.THUMBS_DOWN, 0.75, "a user gave thumbs down, the scorer sees nothing wrong",
            "用户点了踩，评分器却没有发现问题",
        )  # fmt: skip
    return Argument(
        Reason.THUMBS_DOWN,
        1.0,
        f"a user gave thumbs down, the scorer says {_en(evidence.failure)}",
        f"用户点了踩，评分器判为{_zh(evidence.failure)}",
    )


def notice_kind(evidence: Evidence) -> Argument | None:
    """A kind of question that was not there before, and comes often now."""
    crowd = evidence.crowd
    if not crowd.is_new or crowd.traces < NEW_FROM:
        return None
    busy = min(1.0, math.log(crowd.traces) / math.log(BUSY_AT))
    return Argument(
        Reason.NEW_CLUSTER,
        busy,
        f"a new kind of question, asked {crowd.traces} times",
        f"新出现的问题类型，已被问 {crowd.traces} 次",
    )


def fill_stage(evidence: Evidence) -> Argument | None:
    """The scorer is sure that something failed: what every stage and class should have cases of.

    The square of its confidence: whoever is half sure is better looked for among the uncertain.
    """
    if evidence.failure == HEALTHY or not evidence.confidence:
        return None
    return Argument(
        Reason.STAGE,
        evidence.confidence**2,
        f"the scorer says {_en(evidence.failure)} with {evidence.confidence:.2f}",
        f"评分器判为{_zh(evidence.failure)}，置信度 {evidence.confidence:.2f}",
    )


def draw_control(evidence: Evidence) -> Argument | None:
    """Drawn by chance: the only cases from which a rate can be told, and what all policies overlook."""
    if evidence.control is None:
        return None
    share = f"{evidence.control:.2g}"
    return Argument(
        Reason.CONTROL, 1.0, f"drawn by chance, with probability {share}", f"随机抽取，概率 {share}"
    )


POLICIES: Final[Sequence[Callable[[Evidence], Argument | None]]] = (
    draw_control, disagree, fill_stage, lack_support, notice_kind, heed_user, doubt,
)  # fmt: skip

_NAMES_ZH: Final = {
    HEALTHY: "正常",
    "system_error": "系统错误",
    "rewrite_failure": "改写失败",
    "empty_recall": "召回为空",
    "poor_retrieval": "检索不佳",
    "over_refusal": "过度拒答",
    "hallucination": "幻觉",
}


def _disagreements(evidence: Evidence, said: JudgeSaid) -> list[Argument]:
    found = []
    if said.failure and said.failure != evidence.failure:
        apart = _apart(evidence, said)
        found.append(
            Argument(
                Reason.DISAGREEMENT,
                max(0.5, apart or 0.0) if _one_is_healthy(evidence, said) else 0.5,
                f"the scorer says {_en(evidence.failure)}, judge {said.judge} {_en(said.failure)}",
                f"评分器判为{_zh(evidence.failure)}，评审 {said.judge} 判为{_zh(said.failure)}",
            )
        )
    elif (apart := _apart(evidence, said)) is not None and apart >= DISAGREE_FROM:
        found.append(
            Argument(
                Reason.DISAGREEMENT,
                apart,
                f"hallucination: {evidence.hallucination:.2f} by the scorer, "
                f"{said.hallucination:.2f} by judge {said.judge}",
                f"幻觉概率：评分器 {evidence.hallucination:.2f}，评审 {said.judge} {said.hallucination:.2f}",
            )
        )
    if said.disagreement is not None and said.disagreement >= DISAGREE_FROM:
        found.append(
            Argument(
                Reason.DISAGREEMENT,
                min(1.0, said.disagreement),
                f"the judges do not agree with each other ({said.disagreement:.2f})",
                f"评审之间意见不一（{said.disagreement:.2f}）",
            )
        )
    return found


def _apart(evidence: Evidence, said: JudgeSaid) -> float | None:
    if evidence.hallucination is None or said.hallucination is None:
        return None
    return abs(evidence.hallucination - said.hallucination)


def _one_is_healthy(evidence: Evidence, said: JudgeSaid) -> bool:
    return HEALTHY in (evidence.failure, said.failure)


def _en(failure: str) -> str:
    return failure.replace("_", " ")


def _zh(failure: str) -> str:
    return _NAMES_ZH.get(failure, failure)


__all__ = [
    "POLICIES", "WEIGHTS", "Argument", "Crowd", "Evidence", "JudgeSaid", "Worth", "disagree", "doubt",
    "draw_control", "fill_stage", "heed_user", "lack_support", "notice_kind", "weigh",
]  # fmt: skip
