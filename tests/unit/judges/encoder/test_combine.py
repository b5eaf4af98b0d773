"""From the support of claims to a probability, and that together with the cheap scorer's."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from judges.encoder.combine import (
    FILE,
    Aggregate,
    Blend,
    EncoderUnusable,
    Fitting,
    read_fitting,
    to_logit,
    to_probability,
    write_fitting,
)

FITTING = Fitting(
    version="encoder-7",
    aggregate={"any": Aggregate(0.5, -1.0, -0.25, 0.1), "zh": Aggregate(weakest=-2.0)},
    blend={"any": Blend(0.0, 0.5, 0.5), "zh": Blend(1.0, 0.0, 1.0)},
)


def test_the_weakest_claim_decides_without_a_fit() -> None:
    plain = Fitting(version="x")
    assert plain.hallucination([4.0, -2.0, 3.0], "en") == pytest.approx(to_probability(2.0))


def test_a_weaker_claim_never_lowers_the_probability() -> None:
    strong, weak = ([5.0, 4.0, x] for x in (3.0, -3.0))
    assert FITTING.hallucination(weak, "en") > FITTING.hallucination(strong, "en")


def test_weights_are_those_of_the_language_or_of_any() -> None:
    assert FITTING.hallucination([1.0], "zh") == pytest.approx(to_probability(-2.0))
    assert FITTING.hallucination([1.0], "en") == FITTING.hallucination([1.0], None)
    assert FITTING.hallucination([1.0, 1.0], "en") == pytest.approx(
        to_probability(0.5 - 1.0 - 0.25 + 0.1 * math.log(2))
    )


def test_both_scores_count_in_the_combined_one() -> None:
    low, high = FITTING.combined(0.4, 0.1, "en"), FITTING.combined(0.4, 0.9, "en")
    assert low is not None
    assert high is not None
    assert low < 0.4 < high
    assert FITTING.combined(0.5, 0.5, "en") == pytest.approx(0.5)


def test_nothing_is_combined_without_a_blend_or_without_the_cheap_score() -> None:
    assert Fitting(version="x").combined(0.5, 0.9, "en") is None
    assert FITTING.combined(None, 0.9, "en") is None


@pytest.mark.parametrize("probability", [0.0, 1e-9, 0.2, 0.5, 1.0])
def test_certainty_has_a_finite_logit(probability: float) -> None:
    assert math.isfinite(to_logit(probability))
    assert to_probability(to_logit(probability)) == pytest.approx(probability, abs=2e-6)


def test_far_logits_are_probabilities_still() -> None:
    assert to_probability(-1e9) < 1e-12
    assert to_probability(1e9) == pytest.approx(1.0)


def test_what_lies_beside_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    write_fitting(tmp_path, FITTING)
    assert read_fitting(tmp_path) == FITTING
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def test_a_model_may_have_nothing_beside_it(tmp_path: Path) -> None:
    assert read_fitting(tmp_path) is None


@pytest.mark.parametrize(
    "change",
    [
        {"format": 2},
        {"blend": {"any": {"bias": 0.0, "cheap": float("nan"), "encoder": 1.0}}},
        {"aggregate": {"any": {"strongest": 1.0}}},
        {"version": ...},
    ],
)
def test_what_is_malformed_is_refused_with_what_to_do(tmp_path: Path, change: dict[str, object]) -> None:
    write_fitting(tmp_path, FITTING)
    whole = json.loads((tmp_path / FILE).read_text()) | change
    (tmp_path / FILE).write_text(json.dumps({k: v for k, v in whole.items() if v is not ...}))
    with pytest.raises(EncoderUnusable, match="calibrate the model again"):
        read_fitting(tmp_path)


def test_a_cut_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / FILE).write_text('{"format": 1,')
    with pytest.raises(EncoderUnusable, match="malformed"):
        read_fitting(tmp_path)
