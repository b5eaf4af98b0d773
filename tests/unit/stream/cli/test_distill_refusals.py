"""What `ragpulse distill` refuses before it works, and what it says of lines that it could not use."""

from __future__ import annotations

from pathlib import Path

import pytest

from judges.distillation import distill as learning
from tests.unit.stream.cli.test_distill import inside, labelled, new_registry, write


def test_a_name_that_is_taken_is_refused_before_anything_is_learned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def learn(*_: object) -> None:
        raise AssertionError("it began to learn")

    monkeypatch.setattr(learning, "distill", learn)
    registry = new_registry(tmp_path / "registry")
    file = write(tmp_path / "labels.jsonl", labelled(60))
    for name, says in (("base-1", "has a scorer 'base-1' already"), ("../x", "cannot name a scorer")):
        code, output, said = inside(
            "distill", "--labels", file, "--registry", registry.folder, "--name", name
        )
        assert (code, output) == (2, "")
        assert says in said


def test_a_refusal_for_want_of_labels_says_how_many_lines_were_of_no_use(tmp_path: Path) -> None:
    rows = [*labelled(6), {"label": "nonsense", "question": "q"}, {"question": "no label"}]
    code, _, said = inside(
        "distill", "--labels", write(tmp_path / "l.jsonl", rows), "--registry", tmp_path / "r"
    )
    assert code == 1
    assert "1 because a line of a file cannot be read" in said
    assert "1 because a line of a file has no label" in said
    assert not (tmp_path / "r").exists()
