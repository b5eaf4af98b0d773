"""Where the console listens, and who may come in."""

from __future__ import annotations

from ipaddress import ip_network
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from stream.settings.section import Section

SHORTEST = 20
"""Characters of a token: what can be guessed is none."""


class ConsoleToken(Section):
    """One person, or one program. Give the token's SHA-256, or the token itself."""

    name: str = Field(pattern=r"^[\w.@-]{1,64}$", description="labels and audit lines carry it")
    role: Literal["viewer", "annotator", "admin"]
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-fA-F]{64}$")
    token: SecretStr | None = None

    @model_validator(mode="after")
    def _has_one_secret(self) -> Self:
        if (self.sha256 is None) == (self.token is None):
            raise ValueError("give either sha256 or token")
        if self.token is not None and len(self.token.get_secret_value().strip()) < SHORTEST:
            raise ValueError(f"a token has at least {SHORTEST} characters; `ragpulse console --new-token`")
        return self


class ConsoleSettings(Section):
    """The web page. Without tokens it makes one for an admin, prints it once, and listens to this machine."""

    host: str = "127.0.0.1"
    port: int = Field(default=8400, ge=0, le=65_535, description="0 picks a free one")
    public_url: str | None = Field(
        default=None,
        pattern=r"^https?://[^\s/?#@]+/?$",
        description="as browsers write it, such as https://ragpulse.example.com: its name is answered to",
    )
    trusted_proxies: list[str] = Field(
        default=[], description="addresses or networks of proxies in front, whose X-Forwarded-For is believed"
    )
    tokens: list[ConsoleToken] = Field(default_factory=list)
    language: Literal["en", "zh"] = Field(
        default="en", description="for browsers that ask for neither English nor Chinese"
    )
    session_h: float = Field(default=12.0, gt=0, le=720, description="then one logs in again")
    idle_h: float = Field(default=2.0, gt=0, le=720, description="without a request, the same")
    query_timeout_s: float = Field(default=10.0, gt=0, le=300, description="for ClickHouse to answer a page")
    claim_at_once: int = Field(default=3, ge=1, le=50, description="cases that are claimed together")
    heartbeat_s: float = Field(default=30.0, ge=1, description="of a browser that holds cases")
    login_tries: int = Field(
        default=10, ge=1, le=1_000, description="wrong tokens a minute and address, before it must wait"
    )

    @field_validator("trusted_proxies")
    @classmethod
    def _are_addresses(cls, proxies: list[str]) -> list[str]:
        for proxy in proxies:
            ip_network(proxy)  # its ValueError says what is wrong with it
        return proxies

    @field_validator("tokens")
    @classmethod
    def _are_different(cls, tokens: list[ConsoleToken]) -> list[ConsoleToken]:
        if len({token.name for token in tokens}) < len(tokens):
            raise ValueError("two tokens have the same name")
        return tokens


__all__ = ["SHORTEST", "ConsoleSettings", "ConsoleToken"]
