"""Whom incidents are told to: Alertmanager and a plain webhook. Pure: facts in, requests out."""

from __future__ import annotations

from sinks.alerts.alertmanager import alerts_request
from sinks.alerts.news import News, Sample
from sinks.alerts.webhook import SIGNATURE, sign, webhook_request

__all__ = ["SIGNATURE", "News", "Sample", "alerts_request", "sign", "webhook_request"]
