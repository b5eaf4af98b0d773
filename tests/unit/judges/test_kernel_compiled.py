"""Kernels: where their machine code is kept; a warm scorer compiles no more; threads may share it."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from judges.distilled import load_scorer
from judges.distilled.kernel import compiled as kernels
from schemas.trace import Chunk, Message, Retrieval, Trace
from tests.support.awkward import make_text


def make_trace(rng: random.Random) -> Trace:
    chunks = [Chunk(id=str(i), text=make_text(rng, 30)) for i in range(rng.randrange(4))]
    return Trace(
        trace_id="t",
        history=[Message(role="user", content=make_text(rng, 8))],
        question=make_text(rng, 8),
        rewritten_query=make_text(rng, 8) or None,
        answer=rng.choice([None, "", make_text(rng, 30)]),
        retrieval=rng.choice([None, Retrieval(chunks=chunks), Retrieval(prompt_context="一 context")]),
    )


def make_kernel() -> Callable[[int], int]:
    @kernels.compiled
    def double(number: int) -> int:
        return number * 2

    return double


def test_a_warm_scorer_compiles_nothing_more() -> None:
    scorer = load_scorer()
    ready = kernels.count_compiled()
    rng = random.Random(3)
    for size in (0, 1, 7, 60):
        scorer.score([make_trace(rng) for _ in range(size)])
    assert kernels.count_compiled() == ready > 20


def test_threads_that_share_a_scorer_get_what_one_alone_gets() -> None:
    scorer = load_scorer()
    rng = random.Random(4)
    batches = [[make_trace(rng) for _ in range(12)] for _ in range(12)]
    alone = [scorer.score(batch) for batch in batches]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(scorer.score, batches * 3)) == alone * 3


def test_a_folder_that_others_could_fill_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shared, file, ours = tmp_path / "shared", tmp_path / "file", tmp_path / "ours"
    shared.mkdir(mode=0o777)
    shared.chmod(0o777)
    file.touch()
    monkeypatch.setattr(kernels, "_list_bases", lambda: iter([shared, file, ours]))
    found = kernels.find_cache_folder.__wrapped__("kernel/*.py")
    assert found is not None
    assert found.parent == ours
    monkeypatch.setattr(kernels, "_list_bases", lambda: iter([shared, file]))
    assert kernels.find_cache_folder.__wrapped__("kernel/*.py") is None


def test_no_home_is_no_trouble(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert all(base.is_absolute() for base in kernels._list_bases())


@pytest.mark.parametrize("folder", [None, Path("/dev/null/nowhere")])
def test_a_kernel_runs_where_nothing_can_be_kept(
    folder: Path | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "find_cache_folder", lambda sources: folder)
    assert make_kernel()(21) == 42


def test_what_is_kept_is_read_again_and_damage_counts_as_absence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "find_cache_folder", lambda sources: tmp_path)
    assert make_kernel()(21) == 42
    kept = list(tmp_path.iterdir())
    assert {path.suffix for path in kept} == {".nbi", ".nbc"}
    again = make_kernel()
    assert again(21) == 42
    assert sum(again.stats.cache_hits.values()) == 1  # type: ignore[attr-defined]
    for path in kept:
        path.write_bytes(b"damaged")
    assert make_kernel()(21) == 42


def test_kernels_count_as_kept_once_machine_code_lies_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "find_cache_folder", lambda sources: tmp_path)
    assert not kernels.is_kept()
    (tmp_path / "merging.merge-1.py311.nbi").touch()
    assert kernels.is_kept()
