"""`ragpulse gate` with LLM judges, at a stand-in for their server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest

from benchmarks._golden_desk import lose_second_hop
from judges.golden import GoldenCase, GoldenSet, Kind, save
from tests.support.filled_forms import scores
from tests.support.gating import (
    GOLDEN,
    gate,
    make_folder,
    report,
    save_baseline,
    write_answers,
    write_suite,
)
from tests.support.stand_in_llm import StandIn


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path)


# --- judges ---


class Moody:
    """A judge that says the contrary of what it mostly says, in a share of its answers."""

    def __init__(self, share: float, seed: int) -> None:
        self.share, self.random = share, Random(seed)

    def __call__(self, body: dict[str, Any]) -> Any:
        fields = body["response_format"]["json_schema"]["schema"]["properties"]
        if "claims" in fields:
            return {"claims": []}
        refused = any(word in body["messages"][1]["content"] for word in ("could not find", "没有查到"))
        wrong = self.random.random() < self.share
        asks = "other" if self.random.random() < self.share else "same"
        return scores(refusal=refused != wrong, reverse_questions=[{"question": "What?", "asks": asks}])


@pytest.fixture
def llm() -> Iterator[StandIn]:
    with StandIn(Moody(0.0, 1)) as server:
        yield server


def judged_environment(llm: StandIn, folder: Path) -> dict[str, str]:
    return {
        "RAGPULSE_JUDGE__BASE_URL": llm.base_url,
        "RAGPULSE_JUDGE__MODEL": llm.model,
        "RAGPULSE_JUDGE__STATE_FILE": str(folder / "judge.sqlite"),
        "RAGPULSE_JUDGE__CONCURRENCY": "16",
    }


def test_judges_in_a_bad_mood_block_nobody_and_a_changed_judge_demands_a_new_baseline(
    folder: Path, llm: StandIn
) -> None:
    write_suite(folder, main="judges = true")
    environment = judged_environment(llm, folder)
    llm.answer = Moody(0.08, 1)
    baseline = save_baseline(folder, env=environment)
    llm.answer = Moody(0.08, 2)
    (folder / "judge.sqlite").unlink()
    done = gate(folder, "--answers", write_answers(folder), "--baseline", baseline, "--json", env=environment)
    found = report(done)
    assert not found["blocked"]
    rows = {row["metric"]: row for layer in found["layers"] for row in layer["measures"] if row["by"] is None}
    assert rows["judged_refusal_correctness"]["measured"] == len(GOLDEN.cases)
    assert rows["judged_refusal_correctness"]["against_baseline"]["gained"] > 0
    environment["RAGPULSE_JUDGE__MODEL"] = "another"
    done = gate(folder, "--answers", write_answers(folder), "--baseline", baseline, env=environment)
    assert done.returncode == 2
    assert b"the judges' model was stand-in-1, and is another" in done.stderr


def test_judges_are_not_paid_where_the_retrieval_fails_without_them(folder: Path, llm: StandIn) -> None:
    write_suite(folder, main="judges = true")
    environment = judged_environment(llm, folder)
    baseline = save_baseline(folder, env=environment)
    asked = llm.calls.total()
    bad = write_answers(folder, change=lose_second_hop(1.0))
    done = gate(folder, "--answers", bad, "--baseline", baseline, env=environment)
    assert done.returncode == 1
    assert b"were not asked" in done.stderr
    assert llm.calls.total() == asked


def test_a_minimum_of_the_judges_is_missed_only_where_they_say_so_each_time(
    folder: Path, llm: StandIn
) -> None:
    cases = [
        GoldenCase(f"c-{at}", f"Question {at}?", Kind.SINGLE_HOP, minima={"judged_answer_relevance": 0.5})
        for at in range(2)
    ]
    save(GoldenSet("desk", tuple(cases)), folder / "golden.jsonl")
    write_suite(folder, main="judges = true\nrequired = []")
    answers = folder / "answers.jsonl"
    replies = [
        {"trace_id": one.case_id, "question": one.question, "answer": f"It is {one.case_id}.", "retrieval": {
            "chunks": [{"id": "a", "text": f"It is {one.case_id}."}]}}
        for one in cases
    ]  # fmt: skip
    answers.write_bytes(b"\n".join(map(orjson.dumps, replies)))
    moods = {"c-0": 0, "c-1": 0}

    def moody(body: dict[str, Any]) -> Any:
        if "claims" in body["response_format"]["json_schema"]["schema"]["properties"]:
            return {"claims": []}
        case = next(name for name in moods if f"It is {name}." in body["messages"][1]["content"])
        moods[case] += 1
        asks = "same" if case == "c-0" and moods[case] > 1 else "other"  # c-0: once in a bad mood
        return scores(reverse_questions=[{"question": "What?", "asks": asks}])

    llm.answer = moody
    found = report(gate(folder, "--answers", answers, "--json", env=judged_environment(llm, folder)))
    assert [(one["kind"], one["cases"]) for one in found["findings"]] == [("demand", ["c-1"])]
    assert moods == {"c-0": 2, "c-1": 5}
