"""The templates, and what they all may use. Escaping is on everywhere, whatever a template is called."""

from __future__ import annotations

import functools
import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from console.menu import MENU
from console.rendering.highlight import highlight, show_hidden
from console.rendering.telling import tell

_HERE: Final = Path(__file__).parents[1]
STATIC: Final = _HERE / "static"


def open_templates() -> Environment:
    """Templates of `console/templates`. A name that is not there is an error, not an empty place."""
    templates = Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_without_tricks,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.globals["static"] = static_address
    templates.globals["highlight"] = highlight
    templates.globals["tell"] = tell
    templates.globals["menu"] = MENU
    templates.filters |= {
        "share": share,
        "when": when,
        "count": count,
        "lang": language_code,
        "seen": show_hidden,
        "coded": coded,
    }
    return templates


def _without_tricks(value: Any) -> Any:
    """Names come from traces too: none may turn the order in which a page is read."""
    return show_hidden(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@functools.cache
def static_address(name: str) -> str:
    """Where a static file is served; changes when the file does, so that no browser keeps an old one."""
    digest = hashlib.sha256((STATIC / name).read_bytes()).hexdigest()[:12]
    return f"/static/{name}?v={digest}"


def share(value: Any) -> str:
    """A rate in per cent with one digit; a dash where it was not measured."""
    return "–" if value is None else f"{100.0 * float(value):.1f} %"


def count(value: Any) -> str:
    """A whole number with thin spaces between thousands; a dash for null."""
    return "–" if value is None else f"{int(value):,}".replace(",", "\u2009")


def coded(sentence: str) -> Markup:
    """A sentence of ours, with what stands between backticks as code."""
    parts = [str(escape(part)) for part in show_hidden(sentence).split("`")]
    return Markup(
        "".join(f"<code>{part}</code>" if number % 2 else part for number, part in enumerate(parts))
    )


def when(value: Any) -> str:
    """A time in UTC to the second. Takes seconds since 1970 or a datetime; a dash for null."""
    if value is None:
        return "–"
    at = value if isinstance(value, datetime) else datetime.fromtimestamp(float(value), UTC)
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return at.strftime("%Y-%m-%d %H:%M:%S")


def language_code(value: Any) -> str:
    """A language for the attribute `lang`; empty, which means unknown, for what is no code of one."""
    code = str(value or "").lower().split("-")[0]
    return code if code.isascii() and code.isalpha() and len(code) in (2, 3) else ""


__all__ = ["STATIC", "coded", "count", "language_code", "open_templates", "share", "static_address", "when"]
