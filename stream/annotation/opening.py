"""The annotation queue as the settings say: one place for all commands."""

from __future__ import annotations

from sinks.annotation import AnnotationQueue, LeaseBook, Rules
from sinks.annotation.errors import LeaseFileError
from stream.errors import RagpulseError
from stream.settings import AnnotationSettings, Settings
from stream.sink.main import open_store


class LeasesUnusable(RagpulseError):
    """The file of leases cannot be opened."""

    exit_code = 3


def open_queue(settings: Settings) -> AnnotationQueue:
    """The queue, with its leases. Close it. Raises LeasesUnusable; nothing is sent to ClickHouse yet."""
    return AnnotationQueue(
        open_store(settings), open_leases(settings.annotation), rules=rules_of(settings.annotation)
    )


def open_leases(settings: AnnotationSettings) -> LeaseBook:
    """Who holds what. Raises LeasesUnusable."""
    try:
        return LeaseBook(settings.lease_file, ttl_s=settings.lease_s, most_held=settings.most_held)
    except LeaseFileError as error:
        raise LeasesUnusable(str(error)) from error


def rules_of(settings: AnnotationSettings) -> Rules:
    """The settings as the queue is told them."""
    return Rules(
        control_share=settings.control_share,
        half_life_s=settings.half_life_h * 3_600.0,
        max_age_days=settings.max_age_days,
        arbiter_weight=settings.arbiter_weight,
        guideline=settings.guideline,
    )


__all__ = ["LeasesUnusable", "open_leases", "open_queue", "rules_of"]
