"""Several judges asked about one trace, at the same time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judges.llm.asking import Embedder, Judge, JudgeFailed, Opinion, Usage
from judges.llm.consensus import Rule, agree, disagreement
from judges.llm.material import PromptLimits
from judges.llm.opine import form_opinion
from judges.llm.prompting import Derive
from judges.llm.rubrics import Rubric
from schemas.scored import Scores
from schemas.trace import Trace


@dataclass(slots=True)
class PanelOpinion:
    """What the judges say, each and together.

    `consensus` is named "panel" where several were heard, and is the only opinion itself where one was.
    `disagreement` is in 0..1, null where only one was heard. `failed` says who was not, and why.
    """

    opinions: list[Opinion]
    consensus: Opinion
    disagreement: float | None
    failed: dict[str, JudgeFailed] = field(default_factory=dict)


async def ask_panel(
    trace: Trace,
    judges: Sequence[Judge],
    rubric: Rubric,
    *,
    scores: Scores | Mapping[str, Any] | None = None,
    limits: PromptLimits | Mapping[str, PromptLimits] = PromptLimits(),
    rule: Rule = "mean",
    quorum: int | None = None,
    embedder: Embedder | None = None,
    derive: Derive | None = None,
) -> PanelOpinion:
    """Ask all `judges` about `trace`. `limits` may be given for each by name.

    `quorum` is how many have to be heard: by default more than half. With fewer, JudgeFailed is raised with
    the usage of all, those who were heard included, and with a reason that may pass if any of them may: what
    was answered is in the cache by then, and costs nothing again.
    """

    async def ask(judge: Judge) -> Opinion | JudgeFailed:
        own = limits if isinstance(limits, PromptLimits) else limits.get(judge.name, PromptLimits())
        try:
            return await form_opinion(
                trace, scores, judge, rubric, limits=own, embedder=embedder, derive=derive
            )
        except JudgeFailed as failed:
            return failed

    if not judges:
        raise ValueError("a panel needs at least one judge")
    said = await asyncio.gather(*map(ask, judges))
    opinions = [answer for answer in said if isinstance(answer, Opinion)]
    failed = {j.name: a for j, a in zip(judges, said, strict=True) if isinstance(a, JudgeFailed)}
    needed = len(judges) // 2 + 1 if quorum is None else quorum
    if len(opinions) < max(1, min(needed, len(judges))):
        raise _too_few(opinions, failed)
    return PanelOpinion(opinions, agree(opinions, rule), disagreement(opinions), failed)


def _too_few(opinions: Sequence[Opinion], failed: Mapping[str, JudgeFailed]) -> JudgeFailed:
    usage = Usage()
    for spent in [*(o.usage for o in opinions), *(f.usage for f in failed.values())]:
        usage.add(spent)
    worst = next((f for f in failed.values() if f.retryable), next(iter(failed.values())))
    if len(failed) == 1 and not opinions:
        detail = worst.detail
    else:
        detail = "; ".join(f"{name}: {failure}" for name, failure in failed.items())
    return JudgeFailed(worst.reason, detail, usage, worst.retry_after_s)


__all__ = ["PanelOpinion", "ask_panel"]
