"""Fuzzing that coverage guides: atheris (libFuzzer) on one target, in a process of its own.

`python -m tests.fuzz.guided NAME FOLDER [options of libFuzzer]`; FOLDER keeps what reached new code.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.fuzz.patterns import ROOT

LONGEST: Final = 20_000
"""Bytes of one input."""
TOO_LONG_S: Final = 2
"""Seconds after which an input counts as a hang; libFuzzer counts in whole seconds."""
MEMORY_MB: Final = 3_000
_PROGRESS: Final = re.compile(r"#\d+\s+\w+\s+cov: (\d+) ft: (\d+)")
_STAT: Final = re.compile(r"stat::(\w+):\s+(\d+)")


@dataclass(frozen=True, slots=True)
class Guided:
    """What a run found: inputs tried, program edges reached at the beginning and at the end, and the first
    failure's words."""

    target: str
    seconds: int
    inputs: int
    edges: tuple[int, int]
    slowest_s: int
    peak_mb: int
    failure: str | None


def is_there() -> bool:
    """Whether atheris is installed."""
    return find_spec("atheris") is not None


def run_guided(target: str, seconds: int, seed: int, folder: Path) -> Guided:
    """Fuzz a target for so long; what it fails on stays in the folder, as `crash-…` or `timeout-…`."""
    corpus = folder / target
    corpus.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(
        [
            sys.executable, "-m", __spec__.name, target, str(corpus), f"-max_total_time={seconds}",
            f"-seed={seed}", f"-max_len={LONGEST}", f"-timeout={TOO_LONG_S}", f"-rss_limit_mb={MEMORY_MB}",
            f"-artifact_prefix={folder}/{target}-", "-print_final_stats=1",
        ],
        cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds * 2 + 300, check=False,
    )  # fmt: skip
    said = done.stdout.decode("utf-8", "replace")
    edges = [int(line[1]) for line in _PROGRESS.finditer(said)] or [0]
    stats = {line[1]: int(line[2]) for line in _STAT.finditer(said)}
    if done.returncode == 0 and not stats:
        raise RuntimeError(f"the fuzzer ended without a word of what it did: {said[-2_000:]}")
    return Guided(
        target=target,
        seconds=seconds,
        inputs=stats.get("number_of_executed_units", 0),
        edges=(edges[0], edges[-1]),
        slowest_s=stats.get("slowest_unit_time_sec", 0),
        peak_mb=stats.get("peak_rss_mb", 0),
        failure=None if done.returncode == 0 else said[-6_000:],
    )


def _fuzz(target: str, corpus: str, options: list[str]) -> None:
    import atheris

    with atheris.instrument_imports(include=["schemas", "judges.distilled.reading"]):
        from tests.fuzz.targets import TARGETS, seeds
    for number, seed in enumerate(seeds(target)):
        (Path(corpus) / f"seed-{number:03}").write_bytes(seed)
    atheris.Setup([sys.argv[0], corpus, *options], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    _fuzz(sys.argv[1], sys.argv[2], sys.argv[3:])


__all__ = ["Guided", "is_there", "run_guided"]
