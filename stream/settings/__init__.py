"""Settings: `RAGPULSE_*` variables over `ragpulse.toml` over defaults.

Nested parts use a double underscore: `RAGPULSE_KAFKA__BROKERS=host:9092`. Every setting has one
name in both worlds, and errors name the setting that is wrong.
"""

from __future__ import annotations

import os
from pathlib import Path

from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from stream.settings.annotation import AnnotationSettings
from stream.settings.calibration import CalibrationSettings
from stream.settings.clickhouse import ClickHouseSettings
from stream.settings.console import ConsoleSettings, ConsoleToken
from stream.settings.export import ExportSettings
from stream.settings.judge import JudgeEndpoint, JudgeSettings
from stream.settings.kafka import KafkaSettings, TopicSource
from stream.settings.processes import EncoderSettings, ScorerSettings, SinkSettings, WorkerSettings
from stream.settings.sampling import SamplingSettings
from stream.settings.segments import SegmentSettings
from stream.settings.telemetry import TelemetrySettings
from stream.settings.watch import WatchSettings
from stream.settings.ways_in import AssemblySettings

CONFIG_FILE_VARIABLE = "RAGPULSE_CONFIG"
DEFAULT_CONFIG_FILE = "ragpulse.toml"


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
    assembly: AssemblySettings = AssemblySettings()
    segments: SegmentSettings = SegmentSettings()
    export: ExportSettings = ExportSettings()
    calibration: CalibrationSettings = CalibrationSettings()
    judge: JudgeSettings = JudgeSettings()
    watch: WatchSettings = WatchSettings()
    console: ConsoleSettings = ConsoleSettings()
    annotation: AnnotationSettings = AnnotationSettings()
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


__all__ = [
    "CONFIG_FILE_VARIABLE",
    "DEFAULT_CONFIG_FILE",
    "AnnotationSettings",
    "AssemblySettings",
    "CalibrationSettings",
    "ClickHouseSettings",
    "ConsoleSettings",
    "ConsoleToken",
    "EncoderSettings",
    "ExportSettings",
    "JudgeEndpoint",
    "JudgeSettings",
    "KafkaSettings",
    "SamplingSettings",
    "ScorerSettings",
    "SegmentSettings",
    "Settings",
    "SinkSettings",
    "TelemetrySettings",
    "TopicSource",
    "WatchSettings",
    "WorkerSettings",
]
