"""Prompts as frameworks fill them in: LangChain4j 1, Spring AI 1, Genkit 1, Semantic Kernel, LangChain."""

from __future__ import annotations

import pytest

from schemas.formats.assembly.prompts import bare_question, find_context
from schemas.formats.messages import ChatMessage

C = "Files may be up to 2 GB.\n\n版本保留 30 天。"
LINE = "---------------------"
IN_A_QUESTION = {
    "LangChain4j": f"q?\n\nAnswer using the following information:\n{C}",
    "Genkit": f"q?\n\nUse the following information to complete your task:\n\n{C}\n\n",
    "Spring AI's advisor": f"q?\n\nContext information is below, surrounded by {LINE}\n\n"
    f"{LINE}\n{C}\n{LINE}\n\nGiven the context and history, reply to the user comment.\n",
    "Spring AI's advisor before 1.0": f"q?\nContext information is below.\n{LINE}\n{C}\n{LINE}\n"
    "Given the context, reply.",
    "Spring AI's augmenter": f"Context information is below.\n\n{LINE}\n{C}\n{LINE}\n\n"
    "Given the context, answer the query.\n\nFollow these rules:\n\n1. Be brief.\n\nQuery: q?\n\nAnswer:\n",
    "Kernel Memory": f"Facts:\n{C}\n======\nGiven only the facts above, answer.\nQuestion: q?\nAnswer: ",
    "Semantic Kernel": f"Please use this information to answer the question:\n{C}\n"
    "Include citations to what you used.\nQuestion: q?",
    "LangChain": f"Use the following pieces of context to answer the question at the end.\n\n{C}\n\n"
    "Question: q?\nHelpful Answer:",
    "LangChain's hub": "Use the following pieces of retrieved context to answer.\n"
    f"Question: q? \nContext: {C} \nAnswer:",
    "tags": f"<search_results>\n{C}\n</search_results>\n\n<question>q?</question>\nAnswer:",
    "in Chinese": f"q?\n\n请使用以下信息回答：\n{C}",
}
FOR_THE_SYSTEM = {
    "LangChain": "Use the following pieces of context to answer the user's question. \n"
    f"If you don't know, say so.\n----------------\n{C}",
    "Flowise": f"Using the provided context, answer the user's question.\n------------\n{C}\n"
    "------------\nREMEMBER: no.",
}


@pytest.mark.parametrize("text", IN_A_QUESTION.values(), ids=IN_A_QUESTION.keys())
def test_question_and_passages_are_told_apart(text: str) -> None:
    assert find_context([ChatMessage("user", text)], certain=False) == C
    assert bare_question(text) == "q?"


@pytest.mark.parametrize("text", FOR_THE_SYSTEM.values(), ids=FOR_THE_SYSTEM.keys())
def test_passages_in_a_system_message_end_where_its_template_says(text: str) -> None:
    assert find_context([ChatMessage("system", text), ChatMessage("user", "q?")], certain=False) == C


def test_a_persona_ahead_of_the_question_in_one_text_leaves_it_unknown() -> None:
    """Quarkus joins all messages of a call into one text."""
    text = f"You are the help desk.\nq?\n\nAnswer using the following information:\n{C}"
    assert bare_question(text) is None
    assert find_context([ChatMessage("user", text)], certain=False) == C


@pytest.mark.parametrize(
    "text",
    ["Facts:\n- one\n- two\nAre these true?", "How do I fill in the following information:\nname, age"],
)
def test_ordinary_words_are_no_template(text: str) -> None:
    assert bare_question(text) == text
    assert find_context([ChatMessage("user", text)], certain=False) is None


def test_a_task_is_told_from_what_is_expected_of_its_answer() -> None:
    """CrewAI 1.15, as its model is asked."""
    prompt = (
        "\nCurrent Task: q?\n\nThis is the expected criteria for your final answer: one sentence\n\nBegin!"
    )
    assert bare_question(prompt) == "q?"
    assert bare_question("Current Task: q?") == "Current Task: q?"
