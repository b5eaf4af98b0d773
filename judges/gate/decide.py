"""Layer by layer, bottom-up: what is found, and where to stop. Pure.

Once a layer fails, nothing is said of the layers above it: they answer from what it gave them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from judges.gate.baseline import Baseline
from judges.gate.compare import Row, compare
from judges.gate.diff import Diff, diff_of
from judges.gate.finding import ALL, Finding, Kind
from judges.gate.metrics import Layer
from judges.gate.override import Override, override_finding
from judges.gate.result import CaseResult
from judges.gate.rules import find_in_cases, find_in_rows, find_unmeasured
from judges.gate.suite import Suite


class State(StrEnum):
    """What became of a layer."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_MEASURED = "not measured"
    NOT_LOOKED_AT = "not looked at"


@dataclass(frozen=True, slots=True)
class LayerOutcome:
    """One layer."""

    layer: Layer
    state: State
    rows: tuple[Row, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """All that a gate says of a candidate."""

    layers: tuple[LayerOutcome, ...]
    results: tuple[CaseResult, ...]
    others: tuple[Finding, ...] = ()
    """Findings that are no matter of one layer."""
    diff: Diff = field(default_factory=Diff)
    override: Override | None = None
    compared: bool = False
    """Whether there was a baseline."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All of them: bottom-up, as far as anybody looked."""
        return (*self.others, *(finding for layer in self.layers for finding in layer.findings))

    @property
    def blocked(self) -> bool:
        """Whether the candidate may not pass."""
        return bool(self.findings)

    @property
    def stopped_at(self) -> Layer | None:
        """The first layer that failed; null where none did."""
        return next((one.layer for one in self.layers if one.state is State.FAILED), None)


def decide(
    suite: Suite,
    results: Sequence[CaseResult],
    baseline: Baseline | None = None,
    *,
    override: Override | None = None,
    last: Layer = Layer.GENERATION,
) -> Decision:
    """The decision on a candidate. `last` ends it early: nothing above is looked at yet."""
    layers: list[LayerOutcome] = []
    for layer in Layer:
        if any(one.state is State.FAILED for one in layers) or _is_above(layer, last):
            layers.append(LayerOutcome(layer, State.NOT_LOOKED_AT))
        else:
            layers.append(_look_at(suite, layer, results, baseline))
    others = [*_unanswered(suite, results)]
    if override is not None:
        others += override_finding(suite, override)
    return Decision(
        tuple(layers),
        tuple(results),
        tuple(others),
        diff_of(results, baseline),
        override,
        baseline is not None,
    )


def _is_above(layer: Layer, last: Layer) -> bool:
    order = list(Layer)
    return order.index(layer) > order.index(last)


def _look_at(
    suite: Suite, layer: Layer, results: Sequence[CaseResult], baseline: Baseline | None
) -> LayerOutcome:
    compared = compare(suite, layer, results, baseline)
    findings = (
        *find_unmeasured(suite, layer, compared),
        *find_in_rows(suite, layer, compared),
        *find_in_cases(suite, layer, results, baseline),
    )
    measured = any(row.measured for row in compared.rows)
    state = State.FAILED if findings else State.PASSED if measured else State.NOT_MEASURED
    return LayerOutcome(layer, state, compared.rows, findings)


def _unanswered(suite: Suite, results: Sequence[CaseResult]) -> list[Finding]:
    """More cases without any answer than the suite lets pass."""
    gone = tuple(one.case_id for one in results if not one.values)
    if not results:
        return [Finding(Kind.NOT_MEASURED, None, "The golden set holds no case: nothing was measured.")]
    if len(gone) <= suite.suite.missing * len(results):
        return []
    message = f"{len(gone):,} of {len(results):,} cases have no answer at all"
    return [Finding(Kind.UNANSWERED, None, f"{message}.", "answered", ALL, gone)]


__all__ = ["Decision", "LayerOutcome", "State", "decide"]
