"""Settings: `RAGPULSE_*` variables over `ragpulse.toml` over defaults.

Nested parts use a double underscore: `RAGPULSE_KAFKA__BROKERS=host:9092`. Every setting has one
name in both worlds, and errors name the setting that is wrong.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, SecretStr, field_validator, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from schemas.formats import decoder
from stream import topics

CONFIG_FILE_VARIABLE = "RAGPULSE_CONFIG"
DEFAULT_CONFIG_FILE = "ragpulse.toml"


_TOPIC: Final = r"^[A-Za-z0-9._-]{1,249}$"
_TOPIC_PREFIX: Final = r"^[A-Za-z0-9._-]{0,200}$"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class TopicSource(_Section):
    """A topic that the worker reads, and what lies on it."""

    name: str = Field(default=topics.TRACES, pattern=_TOPIC)
    format: str = "auto"

    @field_validator("format")
    @classmethod
    def _exists(cls, name: str) -> str:
        decoder(name)
        return name


class KafkaSettings(_Section):
    """Where the broker is and how to talk to it."""

    brokers: str = Field(default="127.0.0.1:9092", pattern=r"\S")
    topic_prefix: str = Field(
        default="rag.",
        pattern=_TOPIC_PREFIX,
        description="our topics are <prefix>traces, <prefix>scored and so on",
    )
    sources: list[TopicSource] = Field(
        default=[TopicSource()], min_length=1, description="unless told otherwise, <prefix>traces"
    )
    group_prefix: str = Field(
        default="ragpulse", description="consumer groups are <prefix>-worker, -sink, -judge"
    )
    session_timeout_ms: int = Field(default=10_000, ge=1_000)
    partitions: int = Field(default=6, ge=1, description="of topics that ragpulse creates")
    replication: int = Field(default=1, ge=1)
    max_message_bytes: int = Field(default=16 * 1024 * 1024, ge=1024)
    security_protocol: str | None = None
    sasl_mechanism: str | None = None
    sasl_username: str | None = None
    sasl_password: SecretStr | None = None
    ssl_ca_location: str | None = None
    ssl_certificate_location: str | None = None
    ssl_key_location: str | None = None
    ssl_key_password: SecretStr | None = None
    options: dict[str, Any] = Field(default={}, description="any other librdkafka setting, as it is")

    @model_validator(mode="after")
    def _follow_prefix(self) -> Self:
        if self.sources == [TopicSource()]:
            self.sources = [TopicSource(name=self.topic(topics.TRACES))]
        return self

    def topic(self, name: str) -> str:
        """What a topic of ours (a name of `stream.topics`) is called in this deployment."""
        return self.topic_prefix + name.removeprefix(topics.PREFIX)


class ClickHouseSettings(_Section):
    """Where results are stored. `dsn` is http(s)://user:pass@host:port/db or chdb:///folder."""

    dsn: SecretStr = SecretStr("http://127.0.0.1:8123/ragpulse")
    cluster: str | None = Field(
        default=None, pattern=r"^[\w.-]+$", description="for Replicated tables: the cluster's name"
    )
    retention_days: int = Field(default=90, ge=1)
    text_retention_days: int = Field(default=30, ge=1, description="question, answer, chunks and the like")
    rollup_retention_days: int = Field(default=400, ge=1, description="counts and sums a minute, no text")
    timeout_s: float = Field(default=30.0, gt=0)


class WorkerSettings(_Section):
    """The loop that scores."""

    batch_size: int = Field(default=256, ge=1)
    batch_wait_s: float = Field(default=0.1, gt=0)
    max_in_flight: int = Field(
        default=20_000, ge=1, description="produced, not yet confirmed; above it, pause"
    )
    max_in_flight_bytes: int = Field(default=256 * 1024 * 1024, ge=1024, description="the same in bytes")
    commit_interval_s: float = Field(default=1.0, gt=0)
    revoke_budget_s: float = Field(default=5.0, gt=0)
    stop_budget_s: float = Field(default=10.0, gt=0)
    max_trace_bytes: int = Field(
        default=32 * 1024 * 1024, ge=1024, description="larger is dead-lettered unread"
    )


class ScorerSettings(_Section):
    """Which scorer serves, and which is tried beside it."""

    registry: Path | None = Field(default=None, description="a folder; without one, the shipped scorer")
    poll_s: float = Field(default=5.0, gt=0, description="how often the registry is looked at")
    shadow_rate: float = Field(
        default=0.1, ge=0, le=1, description="share of traces that the candidate scores as well"
    )


class EncoderSettings(_Section):
    """The encoder that looks again at uncertain traces. Off while there is no model."""

    model: str | None = Field(default=None, description="a folder, or the name of a model")
    band_low: float = Field(default=0.3, ge=0, le=1)
    band_high: float = Field(default=0.7, ge=0, le=1, description="of `hallucination`: uncertain is between")
    share: float = Field(default=0.2, ge=0, le=1, description="of all traces, at most")
    budget: float = Field(default=0.25, gt=0, le=1, description="share of the worker's time, at most")

    @model_validator(mode="after")
    def _band(self) -> Self:
        if self.band_low > self.band_high:
            raise ValueError("band_low is above band_high")
        return self


class SinkSettings(_Section):
    """The process that inserts."""

    batch_rows: int = Field(default=10_000, ge=1)
    batch_bytes: int = Field(
        default=64 * 1024 * 1024, ge=1024, description="two such batches are in memory at most"
    )
    batch_wait_s: float = Field(default=0.5, gt=0)
    rollup_interval_s: float = Field(default=5.0, gt=0)
    retry_first_s: float = Field(default=0.2, gt=0)
    retry_max_s: float = Field(default=15.0, gt=0)
    revoke_budget_s: float = Field(default=5.0, gt=0)
    stop_budget_s: float = Field(default=10.0, gt=0)


class SamplingSettings(_Section):
    """Which traces the LLM judges see."""

    base_rate: float = Field(default=0.02, ge=0, le=1)
    suspected_rate: float = Field(default=0.2, ge=0, le=1, description="where a failure is suspected")
    salt: str = "ragpulse"


class TelemetrySettings(_Section):
    """What we say of ourselves. Port 0 picks a free one; null switches the endpoint off."""

    host: str = "127.0.0.1"
    port: int | None = Field(default=None, ge=0, le=65_535)
    log_format: Literal["auto", "json", "console"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix="RAGPULSE_",
        env_nested_delimiter="__",
        extra="forbid",
        nested_model_default_partial_update=True,
    )

    kafka: KafkaSettings = KafkaSettings()
    clickhouse: ClickHouseSettings = ClickHouseSettings()
    worker: WorkerSettings = WorkerSettings()
    scorer: ScorerSettings = ScorerSettings()
    encoder: EncoderSettings = EncoderSettings()
    sink: SinkSettings = SinkSettings()
    sampling: SamplingSettings = SamplingSettings()
    telemetry: TelemetrySettings = TelemetrySettings()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, then the environment, then the file."""
        file = Path(os.environ.get(CONFIG_FILE_VARIABLE, DEFAULT_CONFIG_FILE))
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, toml_file=file)
