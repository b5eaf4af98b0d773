"""Ask a local server for the likeliest next tokens: the chat API with `logprobs`, one token long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from judges.llm.asking import JudgeFailed, Message, Reason, Usage

TOP: int = 20
"""Likeliest tokens asked for, as many as the API allows."""


@dataclass(slots=True, frozen=True)
class NextToken:
    """The likeliest next tokens with their log-probabilities, the model that answered, and the cost."""

    top: list[tuple[str, float]]
    served_by: str
    usage: Usage


class AsksForNext(Protocol):
    """Whoever can be asked for the next token."""

    async def next_token(self, messages: Sequence[Message]) -> NextToken:
        """Raises JudgeFailed."""
        ...


class LocalClient:
    """A server of ours on this machine. One question at a time: it has one model."""

    def __init__(self, base_url: str, timeout_s: float = 600.0) -> None:
        self._url = f"{base_url}/chat/completions"
        self._timeout_s = timeout_s
        self._one = asyncio.Lock()

    async def next_token(self, messages: Sequence[Message]) -> NextToken:
        """Raises JudgeFailed where there is no answer."""
        body = {
            "messages": [{"role": m.role, "content": m.content} for m in messages],
            "max_tokens": 1,
            "temperature": 0,
            "logprobs": True,
            "top_logprobs": TOP,
        }
        async with self._one:
            return await _in_thread(lambda: self._post(json.dumps(body).encode()))

    def _post(self, body: bytes) -> NextToken:
        request = urllib.request.Request(self._url, body, {"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=self._timeout_s) as response:
                return _read(json.load(response))
        except urllib.error.HTTPError as error:
            detail = error.read(2_000).decode(errors="replace")
            reason = Reason.TOO_LONG if "context" in detail else Reason.BAD_REQUEST
            raise JudgeFailed(Reason.SERVER_ERROR if error.code >= 500 else reason, detail) from error
        except TimeoutError as error:
            raise JudgeFailed(Reason.TIMEOUT, f"no answer within {self._timeout_s:g} s") from error
        except (OSError, ValueError, KeyError, IndexError, TypeError) as error:
            kind = Reason.CONNECTION if isinstance(error, OSError) else Reason.UNREADABLE
            raise JudgeFailed(kind, f"{type(error).__name__}: {error}") from error


async def _in_thread(work: Callable[[], NextToken]) -> NextToken:
    """Like `asyncio.to_thread`, in a thread that nobody waits for at the end: a question may take minutes."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[NextToken] = loop.create_future()

    def settle(said: NextToken | BaseException) -> None:
        if future.done():
            return
        if isinstance(said, BaseException):
            future.set_exception(said)
        else:
            future.set_result(said)

    def run() -> None:
        try:
            said: NextToken | BaseException = work()
        except BaseException as error:
            said = error
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is interested any more
            loop.call_soon_threadsafe(settle, said)

    threading.Thread(target=run, daemon=True, name="local-judge").start()
    return await future


def _read(said: dict[str, Any]) -> NextToken:
    top = said["choices"][0]["logprobs"]["content"][0]["top_logprobs"]
    spent = said.get("usage") or {}
    usage = Usage(1, int(spent.get("prompt_tokens", 0)), int(spent.get("completion_tokens", 0)))
    return NextToken([(str(one["token"]), float(one["logprob"])) for one in top], str(said["model"]), usage)


__all__ = ["TOP", "AsksForNext", "LocalClient", "NextToken"]
