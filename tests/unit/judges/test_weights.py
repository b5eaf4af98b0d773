"""Weights travel as two files, and what does not fit is refused in one sentence that helps."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from judges.distilled import load_scorer
from judges.distilled.heads.calibration import ANY_LANGUAGE, Calibration, calibrate
from judges.distilled.heads.fingerprint import HEADS, fingerprint
from judges.distilled.heads.forest import Forest
from judges.distilled.heads.weights import Manifest, Weights, WeightsRefused, read_weights, write_weights
from tests.unit.judges.student import make_stump, make_weights


def test_weights_come_back_as_they_were_written(tmp_path: Path) -> None:
    weights = make_weights(arrays={"sufficiency.en": np.arange(3.0)})
    written = write_weights(tmp_path / "w.npz", weights)
    restored = read_weights(tmp_path / "w.npz")
    assert restored.manifest == written.manifest
    assert restored.manifest.sha256
    rows = np.random.default_rng(1).normal(size=(20, len(HEADS["claim"]))).astype(np.float32)
    assert (restored.forests["claim"].score(rows) == weights.forests["claim"].score(rows)).all()
    assert (restored.arrays["sufficiency.en"] == np.arange(3.0)).all()
    logits = np.linspace(-9, 9, 50)
    expected = calibrate(weights.calibration["trace"], logits, ["zh"] * 50)
    assert (calibrate(restored.calibration["trace"], logits, ["zh"] * 50) == expected).all()


def test_the_same_weights_are_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        write_weights(tmp_path / name, make_weights())
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_writing_leaves_nothing_but_the_two_files(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.npz", make_weights())
    write_weights(tmp_path / "w.npz", make_weights(version="second"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["w.json", "w.npz"]
    assert read_weights(tmp_path / "w.npz").manifest.version == "second"


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_a_missing_file_is_refused(tmp_path: Path, suffix: str) -> None:
    write_weights(tmp_path / "w.npz", make_weights())
    (tmp_path / "w.npz").with_suffix(suffix).unlink()
    with pytest.raises(WeightsRefused, match=r"cannot be read .*: restore"):
        read_weights(tmp_path / "w.npz")


def test_arrays_of_another_training_are_refused(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.npz", make_weights())
    write_weights(tmp_path / "other.npz", make_weights(threshold=0.7))
    (tmp_path / "w.npz").write_bytes((tmp_path / "other.npz").read_bytes())
    with pytest.raises(WeightsRefused, match=r"checksum .* Copy both again"):
        read_weights(tmp_path / "w.npz")


def test_weights_of_another_format_are_refused(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.npz", make_weights())
    _edit(tmp_path / "w.json", format=99)
    with pytest.raises(WeightsRefused, match=r"format 99, this ragpulse reads 1: train again"):
        read_weights(tmp_path / "w.npz")


def test_weights_for_other_features_are_refused(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.npz", make_weights())
    _edit(tmp_path / "w.json", features=fingerprint({"claim": ("length",)}))
    with pytest.raises(WeightsRefused, match=r"trained on other features"):
        read_weights(tmp_path / "w.npz")


def test_a_new_meaning_of_a_feature_changes_the_fingerprint() -> None:
    assert fingerprint() == fingerprint()
    assert fingerprint(revision=1) != fingerprint(revision=2)
    assert fingerprint({"claim": ("a", "b")}) != fingerprint({"claim": ("b", "a")})


@pytest.mark.parametrize(
    "broken",
    [
        {"value": np.array([0.0, np.nan, 1.0], np.float32)},
        {"left": np.array([0, 0, 0], np.int32)},
        {"left": np.array([2, 0, 0], np.int32)},
        {"feature": np.array([999, -1, -1], np.int16)},
        {"threshold": np.array([np.nan, 0.0, 0.0], np.float32)},
        {"root": np.array([7], np.int32)},
        {"value": np.zeros(9, np.float32)},
    ],
)
def test_a_forest_that_leads_nowhere_is_refused(tmp_path: Path, broken: dict[str, Any]) -> None:
    claim = replace(make_stump(), **broken)
    write_weights(
        tmp_path / "w.npz", replace(make_weights(), forests={"claim": claim, "trace": make_stump()})
    )
    with pytest.raises(WeightsRefused, match="no usable weights"):
        read_weights(tmp_path / "w.npz")


def test_a_head_that_no_scorer_does_without_is_missed(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.npz", replace(make_weights(), forests={"claim": make_stump()}))
    with pytest.raises(WeightsRefused, match="lacks the head trace"):
        read_weights(tmp_path / "w.npz")


def test_numbers_that_are_none_are_refused(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.npz", make_weights(arrays={"x": np.array([np.inf])}))
    with pytest.raises(WeightsRefused, match="array x"):
        read_weights(tmp_path / "w.npz")


def test_pickled_objects_are_not_read(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.npz", make_weights(arrays={"x": np.array([{"a": 1}], dtype=object)}))
    with pytest.raises(WeightsRefused, match="no usable weights"):
        read_weights(tmp_path / "w.npz")


@pytest.mark.parametrize("content", [b"", b"PK", b"no weights at all"])
def test_files_that_are_no_arrays_are_refused_though_their_checksum_fits(
    tmp_path: Path, content: bytes
) -> None:
    write_weights(tmp_path / "w.npz", make_weights())
    (tmp_path / "w.npz").write_bytes(content)
    _edit(tmp_path / "w.json", sha256=sha256(content).hexdigest())
    with pytest.raises(WeightsRefused, match="no usable weights"):
        read_weights(tmp_path / "w.npz")


@pytest.mark.parametrize("version", [None, 5, ""])
def test_weights_without_a_version_are_refused(tmp_path: Path, version: object) -> None:
    write_weights(tmp_path / "w.npz", make_weights())
    _edit(tmp_path / "w.json", version=version)
    with pytest.raises(WeightsRefused, match="names no version"):
        read_weights(tmp_path / "w.npz")


def test_load_scorer_takes_a_path_or_the_name_of_the_rules(tmp_path: Path) -> None:
    write_weights(tmp_path / "w.npz", make_weights(version="mine"))
    assert load_scorer(tmp_path / "w.npz").version == "mine"
    assert load_scorer("rules").version == "rules-1"


def test_more_trees_add_to_what_a_forest_said() -> None:
    rows = np.array([[0.0], [1.0]], dtype=np.float32)
    parent, more = make_stump(threshold=0.5, low=-1.0, high=1.0), make_stump(threshold=0.5, low=0.5, high=4.0)
    assert parent.extend(more).score(rows).tolist() == [-0.5, 5.0]
    assert parent.extend(more, weight=0.5).score(rows).tolist() == [-0.75, 3.0]
    assert parent.extend(more).extend(more).score(rows).tolist() == [0.0, 9.0]


def test_calibration_rises() -> None:
    curve = Calibration(np.array([-1.0, 0.0, 2.0]), np.array([-3.0, -3.0, 1.0]))
    calibrated = curve.apply(np.linspace(-50, 50, 1001))
    assert (np.diff(calibrated) >= 0).all()
    assert curve.apply(np.array([0.0, 1.0, 4.0])).tolist() == [-3.0, -1.0, 5.0]
    assert Calibration.line(2.0, -1.0).apply(np.array([-4.0, 0.0, 5.0])).tolist() == [-9.0, -1.0, 9.0]


@pytest.mark.parametrize(
    ("raw", "calibrated"),
    [([0.0, 1.0], [1.0, 0.0]), ([1.0, 1.0], [0.0, 1.0]), ([0.0], [0.0]), ([0.0, 1.0], [0.0, np.nan])],
)
def test_a_calibration_that_does_not_rise_is_none(raw: list[float], calibrated: list[float]) -> None:
    with pytest.raises(ValueError, match="calibration"):
        Calibration(np.array(raw), np.array(calibrated))


def test_each_language_has_its_own_curve_and_others_a_common_one() -> None:
    curves = {ANY_LANGUAGE: Calibration.line(1.0, 0.0), "zh": Calibration.line(1.0, 2.0)}
    zh, en, none = calibrate(curves, np.zeros(3), ["zh", "en", None]).tolist()
    assert en == none == 0.5
    assert zh == pytest.approx(1 / (1 + np.exp(-2.0)))


def _edit(path: Path, **fields: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_a_manifest_says_what_it_was_made_from(tmp_path: Path) -> None:
    manifest = Manifest("child", "2026-01-01T00:00:00Z", 7, parent="student-1", data={"x": {"rows": 3}})
    write_weights(tmp_path / "w.npz", replace(make_weights(), manifest=manifest))
    stored = json.loads((tmp_path / "w.json").read_text())
    assert (stored["parent"], stored["seed"], stored["data"]) == ("student-1", 7, {"x": {"rows": 3}})


def test_an_empty_forest_says_its_base() -> None:
    empty = np.zeros(0)
    forest = Forest(
        feature=empty.astype(np.int16),
        threshold=empty.astype(np.float32),
        left=empty.astype(np.int32),
        value=empty.astype(np.float32),
        root=empty.astype(np.int32),
        base=0.25,
    )
    assert forest.score(np.zeros((2, 1), dtype=np.float32)).tolist() == [0.25, 0.25]
    assert isinstance(make_weights(), Weights)
