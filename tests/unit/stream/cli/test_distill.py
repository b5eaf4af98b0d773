"""`ragpulse distill` and `ragpulse scorer` on files, as a shell sees them."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import orjson
import pytest
from typer.testing import CliRunner

from judges.registry import Registry, State
from stream.cli import app
from stream.distill import run as distilling
from stream.errors import PartMissing, RagpulseError
from tests.support.weights import AT, damage, shipped
from tests.unit.judges.distillation.made import KNOWN, traffic
from tests.unit.stream.cli.test_files_commands import COMMAND, run

Row = dict[str, Any]


def labelled(count: int = 900, seed: int = 3) -> list[Row]:
    """Simulated traffic with what was injected, as a label file has it."""
    return [
        {**trace.model_dump(mode="json"), "expected": failure, "annotator": ("ann", "bob")[number % 2]}
        for number, (trace, failure) in enumerate(traffic(count, seed))
    ]


def write(path: Path, rows: Iterable[Row]) -> Path:
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


def inside(*arguments: str | Path) -> tuple[int, str, str]:
    """The command in this process, which is quicker: exit code, output, and what it says."""
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    if isinstance(result.exception, RagpulseError):
        return result.exception.exit_code, result.stdout, str(result.exception)
    return result.exit_code, result.stdout, result.stderr


def new_registry(folder: Path) -> Registry:
    """A registry where a copy of the shipped scorer serves."""
    registry = Registry(folder)
    registry.add(shipped("base-1"), {})
    registry.promote("base-1", AT)
    return registry


@pytest.fixture(scope="module")
def done(
    tmp_path_factory: pytest.TempPathFactory,
) -> tuple[Path, Registry, subprocess.CompletedProcess[bytes]]:
    """One distillation that the tests below look at: file, registry, output."""
    folder = tmp_path_factory.mktemp("distill")
    file = write(folder / "labels.jsonl", labelled())
    registry = new_registry(folder / "registry")
    finished = run(
        "distill", "--labels", file, "--registry", registry.folder, "--name", "first", "--json", timeout=200
    )
    return file, registry, finished


def test_a_labelled_file_becomes_a_candidate_with_a_report(
    done: tuple[Path, Registry, subprocess.CompletedProcess[bytes]],
) -> None:
    _, registry, finished = done
    assert finished.returncode == 0, finished.stderr
    assert finished.stdout.count(b"\n") == 1
    report = orjson.loads(finished.stdout)
    assert registry.state() == State("base-1", "first")
    entry = registry.entry("first")
    assert {k: v for k, v in report.items() if k not in ("promoted", "registry")} == entry.report
    assert (report["version"], report["parent"], report["promoted"]) == ("first", "base-1", False)
    assert report["labels"]["traces"] == 900
    assert report["labels"]["named"] == ["ann", "bob"]
    kinds = {(s["kind"], s["name"]) for s in report["slices"]}
    assert {("overall", ""), ("language", "en"), ("language", "zh"), ("tenant", "lumen")} <= kinds
    assert {("class", "hallucination"), ("class", "healthy"), ("class", "over_refusal")} <= kinds
    overall = report["slices"][0]
    assert overall["candidate"]["brier"][0] != overall["serving"]["brier"][0]
    low, value, high = (overall["gain"]["auroc"][i] for i in (1, 0, 2))
    assert low <= value <= high
    assert entry.manifest["metrics"]["held_out"] == overall["candidate"]


def test_no_bar_is_drawn_where_nobody_watches(
    done: tuple[Path, Registry, subprocess.CompletedProcess[bytes]],
) -> None:
    assert b"\x1b" not in done[2].stderr
    assert done[2].stderr.count(b"\n") == 1, done[2].stderr


def test_the_same_labels_and_seed_give_the_same_bytes_and_another_seed_others(
    done: tuple[Path, Registry, subprocess.CompletedProcess[bytes]], tmp_path: Path
) -> None:
    file, registry, _ = done
    weights = [registry.path("first").read_bytes()]
    again = new_registry(tmp_path / "again")
    for name, seed in (("same", "0"), ("other", "1")):
        arguments = ("--labels", file, "--registry", again.folder, "--name", name, "--seed", seed)
        assert inside("distill", *arguments)[0] == 0
        weights.append(again.path(name).read_bytes())
    assert weights[0] == weights[1] != weights[2]


def test_the_group_of_commands_lists_shows_tries_promotes_and_takes_back(
    done: tuple[Path, Registry, subprocess.CompletedProcess[bytes]],
) -> None:
    _, registry, _ = done
    at = ("--registry", registry.folder)
    listed = inside("scorer", "list", *at)[1]
    assert {tuple(line.split()[:2]) for line in listed.splitlines()[2:]} == {
        ("serving", "base-1"),
        ("candidate", "first"),
    }
    shown = inside("scorer", "show", *at)[1]
    assert shown.startswith("first, on top of base-1, seed 0")
    assert "language zh" in shown
    assert orjson.loads(inside("scorer", "show", "first", "--json", *at)[1])["report"]["version"] == "first"
    for command, state in (
        (("promote", "first"), {"serving": "first", "candidate": None}),
        (("rollback",), {"serving": "base-1", "candidate": None}),
        (("shadow", "first"), {"serving": "base-1", "candidate": "first"}),
        (("promote", "shipped"), {"serving": None, "candidate": "first"}),
        (("rollback",), {"serving": "base-1", "candidate": "first"}),
        (("shadow", "--off"), {"serving": "base-1", "candidate": None}),
        (("shadow", "first"), {"serving": "base-1", "candidate": "first"}),
    ):
        _, output, said = inside("scorer", *command, "--json", *at)
        assert orjson.loads(output) == state, said
    code, output, said = inside("scorer", "promote", "nothing-7", *at)
    assert (code, output) == (2, "")
    assert "holds no scorer 'nothing-7'" in said


def only(wanted: bool, count: int = 60) -> list[Row]:
    return [row for row in labelled() if KNOWN.get(row["expected"]) is wanted][:count]


REFUSALS: dict[str, tuple[Callable[[], list[Row]], str, int]] = {
    "no label": (
        lambda: [{k: v for k, v in r.items() if k != "expected"} for r in labelled(20)],
        "no labelled",
        1,
    ),
    "too few": (lambda: labelled(100), "at least 40", 1),
    "one class": (lambda: only(False), "All 60 labels say 'supported'", 1),
    "one annotator": (lambda: [r | {"annotator": "ann"} for r in labelled()], "from one annotator (ann)", 1),
    "a leak": (
        lambda: [r | {"extra": {"checked": r["expected"] == "hallucination"}} for r in labelled()],
        "extra.checked gives the label away",
        1,
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_labels_that_teach_nothing_are_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    rows, says, code = REFUSALS[name]
    registry = new_registry(tmp_path / "registry")
    before = {path: path.read_bytes() for path in registry.folder.rglob("*") if path.is_file()}
    file = write(tmp_path / "l.jsonl", rows())
    found, output, said = inside("distill", "--labels", file, "--registry", registry.folder)
    assert (found, output) == (code, ""), said
    assert says in said
    assert "\n" not in said
    assert {path: path.read_bytes() for path in registry.folder.rglob("*") if path.is_file()} == before


def test_a_parent_with_a_wrong_checksum_is_refused(tmp_path: Path) -> None:
    registry = new_registry(tmp_path / "registry")
    damage(registry, "base-1")
    file = write(tmp_path / "l.jsonl", labelled(200))
    code, _, said = inside("distill", "--labels", file, "--registry", registry.folder)
    assert code == 2
    assert "checksum" in said


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--labels", "x.jsonl"), "There is no registry: set RAGPULSE_SCORER__REGISTRY"),
        (("--labels", "nowhere.jsonl", "--registry", "r"), "nowhere.jsonl cannot be read"),
        (("--since", "soon", "--registry", "r"), "neither an ISO time nor an age"),
        (("--since", "2h", "--until", "3h", "--registry", "r"), "ends"),
        (("--labels", "x.jsonl", "--app", "a", "--registry", "r"), "add --since"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    arguments: tuple[str, ...], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, said = inside("distill", *arguments)
    assert code == 2, said
    assert says in " ".join(said.replace("│", " ").split())
    assert not (tmp_path / "r").exists()


def test_without_the_extra_it_says_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distilling, "find_spec", lambda name: None)
    with pytest.raises(PartMissing, match=r"pip install 'ragpulse\[distill\]'"):
        distilling.require_parts()


def test_interrupted_it_leaves_the_registry_as_it_was(tmp_path: Path) -> None:
    registry = new_registry(tmp_path / "registry")
    before = sorted(path.name for path in registry.folder.iterdir())
    arguments = [*COMMAND, "distill", "--labels", "-", "--registry", str(registry.folder)]
    process = subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdin
    process.stdin.write(b"".join(orjson.dumps(row) + b"\n" for row in labelled()))  # more than a pipe holds
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    assert process.stderr
    said = process.stderr.read()
    assert process.wait(timeout=60) == 130, said
    assert b"Traceback" not in said
    assert b"the registry is as it was" in said
    assert sorted(path.name for path in registry.folder.iterdir()) == before
    assert registry.state() == State("base-1", None)
