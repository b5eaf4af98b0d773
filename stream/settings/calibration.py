"""When a judge's verdicts count, and how it is watched."""

from __future__ import annotations

from pydantic import Field

from stream.settings.section import Section


class CalibrationSettings(Section):
    """When a judge's verdicts count, and how it is watched."""

    min_kappa: float = Field(
        default=0.7, ge=0, le=1, description="agreement with people below which verdicts correct no rates"
    )
    min_labels: int = Field(default=50, ge=10, description="labelled traces, in each language, for a kappa")
    probe_every_h: float = Field(
        default=24.0, ge=0, description="how often the lane puts the probe set to each judge; 0: never"
    )
