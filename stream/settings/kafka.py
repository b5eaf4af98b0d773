"""Where the broker is, how to talk to it, and which topics are read."""

from __future__ import annotations

from typing import Any, Final, Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from schemas.formats import decoder
from schemas.formats.foreign import SPAN_FORMATS
from stream import topics
from stream.settings.section import Section

_TOPIC: Final = r"^[A-Za-z0-9._-]{1,249}$"
_TOPIC_PREFIX: Final = r"^[A-Za-z0-9._-]{0,200}$"


class TopicSource(Section):
    """A topic that the worker reads, and what lies on it."""

    name: str = Field(default=topics.TRACES, pattern=_TOPIC)
    format: str = "auto"
    partitioned: Literal["auto", "yes", "no"] = Field(
        default="auto", description="whether all spans of a trace lie in one partition; auto: as keys say"
    )

    @field_validator("format")
    @classmethod
    def _exists(cls, name: str) -> str:
        if name not in SPAN_FORMATS:
            decoder(name, SPAN_FORMATS)
        return name

    def holds_spans(self, own_traces: str) -> bool:
        """Whether spans are to be expected: always but on our own topic of traces (whatever may turn up)."""
        return self.format in SPAN_FORMATS or (self.format == "auto" and self.name != own_traces)


class KafkaSettings(Section):
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
    options: dict[str, Any] = Field(
        default={}, repr=False, description="any other librdkafka setting, as it is; secrets among them"
    )

    @field_validator("brokers")
    @classmethod
    def _hold_nobody(cls, brokers: str) -> str:
        if "@" in brokers:  # not said back: a password may stand there
            raise ValueError(
                "a broker's address takes no user and password, and is shown wherever it is missed: "
                "they go into `sasl_username` and `sasl_password`"
            )
        return brokers

    @model_validator(mode="after")
    def _follow_prefix(self) -> Self:
        if self.sources == [TopicSource()]:
            self.sources = [TopicSource(name=self.topic(topics.TRACES))]
        return self

    @property
    def regroups(self) -> bool:
        """Whether spans are to be expected whose trace may lie in several partitions."""
        own = self.topic(topics.TRACES)
        return any(
            source.partitioned == "no" or (source.partitioned == "auto" and source.holds_spans(own))
            for source in self.sources
        )

    def topic(self, name: str) -> str:
        """What a topic of ours (a name of `stream.topics`) is called in this deployment."""
        return self.topic_prefix + name.removeprefix(topics.PREFIX)
