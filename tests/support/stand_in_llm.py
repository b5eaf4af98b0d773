"""A stand-in for an OpenAI-compatible server, over real HTTP: no model in it, and every way of misbehaving.

    with StandIn(answer=lambda body: {"reasoning": "…", "score": 4}) as llm:
        llm.script(too_many(retry_after=1), BROKEN, PROSE)   # what the next three requests meet
        ...                                                  # llm.base_url, llm.requests, llm.most_in_flight

It runs in a thread with an event loop of its own, so tests of either kind can use it, and serves
`/v1/chat/completions`, `/v1/embeddings` and `/v1/models`. As a process of its own:
`python -m tests.support.stand_in_llm --latency 0.2`, which prints its base URL and then serves.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import threading
from collections import Counter, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.support.stand_in_answers import embed, fill, fill_schema_of, schema_of, tokens_of
from tests.support.stand_in_behaviours import (
    ABSURD_SCORES,
    BROKEN,
    CONTENT_FILTER,
    CONTEXT_OVERFLOW,
    CUT,
    EMPTY,
    EXTRA_KEYS,
    FENCED,
    FILTERED,
    HANG,
    INFINITE_SCORES,
    MISBEHAVIOURS,
    MISSING_KEYS,
    NAN_SCORES,
    NOT_HTTP_JSON,
    NULL,
    NUMBERS_AS_TEXT,
    OTHER_LANGUAGE,
    OUT_OF_LENGTH,
    PROSE,
    PROSE_WITH_JSON,
    REFUSAL,
    THINKING,
    UNAUTHORIZED,
    WELL,
    WRONG_TYPES,
    Behaviour,
    broken,
    error,
    slowly,
    too_many,
)

Body = dict[str, Any]
Writes = Callable[[Body], Any]
"""What the model writes, given the request: an object to be sent as JSON, or text to be sent as it is."""

KEY = "stand-in-key"


@dataclass(frozen=True)
class Abilities:
    """What the server can do. It answers 400, as real ones do, to what it cannot."""

    json_schema: bool = True
    json_object: bool = True
    temperature_zero: bool = True
    max_tokens: bool = True
    """False for models that want `max_completion_tokens`."""
    context_tokens: int | None = None
    api_key: str | None = None
    """The only key that is let in; null for any."""


@dataclass(frozen=True)
class Request:
    """One request that came in."""

    path: str
    body: Body
    headers: Mapping[str, str]
    """Looked up in any case."""


class StandIn:
    """The server. `answer` is what its model writes; by default the simplest value that fits the schema."""

    def __init__(
        self,
        answer: Writes | None = None,
        *,
        behave: Callable[[Body, int], Behaviour] = lambda body, number: WELL,
        abilities: Abilities = Abilities(),
        model: str = "stand-in-1",
        keep: int = 10_000,
    ) -> None:
        self.answer: Writes = answer or fill_schema_of
        self.behave = behave
        """The behaviour for a request, given its body and number (from 0), where no script is left."""
        self.abilities = abilities
        self.model = model
        """What the responses say answered."""
        self.requests: deque[Request] = deque(maxlen=keep)
        self.calls: Counter[str] = Counter()
        """Requests by path."""
        self.statuses: Counter[int] = Counter()
        self.in_flight = 0
        self.most_in_flight = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.base_url = ""
        self._script: deque[Behaviour] = deque()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._stop: asyncio.Event | None = None

    def script(self, *behaviours: Behaviour) -> None:
        """What the next chat requests meet, one after the other."""
        self._script.extend(behaviours)

    @property
    def chats(self) -> list[Request]:
        """The chat requests, in order of arrival."""
        return [request for request in list(self.requests) if request.path.endswith("/chat/completions")]

    # --- life ---

    def __enter__(self) -> StandIn:
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True, name="stand-in-llm")
        self._thread.start()
        if not ready.wait(20):
            raise TimeoutError("the stand-in server did not start")
        return self

    def __exit__(self, *exc: object) -> None:
        assert self._loop is not None
        assert self._stop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(20)

    def _run(self, ready: threading.Event) -> None:
        asyncio.run(self.serve(ready.set))

    async def serve(self, ready: Callable[[], None] = lambda: None, port: int = 0) -> None:
        """Serve until stopped; `ready` is called once `base_url` is known."""
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/embeddings", self._embed)
        app.router.add_get("/v1/models", self._models)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", port)
        await site.start()
        self.base_url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
        ready()
        try:
            await self._stop.wait()
        finally:
            await runner.cleanup()

    # --- requests ---

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await self._take(request)
        number = self.calls[request.path] - 1
        behaviour = self._script.popleft() if self._script else self.behave(body, number)
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            response = await self._meet(request, body, behaviour)
        finally:
            self.in_flight -= 1
        self.statuses[response.status] += 1
        return response

    async def _meet(self, request: web.Request, body: Body, behaviour: Behaviour) -> web.StreamResponse:
        if behaviour.latency_s:
            await asyncio.sleep(behaviour.latency_s)
        if behaviour.hang:
            await asyncio.sleep(3600)
        if (refused := self._refuse(request, body)) is not None:
            behaviour = refused
        payload = behaviour.raw if behaviour.raw is not None else self._completion(body, behaviour)
        headers = {"Content-Type": "application/json"} | behaviour.headers
        if behaviour.endless is not None:
            return await _send_on(request, behaviour.status, headers, behaviour.endless)
        if behaviour.cut_after is not None:
            return await _cut(request, payload, behaviour.cut_after)
        return web.Response(status=behaviour.status, body=payload, headers=headers)

    def _refuse(self, request: web.Request, body: Body) -> Behaviour | None:
        able = self.abilities
        kind = (body.get("response_format") or {}).get("type")
        if able.api_key is not None and request.headers.get("Authorization") != f"Bearer {able.api_key}":
            return UNAUTHORIZED
        if able.context_tokens is not None and tokens_of(body["messages"]) > able.context_tokens:
            return CONTEXT_OVERFLOW
        if (kind == "json_schema" and not able.json_schema) or (
            kind == "json_object" and not able.json_object
        ):
            return error(400, f"Invalid parameter: 'response_format' of type '{kind}' is not supported")
        if body.get("temperature") == 0 and not able.temperature_zero:
            return error(400, "Unsupported value: 'temperature' does not support 0 with this model.")
        if "max_tokens" in body and not able.max_tokens:
            return error(
                400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                "unsupported_parameter",
            )  # fmt: skip
        return None

    def _completion(self, body: Body, behaviour: Behaviour) -> bytes:
        written = self.answer(body)
        text = written if isinstance(written, str) else json.dumps(written, ensure_ascii=False)
        content = behaviour.content(text)
        usage = {"prompt_tokens": tokens_of(body["messages"]), "completion_tokens": tokens_of(text)}
        self.input_tokens += usage["prompt_tokens"]
        self.output_tokens += usage["completion_tokens"]
        message = {"role": "assistant", "content": content} | behaviour.message
        choice = {"index": 0, "message": message, "finish_reason": behaviour.finish_reason}
        completion = {
            "id": f"chatcmpl-{self.calls.total()}",
            "object": "chat.completion",
            "created": 1_790_000_000,
            "model": self.model,
            "choices": [choice],
            "usage": usage | {"total_tokens": sum(usage.values())}
            if behaviour.usage == "true"
            else behaviour.usage,
        }
        return json.dumps(completion, ensure_ascii=False).encode()

    async def _embed(self, request: web.Request) -> web.Response:
        body = await self._take(request)
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        data = [
            {"object": "embedding", "index": index, "embedding": embed(text)}
            for index, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": tokens_of(texts), "total_tokens": tokens_of(texts)}
        return web.json_response({"object": "list", "data": data, "model": body["model"], "usage": usage})

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": self.model, "object": "model"}]})

    async def _take(self, request: web.Request) -> Body:
        body: Body = await request.json()
        self.calls[request.path] += 1
        self.requests.append(Request(request.path, body, request.headers))
        return body


async def _send_on(
    request: web.Request, status: int, headers: dict[str, str], piece: bytes
) -> web.StreamResponse:
    response = web.StreamResponse(status=status, headers=headers)
    await response.prepare(request)
    with contextlib.suppress(ConnectionError):
        while True:
            await response.write(piece)
    return response


async def _cut(request: web.Request, payload: bytes, after: int) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.content_length = len(payload)
    await response.prepare(request)
    await response.write(payload[:after])
    assert request.transport is not None
    request.transport.abort()
    return response


def main() -> None:
    """Serve in the foreground; the base URL is the first line of the output."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    given = parser.parse_args()
    stand_in = StandIn(behave=lambda body, number: slowly(given.latency), keep=1)
    asyncio.run(stand_in.serve(lambda: print(stand_in.base_url, flush=True), given.port))


__all__ = [
    "ABSURD_SCORES",
    "BROKEN",
    "CONTENT_FILTER",
    "CONTEXT_OVERFLOW",
    "CUT",
    "EMPTY",
    "EXTRA_KEYS",
    "FENCED",
    "FILTERED",
    "HANG",
    "INFINITE_SCORES",
    "KEY",
    "MISBEHAVIOURS",
    "MISSING_KEYS",
    "NAN_SCORES",
    "NOT_HTTP_JSON",
    "NULL",
    "NUMBERS_AS_TEXT",
    "OTHER_LANGUAGE",
    "OUT_OF_LENGTH",
    "PROSE",
    "PROSE_WITH_JSON",
    "REFUSAL",
    "THINKING",
    "UNAUTHORIZED",
    "WELL",
    "WRONG_TYPES",
    "Abilities",
    "Behaviour",
    "Request",
    "StandIn",
    "broken",
    "embed",
    "fill",
    "fill_schema_of",
    "schema_of",
    "slowly",
    "tokens_of",
    "too_many",
]


if __name__ == "__main__":
    main()
