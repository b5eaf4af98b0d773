"""The judges of the settings, opened: with their panel, their rubric, their budget and their memory."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from judges.llm import facts, rubrics
from judges.llm.asking import Judge
from judges.llm.client import LlmJudge, open_judge
from judges.llm.consensus import PANEL
from judges.llm.material import PromptLimits, language_of
from judges.llm.panel import PanelOpinion, ask_panel
from judges.llm.state import State, StateError, open_state
from schemas.trace import Trace
from stream.errors import SettingRefused
from stream.judging.bench import Bench
from stream.judging.fresh import FreshJudge
from stream.judging.judge import Opine
from stream.judging.patience import Absence, Patience, PatientJudge
from stream.judging.rows import Identity
from stream.settings import JudgeSettings

NO_JUDGE: Final = (
    "No judge is configured: set RAGPULSE_JUDGE__MODEL, and with it RAGPULSE_JUDGE__BASE_URL and "
    "RAGPULSE_JUDGE__API_KEY of an OpenAI-compatible endpoint; or try `ragpulse judge --local`, which needs "
    "none of them."
)


def require_judge(settings: JudgeSettings) -> None:
    """Raises SettingRefused while there is nobody to ask."""
    if not settings.on:
        raise SettingRefused(NO_JUDGE)


@asynccontextmanager
async def open_bench(
    settings: JudgeSettings,
    patience: Patience = Patience(),
    observe: facts.Observe = facts.ignore,
    *,
    fresh: bool = False,
) -> AsyncIterator[Bench]:
    """The judges while the body runs. Raises SettingRefused where there is none, or no file for accounts.

    `fresh`: answers that are kept from before will not do.
    """
    require_judge(settings)
    absence = Absence()

    def notice(fact: facts.Fact) -> None:
        if isinstance(fact, facts.Answered) and not fact.cached:
            absence.answers += 1
        observe(fact)

    async with AsyncExitStack() as stack:
        state = stack.enter_context(_open_state(settings))
        opened = [
            await stack.enter_async_context(open_judge(endpoint, state=state, observe=notice))
            for endpoint in settings.endpoints()
        ]
        yield Bench(
            opine=_opine(settings, opened, patience, absence, fresh=fresh),
            identity=identity_of(settings),
            concurrency=max(judge.endpoint.limits.concurrency for judge in opened),
            absence=absence,
            patience=patience,
            ledger=state.ledger,
            answers=state.answers,
            judges=tuple(opened),
        )


def identity_of(settings: JudgeSettings) -> Identity:
    """Whose verdicts these settings give."""
    endpoints, rubric = settings.endpoints(), rubrics.load(rubrics.DEFAULT)
    alone = len(endpoints) == 1
    return Identity(
        judge=endpoints[0].name if alone else PANEL,
        model="+".join(endpoint.model for endpoint in endpoints),
        rubric=rubric.name,
        rubric_version=rubric.version,
    )


def limits_of(settings: JudgeSettings) -> dict[str, PromptLimits]:
    """How much of a trace each judge is shown, by its name."""
    return {
        endpoint.name: PromptLimits.for_context(endpoint.context_tokens)
        for endpoint in settings.endpoints()
        if endpoint.context_tokens is not None
    }


def _open_state(settings: JudgeSettings) -> State:
    try:
        file = Path(settings.state_file)
        file.parent.mkdir(parents=True, exist_ok=True)
        return open_state(file, settings.budgets(), settings.cache_bounds())
    except (StateError, OSError) as error:
        raise SettingRefused(f"RAGPULSE_JUDGE__STATE_FILE: {error}") from error


def _opine(
    settings: JudgeSettings, opened: list[LlmJudge], patience: Patience, absence: Absence, *, fresh: bool
) -> Opine:
    judges: list[Judge] = [FreshJudge(judge) if fresh else judge for judge in opened]
    if len(opened) == 1:  # of a panel, one that is away must not hold up the others
        judges = [PatientJudge(judges[0], patience, absence)]
    embedder = next((judge for judge in opened if judge.embeds), None)
    limits, identity = limits_of(settings), identity_of(settings)

    async def opine(trace: Trace, scores: Mapping[str, Any] | None) -> PanelOpinion:
        rubric = rubrics.load(rubrics.DEFAULT, language_of(trace, scores))
        said = await ask_panel(
            trace, judges, rubric, scores=scores, limits=limits, rule=settings.panel, embedder=embedder
        )
        if said.consensus.judge == identity.judge:
            said.consensus.model = identity.model  # the key of a verdict depends on nobody's absence
        return said

    return opine


__all__ = ["NO_JUDGE", "identity_of", "limits_of", "open_bench", "require_judge"]
