"""Where the GenAI conventions, in all their versions, keep what was said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from schemas.formats.conventions.common import as_text, is_hidden, shown
from schemas.formats.messages import ASSISTANT, SYSTEM, TOOL, USER, ChatMessage, read_message, read_messages
from schemas.formats.messages import read_content as read_parts
from schemas.formats.shape import Shape, shape_of
from schemas.formats.span import Event, Span
from schemas.formats.transcripts import read_transcript
from schemas.formats.values import parse, parse_texts, regrow

Said = tuple[list[ChatMessage], list[ChatMessage], Any]
"""What a model was given, what it said, and a final result recorded apart."""
CONTENT: Final = (
    "gen_ai.input.", "gen_ai.output.", "gen_ai.system_instructions", "gen_ai.prompt", "gen_ai.completion",
    "gen_ai.content.", "llm.prompts.", "llm.completions.", "request_data", "response_data",
    "gcp.vertex.agent.llm_", "final_result", "pydantic_ai.all_messages", "all_messages_events", "events",
)  # fmt: skip
"""How the names of attributes begin that hold something said."""
_OLD: Final = (
    ("gen_ai.prompt", "gen_ai.completion"),
    ("gen_ai.content.prompt", "gen_ai.content.completion"),
    ("llm.prompts", "llm.completions"),
)
"""What was asked and answered, as earlier versions and their offspring call it."""
_OLD_NAMES: Final = tuple(name for pair in _OLD for name in pair)
DETAILS: Final = "gen_ai.client.inference.operation.details"
ROLE_OF_EVENT: Final = {
    "gen_ai.system.message": SYSTEM, "gen_ai.user.message": USER, "gen_ai.assistant.message": ASSISTANT,
    "gen_ai.tool.message": TOOL, "gen_ai.choice": ASSISTANT,
}  # fmt: skip
ANSWERS: Final = frozenset({"gen_ai.choice", DETAILS, "gen_ai.content.completion"})
EVENTS: Final = frozenset({*ROLE_OF_EVENT, DETAILS, "gen_ai.content.prompt", "gen_ai.content.completion"})
"""Events that hold something said, of a span or among the logs."""


def read_content(span: Span) -> Said:
    """Messages in and out, from wherever this version of the conventions has them."""
    attributes = span.attributes
    given, said = _from_attributes(attributes)
    if not given or not said:
        details = [_from_attributes(_body(event)) for event in span.events if event.name == DETAILS]
        given = given or [message for told, _ in details for message in told]
        said = said or [message for _, told in details for message in told]
    if not given and not said:
        given, said = _from_events(_records(span))
    final = shown(attributes.get("final_result"))
    for name in ("pydantic_ai.all_messages", "all_messages_events"):
        if not said and (whole := _history(attributes.get(name))):
            given, said = _split(whole)
    return _visible(given), _visible(said), final


def _from_attributes(attributes: Mapping[str, Any]) -> tuple[list[ChatMessage], list[ChatMessage]]:
    shape = shape_of(attributes)
    given = _unfolded(read_messages(attributes.get("gen_ai.input.messages")) or [])
    said = read_messages(attributes.get("gen_ai.output.messages")) or []
    instructions = parse(attributes.get("gen_ai.system_instructions"))
    if instructions:
        given = [ChatMessage(SYSTEM, read_parts(instructions)[0]), *given]
    for asked, answered in _OLD if shape.has(*_OLD_NAMES) else ():
        given = given or _from_old(attributes, shape, asked, USER)
        said = said or _from_old(attributes, shape, answered, ASSISTANT)
    if not given and not said and shape.has("request_data", "response_data"):
        given, said = _from_call(
            parse(attributes.get("request_data")), parse(attributes.get("response_data"))
        )
    if not given and "gcp.vertex.agent.llm_request" in attributes:
        given = _from_request(attributes["gcp.vertex.agent.llm_request"])
    if not said and "gcp.vertex.agent.llm_response" in attributes:
        response = parse(attributes["gcp.vertex.agent.llm_response"])
        content = response.get("content") if isinstance(response, dict) else None
        said = read_messages(content) or []
    return given, said


def _unfolded(messages: list[ChatMessage]) -> list[ChatMessage]:
    """A conversation that was written as the text of one message (OpenLLMetry, of the Responses API)."""
    if len(messages) == 1 and messages[0].text[:8] == '[{"role"':
        return read_messages(messages[0].text) or messages
    return messages


def _from_call(request: Any, response: Any) -> tuple[list[ChatMessage], list[ChatMessage]]:
    """A client's call as it was sent and answered (Logfire)."""
    given = _from_text(request, USER) if isinstance(request, dict) else []
    said = read_messages(response.get("message")) if isinstance(response, dict) else None
    if (
        said is None
        and isinstance(response, dict)
        and isinstance(response.get("combined_chunk_content"), str)
    ):
        said = [ChatMessage(ASSISTANT, response["combined_chunk_content"])]
    return given, said or []


