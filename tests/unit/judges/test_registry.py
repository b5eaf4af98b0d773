"""The registry of scorers: whole or not at all, checked before it serves, and always a way back."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import numpy as np
import orjson
import pytest

from judges.distilled.heads import weights as stored
from judges.distilled.heads.forest import Forest
from judges.distilled.heads.weights import Manifest, Weights
from judges.registry import PROMOTE, ROLLBACK, SHADOW, Registry, RegistryError, State

_MINUTES = count()


def now() -> datetime:
    return datetime(2026, 11, 30, 12, tzinfo=UTC) + timedelta(minutes=next(_MINUTES))


def stump(value: float = 1.0) -> Forest:
    """A forest of one leaf."""
    return Forest(
        feature=np.array([-1], np.int16),
        threshold=np.zeros(1, np.float32),
        left=np.zeros(1, np.int32),
        value=np.array([value], np.float32),
        root=np.zeros(1, np.int32),
    )


def make(version: str) -> Weights:
    manifest = Manifest(
        version=version, made_at=f"2026-11-30T12:00:0{len(version)}Z", seed=7, parent="student-1"
    )
    return Weights(manifest, {"claim": stump(), "trace": stump(2.0)})


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    return Registry(tmp_path / "registry")


def add(registry: Registry, *versions: str) -> None:
    for version in versions:
        registry.add(make(version), {"overall": {"auroc": 0.9}})


def test_an_absent_folder_means_the_shipped_scorer_alone(registry: Registry) -> None:
    assert registry.state() == State(None, None)
    assert registry.stamp() is None
    assert registry.entries() == []
    assert not registry.folder.exists()  # looking leaves no trace


def test_what_was_added_is_there_and_does_not_serve(registry: Registry) -> None:
    add(registry, "b-22", "a-1")
    assert [entry.version for entry in registry.entries()] == ["a-1", "b-22"]  # by when they were made
    entry = registry.entry("a-1")
    assert entry.manifest["parent"] == "student-1"
    assert entry.report == {"overall": {"auroc": 0.9}}
    assert stored.read_weights(registry.path("a-1")).manifest.version == "a-1"
    assert registry.state() == State(None, None)


def test_a_version_is_never_overwritten(registry: Registry) -> None:
    add(registry, "a-1")
    before = registry.path("a-1").read_bytes()
    with pytest.raises(RegistryError, match="already"):
        add(registry, "a-1")
    assert registry.path("a-1").read_bytes() == before


@pytest.mark.parametrize("name", ["", ".hidden", "../up", "a/b", "a b", "x" * 65, "-1"])
def test_a_name_that_could_be_a_path_is_refused(registry: Registry, name: str) -> None:
    with pytest.raises(RegistryError, match="cannot name a scorer"):
        add(registry, name)
    with pytest.raises(RegistryError, match="cannot name a scorer"):
        registry.path(name)


def test_promotion_rollback_and_the_way_back_to_the_shipped_scorer(registry: Registry) -> None:
    add(registry, "a-1", "b-2")
    assert registry.promote("a-1", now()).serving == "a-1"
    assert registry.promote("b-2", now()).serving == "b-2"
    assert registry.rollback(now()).serving == "a-1"
    assert registry.rollback(now()).serving is None
    with pytest.raises(RegistryError, match="no promotion to take back"):
        registry.rollback(now())
    actions = [(c.action, c.before, c.version) for c in registry.history()]
    assert actions == [
        (PROMOTE, None, "a-1"),
        (PROMOTE, "a-1", "b-2"),
        (ROLLBACK, "b-2", "a-1"),
        (ROLLBACK, "a-1", None),
    ]


def test_after_a_rollback_and_another_promotion_the_way_back_is_the_one_that_was_taken(
    registry: Registry,
) -> None:
    add(registry, "a-1", "b-2", "c-3")
    for version in ("a-1", "b-2"):
        registry.promote(version, now())
    registry.rollback(now())
    registry.promote("c-3", now())
    assert registry.rollback(now()).serving == "a-1"  # not b-2, which had been taken back


def test_a_candidate_is_tried_beside_the_serving_one_until_it_serves(registry: Registry) -> None:
    add(registry, "a-1", "b-2")
    assert registry.shadow("a-1", now()) == State(None, "a-1")
    assert registry.promote("a-1", now()) == State("a-1", None)
    with pytest.raises(RegistryError, match="serves already"):
        registry.shadow("a-1", now())
    registry.shadow("b-2", now())
    assert registry.shadow(None, now()) == State("a-1", None)
    assert registry.history()[-1].action == SHADOW


def test_a_candidate_that_a_rollback_brings_back_is_not_tried_beside_itself(registry: Registry) -> None:
    add(registry, "a-1", "b-2")
    registry.promote("a-1", now())
    registry.promote("b-2", now())
    registry.shadow("a-1", now())
    assert registry.rollback(now()) == State("a-1", None)


def test_a_version_whose_weights_are_gone_is_named_with_its_file(registry: Registry) -> None:
    add(registry, "a-1")
    registry.path("a-1").unlink()
    with pytest.raises(RegistryError, match=r"a-1/weights\.npz is not there: put it back"):
        registry.entry("a-1")
    assert "is not there: put it back" in (registry.entries()[0].problem or "")


def test_every_change_changes_the_stamp(registry: Registry) -> None:
    add(registry, "a-1")
    stamps = [registry.stamp()]
    for change in (
        lambda: registry.shadow("a-1", now()),
        lambda: registry.promote("a-1", now()),
        lambda: registry.rollback(now()),
    ):
        change()
        stamps.append(registry.stamp())
    assert len(set(stamps)) == len(stamps)


def test_what_is_not_there_cannot_serve(registry: Registry) -> None:
    for use in (registry.promote, registry.shadow):
        with pytest.raises(RegistryError, match="holds no scorer 'x-1'"):
            use("x-1", now())
    assert registry.state() == State(None, None)


def test_a_damaged_version_hides_no_other(registry: Registry) -> None:
    add(registry, "a-1")
    add(registry, "b-2")
    (registry.folder / "b-2" / "weights.json").write_bytes(b"{")
    found = {entry.version: entry.problem for entry in registry.entries()}
    assert found["a-1"] is None
    assert found["b-2"] is not None
    assert "no JSON object" in found["b-2"]


def test_a_serving_version_whose_folder_is_gone_is_listed_with_what_is_wrong(registry: Registry) -> None:
    add(registry, "a-1")
    registry.promote("a-1", now())
    shutil.rmtree(registry.folder / "a-1")
    (entry,) = registry.entries()
    assert entry.version == "a-1"
    assert "holds no scorer" in (entry.problem or "")


def test_damaged_weights_cannot_serve(registry: Registry) -> None:
    add(registry, "a-1")
    path = registry.path("a-1")
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(RegistryError, match="checksum"):
        registry.promote("a-1", now())
    assert registry.state().serving is None


def test_weights_for_other_features_cannot_serve(registry: Registry) -> None:
    add(registry, "a-1")
    manifest = registry.path("a-1").with_suffix(".json")
    manifest.write_bytes(orjson.dumps(orjson.loads(manifest.read_bytes()) | {"features": "0" * 64}))
    with pytest.raises(RegistryError, match="other features"):
        registry.promote("a-1", now())


def test_a_folder_under_another_name_cannot_serve(registry: Registry) -> None:
    add(registry, "a-1")
    shutil.move(registry.folder / "a-1", registry.folder / "z-9")
    with pytest.raises(RegistryError, match="holds version 'a-1', not 'z-9'"):
        registry.promote("z-9", now())


def test_an_addition_that_is_interrupted_leaves_nothing(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(registry, "a-1")

    def interrupted(path: Path, weights: Weights) -> None:
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    monkeypatch.setattr(stored, "write_weights", interrupted)
    with pytest.raises(KeyboardInterrupt):
        add(registry, "b-2")
    assert {p.name for p in registry.folder.iterdir()} == {"a-1", ".lock"}


def test_what_a_killed_writer_left_is_cleared_by_the_next(registry: Registry) -> None:
    add(registry, "a-1")
    (registry.folder / ".adding-dead").mkdir()
    (registry.folder / ".adding-dead" / "weights.npz").write_bytes(b"half")
    assert [entry.version for entry in registry.entries()] == ["a-1"]
    add(registry, "b-2")
    assert not (registry.folder / ".adding-dead").exists()


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "no JSON object"),
        (b"[]", "no JSON object"),
        (b'{"format": 2, "history": []}', "has format 2, this ragpulse knows 1"),
        (b'{"format": 1, "serving": 3, "history": []}', "damaged"),
        (b'{"format": 1, "serving": null, "history": [{}]}', "damaged"),
        (
            b'{"format": 1, "history": [{"at": "x", "action": "shadow", "version": null, "before": null}]}',
            "damaged",
        ),
        (
            b'{"format": 1, "history": [{"at": "2026-11-30", "action": "rollback", "version": null,'
            b' "before": null}]}',
            "damaged",
        ),
    ],
)
def test_an_index_that_is_none_is_named(registry: Registry, content: bytes, says: str) -> None:
    registry.folder.mkdir()
    (registry.folder / "registry.json").write_bytes(content)
    with pytest.raises(RegistryError, match=says):
        registry.state()
    with pytest.raises(RegistryError, match=says):
        registry.rollback(now())
    assert (registry.folder / "registry.json").read_bytes() == content  # never repaired by guessing


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(RegistryError, match="cannot be written"):
        add(Registry(tmp_path / "file"), "a-1")


def test_two_writers_at_once_lose_no_change(registry: Registry) -> None:
    add(registry, "a-1", "b-2")
    children = []
    for version in ("a-1", "b-2"):
        child = os.fork()
        if not child:
            for _ in range(20):
                registry.shadow(version, now())
                registry.shadow(None, now())
            os._exit(0)
        children.append(child)
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    assert len(registry.history()) == 80
