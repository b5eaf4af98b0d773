"""HTTP to an OpenAI-compatible endpoint: the one file that knows the vendor's client.

Its own retries are off, since ours are counted, limited and paid for. What comes back is bytes: what they
mean is read elsewhere, so that no server's oddity becomes an exception of a library.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from typing import Any, Final

import aiohttp
import openai

from judges.llm.asking import Reason
from judges.llm.completion import shorten
from judges.llm.endpoint import Endpoint

_BEFORE_SENDING = ("ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol", "ProxyError")
_HALFWAY = ("RemoteProtocolError", "ReadError")
_MAYBE_DONE = frozenset({408, 502, 504, 524})
LONGEST_CHAT: Final = 8 << 20
LONGEST_EMBEDDINGS: Final = 64 << 20
"""Bytes of an answer, unpacked, that are read; a thousand vectors of 2,048 numbers take 40 MiB as text."""


class HttpFailed(Exception):
    """A request without success. `free` is whether it certainly cost nothing; `status` is 0 without one."""

    def __init__(
        self,
        reason: Reason | None,
        detail: str,
        *,
        free: bool,
        status: int = 0,
        retry_after: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.reason = reason
        """Null where it follows from the status and the words."""
        self.detail = detail
        self.free = free
        self.status = status
        self.retry_after = retry_after


class _TooMuch(Exception):
    """There is more of an answer than anybody may need."""


class Transport:
    """Open connections to one endpoint."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        limits = endpoint.limits
        timeout = openai.Timeout(limits.timeout_s, connect=limits.connect_timeout_s)
        self._client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or "none",  # local servers want none, the library wants some
            max_retries=0,
            timeout=timeout,
            default_headers=dict(endpoint.headers),
            # Over aiohttp's connections a request takes a quarter less of the processor. A redirect would
            # carry the texts to an address that nobody named.
            http_client=openai.DefaultAioHttpClient(
                timeout=timeout, follow_redirects=False, event_hooks={"response": [_bound]}
            ),
        )
        # Taken from the environment otherwise, where they may be meant for somebody else.
        self._client.organization = self._client.project = None

    async def chat(self, body: dict[str, Any]) -> bytes:
        """The response to a chat completion. Raises HttpFailed."""
        # What stands in `extra_body` is sent as it is. Messages that are handed in as such are walked through
        # word by word against the vendor's types, which took a fifth of all time that a question takes here.
        rest = {key: value for key, value in body.items() if key != "model"}
        send = self._client.chat.completions.with_raw_response.create
        return await self._take(send(model=body["model"], messages=[], extra_body=rest))

    async def embed(self, body: dict[str, Any]) -> bytes:
        """The response to a request for embeddings, as lists of numbers. Raises HttpFailed."""
        send = self._client.embeddings.with_raw_response.create
        request = send(model=body["model"], input=body["input"], encoding_format="float")
        return await self._take(request)

    async def _take(self, request: Any) -> bytes:
        limits = self._endpoint.limits
        try:
            async with asyncio.timeout(limits.timeout_s):
                response = await request
                content: bytes = response.http_response.content
                return content
        except TimeoutError:
            raise self._timed_out() from None
        except _TooMuch as error:
            detail = f"{self._endpoint.base_url} sent {error}; the rest was not read"
            raise HttpFailed(Reason.CUT, detail, free=False) from None
        except openai.APIStatusError as error:
            raise self._status(error) from error
        except openai.APIConnectionError as error:
            raise self._connection(error) from error
        except aiohttp.ClientError as error:  # handed through as it is where the other side speaks no HTTP
            raise HttpFailed(Reason.CONNECTION, self._no_http(error), free=False) from error
        except openai.OpenAIError as error:
            raise HttpFailed(Reason.SERVER_ERROR, shorten(str(error)), free=False) from error

    def _status(self, error: openai.APIStatusError) -> HttpFailed:
        said = error.response.text[:4000]
        return HttpFailed(
            None,
            f"HTTP {error.status_code} of {self._endpoint.base_url}: {said}",
            free=error.status_code not in _MAYBE_DONE,
            status=error.status_code,
            retry_after=error.response.headers.get("retry-after"),
        )

    def _connection(self, error: openai.APIConnectionError) -> HttpFailed:
        # The library below changes its name from release to release; the names of its errors do not.
        cause = error.__cause__ or error
        kind = type(cause).__name__
        where = self._endpoint.base_url
        if kind in _BEFORE_SENDING:
            return HttpFailed(Reason.CONNECTION, f"no connection to {where}: {cause or kind}", free=True)
        if isinstance(error, openai.APITimeoutError):
            return self._timed_out()
        if kind in _HALFWAY:
            return HttpFailed(Reason.CUT, f"{where} broke the connection off: {cause or kind}", free=False)
        return HttpFailed(Reason.CONNECTION, f"the connection to {where} failed: {cause or kind}", free=False)

    def _no_http(self, error: aiohttp.ClientError) -> str:
        said = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
        return f"{self._endpoint.base_url} answers, and not in HTTP; is it https? {shorten(said)}"

    def _timed_out(self) -> HttpFailed:
        seconds = self._endpoint.limits.timeout_s
        detail = f"no answer of {self._endpoint.base_url} within {seconds:g} s"
        return HttpFailed(Reason.TIMEOUT, detail, free=False)

    async def close(self) -> None:
        """Close all connections."""
        await self._client.close()


async def _bound(response: Any) -> None:
    """Let go of an answer that does not end: called before its body is read, also that of an error."""
    is_embeddings = response.request.url.path.endswith("/embeddings")
    longest = LONGEST_EMBEDDINGS if is_embeddings else LONGEST_CHAT
    read_on = response.aiter_bytes

    async def read_bounded(*arguments: Any, **options: Any) -> AsyncGenerator[bytes, None]:
        left = longest
        async with contextlib.aclosing(read_on(*arguments, **options)) as pieces:
            async for piece in pieces:
                left -= len(piece)
                if left < 0:
                    raise _TooMuch(f"more than {longest >> 20} MiB")
                yield piece

    response.aiter_bytes = read_bounded


__all__ = ["LONGEST_CHAT", "LONGEST_EMBEDDINGS", "HttpFailed", "Transport"]
