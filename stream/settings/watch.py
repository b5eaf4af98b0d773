"""What is watched, when somebody is told, and how."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, SecretStr

from stream.settings.section import Section
from stream.settings.sendable import Url

Share = Annotated[float, Field(gt=0, lt=1)]


class WatchSettings(Section):
    """The process that finds incidents. Receivers are off while no address is set."""

    interval_s: float = Field(default=5.0, gt=0, description="between two looks at the traces")
    slack_s: float = Field(
        default=15.0, ge=0, description="rows may become visible so long after their time stamp"
    )
    rates_interval_s: float = Field(default=60.0, gt=0, description="between two rows of table `rates`")
    replay_hours: float = Field(
        default=24.0, gt=0, le=168, description="of traces that are read again at the start"
    )
    rows_at_once: int = Field(
        default=200_000, ge=1_000, description="above it, traces of the past are thinned out by their hash"
    )
    late_s: float = Field(
        default=300.0, gt=0, description="traces that come later than others by so much prove nothing"
    )
    max_segments: int = Field(default=60, ge=1, le=500, description="watched at once, the busiest first")
    segment_min_traces: int = Field(default=30, ge=1, description="within an hour, before one is watched")
    max_strata: int = Field(
        default=120,
        ge=1,
        le=1_000,
        description="app, tenant, language and intent: each is compared with itself",
    )
    false_incidents_days: float = Field(
        default=30.0,
        gt=0,
        description="mean days between two false incidents, over all segments and measures",
    )
    min_traces: int = Field(default=30, ge=1, description="since the onset, before an incident is opened")
    guard: float = Field(
        default=0.003, ge=0, lt=1, description="what a rate may rise without anybody being told"
    )
    page_change: float = Field(
        default=0.05, gt=0, lt=1, description="a rise of the rate by so much wakes somebody; less is a ticket"
    )
    resolve_after_s: float = Field(
        default=300.0, gt=0, description="as usual again for so long ends an incident"
    )
    renotify_s: float = Field(default=14_400.0, gt=0, description="an open incident is told of again")
    accept_hours: float = Field(
        default=24.0, gt=0, description="after so long, what an incident changed is taken for usual"
    )
    objectives: dict[str, Share] = Field(
        default={}, description='the highest rate by measure, such as {"hallucination": 0.2}'
    )
    budgets: dict[str, Share] = Field(
        default={"empty_recall": 0.01, "poor_retrieval": 0.05, "hallucination": 0.10},
        description="error budgets: the share of traces that may be so in the long run, by measure",
    )
    alertmanager_url: Url | None = Field(default=None, description="such as http://alertmanager:9093")
    webhook_url: SecretStr | None = Field(
        default=None, description="incidents are posted there as JSON; addresses of webhooks are secrets"
    )
    webhook_secret: SecretStr | None = Field(
        default=None, description="signs what is posted: HMAC-SHA-256, X-Ragpulse-Signature"
    )
    include_text: bool = Field(
        default=False, description="send questions and answers of the worst cases too: text of traces leaves"
    )
    grafana_url: Url | None = Field(default=None, description="for links to the Incident dashboard")
    timeout_s: float = Field(default=10.0, gt=0, le=25, description="for one request to a receiver")
    tries: int = Field(default=8, ge=1, description="of a message to a receiver, before it is given up")


__all__ = ["WatchSettings"]
