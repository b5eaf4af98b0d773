"""The section `judge` of the settings, as the client takes it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from pydantic import ValidationError

from judges.llm.endpoint import Price
from stream.settings import JudgeSettings

PAGE = Path(__file__).resolve().parents[3] / "docs" / "JUDGES.md"
EXAMPLES = [
    tomllib.loads(block)["judge"]
    for block in re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    if "[judge]" in block
]


def settings(**said: object) -> JudgeSettings:
    return JudgeSettings.model_validate(said)


def test_without_a_model_there_is_nobody_to_ask_and_nothing_is_sent() -> None:
    assert not settings().on
    assert settings().endpoints() == []


def test_one_judge_is_set_by_its_model_alone() -> None:
    (judge,) = settings(model="m", api_key="secret", timeout_s=5, body={"enable_thinking": False}).endpoints()
    assert (judge.name, judge.model, judge.base_url) == ("m", "m", "https://api.openai.com/v1")
    assert (judge.api_key, judge.limits.timeout_s) == ("secret", 5)
    assert judge.body == {"enable_thinking": False}


def test_a_judge_of_several_has_what_it_does_not_say_from_the_section() -> None:
    first, second = settings(
        api_key="secret",
        concurrency=4,
        prices={"a": {"input": 1, "output": 2}},
        judges=[{"model": "a"}, {"model": "a", "name": "careful", "concurrency": 1, "temperature": 0.5}],
    ).endpoints()
    assert (first.name, first.limits.concurrency, first.temperature) == ("a", 4, 0.0)
    assert (second.name, second.limits.concurrency, second.temperature) == ("careful", 1, 0.5)
    assert first.price == second.price == Price(1, 2)
    assert second.api_key == "secret"


def test_a_key_and_headers_go_to_no_address_but_their_own() -> None:
    own, other = settings(
        base_url="https://one.example/v1",
        api_key="secret",
        headers={"X-Team": "secret"},
        judges=[
            {"model": "a", "base_url": "https://one.example/v1"},
            {"model": "b", "base_url": "https://two.example/v1"},
        ],
    ).endpoints()
    assert (own.api_key, dict(own.headers)) == ("secret", {"X-Team": "secret"})
    assert (other.api_key, dict(other.headers)) == ("", {})
    assert "secret" not in repr(own)


def test_a_budget_in_money_takes_a_price_for_each_model() -> None:
    priced = {"a": {"input": 1, "output": 2}}
    with pytest.raises(ValidationError, match="has none for b"):
        settings(budget_daily_usd=1, prices=priced, judges=[{"model": "a"}, {"model": "b"}])
    with pytest.raises(ValidationError, match="has none for e"):
        settings(budget_hourly_usd=1, prices=priced, model="a", embedding_model="e")
    assert settings(budget_daily_usd=1, prices=priced, model="a").budgets().in_money
    assert not settings(model="a").budgets().in_money


def test_unless_told_otherwise_tokens_are_limited() -> None:
    assert settings(model="a").budgets().daily_tokens == 20_000_000


def test_two_judges_of_one_name_are_refused() -> None:
    with pytest.raises(ValidationError, match="share a name"):
        settings(judges=[{"model": "a"}, {"model": "a"}])


@pytest.mark.parametrize(
    "wrong",
    [
        {"base_url": "localhost:8000"},
        {"model": ""},
        {"concurrency": 0},
        {"timeout_s": 0},
        {"prices": {"a": {"input": -1}}},
        {"prices": {"a": {"input": float("nan")}}},
        {"budget_daily_usd": -1},
        {"judges": [{"model": "a", "colour": "red"}]},
        {"base_url": "http://user:secret@llm:8000/v1"},
        {"base_url": "http://llm:8000/v1?key=secret"},
        {"base_url": "http:///v1"},
        {"base_url": "http://[::1/v1"},
        {"base_url": "http://llm..local/v1"},
        {"base_url": "http://llm:99999/v1"},
        {"judges": [{"model": "a", "base_url": "llm:8000"}]},
        {"api_key": "secret\n"},
        {"api_key": "密钥"},
        {"judges": [{"model": "a", "api_key": "two secrets"}]},
        {"headers": {"X-Team\r\nX-Other": "secret"}},
        {"headers": {"X-Team": "secret\n"}},
        {"body": {"top_p": float("nan")}},
        {"prices": {"a": {"input": 1e30}}},
        {"budget_daily_usd": 1e300},
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as raised:
        settings(**wrong)
    assert "secret" not in str(raised.value.errors(include_input=False, include_context=False))


@pytest.mark.parametrize("url", ["http://[::1]:8000/v1", "https://模型.example/v1", "http://llm"])
def test_any_address_that_can_be_asked_is_taken_as_it_is_written(url: str) -> None:
    assert settings(model="a", base_url=url).endpoints()[0].base_url == url


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: str(example.get("model", "panel")))
def test_every_example_of_the_page_holds(example: dict[str, object]) -> None:
    assert settings(**example).endpoints()


def test_the_page_has_an_example_for_each_kind_of_server() -> None:
    assert len(EXAMPLES) == 6
