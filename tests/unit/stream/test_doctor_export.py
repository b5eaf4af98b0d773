"""What the doctor says of receivers of verdicts."""

from __future__ import annotations

from stream.doctor import Check, State, _check_export
from stream.settings import Settings
from tests.support.stand_in_receiver import stand_in_receiver


def checks(**export: str) -> dict[str, Check]:
    return {check.name: check for check in _check_export(Settings.model_validate({"export": export}))}


def test_nothing_is_said_of_receivers_that_are_not_set() -> None:
    assert checks() == {}


def test_a_receiver_that_listens_is_fine_and_is_sent_nothing() -> None:
    with stand_in_receiver() as receiver:
        found = checks(otlp_url=receiver.url)
        assert found["export otlp"].state is State.OK
        assert receiver.received == []


def test_a_receiver_that_is_away_half_set_or_nowhere_is_told_with_its_setting() -> None:
    found = checks(
        otlp_url="http://127.0.0.1:1", phoenix_url="phoenix:6006", langfuse_url="http://127.0.0.1:1"
    )
    assert found["export otlp"].state is State.UNREACHABLE
    assert found["export phoenix"].state is State.PROBLEM
    assert found["export langfuse"].state is State.PROBLEM
    assert "RAGPULSE_EXPORT__OTLP_URL" in found["export otlp"].todo
    assert "RAGPULSE_EXPORT__LANGFUSE_PUBLIC_KEY" in found["export langfuse"].detail
