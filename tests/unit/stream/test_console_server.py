"""Whose address a request has: that of its connection, or what a trusted proxy says."""

from __future__ import annotations

import urllib.request
from collections.abc import Sequence
from typing import Any

import pytest
from pydantic import ValidationError

from stream.console.server import WebServer
from stream.settings import ConsoleSettings


async def tell_address(scope: dict[str, Any], _receive: Any, send: Any) -> None:
    """An application that answers with the address it sees."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": scope["client"][0].encode()})


def address_seen(forwarded: str, proxies: Sequence[str]) -> str:
    with WebServer(tell_address, "127.0.0.1", 0, proxies) as server:
        request = urllib.request.Request(
            f"http://127.0.0.1:{server.port}/", headers={"X-Forwarded-For": forwarded}
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            body: bytes = answer.read()
            return body.decode()


@pytest.mark.parametrize(
    ("forwarded", "proxies", "seen"),
    [
        ("203.0.113.7", (), "127.0.0.1"),
        ("203.0.113.7", ("10.0.0.0/8",), "127.0.0.1"),
        ("203.0.113.7", ("127.0.0.1",), "203.0.113.7"),
        ("203.0.113.7", ("127.0.0.0/8",), "203.0.113.7"),
        ("198.51.100.1, 203.0.113.7", ("127.0.0.1",), "203.0.113.7"),
        ("203.0.113.7, 127.0.0.2", ("127.0.0.0/8",), "203.0.113.7"),
    ],
    ids=["nobody is trusted", "another is", "the proxy is", "its network is", "a forged one", "two proxies"],
)
def test_the_address_is_what_a_trusted_proxy_says(forwarded: str, proxies: Sequence[str], seen: str) -> None:
    assert address_seen(forwarded, proxies) == seen


def test_a_proxy_that_is_no_address_is_refused() -> None:
    with pytest.raises(ValidationError, match=r"proxy\.example"):
        ConsoleSettings(trusted_proxies=["proxy.example"])
