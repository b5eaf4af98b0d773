"""Logs are JSON for machines and lines for people; secrets stay out of them."""

from __future__ import annotations

import io
import logging
from typing import Literal

import orjson
import pytest
import structlog

from stream import logs
from stream.settings import TelemetrySettings


def _lines(settings: TelemetrySettings) -> io.StringIO:
    out = io.StringIO()
    logs.configure(settings, "worker", out)
    return out


def test_each_json_line_names_its_process_and_its_facts() -> None:
    out = _lines(TelemetrySettings(log_format="json"))
    logs.get(group="g").warning("lost by retention", topic="rag.traces", messages=7)
    line = orjson.loads(out.getvalue())
    facts = {
        "process": "worker",
        "group": "g",
        "event": "lost by retention",
        "messages": 7,
        "level": "warning",
    }
    assert facts.items() <= line.items()


def test_a_command_that_ends_keeps_its_output_for_results(capsys: pytest.CaptureFixture[str]) -> None:
    structlog.reset_defaults()
    logs.configure_for_command(TelemetrySettings(log_format="json"))
    logs.get().warning("an incident cannot be read")
    out, err = capsys.readouterr()
    assert out == ""
    assert orjson.loads(err)["event"] == "an incident cannot be read"


def test_what_a_process_has_set_up_stays_as_it_is() -> None:
    out = _lines(TelemetrySettings(log_format="json"))
    logs.configure_for_command(TelemetrySettings(log_level="error"))
    logs.get().warning("still heard")
    assert orjson.loads(out.getvalue())["event"] == "still heard"


def test_auto_is_json_where_nobody_watches() -> None:
    out = _lines(TelemetrySettings(log_format="auto"))
    logs.get().info("started")
    assert orjson.loads(out.getvalue())["event"] == "started"


def test_the_console_shows_lines_for_people_in_their_language() -> None:
    out = _lines(TelemetrySettings(log_format="console"))
    logs.get().info("启动", brokers="127.0.0.1:9092")
    assert "启动" in out.getvalue()
    assert not out.getvalue().startswith("{")


def test_what_is_below_the_level_is_not_written() -> None:
    out = _lines(TelemetrySettings(log_format="json", log_level="warning"))
    logs.get().info("chatter")
    assert out.getvalue() == ""


def test_warnings_of_libraries_take_the_same_road() -> None:
    out = _lines(TelemetrySettings(log_format="json"))
    logging.getLogger("somebody").warning("odd: %s", "thing")
    logging.getLogger("somebody").info("chatter")
    line = orjson.loads(out.getvalue())
    assert (line["library"], line["event"]) == ("somebody", "odd: thing")


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_traceback_shows_where_it_broke_and_none_of_the_values_there(
    form: Literal["json", "console"],
) -> None:
    out = _lines(TelemetrySettings(log_format=form))

    def connect(password: str) -> None:
        raise OSError(f"no answer within {len(password)} s")

    try:
        connect("-".join(["s3cr3t", "in", "a", "variable"]))
    except OSError:
        logs.get().exception("worker crashed")
    assert "no answer within" in out.getvalue()
    assert "in connect" in out.getvalue()
    assert "s3cr3t-in-a-variable" not in out.getvalue()
