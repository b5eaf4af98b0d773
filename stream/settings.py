"""Settings: `RAGPULSE_*` variables over `ragpulse.toml` over defaults.

Nested parts use a double underscore: `RAGPULSE_KAFKA__BROKERS=host:9092`. Every setting has one
name in both worlds, and errors name the setting that is wrong.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SecretStr
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from stream import topics

CONFIG_FILE_VARIABLE = "RAGPULSE_CONFIG"
DEFAULT_CONFIG_FILE = "ragpulse.toml"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid")


class TopicSource(_Section):
    """A topic that the worker reads, and what lies on it."""

    name: str = topics.TRACES
    format: str = "auto"


class KafkaSettings(_Section):
    """Where the broker is and how to talk to it."""

    brokers: str = "127.0.0.1:9092"
    sources: list[TopicSource] = [TopicSource()]
    group_prefix: str = Field("ragpulse", description="consumer groups are <prefix>-worker, -sink, -judge")
    session_timeout_ms: int = Field(10_000, ge=1_000)
    partitions: int = Field(6, ge=1, description="of topics that ragpulse creates")
    replication: int = Field(1, ge=1)
    max_message_bytes: int = Field(16 * 1024 * 1024, ge=1024)
    security_protocol: str | None = None
    sasl_mechanism: str | None = None
    sasl_username: str | None = None
    sasl_password: SecretStr | None = None
    ssl_ca_location: str | None = None
    ssl_certificate_location: str | None = None
    ssl_key_location: str | None = None
    ssl_key_password: SecretStr | None = None
    options: dict[str, Any] = Field({}, description="any other librdkafka setting, as it is")


class ClickHouseSettings(_Section):
    """Where results are stored. `dsn` is http(s)://user:pass@host:port/db or chdb:///folder."""

    dsn: SecretStr = SecretStr("http://127.0.0.1:8123/ragpulse")
    cluster: str | None = Field(None, description="for Replicated tables: the cluster's name")
    retention_days: int = Field(90, ge=1)
    text_retention_days: int = Field(30, ge=1, description="question, answer, chunks and the like")
    timeout_s: float = Field(30.0, gt=0)


class WorkerSettings(_Section):
    """The loop that scores."""

    batch_size: int = Field(256, ge=1)
    batch_wait_s: float = Field(0.1, gt=0)
    max_in_flight: int = Field(20_000, ge=1, description="produced, not yet confirmed; above it, pause")
    commit_interval_s: float = Field(1.0, gt=0)
    revoke_budget_s: float = Field(5.0, gt=0)
    stop_budget_s: float = Field(10.0, gt=0)
    max_trace_bytes: int = Field(32 * 1024 * 1024, ge=1024, description="larger is dead-lettered unread")


class SinkSettings(_Section):
    """The process that inserts."""

    batch_rows: int = Field(10_000, ge=1)
    batch_bytes: int = Field(32 * 1024 * 1024, ge=1024)
    batch_wait_s: float = Field(0.5, gt=0)
    rollup_interval_s: float = Field(5.0, gt=0)
    retry_first_s: float = Field(0.2, gt=0)
    retry_max_s: float = Field(15.0, gt=0)
    stop_budget_s: float = Field(10.0, gt=0)


class SamplingSettings(_Section):
    """Which traces the LLM judges see."""

    base_rate: float = Field(0.02, ge=0, le=1)
    suspected_rate: float = Field(0.2, ge=0, le=1, description="where a failure is suspected")
    salt: str = "ragpulse"


class TelemetrySettings(_Section):
    """What we say of ourselves. Port 0 picks a free one; null switches the endpoint off."""

    host: str = "127.0.0.1"
    port: int | None = None
    log_format: Literal["auto", "json", "console"] = "auto"
    log_level: Literal["debug", "info", "warning", "error"] = "info"


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(
        env_prefix="RAGPULSE_", env_nested_delimiter="__", extra="forbid", nested_model_default_partial_update=True
    )

    kafka: KafkaSettings = KafkaSettings()
    clickhouse: ClickHouseSettings = ClickHouseSettings()
    worker: WorkerSettings = WorkerSettings()
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
