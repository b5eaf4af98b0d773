"""What writes a trace of one kind."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from judges.corruption.traces.draft import Draft
from judges.corruption.traces.material import Pool

Writer = Callable[[Draft, Pool, Random], bool]
"""Completes a draft; false where the material does not admit the kind."""
