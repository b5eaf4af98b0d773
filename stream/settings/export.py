"""Where verdicts are sent, back to where the traces live. Off while no address is set."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr

from stream.settings.section import Section
from stream.settings.sendable import Url


class ExportSettings(Section):
    """Receivers of verdicts, each read for by a process of its own (`ragpulse export NAME`)."""

    otlp_url: Url | None = Field(default=None, description="a Collector's OTLP/HTTP; /v1/logs is added")
    otlp_headers: dict[str, SecretStr] = Field(default={}, description="sent with each request")
    langfuse_url: Url | None = None
    langfuse_api: Literal["scores", "ingestion"] = Field(
        default="scores", description="ingestion: for Langfuse before 4.59"
    )
    langfuse_public_key: str | None = None
    langfuse_secret_key: SecretStr | None = None
    phoenix_url: Url | None = None
    phoenix_api_key: SecretStr | None = None
    only_failures: bool = Field(default=False, description="leave healthy traces out")
    include_text: bool = Field(
        default=False, description="explain with claims and a judge's words: text of the trace leaves"
    )
    batch_size: int = Field(default=100, ge=1, le=1_000, description="traces a request")
    batch_wait_s: float = Field(default=1.0, gt=0)
    timeout_s: float = Field(default=10.0, gt=0, le=25, description="for one request")
    tries: int = Field(default=8, ge=1, description="of a request, before its verdicts are given up")
    retry_first_s: float = Field(default=1.0, gt=0)
    retry_max_s: float = Field(default=60.0, gt=0)
