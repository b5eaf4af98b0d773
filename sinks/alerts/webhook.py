"""The plain webhook: one JSON object for each piece of news, signed where there is a secret.

The signature is HMAC-SHA-256 over `<seconds since 1970>.<body>`, so that an old message cannot be sent again
as a new one: `X-Ragpulse-Signature: t=1764504000,v1=<hex>`.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from sinks.alerts.news import News
from sinks.evaluations.destination import Request

SIGNATURE: Final = "X-Ragpulse-Signature"
EVENT: Final = "X-Ragpulse-Event"
DELIVERY: Final = "X-Ragpulse-Delivery"
VERSION: Final = 1
_TIMES: Final = ("onset", "detected_at", "resolved_at")


def webhook_request(news: News, now: float, delivery: str, secret: str | None, query: str = "") -> Request:
    """The request that tells it. `delivery` is the same each time that it is tried; `query` is the part of
    the address from its question mark on."""
    body = orjson.dumps(
        {"version": VERSION, "event": news.event, "delivery": delivery, "incident": facts(news)}
    )
    headers = {EVENT: news.event, DELIVERY: delivery}
    if secret:
        headers[SIGNATURE] = sign(body, secret, now)
    return Request(query, "application/json", body, headers)


def sign(body: bytes, secret: str, now: float) -> str:
    """The header's value for a body sent at this moment."""
    at = int(now)
    digest = hmac.new(secret.encode(), b"%d." % at + body, hashlib.sha256).hexdigest()
    return f"t={at},v1={digest}"


def facts(news: News) -> dict[str, Any]:
    """The incident as JSON: times as text, and no `samples` where none may be sent."""
    said = {name: value for name, value in asdict(news).items() if name not in ("event", "samples")}
    for name in _TIMES:
        at = said[name]
        said[name] = (
            None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds")
        )
    if news.samples:
        said["samples"] = [asdict(sample) for sample in news.samples]
    return said


__all__ = ["DELIVERY", "EVENT", "SIGNATURE", "VERSION", "facts", "sign", "webhook_request"]
