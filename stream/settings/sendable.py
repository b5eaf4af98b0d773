"""Settings that go into an HTTP request: refused here where no request could ever be made of them.

Otherwise each trace would fail on its own, long after the start, for a line break behind a key.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from pydantic import AfterValidator, SecretStr

_KEY: Final = re.compile(r"[\x21-\x7e]*")
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE: Final = re.compile(r"[\x20-\x7e\t]*")


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
        (host or "").encode("idna")
    except ValueError as error:  # of which a UnicodeError is one
        raise ValueError("it is no address: its host or port makes no sense") from error
    if parts.scheme not in ("http", "https") or not host or re.search(r"\s", url):
        raise ValueError("an address begins with http:// or https:// and a host, without blanks")
    if "@" in parts.netloc:  # not said back: a password may stand there
        raise ValueError("an address takes no user and password; a key goes into `api_key` or `headers`")
    if "?" in url or "#" in url:
        raise ValueError("an address ends with its path; a key goes into `api_key` or `headers`")
    return url


def _nobody_in(url: str) -> str:
    if "@" in re.split(r"[/?#\\]", url.partition("://")[2], maxsplit=1)[0]:
        raise ValueError("an address takes no user and password; they would be shown wherever it is")
    return url


def _key(key: SecretStr) -> SecretStr:
    if not _KEY.fullmatch(key.get_secret_value()):
        raise ValueError(
            "a key is of visible ASCII characters; a blank or a line break may have come with it"
        )
    return key


def _headers(headers: dict[str, SecretStr]) -> dict[str, SecretStr]:
    for name, value in headers.items():
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError("the name of a header is of letters, digits and hyphens")
        if not _HEADER_VALUE.fullmatch(value.get_secret_value()):
            raise ValueError(f"header {name} is of visible ASCII characters, without line breaks")
    return headers


def _fields(body: dict[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(body, allow_nan=False).encode()
    except (ValueError, TypeError) as error:
        raise ValueError("it cannot be written as JSON: no dates, NaN or infinity") from error
    return body


BaseUrl = Annotated[str, AfterValidator(_address)]
"""An HTTP address without user, query and fragment."""
Url = Annotated[str, AfterValidator(_nobody_in)]
"""An address without a user; what else is wrong with it is said by whoever uses it."""
Key = Annotated[SecretStr, AfterValidator(_key)]
"""What fits into one header; may be empty."""
Headers = Annotated[dict[str, SecretStr], AfterValidator(_headers)]
"""Further headers of a request."""
Fields = Annotated[dict[str, Any], AfterValidator(_fields)]
"""Further fields of a request's JSON body."""

__all__ = ["BaseUrl", "Fields", "Headers", "Key", "Url"]
