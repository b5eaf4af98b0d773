"""The local judge as the lane takes its judges: with the process of its model, while it is needed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from judges.llm.local.client import LocalClient
from judges.llm.local.fitted import FIT_EACH, FIT_SEED, FITTED
from judges.llm.local.opine import RUBRIC, RUBRIC_VERSION, LocalJudge
from stream.judging.bench import Bench
from stream.judging.patience import Absence, Patience
from stream.judging.rows import Identity
from stream.local.fit import Tell, fit
from stream.local.server import MODULE, LocalModelServer
from stream.local.traces import known_traces


def identity_of_local(model: Path) -> Identity:
    """Whose verdicts these are."""
    return Identity(LocalJudge.name, model.stem, RUBRIC, RUBRIC_VERSION)


@asynccontextmanager
async def open_local(
    model: Path, tell: Tell, *, fit_anew: bool = False, module: str = MODULE
) -> AsyncIterator[LocalJudge]:
    """The judge while the body runs. A model that nobody has fitted a boundary for is fitted first.

    Raises RagpulseError where the model does not start, JudgeFailed where it stops answering.
    """
    with LocalModelServer(model, module=module) as server:
        client = LocalClient(server.base_url)
        boundaries = None if fit_anew else FITTED.get(model.stem)
        if boundaries is None:
            boundaries = await fit(client, known_traces(FIT_SEED, FIT_EACH), tell)
        yield LocalJudge(client, model.stem, boundaries)


@asynccontextmanager
async def open_local_bench(model: Path, tell: Tell, module: str = MODULE) -> AsyncIterator[Bench]:
    """The same as the lane takes it."""
    async with open_local(model, tell, module=module) as judge:
        yield bench_of(judge)


def bench_of(judge: LocalJudge) -> Bench:
    """One trace at a time, since there is one model."""
    return Bench(
        opine=judge.opine,
        identity=Identity(judge.name, judge.model, RUBRIC, RUBRIC_VERSION),
        concurrency=1,
        absence=Absence(),
        patience=Patience(waits=False),
    )


__all__ = ["bench_of", "identity_of_local", "open_local", "open_local_bench"]
