"""What ragpulse says of itself."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from stream.settings.section import Section


class TelemetrySettings(Section):
    """What we say of ourselves. Port 0 picks a free one; null switches the endpoint off."""

    host: str = "127.0.0.1"
    port: int | None = Field(default=None, ge=0, le=65_535)
    log_format: Literal["auto", "json", "console"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
