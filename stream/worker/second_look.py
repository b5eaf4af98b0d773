"""A second look at uncertain traces by the encoder, where one is set: off by default.

The tier itself keeps to its band, its share of traces and its share of the time; the worker waits for it,
so that share is what it costs. What it says goes into table `scores` beside the serving scores, and the
offsets wait for that. Where the encoder fails, serving does not notice.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, Protocol

from judges.encoder import EncoderMissing, EncoderScore, EncoderTier, EncoderUnusable
from judges.encoder.judged import as_judged
from schemas.scored import Judged
from stream import logs, topics
from stream.errors import PartMissing, SettingRefused
from stream.kafka.producer import Output
from stream.sampling import Other
from stream.settings import EncoderSettings, Settings
from stream.telemetry import WorkerMetrics
from stream.worker.intake import Found, Now, utc_now
from stream.worker.outputs import TO_SCORES, encode_score

ENCODER: Final = "encoder"
FAILED: Final = "failed"
_HOPELESS: Final = 5


class Tier(Protocol):
    """What the worker asks of `judges.encoder.EncoderTier`."""

    @property
    def version(self) -> str: ...
    @property
    def skipped(self) -> Counter[str]: ...
    def judge(self, batch: Sequence[Judged]) -> list[EncoderScore | None]:
        """One score a trace, in order; null for those that were not read."""
        ...


def open_tier(settings: EncoderSettings) -> Tier | None:
    """The encoder that the settings name, warm; null where they name none.

    Raises PartMissing where the library or the model is not there, SettingRefused where it cannot be used.
    """
    if settings.model is None and settings.embedder is None:
        return None
    try:
        return EncoderTier(settings)
    except EncoderMissing as error:
        raise PartMissing(f"{_named(settings)}: {error}. Without it, unset the variable.") from error
    except EncoderUnusable as error:
        raise SettingRefused(f"{_named(settings)}: {error}.") from error


def _named(settings: EncoderSettings) -> str:
    named = {"RAGPULSE_ENCODER__MODEL": settings.model, "RAGPULSE_ENCODER__EMBEDDER": settings.embedder}
    return " and ".join(f"{name} is {value}" for name, value in named.items() if value is not None)


class SecondLook:
    """Lets the tier judge a batch, and publishes what it said."""

    def __init__(
        self, tier: Tier, settings: Settings, output: Output, metrics: WorkerMetrics, now: Now = utc_now
    ) -> None:
        self._tier = tier
        self._topic = settings.kafka.topic(topics.SCORED)
        self._output = output
        self._metrics = metrics
        self._now = now
        self._failures = 0

    def judge(self, found: Sequence[Found], judged: Sequence[Judged]) -> dict[int, Other]:
        """Look again at the uncertain ones, and publish what the encoder says.

        Returns that by position in `found`. Never raises for what the encoder does.
        """
        if self._failures >= _HOPELESS:
            return {}
        try:
            said = self._said(judged)
            rows = self._rows(found, said)
        except Exception as error:
            self._failed(error)
            return {}
        self._failures = 0
        for at, (key, row) in zip(said, rows, strict=True):
            self._output.send(found[at].slot, self._topic, row, key, TO_SCORES)
        if rows:
            self._metrics.scored_beside.labels(ENCODER, self._tier.version).inc(len(rows))
        for reason, count in self._tier.skipped.items():
            self._metrics.encoder_skipped.labels(reason).inc(count)
        self._tier.skipped.clear()
        return {at: Other(one) for at, one in said.items()}

    def _said(self, judged: Sequence[Judged]) -> dict[int, Judged]:
        scores = self._tier.judge(judged)
        return {
            at: as_judged(one, score)
            for at, (one, score) in enumerate(zip(judged, scores, strict=True))
            if score is not None
        }

    def _rows(self, found: Sequence[Found], said: dict[int, Judged]) -> list[tuple[bytes, bytes]]:
        now = self._now()
        return [encode_score(one, found[at].provenance.received_at, ENCODER, now) for at, one in said.items()]

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        self._metrics.encoder_skipped.labels(FAILED).inc()
        if self._failures in (1, _HOPELESS):
            logs.get().error(
                "the encoder failed; serving goes on"
                + (" without it until the next start" if self._failures == _HOPELESS else ""),
                encoder=self._tier.version,
                error=f"{type(error).__name__}: {error}"[:300],
            )


__all__ = ["ENCODER", "SecondLook", "Tier", "open_tier"]
