"""Put the probes to a judge once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from judges.llm.asking import JudgeFailed, Opinion, Usage
from judges.llm.probes.cases import PROBE_SET, Probe
from schemas.trace import Trace

Opine = Callable[[Trace], Awaitable[Opinion]]
"""Asks one judge about one trace. Raises JudgeFailed."""
ENOUGH: Final = 0.5
"""With answers to a smaller share of the probes a run says nothing."""


@dataclass(slots=True, frozen=True)
class ProbeAnswer:
    """What came of one probe. Null is not measured; `error` says why there is no opinion at all."""

    probe: str
    language: str
    expected: str
    said: str | None = None
    faithfulness: float | None = None
    hallucination: float | None = None
    error: str = ""

    @property
    def right(self) -> bool:
        """Whether the judge said what is true. A judge that does not say is not right."""
        return self.said == self.expected


@dataclass(slots=True)
class ProbeRun:
    """All answers of one run."""

    judge: str
    model: str
    rubric: str
    rubric_version: str
    at: datetime
    answers: list[ProbeAnswer]
    served_by: str = ""
    """The model that the server says answered; several, if it says several."""
    probe_set: str = PROBE_SET
    begins_baseline: bool = False
    usage: Usage = field(default_factory=Usage)

    def answered(self, language: str = "") -> list[ProbeAnswer]:
        """Answers that are opinions, in one language or (empty) in all."""
        return [one for one in self.answers if not one.error and language in ("", one.language)]

    @property
    def counts(self) -> bool:
        """Whether enough was answered to say anything."""
        return len(self.answered()) >= max(1, ENOUGH * len(self.answers))

    def agreement(self, language: str = "") -> float | None:
        """Share of right answers, 0 to 1; null where the run does not count."""
        answered = self.answered(language)
        if not self.counts or not answered:
            return None
        return sum(one.right for one in answered) / len(answered)

    @property
    def errors(self) -> dict[str, int]:
        """Probes without an opinion, by reason."""
        return dict(Counter(one.error for one in self.answers if one.error))


async def run_probes(
    opine: Opine,
    probes: Sequence[Probe],
    *,
    judge: str,
    model: str,
    rubric: str,
    rubric_version: str,
    at: datetime,
    concurrency: int = 4,
) -> ProbeRun:
    """Ask about every probe, at most so many at once. A probe that gets no answer is kept with its reason."""
    run = ProbeRun(judge, model, rubric, rubric_version, at, [])
    free = asyncio.Semaphore(concurrency)
    served: Counter[str] = Counter()

    async def ask(probe: Probe) -> ProbeAnswer:
        async with free:
            try:
                opinion = await opine(probe.trace)
            except JudgeFailed as failed:
                run.usage.add(failed.usage)
                return ProbeAnswer(probe.name, probe.language, probe.expected, error=failed.reason.value)
        run.usage.add(opinion.usage)
        if opinion.served_by:
            served[opinion.served_by] += 1
        return ProbeAnswer(
            probe.name,
            probe.language,
            probe.expected,
            opinion.failure,
            opinion.faithfulness,
            opinion.hallucination,
        )

    run.answers = list(await asyncio.gather(*map(ask, probes)))
    run.served_by = ", ".join(sorted(served))
    return run


__all__ = ["ENOUGH", "Opine", "ProbeAnswer", "ProbeRun", "run_probes"]
