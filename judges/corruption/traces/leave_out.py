"""How each language asks without naming its subject."""

from __future__ import annotations

from collections.abc import Callable

from judges.corruption.traces.leave_out_en import leave_out_en
from judges.corruption.traces.leave_out_zh import leave_out_zh

LEAVE_OUT: dict[str, Callable[[str], list[tuple[str, str]]]] = {"en": leave_out_en, "zh": leave_out_zh}
"""By language: a question to (the question with a pronoun, what it stands for), best first, perhaps none."""
