"""One model behind the chat API, on loopback, one token an answer: all that yes-or-no questions need."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final, Protocol

LOOPBACK: Final = "127.0.0.1"
_MOST_BYTES: Final = 4 * 1024 * 1024
_MOST_TOP: Final = 20


class TooLong(ValueError):
    """The question does not fit the model's context."""


class Model(Protocol):
    """Whatever can say which token comes next."""

    name: str

    def next_token(self, messages: Sequence[dict[str, str]], top: int) -> tuple[list[tuple[str, float]], int]:
        """The likeliest tokens with log-probabilities, likeliest first, and how many tokens were read.

        Raises TooLong.
        """
        ...


class LocalServer(ThreadingHTTPServer):
    """Serves `/v1/chat/completions` and `/v1/models`. The model is asked by one request at a time."""

    daemon_threads = True

    def __init__(self, model: Model, port: int = 0) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.model = model
        self.one = threading.Lock()

    @property
    def base_url(self) -> str:
        """For clients."""
        return f"http://{LOOPBACK}:{self.server_address[1]}/v1"


class _Refused(ValueError):
    """A request that this server cannot serve."""


class _Handler(BaseHTTPRequestHandler):
    server: LocalServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path != "/v1/models":
            self._send(404, _error("there is no such page"))
            return
        self._send(200, {"object": "list", "data": [{"id": self.server.model.name, "object": "model"}]})

    def do_POST(self) -> None:
        if self.path != "/v1/chat/completions":
            self._send(404, _error("there is no such page"))
            return
        try:
            body = self._body()
            messages, top = _messages(body), _top(body)
            with self.server.one:
                tokens, read = self.server.model.next_token(messages, top)
        except TooLong as error:
            self._send(400, _error(str(error), "context_length_exceeded"))
        except _Refused as error:
            self._send(400, _error(str(error)))
        else:
            self._send(200, _completion(self.server.model.name, tokens, read))

    def _body(self) -> dict[str, Any]:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length) > _MOST_BYTES:
            raise _Refused(f"a body of up to {_MOST_BYTES:,} bytes is expected")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except ValueError as error:
            raise _Refused(f"the body is no JSON: {error}") from error
        if not isinstance(body, dict):
            raise _Refused("the body is no JSON object")
        return body

    def _send(self, status: int, value: dict[str, Any]) -> None:
        data = json.dumps(value, ensure_ascii=False).encode(errors="replace")
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Questions are nobody's business but the asker's."""


def _messages(body: dict[str, Any]) -> list[dict[str, str]]:
    messages = body.get("messages")
    sound = isinstance(messages, list) and all(
        isinstance(m, dict) and isinstance(m.get("role"), str) and isinstance(m.get("content"), str)
        for m in messages
    )
    if not sound or not messages:
        raise _Refused("messages are needed, each with a role and a text")
    return [{"role": m["role"], "content": m["content"]} for m in messages]


def _top(body: dict[str, Any]) -> int:
    top = body.get("top_logprobs", 1)
    if body.get("max_tokens") != 1 or body.get("logprobs") is not True:
        raise _Refused("this server answers with one token: max_tokens must be 1 and logprobs true")
    if not isinstance(top, int) or not 1 <= top <= _MOST_TOP:
        raise _Refused(f"top_logprobs must be 1 to {_MOST_TOP}")
    return top


def _completion(name: str, tokens: Sequence[tuple[str, float]], read: int) -> dict[str, Any]:
    top = [{"token": token, "logprob": logprob, "bytes": None} for token, logprob in tokens]
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": tokens[0][0]},
        "logprobs": {"content": [{**top[0], "top_logprobs": top}]},
        "finish_reason": "length",
    }
    usage = {"prompt_tokens": read, "completion_tokens": 1, "total_tokens": read + 1}
    return {"object": "chat.completion", "model": name, "choices": [choice], "usage": usage}


def _error(message: str, code: str = "invalid_request") -> dict[str, Any]:
    return {"error": {"message": message, "code": code}}


__all__ = ["LOOPBACK", "LocalServer", "Model", "TooLong"]
