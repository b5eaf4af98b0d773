"""What the judges say of a trace, beside its line of `ragpulse score`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from schemas.row import Sampling
from schemas.scored import Judged
from stream.files.score import SecondOpinion
from stream.judging.judge import GivenUp, Outcome, Panel, Unjudged, Verdicts
from stream.judging.rows import opinion_fields
from stream.judging.sampled import Sampled
from stream.judging.session import Session

_ALL: Final = Sampling(selected=True, probability=1.0, reasons=("file",))


def second_opinion(session: Session, on_progress: Callable[[], None]) -> SecondOpinion:
    """Asks the judges of a session about scored traces."""

    def ask(scored: Sequence[Judged]) -> list[dict[str, Any]]:
        now = datetime.now(UTC)
        batch = [Sampled(one.trace, {"language": one.scores.language}, _ALL, now) for one in scored]
        return [said_of(outcome) for _, outcome in session.judge(batch, on_progress)]

    return ask


def said_of(outcome: Outcome) -> dict[str, Any]:
    """An outcome as it stands under the key `judge`: an opinion, or `error` and `detail`."""
    match outcome:
        case Verdicts(panel=panel):
            return _panel(panel)
        case Unjudged(reason=reason, detail=detail) | GivenUp(reason=reason, detail=detail):
            return {"error": reason, "detail": detail}


def _panel(panel: Panel) -> dict[str, Any]:
    said = opinion_fields(panel.consensus)
    if len(panel.opinions) > 1 or panel.failed:
        said["disagreement"] = panel.disagreement
        said["opinions"] = [opinion_fields(opinion) for opinion in panel.opinions]
        said["failed"] = {name: failed.reason.value for name, failed in panel.failed.items()}
    return said


__all__ = ["said_of", "second_opinion"]
