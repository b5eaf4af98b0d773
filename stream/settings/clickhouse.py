"""Where results are stored, and for how long."""

from __future__ import annotations

from pydantic import Field, SecretStr

from stream.settings.section import Section


class ClickHouseSettings(Section):
    """Where results are stored. `dsn` is http(s)://user:pass@host:port/db or chdb:///folder."""

    dsn: SecretStr = SecretStr("http://127.0.0.1:8123/ragpulse")
    cluster: str | None = Field(
        default=None, pattern=r"^[\w.-]+$", description="for Replicated tables: the cluster's name"
    )
    retention_days: int = Field(default=90, ge=1)
    text_retention_days: int = Field(default=30, ge=1, description="question, answer, chunks and the like")
    rollup_retention_days: int = Field(default=400, ge=1, description="counts and sums a minute, no text")
    timeout_s: float = Field(default=30.0, gt=0)
