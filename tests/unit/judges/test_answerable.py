"""What a question asks for."""

from __future__ import annotations

import pytest

from judges.distilled.reading.answerable import kind_of_answer

QUESTIONS = {
    "time": [
        "When was the Berlin wall built?",
        "In which year did the museum open?",
        "How long does delivery take?",
        "what time does the shop close",
        "柏林墙是什么时候修建的？",
        "展览在哪一年开幕？",
        "保修期多久？",
        "會議幾點開始？",
    ],
    "number": [
        "How many seats are there?",
        "What is the monthly fee?",
        "how much ram does it support",
        "What percentage of users is affected?",
        "专业版多少钱？",
        "一共有几个房间？",
        "塔有多高？",
        "挪威的人口是多少？",
    ],
    "person": ["Who founded Acme?", "Whose idea was it?", "公司的创始人是谁？", "哪位作家获奖？"],
    "place": ["Where is the museum?", "Which city hosted the games?", "博物馆在哪里？", "總部位於哪個城市？"],
    "other": ["Does it support INT4?", "Why do cats purr?", "支持INT4吗？", "为什么猫会打呼噜？", "", "?"],
}


@pytest.mark.parametrize(("kind", "question"), [(k, q) for k, qs in QUESTIONS.items() for q in qs])
def test_the_kind_of_answer_is_known(kind: str, question: str) -> None:
    assert kind_of_answer(question) == kind
