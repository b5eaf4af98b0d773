"""Which cases people are shown, how many, and for how long."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from stream.settings.section import Section


class AnnotationSettings(Section):
    """The annotation queue. Cases are redacted before they enter it."""

    interval_s: float = Field(default=60.0, gt=0, description="between two turns of `annotate fill`")
    window_hours: float = Field(
        default=24.0, gt=0, le=720, description="of traces that cases are chosen from"
    )
    cap: int = Field(default=500, ge=1, le=20_000, description="open cases; beyond it the least worth leaves")
    per_turn: int = Field(default=100, ge=1, le=5_000, description="cases that enter in one turn at most")
    control_share: float = Field(
        default=0.1, gt=0, lt=1, description="of the queue that is drawn by chance alone"
    )
    stage_share: float = Field(
        default=0.4, gt=0, le=1, description="of the queue that one first failed stage may fill"
    )
    class_share: float = Field(default=0.25, gt=0, le=1, description="the same for one failure class")
    half_life_h: float = Field(default=72.0, gt=0, description="in which a waiting case is worth half")
    max_age_days: float = Field(default=30.0, gt=0, description="then a case leaves, settled or not")
    votes: int = Field(default=2, ge=1, le=9, description="of different annotators, for a case to be settled")
    arbiter_weight: float = Field(
        default=3.0, ge=1, le=100, description="of the last word, for whoever learns from labels"
    )
    lease_s: float = Field(default=900.0, ge=10, description="a case is held so long without a heartbeat")
    most_held: int = Field(default=50, ge=1, le=1_000, description="cases that one annotator may hold")
    lease_file: Path = Field(
        default=Path(".ragpulse/leases.sqlite"),
        description="who holds what: shared by console and commands of one machine",
    )
    guideline: str = Field(default="", max_length=100, description="its version, kept with labels")


__all__ = ["AnnotationSettings"]
