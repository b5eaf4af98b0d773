"""Passages and the question, told apart inside a prompt."""

from __future__ import annotations

import pytest

from schemas.formats.assembly.prompts import bare_question, find_context
from schemas.formats.messages import ChatMessage

ONE, TWO = "Files may be up to 2 GB.", "版本保留 30 天。"
CONTEXT = f"[1] {ONE}\n\n[2] {TWO}"
LAYOUTS = {
    "tags in the system message": [
        ("system", f"Answer.\n\n<context>\n{CONTEXT}\n</context>"),
        ("user", "q?"),
    ],
    "a heading before the question": [("user", f"Context:\n{CONTEXT}\n\nQuestion: q?")],
    "a heading with an answer to fill in": [
        ("user", f"Use it.\n\nContext: {CONTEXT}\n\nQuestion: q?\n\nHelpful Answer:")
    ],
    "lines drawn around it": [
        (
            "user",
            f"Context information is below.\n---------------------\n{CONTEXT}\n---------------------\n"
            "Given the context information and not prior knowledge, answer the query.\nQuery: q?\nAnswer: ",
        )
    ],
    "numbers alone": [("system", f"You answer from passages.\n\n{CONTEXT}"), ("user", "q?")],
    "in Chinese": [("user", f"请根据以下资料回答。\n\n参考资料:\n{CONTEXT}\n\n问题:q?")],
    "in Chinese, marked down": [("user", f"## 已知信息:\n{CONTEXT}\n\n## 用户问题:q?")],
    "marked down": [("user", f"### Retrieved documents:\n{CONTEXT}\n\n### User question:\nq?")],
    "documents in tags": [
        ("user", f"<documents>\n<document>{ONE}</document>\n<document>{TWO}</document>\n</documents>\n\nq?")
    ],
    "in Chinese, with its own colon": [
        ("user", f"已知信息：\n{CONTEXT}\n\n根据上述已知信息回答问题。\n问题是：q?")
    ],
    "in Chinese, announced": [("user", f"请根据以下资料回答问题：\n{CONTEXT}\n\n用户问题：q?\n答案：")],
    "in Chinese, in brackets": [("user", f"【参考资料】\n{CONTEXT}\n\n【用户问题】\nq?")],
    "in Chinese, with a line between passages": [
        ("system", f"以下是知识库：\n{ONE}\n------\n{TWO}\n以上是知识库。"),
        ("user", "q?"),
    ],
    "in Chinese, behind the question": [
        ("user", f"用户问题：q?\n\n检索到的文档：\n文档1：{ONE}\n文档2：{TWO}\n\n请作答。")
    ],
    "headings without a colon": [
        ("user", f"# Instructions\nBe brief.\n\n# Context\n{CONTEXT}\n\n# Question\nq?\n\n# Answer")
    ],
    "announced": [("user", f"Answer based only on the following context:\n{CONTEXT}\n\nQuestion: q?\n")],
    "behind the question": [("user", f"Answer briefly.\nQuestion: q? \nContext: {CONTEXT} \nAnswer:")],
    "in quotes": [("user", f'Context: """\n{CONTEXT}\n"""\nQuestion: """q?"""')],
    "what a search gave back": [("user", "q?"), ("tool", CONTEXT)],
}


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS.keys())
def test_the_passages_are_found_and_the_question_is_not_among_them(layout: list[tuple[str, str]]) -> None:
    messages = [ChatMessage(role, text) for role, text in layout]
    context = find_context(messages, certain=False)
    assert context is not None
    assert ONE in context
    assert TWO in context
    assert "q?" not in context
    user = next(message.text for message in messages if message.role == "user")
    assert bare_question(user) == "q?"


@pytest.mark.parametrize(
    "text",
    [
        "How large may a file be?",
        "免费版能上传多大的文件?",
        "Q",
        "What is context?",
        "a\n\nb",
        "资料：怎么下载？",
    ],
)
def test_a_prompt_without_passages_has_none_and_is_the_question(text: str) -> None:
    assert find_context([ChatMessage("user", text)], certain=False) is None
    assert bare_question(text) == text


def test_passages_that_are_known_to_be_there_are_taken_whole_where_nothing_marks_them() -> None:
    messages = [ChatMessage("system", "Help."), ChatMessage("user", f"{ONE} {TWO}\nQuestion: q?")]
    assert find_context(messages, certain=False) is None
    assert find_context(messages, certain=True) == f"{ONE} {TWO}"
