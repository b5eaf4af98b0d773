"""Who scores: what the registry says, unless that cannot score."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import orjson
import pytest
from structlog.testing import capture_logs

from judges.distilled import load_scorer
from judges.registry import INDEX, Registry
from schemas.scored import Scorer, Scores
from schemas.trace import Trace
from stream.telemetry import WorkerMetrics
from stream.worker.lineup import Lineups, Load
from tests.support.traces import StubScorer
from tests.support.weights import AT, damage, exchange, registry_of


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Watched(Lineups):
    """Lineups with its metrics and a clock at hand."""

    def __init__(self, registry: Registry | None, load: Load = load_scorer) -> None:
        self.metrics, self.clock = WorkerMetrics(), Clock()
        super().__init__(registry, self.metrics, load, self.clock)

    def swaps(self, role: str, outcome: str) -> float:
        labels = {"role": role, "outcome": outcome}
        return self.metrics.registry.get_sample_value("ragpulse_scorer_swaps_total", labels) or 0.0

    def built(self) -> set[str]:
        return {s.labels["scorer"] for f in self.metrics.build.collect() for s in f.samples}


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return registry_of(tmp_path / "registry", "s-1", "s-2", "s-3")


def versions(lineups: Lineups) -> tuple[str, str | None]:
    now = lineups.current
    return now.serving.version, now.candidate.version if now.candidate else None


SHIPPED = load_scorer().version


def test_without_a_registry_the_shipped_scorer_serves_alone() -> None:
    lineups = Watched(None)
    lineups.look()
    assert versions(lineups) == (SHIPPED, None)
    assert lineups.built() == {SHIPPED}


def test_an_empty_registry_means_the_shipped_scorer(tmp_path: Path) -> None:
    lineups = Watched(Registry(tmp_path / "not there yet"))
    assert versions(lineups) == (SHIPPED, None)
    later = registry_of(tmp_path / "not there yet", "s-1")
    later.promote("s-1", AT)
    lineups.look()
    assert versions(lineups) == ("s-1", None)


def test_a_start_takes_what_serves_and_what_is_tried(registry: Registry) -> None:
    registry.promote("s-1", AT)
    registry.shadow("s-2", AT)
    lineups = Watched(registry)
    assert versions(lineups) == ("s-1", "s-2")
    assert lineups.built() == {"s-1"}


def test_a_promotion_is_followed_and_the_gauge_names_the_new_scorer(registry: Registry) -> None:
    registry.shadow("s-1", AT)
    lineups = Watched(registry)
    registry.promote("s-1", AT)
    with capture_logs() as said:
        lineups.look()
        lineups.look()
    assert versions(lineups) == ("s-1", None)
    assert lineups.built() == {"s-1"}
    assert lineups.swaps("serving", "swapped") == 1
    assert [line["scorer"] for line in said if line["event"] == "the scorer changed"] == ["s-1"]


def test_a_rollback_leads_back_to_the_shipped_scorer(registry: Registry) -> None:
    registry.promote("s-1", AT)
    lineups = Watched(registry)
    registry.rollback(AT)
    lineups.look()
    assert versions(lineups) == (SHIPPED, None)


def test_nothing_is_loaded_while_the_registry_stays_as_it_is(registry: Registry) -> None:
    registry.promote("s-1", AT)
    loaded: list[Path | None] = []

    def load(path: Path | None) -> Scorer:
        loaded.append(path)
        return load_scorer(path)

    lineups = Watched(registry, load)
    for _ in range(3):
        lineups.look()
    assert loaded == [registry.path("s-1")]


def test_damaged_weights_are_refused_once_and_the_old_scorer_goes_on(registry: Registry) -> None:
    registry.promote("s-1", AT)
    lineups = Watched(registry)
    registry.promote("s-2", AT)
    whole = registry.path("s-2").read_bytes()
    damage(registry, "s-2")
    with capture_logs() as said:
        for _ in range(3):
            lineups.look()
            lineups.clock.now += 100
    assert versions(lineups) == ("s-1", None)
    assert lineups.built() == {"s-1"}
    assert lineups.swaps("serving", "refused") == 1
    (line,) = [line for line in said if line["log_level"] == "error"]
    assert "s-2 is refused" in line["event"]
    assert "checksum" in line["event"]
    registry.path("s-2").write_bytes(whole)
    lineups.look()
    assert versions(lineups) == ("s-2", None)


def test_weights_for_other_features_are_refused(registry: Registry) -> None:
    registry.promote("s-1", AT)
    lineups = Watched(registry)
    registry.promote("s-2", AT)
    manifest = registry.path("s-2").with_suffix(".json")
    manifest.write_bytes(orjson.dumps({**orjson.loads(manifest.read_bytes()), "features": "0" * 64}))
    with capture_logs() as said:
        lineups.look()
    assert versions(lineups) == ("s-1", None)
    assert any("trained on other features" in line["event"] for line in said)


def test_files_of_another_version_are_refused(registry: Registry) -> None:
    lineups = Watched(registry)
    registry.promote("s-2", AT)
    exchange(registry, "s-2", "s-3")
    lineups.look()
    assert versions(lineups) == (SHIPPED, None)
    assert lineups.swaps("serving", "refused") == 1


def test_going_back_to_what_still_serves_is_no_change(registry: Registry) -> None:
    registry.promote("s-1", AT)
    lineups = Watched(registry)
    serving = lineups.current.serving
    registry.promote("s-2", AT)
    damage(registry, "s-2")
    lineups.look()
    registry.rollback(AT)
    lineups.look()
    assert lineups.current.serving is serving
    assert lineups.swaps("serving", "swapped") == 0


def test_a_worker_that_starts_on_damaged_weights_serves_with_the_shipped_scorer(registry: Registry) -> None:
    registry.promote("s-1", AT)
    damage(registry, "s-1")
    lineups = Watched(registry)
    assert versions(lineups) == (SHIPPED, None)
    assert lineups.swaps("serving", "refused") == 1


class Nonsense(StubScorer):
    def __init__(self, version: str, hallucination: float | None) -> None:
        super().__init__()
        self.version, self._hallucination = version, hallucination

    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        return [Scores(self.version, hallucination=self._hallucination) for _ in batch]


@pytest.mark.parametrize(
    "scorer",
    [Nonsense("s-1", None), Nonsense("s-1", float("nan")), Nonsense("s-1", 1.5)],
    ids=["says nothing", "says NaN", "says 1.5"],
)
def test_a_scorer_that_fails_its_trial_never_serves(registry: Registry, scorer: Scorer) -> None:
    lineups = Watched(registry, lambda path: scorer if path else load_scorer())
    registry.promote("s-1", AT)
    lineups.look()
    assert versions(lineups) == (SHIPPED, None)
    assert lineups.swaps("serving", "refused") == 1


def test_a_scorer_that_raises_in_its_trial_never_serves(registry: Registry) -> None:
    class Raises(Nonsense):
        def score(self, batch: Sequence[Trace]) -> list[Scores]:
            raise MemoryError("too large")

    lineups = Watched(registry, lambda path: Raises("s-1", 0.5) if path else load_scorer())
    registry.promote("s-1", AT)
    with capture_logs() as said:
        lineups.look()
    assert versions(lineups) == (SHIPPED, None)
    assert any("too large" in line["event"] for line in said)


def test_a_registry_that_cannot_be_read_changes_nothing_and_is_complained_of_once(
    registry: Registry,
) -> None:
    registry.promote("s-1", AT)
    lineups = Watched(registry)
    index = registry.folder / INDEX
    whole = index.read_bytes()
    with capture_logs() as said:
        for text in (b"{oops", b"{oops!", b"[]"):
            index.write_bytes(text)
            lineups.look()
            lineups.look()
    assert versions(lineups) == ("s-1", None)
    assert len(said) == 1
    index.write_bytes(whole)
    registry.promote("s-2", AT)
    lineups.look()
    assert versions(lineups) == ("s-2", None)


def test_a_registry_that_vanishes_for_a_while_changes_nothing(registry: Registry, tmp_path: Path) -> None:
    registry.promote("s-1", AT)
    lineups = Watched(registry)
    registry.folder.rename(tmp_path / "elsewhere")
    with capture_logs() as said:
        lineups.look()
        lineups.look()
    assert versions(lineups) == ("s-1", None)
    assert [line["log_level"] for line in said] == ["error"]
    (tmp_path / "elsewhere").rename(registry.folder)
    registry.promote("s-2", AT)
    lineups.look()
    assert versions(lineups) == ("s-2", None)


def test_a_candidate_that_was_set_aside_stays_out_until_the_registry_names_another(
    registry: Registry,
) -> None:
    registry.shadow("s-1", AT)
    lineups = Watched(registry)
    candidate = lineups.current.candidate
    assert candidate is not None
    assert lineups.set_aside(candidate)
    assert not lineups.set_aside(candidate)
    registry.promote("s-3", AT)  # another change, and the candidate stays the same
    lineups.look()
    assert versions(lineups) == ("s-3", None)
    registry.shadow("s-2", AT)
    lineups.look()
    assert versions(lineups) == ("s-3", "s-2")
    assert not lineups.set_aside(candidate)


def test_a_candidate_that_cannot_be_loaded_leaves_the_serving_scorer_alone(registry: Registry) -> None:
    registry.promote("s-1", AT)
    registry.shadow("s-2", AT)
    lineups = Watched(registry)
    registry.shadow("s-3", AT)
    damage(registry, "s-3")
    lineups.look()
    assert versions(lineups) == ("s-1", None)
    assert lineups.swaps("candidate", "refused") == 1


def test_nobody_is_tried_beside_itself(registry: Registry) -> None:
    registry.promote("s-1", AT)
    registry.promote("s-2", AT)
    registry.shadow("s-1", AT)
    lineups = Watched(registry)
    assert versions(lineups) == ("s-2", "s-1")
    registry.rollback(AT)
    lineups.look()
    assert versions(lineups) == ("s-1", None)
