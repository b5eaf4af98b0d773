"""The demonstration without a key: its process, its words, how it ends; and the model, where there is one."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import orjson
import pytest

from judges.llm.local.client import LocalClient
from judges.llm.local.opine import LocalJudge
from judges.llm.local.parts import PACKAGE, PARTS, RUNTIME, find_model
from stream.errors import RagpulseError
from stream.local.bench import open_local
from stream.local.demonstrate import Demonstration, demonstrate, facts
from stream.local.server import LocalModelServer
from stream.local.show import CAVEAT, demonstration_lines
from stream.local.traces import known_traces
from tests.unit.stream.cli.test_files_commands import run

STAND_IN = "tests.support.stand_in_local"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "stand-in.gguf"
    file.write_bytes(b"GGUF")
    return file


def nothing(what: str, done: int, total: int) -> None:
    """Nobody watches."""


async def _whole(model: Path) -> Demonstration:
    async with open_local(model, nothing, module=STAND_IN) as judge:
        return await demonstrate(judge, known_traces(2, 6), nothing)


def test_both_kinds_in_both_languages_are_judged_and_held_against_what_was_injected(model: Path) -> None:
    found = asyncio.run(asyncio.wait_for(_whole(model), 120))
    assert found.judged + found.unjudged.total() == 24
    assert found.judged >= 20
    assert {one.language for one in found.shown} == {"", "en", "zh"}
    assert set(found.boundaries) == {"en", "zh"}
    everything = found.shown[0]
    assert everything.auc is not None
    assert everything.auc > 0.7, "looking words up is a judge of sorts"
    rows = [orjson.loads(row) for row in found.rows]
    assert {row["judge"] for row in rows} == {"local"}
    assert {row["sample_probability"] for row in rows} == {1.0}
    said = orjson.loads(orjson.dumps(facts(found)))
    assert said["demonstration"] is True
    assert said["agreement"]["zh"]["n"] == found.shown[2].agreement.n
    lines = "\n".join(demonstration_lines(found))
    assert CAVEAT in lines
    assert "kappa" in lines
    assert "AUC" in lines


def test_known_traces_take_turns_and_the_seed_settles_them() -> None:
    some = known_traces(5, 3)
    assert [(one.language, one.hallucinated) for one in some[:4]] == [
        ("en", False),
        ("zh", False),
        ("en", True),
        ("zh", True),
    ]
    assert [one.trace.trace_id for one in some] == [one.trace.trace_id for one in known_traces(5, 3)]
    assert len(some) == 12


def test_the_server_is_gone_with_whoever_started_it(model: Path) -> None:
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from stream.local.server import LocalModelServer\n"
        f"server = LocalModelServer(Path(sys.argv[1]), 1, {STAND_IN!r}).start()\n"
        "print(server.pid, server.base_url, flush=True)\n"
        "time.sleep(600)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(model)], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid, base_url = parent.stdout.readline().split()
        with urllib.request.urlopen(f"{base_url.decode()}/models", timeout=10):
            pass
        parent.send_signal(signal.SIGKILL)
        parent.wait(10)
    until = time.monotonic() + 20
    while _lives(int(pid)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _lives(int(pid))


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]


def test_a_server_that_does_not_start_says_its_last_words(tmp_path: Path) -> None:
    with (
        pytest.raises(RagpulseError, match="no model at"),
        LocalModelServer(tmp_path / "none.gguf", 1, STAND_IN),
    ):
        pass


@pytest.mark.skipif(importlib.util.find_spec(RUNTIME) is not None, reason="llama-cpp-python is installed")
def test_without_the_extra_one_sentence_says_what_to_install() -> None:
    done = run("judge", "--local")
    assert done.returncode == 2
    assert done.stderr.decode().startswith("ragpulse: The local judge needs llama-cpp-python")
    assert "pip install 'ragpulse[local-judge]'" in done.stderr.decode()
    assert done.stdout == b""


def missing() -> str:
    """Why the model itself cannot be tried here; empty where it can."""
    if importlib.util.find_spec(RUNTIME) is None:
        return "llama-cpp-python is not installed (the extra local-judge)"
    if any(importlib.util.find_spec(PACKAGE.format(number=n)) is None for n in range(1, PARTS + 1)):
        return "the parts of the model are not installed (the extra local-judge)"
    return ""


@pytest.mark.skipif(bool(missing()), reason=missing() or "the model is here")
def test_the_model_itself_tells_a_supported_claim_from_an_invented_one() -> None:
    async def odds(base_url: str) -> list[float]:
        local = LocalJudge(LocalClient(base_url, 240), "", {})
        found = []
        for one in known_traces(3, 1):
            said = (await local.read_odds(one.trace)).weakest
            assert said is not None
            found.append(said)
        return found

    with LocalModelServer(find_model(None)) as server:
        good_en, good_zh, bad_en, bad_zh = asyncio.run(asyncio.wait_for(odds(server.base_url), 280))
    assert good_en > bad_en
    assert good_zh > bad_zh