def _from_old(attributes: Mapping[str, Any], shape: Shape, name: str, role: str) -> list[ChatMessage]:
    """`gen_ai.prompt` as text or JSON, and `gen_ai.prompt.0.role` with its siblings."""
    if (whole := attributes.get(name)) is not None:
        return _from_text(whole, role)
    prefix = f"{name}."
    paths = shape.paths(prefix)
    items = (
        regrow((path, attributes[name]) for name, path in paths if path[0][:1].isdigit()) if paths else None
    )
    if not isinstance(items, list):
        return []
    found = []
    for item in items:
        if isinstance(item, dict):
            message = read_message({"role": role, **item})
            if message is not None:
                found.append(message)
    return found


def _from_text(whole: Any, role: str) -> list[ChatMessage]:
    """Text, JSON of messages, or a list of texts: whoever is asked last has the user's words."""
    opened = parse_texts(whole)
    if isinstance(opened, str):
        told = read_transcript(opened) if role == USER else None
        return told or ([ChatMessage(role, opened)] if as_text(opened) else [])
    messages = read_messages(opened)
    if messages is None and isinstance(opened, dict):
        for key in ("messages", "choices", "contents", "generations", "message", "prompts"):
            messages = messages or read_messages(opened.get(key))
    if messages is None and isinstance(opened, list) and all(isinstance(item, str) for item in opened):
        if role == ASSISTANT:
            return [ChatMessage(role, "\n".join(opened))]
        *ahead, last = opened or [""]
        return [*(ChatMessage(SYSTEM, text) for text in ahead), ChatMessage(role, last)]
    return messages or []


def _from_request(request: Any) -> list[ChatMessage]:
    opened = parse(request)
    if not isinstance(opened, dict):
        return []
    config = opened.get("config")
    instruction = config.get("system_instruction") if isinstance(config, dict) else None
    first = [ChatMessage(SYSTEM, instruction)] if isinstance(instruction, str) and instruction else []
    return first + (read_messages(opened.get("contents")) or [])


def _records(span: Span) -> list[tuple[str, Mapping[str, Any]]]:
    """Span events, and events that are kept as JSON in an attribute."""
    found = [(event.name, _body(event)) for event in span.events if event.name.startswith("gen_ai.")]
    kept = parse(span.attributes.get("events"))
    if isinstance(kept, list):
        for item in kept:
            if isinstance(item, dict) and isinstance(item.get("event.name"), str):
                found.append((item["event.name"], item))
    return found


def _body(event: Event) -> Mapping[str, Any]:
    body = parse(event.attributes.get("gen_ai.event.content") or event.attributes.get("body"))
    if isinstance(body, str) and "content" not in event.attributes:
        return {**event.attributes, "content": body}
    return {**event.attributes, **body} if isinstance(body, dict) else event.attributes


def _from_events(records: list[tuple[str, Mapping[str, Any]]]) -> tuple[list[ChatMessage], list[ChatMessage]]:
    given: list[ChatMessage] = []
    said: list[ChatMessage] = []
    for name, body in records:
        if name == "gen_ai.content.prompt":
            given += _from_text(body.get("gen_ai.prompt"), USER)
        elif name == "gen_ai.content.completion":
            said += _from_text(body.get("gen_ai.completion"), ASSISTANT)
        elif role := ROLE_OF_EVENT.get(name):
            message = _message(role, body)
            if message is not None:
                (said if name == "gen_ai.choice" else given).append(message)
    if not said and given and given[-1].role == ASSISTANT and given[-1].text:
        return given[:-1], given[-1:]  # Azure's agents: the answer is a message like the others
    return given, said


def finish_of(span: Span) -> Any:
    """Why a model stopped, where only its message tells."""
    told = parse(span.attributes.get("gen_ai.output.messages"))
    held = (
        [item.get("finish_reason") for item in told if isinstance(item, dict)]
        if isinstance(told, list)
        else []
    )
    return held + [body.get("finish_reason") for name, body in _records(span) if name == "gen_ai.choice"]


def _message(role: str, body: Mapping[str, Any]) -> ChatMessage | None:
    inner = parse(body.get("message"))
    if isinstance(inner, dict):
        return read_message({"role": role, **inner})
    content = inner if inner not in (None, "") else parse(body.get("content"))
    message = read_message({**body, "role": role, "content": content})
    return message if message and (message.text or message.calls) else None


def _history(value: Any) -> list[ChatMessage]:
    return read_messages(value) or []


def _split(whole: list[ChatMessage]) -> tuple[list[ChatMessage], list[ChatMessage]]:
    """A conversation, into what came before the last answer and that answer."""
    if whole and whole[-1].role == ASSISTANT:
        return whole[:-1], whole[-1:]
    return whole, []


def _visible(messages: list[ChatMessage]) -> list[ChatMessage]:
    for message in messages:
        if is_hidden(message.text):
            message.text = ""
    return [message for message in messages if message.text or message.calls]


__all__ = ["ANSWERS", "CONTENT", "EVENTS", "finish_of", "read_content"]
