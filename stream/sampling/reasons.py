"""The words for why a trace was chosen, and for why it could not be. They are stored with the trace."""

from __future__ import annotations

from typing import Final

CONTROL: Final = "control"
"""It is in the random sample that knows nothing of the trace."""

SUSPECTED: Final = "suspected"
"""Triage named a failure, or a leak of what the model knew by itself."""
UNCERTAIN: Final = "uncertain"
"""The probability of a hallucination is close to even."""
THUMBS_DOWN: Final = "thumbs_down"
"""The user did not like it, and the trace came with that."""
NEW_RELEASE: Final = "new_release"
"""Some part of what runs was first seen a short while ago."""
RARE_SEGMENT: Final = "rare_segment"
"""Its app, tenant and language have little traffic, of which the base rate would show next to nothing."""
DISAGREEMENT: Final = "disagreement"
"""Another scorer named another failure."""
BOOSTS: Final = (SUSPECTED, UNCERTAIN, THUMBS_DOWN, NEW_RELEASE, RARE_SEGMENT, DISAGREEMENT)

CAPPED: Final = "capped"
"""Not chosen, and it would have been but for a limit a minute."""
EXCLUDED: Final = "excluded"
"""Never chosen: a rule keeps its segment from the judges."""
NO_ANSWER: Final = "no_answer"
"""Never chosen: there is nothing to judge."""
