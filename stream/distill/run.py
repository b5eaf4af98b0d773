"""Compose it: gather, learn, examine, register; promote where nothing stands against it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import as_file, files
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from judges.distilled import SHIPPED
from judges.distilled.heads.weights import Weights, WeightsRefused, read_weights
from judges.registry import Registry
from stream.distill.gathered import Gathered
from stream.errors import PartMissing, RagpulseError

if TYPE_CHECKING:
    from judges.distillation.distill import Plan
    from judges.distillation.measured import Tell


class NothingToLearn(RagpulseError):
    """These labels teach nothing, or nothing that is true."""

    exit_code = 1


class NoParent(RagpulseError):
    """The scorer that serves cannot be built upon."""

    exit_code = 2


@dataclass(slots=True)
class Outcome:
    """What came of it."""

    version: str
    promoted: bool
    tried: bool
    """Whether it is the registry's candidate now."""
    objections: list[str]
    report: dict[str, Any]


def require_parts() -> None:
    """Raise PartMissing unless the extra `distill` is installed."""
    if find_spec("lightgbm") is None:
        raise PartMissing("Learning from labels needs LightGBM: pip install 'ragpulse[distill]'")


def read_parent(registry: Registry) -> Weights:
    """The weights that serve. Raises RegistryError, NoParent."""
    serving = registry.state().serving
    if serving is not None:
        registry.verify(serving)
        return read_weights(registry.path(serving))
    try:
        with as_file(files("judges.distilled").joinpath("data")) as folder:
            return read_weights(folder / SHIPPED)
    except WeightsRefused as error:
        raise NoParent(f"The shipped scorer cannot be built upon: {error}") from error


def run(
    gathered: Gathered,
    registry: Registry,
    plan: Plan,
    *,
    promote: bool,
    now: Callable[[], datetime],
    tell: Tell,
) -> Outcome:
    """Make a candidate and register it; let it serve, if that is asked for and nothing stands against it.

    Else workers are to try it beside what serves, unless its labels cannot be trusted.

    Until the candidate is complete nothing is written. Raises NothingToLearn, RegistryError, NoParent.
    """
    from judges.distillation.distill import distill
    from judges.distillation.refuse import LabelsRefused

    registry.refuse_taken(plan.version)
    parent = read_parent(registry)
    examples = gathered.examples()
    left_out = {reason: count for reason, count in gathered.left_out.items() if count}
    try:
        made = distill(examples, parent, plan, tell)
    except LabelsRefused as error:
        said = "; ".join(f"{count:,} because {reason}" for reason, count in left_out.items())
        raise NothingToLearn(f"{error} Left out before: {said}." if said else str(error)) from error
    made.report["left_out"] = left_out
    registry.add(made.weights, made.report)
    promoted = promote and made.may_serve
    if promoted:
        registry.promote(plan.version, now())
    elif made.worth_trying:
        registry.shadow(plan.version, now())
    return Outcome(
        plan.version,
        promoted,
        not promoted and made.worth_trying,
        [o.sentence for o in made.objections],
        made.report,
    )


__all__ = ["NoParent", "NothingToLearn", "Outcome", "read_parent", "require_parts", "run"]
