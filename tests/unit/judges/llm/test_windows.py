"""Of documents that do not fit, the sentences are shown that speak of question and answer."""

from __future__ import annotations

import pytest

from judges.llm.material import PROMPT, PromptLimits, language_of, read_material, show_documents
from judges.llm.tokens import estimate
from judges.llm.windows import cut_tokens, fit
from schemas.scored import Scores
from schemas.trace import Trace

FILLER = {"en": "The weather was mild that day, and nobody complained. ", "zh": "当天天气温和，没有人抱怨。"}
TELLING = {"en": "The RK3588 has an NPU of 6 TOPS. ", "zh": "瑞芯微 RK3588 的算力为 6 TOPS。"}
ASKED = {"en": "How many TOPS has the NPU of the RK3588?", "zh": "瑞芯微 RK3588 的算力是多少？"}


def test_what_fits_is_shown_whole() -> None:
    shown = fit([(0, "one. two."), (3, "三。")], "two", 100)
    assert [(s.index, s.passages, s.cut) for s in shown] == [(0, ["one. two."], False), (3, ["三。"], False)]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_telling_sentence_is_found_wherever_it_stands(language: str) -> None:
    filler = FILLER[language] * 300
    documents = [(i, filler) for i in range(5)]
    documents[4] = (4, filler + TELLING[language] + filler)
    shown = fit(documents, ASKED[language], 400)
    assert any(TELLING[language].strip() in passage for passage in shown[4].passages)
    assert all(s.cut for s in shown)
    assert sum(estimate(p) for s in shown for p in s.passages) <= 400


def test_each_document_shows_its_best_sentence_before_any_shows_a_second() -> None:
    talk = TELLING["en"] * 200
    shown = fit([(0, talk), (1, FILLER["en"] * 50 + "The NPU is by Rockchip. ")], ASKED["en"], 120)
    assert any("Rockchip" in passage for passage in shown[1].passages)


def test_passages_are_unbroken_and_in_order() -> None:
    text = "".join(f"Sentence {i} about part {i}. " for i in range(200))
    (shown,) = fit([(0, text)], "part 7, part 8, part 150", 200)
    places = [text.index(passage) for passage in shown.passages]
    assert places == sorted(places)
    assert any("part 7. " in p and "part 8. " in p for p in shown.passages)


def test_a_full_stop_within_a_number_ends_no_sentence() -> None:
    (shown,) = fit([(0, "It draws 3.5 V at most. " + FILLER["en"] * 100)], "What does it draw?", 30)
    assert shown.passages[0].startswith("It draws 3.5 V at most.")


@pytest.mark.parametrize("text", ["word " * 5000, "字" * 5000, "\n" * 5000, " " * 50_000, "x" * 5000])
def test_a_cut_text_is_a_beginning_that_fits(text: str) -> None:
    kept, was_cut = cut_tokens(text, 50)
    assert was_cut
    assert text.startswith(kept)
    assert 0 < estimate(kept) <= 50


@pytest.mark.parametrize("tokens", [0, 1, 50])
def test_a_short_text_is_cut_only_where_there_is_no_room(tokens: int) -> None:
    kept, was_cut = cut_tokens("a few words", tokens)
    assert was_cut == (tokens < 50)
    assert (kept == "a few words") == (tokens == 50)


def trace(**fields: object) -> Trace:
    return Trace.model_validate({"trace_id": "t", "question": "Q?", "answer": "A."} | fields)


def test_a_hundred_chunks_of_200_000_characters_are_looked_through_in_part() -> None:
    chunks = [{"text": f"Chunk {i}. " + "Nothing to see here at all. " * 7_150} for i in range(100)]
    chunks[63]["text"] = TELLING["en"] + chunks[63]["text"]
    material = read_material(trace(question=ASKED["en"], retrieval={"chunks": chunks}), "en", PromptLimits())
    show_documents(material, 2_000)
    assert any("6 TOPS" in passage for passage in material.numbered[64].passages)
    assert material.unseen == "truncated"
    assert {"chunk 0", "chunk 63", "chunk 99"} <= set(material.truncated)
    assert sum(estimate(p) for s in material.documents for p in s.passages) <= 2_000


def test_short_documents_beside_a_huge_one_are_read_in_full() -> None:
    chunks = [{"text": "x " * 900_000}, *({"text": f"Short {i}."} for i in range(20))]
    material = read_material(trace(retrieval={"chunks": chunks}), "en", PromptLimits())
    show_documents(material, 1_000)
    assert [s.cut for s in material.documents] == [True] + [False] * 20


def test_documents_are_numbered_as_answers_cite_them() -> None:
    chunks = [{"text": "one"}, {"text": None}, {"text": " "}, {"text": "four"}]
    material = read_material(trace(retrieval={"chunks": chunks}), "en", PromptLimits())
    show_documents(material, 1_000)
    assert list(material.numbered) == [1, 4]
    assert material.unseen == "not_recorded"


def test_the_prompts_context_stands_in_for_chunks_without_text() -> None:
    retrieval = {"chunks": [{"id": "a", "text": None}], "prompt_context": "all of it"}
    material = read_material(trace(retrieval=retrieval), "en", PromptLimits())
    show_documents(material, 1_000)
    assert [s.index for s in material.documents] == [PROMPT]
    assert material.from_prompt
    assert material.unseen == ""


def test_the_last_turns_of_a_history_are_kept() -> None:
    turns = [{"role": "user", "content": f"turn {i} " + "talk " * 100} for i in range(20)]
    material = read_material(trace(history=turns), "en", PromptLimits(history=300))
    assert material.was_cut("history")
    assert "turn 19" in material.history[-1][1]
    assert sum(estimate(text) for _, text in material.history) <= 310


def test_ids_are_shown_only_where_the_answer_names_them() -> None:
    chunks = [{"id": "kb-12", "doc_id": "manual", "text": "one"}, {"id": "kb-13", "text": "two"}]
    material = read_material(trace(answer="See kb-12.", retrieval={"chunks": chunks}), "en", PromptLimits())
    show_documents(material, 1_000)
    assert material.labels == {0: "kb-12"}


@pytest.mark.parametrize(
    ("scores", "fields", "language"),
    [
        ({"language": "zh"}, {"question": "Which?"}, "zh"),
        (Scores("s", language="ja"), {"question": "Which?"}, "ja"),
        (None, {"question": "它支持吗？"}, "zh"),
        ({}, {"question": "Which one is it?"}, "en"),
        (None, {"question": "123", "answer": "456", "language": "zh-CN"}, "zh"),
        (None, {"question": None, "answer": "456"}, None),
    ],
)
def test_the_language_is_that_of_the_scores_or_the_texts_or_the_source(
    scores: Scores | dict[str, str] | None, fields: dict[str, str], language: str | None
) -> None:
    assert language_of(trace(**fields), scores) == language
