"""The budget of LLM judges is never exceeded: by the server's own count, in flight, killed, and shared."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from judges.llm.budget import Budgets
from judges.llm.state import open_state
from tests.support.asking import within
from tests.support.spender import PRICE, spend
from tests.support.stand_in_llm import StandIn, slowly

ROOT = Path(__file__).resolve().parents[2]
GOOD = {"reasoning": "It says what the documents say.", "score": 4}


def billed(llm: StandIn) -> float:
    """USD that the stand-in would put on its bill: all that it answered, whether anybody heard it or not."""
    return (llm.input_tokens * PRICE.input + llm.output_tokens * PRICE.output) / 1e6


def spender(llm: StandIn, path: Path, usd: float, asks: range, concurrency: int) -> subprocess.Popen[str]:
    """A process that is ready to ask, once it is let go."""
    arguments = [llm.base_url, path, usd, asks.start, len(asks), concurrency]
    command = [sys.executable, "-m", "tests.support.spender", *map(str, arguments)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def let_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin is not None
    process.stdin.write("go\n")
    process.stdin.flush()


def outcomes_of(*processes: subprocess.Popen[str]) -> list[Counter[str]]:
    """Let them go together, and wait for what they say."""
    for process in processes:
        let_go(process)
    return [Counter(json.loads(process.communicate(timeout=60)[0])) for process in processes]


def test_fifty_in_flight_do_not_exceed_it() -> None:
    usd = 0.5
    with StandIn(answer=lambda body: GOOD, behave=lambda body, number: slowly(0.05)) as llm, open_state(
        None, Budgets(hourly_usd=usd)
    ) as state:  # fmt: skip
        outcomes = within(60, lambda: spend(llm.base_url, state, 0, 300, 50))
        assert llm.most_in_flight > 3
        assert 0.7 * usd < billed(llm) <= usd
        assert within(10, state.ledger.spent)[0].amount.usd <= usd
    assert outcomes["answered"] == len(llm.chats)
    assert outcomes["answered"] + outcomes["over_budget"] == 300


def test_a_tenant_cannot_spend_what_is_another_s() -> None:
    with StandIn(answer=lambda body: GOOD) as llm, open_state(None, Budgets(tenant_daily_usd=0.2)) as state:
        outcomes = within(60, lambda: spend(llm.base_url, state, 0, 100, 50))
        for tenant in ("tenant 0", "tenant 1"):
            sums = within(10, lambda t=tenant: state.ledger.spent(t))  # type: ignore[misc]
            assert 0.1 < sums[-1].amount.usd <= 0.2
    assert outcomes["over_budget"] > 0


def test_killed_and_restarted_processes_do_not_exceed_it(tmp_path: Path) -> None:
    usd, path = 2.0, tmp_path / "judge.sqlite"
    chance = random.Random(3)
    with StandIn(answer=lambda body: GOOD, behave=lambda body, number: slowly(chance.random() / 5)) as llm:
        for _ in range(2):
            process = spender(llm, path, usd, range(400), 8)
            let_go(process)
            wait_for_chats(llm, len(llm.chats) + 10 + chance.randrange(10), process)
            process.kill()
            process.wait(20)
            assert billed(llm) <= usd
        [outcomes] = outcomes_of(spender(llm, path, usd, range(400), 8))
        assert 0.3 * usd < billed(llm) <= usd
        asked = Counter(request.body["messages"][1]["content"] for request in llm.chats)
        # Asked twice is only what was on its way when a process was killed: eight at a time, twice.
        assert sum(asked.values()) - len(asked) <= 2 * 8
    assert outcomes["over_budget"] > 0
    assert outcomes["answered"] > 0


def test_two_processes_that_share_the_file_do_not_exceed_it_together(tmp_path: Path) -> None:
    usd, path = 3.5, tmp_path / "judge.sqlite"
    with StandIn(answer=lambda body: GOOD, behave=lambda body, number: slowly(0.02)) as llm:
        outcomes = outcomes_of(
            spender(llm, path, usd, range(300), 20), spender(llm, path, usd, range(300, 600), 20)
        )
        assert 0.7 * usd < billed(llm) <= usd
    assert all(each["answered"] > 0 for each in outcomes)
    assert sum(each["answered"] for each in outcomes) == len(llm.chats)
    assert sum(outcomes, Counter()).total() == 600


def wait_for_chats(llm: StandIn, number: int, process: subprocess.Popen[str]) -> None:
    until = time.monotonic() + 60
    while len(llm.chats) < number and process.poll() is None:
        assert time.monotonic() < until
        time.sleep(0.005)
