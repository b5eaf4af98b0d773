"""The curves of both heads, from what forests said of answers that they did not learn from."""

from __future__ import annotations

from judges.distillation.curves import decide_at_half, fit_lines
from judges.distillation.table import UNKNOWN, Table
from judges.distillation.teach import Unseen
from judges.distilled.heads.calibration import Calibration
from judges.distilled.measuring.tokens import Bools


def fit_curves(table: Table, unseen: Unseen, teaches: Bools) -> dict[str, dict[str, Calibration]]:
    """Curves of `claim` and `trace` by language, from the natural rows among those that teach."""
    rows = table.claims & ~table.made & teaches
    owner = table.owner
    claims = rows[owner] & (table.claim_bad != UNKNOWN)
    source, language = table.source[owner][claims], table.language[owner][claims]
    claim = fit_lines(unseen.claims[claims], table.claim_bad[claims], source, language)
    logits, bad, language = unseen.traces[rows], table.bad[rows], table.language[rows]
    trace = fit_lines(logits, bad, table.source[rows], language)
    return {"claim": claim, "trace": decide_at_half(trace, logits, bad, table.part[rows], language)}
