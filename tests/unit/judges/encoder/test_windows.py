"""Which sentences a claim is read against."""

from __future__ import annotations

import os
import subprocess
import sys

from judges.distilled.measuring.batch import read_case
from judges.encoder.pairs import list_pairs, word_claim
from judges.encoder.windows import MAX_WEIGHT, Passages, weigh, words_of
from schemas.trace import Trace

FILLER = "Nothing of note was said about the weather on that day. " * 6


def trace(answer: str, *chunks: str, question: str = "") -> Trace:
    return Trace.model_validate(
        {
            "trace_id": "t",
            "question": question,
            "answer": answer,
            "retrieval": {"chunks": [{"text": c} for c in chunks]},
        }
    )


def test_a_window_holds_the_sentence_that_says_it_wherever_it_stands() -> None:
    passages = Passages([FILLER, f"{FILLER}The bridge of Arlau was closed in 1931. {FILLER}"])
    assert "The bridge of Arlau was closed in 1931." in passages.window("Arlau's bridge was closed in 1930")


def test_a_window_joins_what_two_sentences_say() -> None:
    text = f"The pump runs on 24 volts. {FILLER}It was made by Oskar Lindqvist. {FILLER}"
    window = Passages([text]).window("Lindqvist's pump needs 24 volts")
    assert "24 volts" in window
    assert "Lindqvist" in window
    assert window.index("24 volts") < window.index("Lindqvist")
    assert "…" in window


def test_room_that_is_left_goes_to_the_neighbours() -> None:
    window = Passages(["Mara won the race. She wept. Nobody clapped."]).window("Mara won the race")
    assert window == "Mara won the race. She wept. Nobody clapped."


def test_windows_are_bounded_in_both_languages() -> None:
    chinese = "本公司的总部设在苏州工业园区，员工约三百人，主要生产轴承。" * 40
    for text, claim in ((chinese, "总部设在苏州"), (FILLER * 9, "weather"), ("x" * 9000, "x" * 40)):
        assert weigh(Passages([text]).window(claim)) <= MAX_WEIGHT + 20


def test_chinese_is_compared_by_pairs_of_characters() -> None:
    passages = Passages(["苏州的园林很有名。这家工厂生产轴承。杭州有西湖。"] * 2 + ["无关的句子。" * 80])
    assert "生产轴承" in passages.window("该厂的产品是轴承")


def test_keys_of_records_are_words() -> None:
    assert {"outdoo", "seatin"} <= words_of('"OutdoorSeating": false')


def test_a_claim_without_a_common_word_still_has_a_window() -> None:
    assert Passages(["One thing. Another."]).window("完全不同") == "One thing. Another."
    assert Passages([]).window("x") == ""


def test_a_trace_gives_one_pair_a_claim() -> None:
    case = read_case(trace("The shop opens at 9. Dogs wait outside the shop.", "The shop opens at 9."))
    pairs = list_pairs(case, 8)
    assert [p.index for p in pairs] == [0, 1]
    assert pairs[1].claim == "Dogs wait outside the shop."


def test_of_too_many_claims_the_least_supported_are_read() -> None:
    answer = "The shop opens at nine. It sells green tea. Elephants dance on every roof. It closes at noon."
    case = read_case(trace(answer, "The shop opens at nine. It sells green tea. It closes at noon."))
    assert [p.index for p in list_pairs(case, 1)] == [2]


def test_there_is_nothing_to_read_without_an_answer_or_chunks() -> None:
    assert list_pairs(read_case(trace("", "A chunk.")), 8) == []
    assert list_pairs(read_case(trace("The shop opens at 9.")), 8) == []
    assert list_pairs(read_case(trace("I cannot answer that from the documents.", "A chunk.")), 8) == []


def test_an_answer_that_only_asks_is_read_whole() -> None:
    [pair] = list_pairs(read_case(trace("How can shops sell more tea?", "How shops can sell more tea.")), 8)
    assert pair.claim == "How can shops sell more tea?"


def test_an_answer_in_a_few_words_is_read_with_its_question() -> None:
    assert word_claim("Canton", "Where is it based?") == "Where is it based? Canton"
    assert word_claim("它的总部位于马萨诸塞州的坎顿市区", "它在哪里？") == "它的总部位于马萨诸塞州的坎顿市区"


def test_thousands_of_sentences_are_read_in_bounded_work() -> None:
    chunk = " ".join(f"Item {i} of the list has the number {i * 7}." for i in range(9000))
    assert "has the number" in Passages([chunk]).window("Item 12 has the number 85")


def test_a_window_is_the_same_in_every_process() -> None:
    code = (
        "from judges.encoder.windows import Passages;"
        "print([Passages([f'w{i} v{i} u{i} t{i}. ' * 2 for i in range(60)]).window('t9 u8 v7 w6 w5 v4'),"
        " Passages(['a b c. d e f.']).share('a e x y z f')])"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(said) == 1
