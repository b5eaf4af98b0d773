"""Where results are stored, and for how long."""

from __future__ import annotations

from typing import Final, Self

from pydantic import Field, SecretStr, model_validator

from sinks.clickhouse.tls import Tls
from stream.settings.section import Section

CERTIFICATES: Final = (
    "Correct RAGPULSE_CLICKHOUSE__DSN, RAGPULSE_CLICKHOUSE__SSL_CA_LOCATION (whom we trust) or "
    "RAGPULSE_CLICKHOUSE__SSL_CERTIFICATE_LOCATION (what we show)."
)
"""What to do about a certificate that somebody does not accept."""


class ClickHouseSettings(Section):
    """Where results are stored. `dsn` is http(s)://user:pass@host:port/db or chdb:///folder."""

    dsn: SecretStr = SecretStr("http://127.0.0.1:8123/ragpulse")
    ssl_ca_location: str | None = Field(default=None, description="authority of an https server, PEM")
    ssl_certificate_location: str | None = Field(default=None, description="ours, where the server asks")
    ssl_key_location: str | None = None
    ssl_key_password: SecretStr | None = None
    ssl_verify: bool = Field(default=True, description="false trusts whoever answers")
    cluster: str | None = Field(
        default=None, pattern=r"^[\w.-]+$", description="for Replicated tables: the cluster's name"
    )
    distributed_database: str | None = Field(
        default=None, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$", description="over all shards of that cluster"
    )
    retention_days: int = Field(default=90, ge=1)
    text_retention_days: int = Field(default=30, ge=1, description="question, answer, chunks and the like")
    rollup_retention_days: int = Field(default=400, ge=1, description="counts and sums a minute, no text")
    timeout_s: float = Field(default=30.0, gt=0)

    @model_validator(mode="after")
    def _is_of_a_cluster(self) -> Self:
        if self.distributed_database and not self.cluster:
            raise ValueError("distributed_database is over the shards of a cluster: set `cluster` as well")
        return self

    @property
    def tls(self) -> Tls:
        """What is shown to an https server, and what is asked of it."""
        password = self.ssl_key_password
        return Tls(
            ca=self.ssl_ca_location,
            certificate=self.ssl_certificate_location,
            key=self.ssl_key_location,
            key_password=password.get_secret_value() if password else None,
            verify=self.ssl_verify,
        )
