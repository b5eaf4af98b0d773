"""The first scorer: deterministic rules over the shared features. The baseline of every learned one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from judges.distilled.answerable import NUMBER, TIME, kind_of_answer
from judges.distilled.batch import Case, read_case, split_cases
from judges.distilled.coverage import decide_coverage
from judges.distilled.features import GROUPS_PER_CASE, HISTORY, QUESTION, REWRITE, Features, measure
from judges.distilled.followup import is_fragment, points_back
from judges.distilled.garbled import find_broken_answer, find_broken_text
from judges.distilled.gold import measure_gold
from judges.distilled.support import SUPPORTED, score_support
from judges.distilled.units import Floats
from schemas.scored import Claim, Scores
from schemas.taxonomy import Coverage
from schemas.trace import Trace

EVIDENCE_CLAIMS = 3
VERSION = "rules-1"


class RuleScorer:
    """Scores by rules alone. Thread-safe: it keeps no state between batches."""

    version = VERSION

    def score(self, batch: Sequence[Trace]) -> list[Scores]:
        """One `Scores` a trace, in order."""
        cases = [read_case(t) for t in batch]
        scores: list[Scores] = []
        for part in split_cases(cases):
            features = measure(list(part))
            support, reasons = score_support(features)
            scores += [
                _score_case(features, i, support, reasons, self.version) for i in range(len(features.cases))
            ]
        return scores


def _score_case(features: Features, i: int, support: Floats, reasons: list[str], version: str) -> Scores:
    case = features.cases[i]
    first, last = int(features.claim_first[i]), int(features.claim_first[i + 1])
    coverage = decide_coverage(case, claims=last - first)
    scores = Scores(scorer_version=version, language=case.language, coverage=coverage)
    scores.refusal = case.refusal.kind == "full"
    scores.refusal_kind = case.refusal.kind
    measured = coverage in (Coverage.FULL, Coverage.TRUNCATED, Coverage.PROMPT_CONTEXT)
    if measured:
        mine = support[first:last]
        scores.faithfulness = float((mine >= SUPPORTED).mean())
        scores.hallucination = _hallucination(mine)
        scores.evidence = _weakest(features, first, last, support, reasons)
    if case.citations and case.answer and not scores.refusal:
        scores.citation_precision = _citation_precision(features, i)
    _score_relevance(features, i, scores)
    scores.signals = _signals(features, i, scores)
    return scores


def _hallucination(support: Floats) -> float:
    """Chance that a claim is unsupported: a logistic curve over the weakest claim, eased by the mean."""
    if not len(support):
        return 0.0
    ordered = np.sort(support)
    strain = 0.75 * float(ordered[0]) + 0.25 * float(support.mean())
    return float(1.0 / (1.0 + np.exp(14.0 * (strain - 0.58))))


def _weakest(features: Features, first: int, last: int, support: Floats, reasons: list[str]) -> list[Claim]:
    order = np.argsort(support[first:last], kind="stable")[:EVIDENCE_CLAIMS] + first
    case = features.cases[int(features.claim_case[first])] if last > first else None
    return [] if case is None else [_claim(features, case, first, k, support, reasons) for k in order.tolist()]


def _claim(features: Features, case: Case, first: int, k: int, support: Floats, reasons: list[str]) -> Claim:
    span = case.claims[k - first]
    claim = Claim(
        text=(case.trace.answer or "")[span.start : span.end],
        start=span.start,
        end=span.end,
        support=float(support[k]),
        why=reasons[k],
    )
    window = int(features.groups.best_window[k])
    if window >= 0:
        tokens = features.tokens
        text = int(tokens.window_text[window])
        place = features.layout.place[text]
        inside = np.searchsorted(tokens.window, [window, window + 1])
        claim.chunk = case.chunk_index[place] if case.chunk_index[place] >= 0 else None
        claim.chunk_start = int(tokens.start[inside[0]])
        claim.chunk_end = int(tokens.end[inside[1] - 1])
        retrieval = case.trace.retrieval
        if claim.chunk is not None and retrieval and retrieval.chunks:
            claim.chunk_id = retrieval.chunks[claim.chunk].id
    return claim


def _citation_precision(features: Features, i: int) -> float:
    """Share of citation marks whose chunk exists and supports the sentence they stand in."""
    from judges.distilled.cited import citation_precision

    return citation_precision(features.cases[i])


def _score_relevance(features: Features, i: int, scores: Scores) -> None:
    case, g, t = features.cases[i], features.groups, features.traces
    base = len(features.claim_case) + GROUPS_PER_CASE * i
    intent = base + (REWRITE if _rewrite_state(features, i) == "resolved" else QUESTION)
    if g.total[intent] <= 0:
        return
    which = "rewrite" if intent == base + REWRITE else "question"
    if case.chunks:
        scores.context_relevance = float(0.5 * g.chunk[intent] + 0.5 * g.pair[intent])
        scores.context_sufficiency = _sufficiency(features, i, intent)
    if case.answer and not scores.refusal:
        said = float(t[f"{which}_in_answer"][i])
        grounded = float(t[f"{which}_in_support"][i])
        scores.answer_relevance = float(np.clip(max(said, 0.9 * grounded), 0.0, 1.0))


def _sufficiency(features: Features, i: int, intent: int) -> float:
    g = features.groups
    covered = 0.2 * g.any[intent] + 0.3 * g.chunk[intent] + 0.5 * g.pair[intent]
    kind = kind_of_answer(features.cases[i].question)
    if kind in (NUMBER, TIME) and not _has_number_near(features, int(g.best_window[intent])):
        covered *= 0.7
    return float(np.clip(covered, 0.0, 1.0))


def _has_number_near(features: Features, window: int) -> bool:
    if window < 0:
        return False
    tokens = features.tokens
    low, high = np.searchsorted(tokens.window, [window - 1, window + 2])
    return bool((tokens.number[low:high] >= 0).any())


def _rewrite_state(features: Features, i: int) -> str:
    """`none` (no follow-up to resolve), `resolved`, `missing`, `unchanged` or `wrong`."""
    case, t = features.cases[i], features.traces
    if not case.history:
        return "none"
    changed = case.rewrite and _bare(case.rewrite) != _bare(case.question)
    if changed:
        fresh, known = float(t["rewrite_new"][i]), float(t["rewrite_new_in_history"][i])
        if fresh >= 4.0 and not np.isnan(known) and known < 0.2 and points_back(case.question):
            return "wrong"
        return "resolved"
    if points_back(case.question) or is_fragment(case.question):
        return "unchanged" if case.rewrite else "missing"
    return "none"


def _bare(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _signals(features: Features, i: int, scores: Scores) -> dict[str, float | str | bool | None]:
    case, g, t = features.cases[i], features.groups, features.traces
    base = len(features.claim_case) + GROUPS_PER_CASE * i
    texts = np.searchsorted(features.layout.case, [i, i + 1])
    suspect = features.suspect[texts[0] + 4 : texts[1]]
    broken = [find_broken_text(c) if s else None for c, s in zip(case.chunks, suspect, strict=True)]
    reasons = [b for b in broken if b]
    history = base + HISTORY
    signals: dict[str, float | str | bool | None] = {
        "rewrite_state": _rewrite_state(features, i),
        "question_cover": float(g.chunk[base + QUESTION]),
        "rewrite_cover": float(g.chunk[base + REWRITE]) if case.rewrite else None,
        "history_cover": float(g.chunk[history]) if case.history else None,
        "question_in_support": _known(t["question_in_support"][i]),
        "rewrite_in_support": _known(t["rewrite_in_support"][i]),
        "broken_chunks": len(reasons) / len(broken) if broken else 0.0,
        "broken_chunk": reasons[0] if reasons else None,
        "broken_answer": find_broken_answer(case.trace.answer) if case.trace.answer else None,
    }
    return signals | measure_gold(case.trace)


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)
