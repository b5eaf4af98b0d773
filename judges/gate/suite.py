"""What a gate demands: floors, the drop that is allowed, strata, and how much has to be measured."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from judges.gate.endpoint import EndpointOptions
from judges.gate.metrics import METRICS, Layer

Share = Annotated[float, Field(ge=0, le=1)]
By = Literal["kind", "intent", "language", "tenant"]
FALSE_ALARMS: Final = 0.01
"""Chance that the same system is blocked for a change that is noise, all metrics and strata together."""


class SuiteRefused(ValueError):
    """Options that no gate can be made of: what is wrong, in words."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Main(_Part):
    """Section `suite`."""

    golden: Annotated[str, Field(min_length=1)]
    """The golden file, seen from the suite's own folder."""
    baseline: str | None = None
    """The baseline file, likewise; null where there is none yet."""
    k: Annotated[int, Field(ge=1, le=1000)] = 5
    """How many chunks count."""
    strata: tuple[By, ...] = ("kind", "intent", "language")
    required: tuple[str, ...] = ("answered", "hit_at_k", "faithfulness", "refusal_correctness")
    """Metrics that must be measured wherever a case allows it."""
    least_measured: Share = 0.9
    """Share of the cases that allow it on which a required metric must be measured."""
    missing: Share = 0.0
    """Share of the cases that may go without an answer."""
    judges: bool = False
    """Whether the LLM judges of the settings are asked as well."""
    index: str | None = None
    """A file with the ids of all chunks in the index, one a line, or JSON lines with `id`."""


class Drop(_Part):
    """Section `drop`: how much worse than the baseline, in points of 0..1."""

    allowed: Share = 0.03
    metrics: dict[str, Share] = {}
    """Another allowance by metric."""

    def of(self, metric: str) -> float:
        """The allowance of a metric."""
        return self.metrics.get(metric, self.allowed)


class Noise(_Part):
    """Section `noise`: share of the cases that noise may spoil; what improves may say that it is more."""

    retrieval: Share = 0.01
    """Index, retrieval and rerank, as long as nobody judges."""
    generation: Share = 0.03
    """What a model wrote, measured by the student."""
    judged: Share = 0.05
    """What LLM judges say."""

    def of(self, metric: str) -> float:
        """Of a metric."""
        known = METRICS[metric]
        if known.judged:
            return self.judged
        return self.generation if known.layer is Layer.GENERATION else self.retrieval


class Collapse(_Part):
    """Section `collapse`: what is called so, of the strata that lost more than noise loses."""

    left: Share = 0.5
    """A stratum that keeps no more than this share of what it scored has collapsed."""


class Cases(_Part):
    """Section `cases`: what single cases must hold."""

    known: Literal["block", "accept"] = "block"
    """Whether a case that failed in the baseline in the same way blocks."""
    confirmations: Annotated[int, Field(ge=0, le=20)] = 4
    """How often the judges are asked again before a minimum of a judged metric counts as missed."""


class Probing(_Part):
    """Section `probes`: facts in the chunks are replaced; does the system follow the chunks?"""

    count: Annotated[int, Field(ge=0, le=10_000)] = 0
    """How many, at most."""
    allowed: Share = 0.1
    """Override rate from which it is a finding, where the whole interval lies above it."""
    least: Annotated[int, Field(ge=1)] = 10
    """Probes with a clear outcome without which nothing is said."""
    seed: int = 0


class Suite(_Part):
    """All that a suite says. Unknown keys are refused: a floor with a slip of the pen guards nothing."""

    suite: Main
    floors: dict[str, Share] = {}
    """By metric, over all cases."""
    stratum_floors: dict[By, dict[str, dict[str, Share]]] = {}
    """By stratum, its value and metric: [stratum_floors.kind.multi_hop]."""
    drop: Drop = Drop()
    noise: Noise = Noise()
    collapse: Collapse = Collapse()
    cases: Cases = Cases()
    probes: Probing = Probing()
    endpoint: EndpointOptions | None = None

    @model_validator(mode="after")
    def _metrics_exist(self) -> Self:
        named = [*self.suite.required, *self.floors, *self.drop.metrics]
        named += [m for values in self.stratum_floors.values() for floors in values.values() for m in floors]
        for name in named:
            if name not in METRICS:
                raise ValueError(f"there is no metric {name!r}; there are: {', '.join(METRICS)}")
            if METRICS[name].judged and not self.suite.judges:
                raise ValueError(f"{name} is measured by judges: set judges = true, or leave it out")
        return self

    @property
    def wanted(self) -> frozenset[str]:
        """Metrics that must be measured: those required, and those with a floor."""
        return frozenset(self.suite.required) | frozenset(self.floors)

    @property
    def demanded(self) -> frozenset[str]:
        """Metrics that somebody named, so that a set without a case for them is a mistake."""
        named = self.suite.required if "required" in self.suite.model_fields_set else ()
        return frozenset(named) | frozenset(self.floors)


def read_suite(value: Mapping[str, Any]) -> Suite:
    """A suite from what its file says. Raises SuiteRefused."""
    if "suite" not in value:
        raise SuiteRefused("it has no section [suite], whose `golden` names the file of questions to ask")
    try:
        return Suite.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        why = "there is no such option" if first["type"] == "extra_forbidden" else first["msg"]
        why = why.removeprefix("Value error, ")
        raise SuiteRefused(f"{where}: {why}" if where else why) from None


__all__ = [
    "FALSE_ALARMS", "By", "Cases", "Collapse", "Drop", "Main", "Noise", "Probing", "Suite", "SuiteRefused",
    "read_suite",
]  # fmt: skip
