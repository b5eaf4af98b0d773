"""The local model's opinion of a trace: is every claim of the answer in the documents?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from time import perf_counter
from typing import Any, Final

from judges.distilled.reading.claims import split_claims
from judges.llm.asking import ClaimVerdict, JudgeFailed, Opinion, Reason, Usage
from judges.llm.local.boundary import Boundary
from judges.llm.local.client import AsksForNext
from judges.llm.local.wording import wording_for
from judges.llm.local.yes_no import log_odds
from judges.llm.material import Material, PromptLimits, language_of, read_material, show_documents
from judges.llm.panel import PanelOpinion
from judges.llm.quotes import words_of
from judges.llm.triaging import find_shown
from judges.llm.windows import fit
from schemas.blank import is_blank
from schemas.taxonomy import Failure
from schemas.trace import Trace

RUBRIC: Final = "local_claims"
RUBRIC_VERSION: Final = "1"
MOST_DOCUMENTS: Final = 2
"""Those that have most in common with question and answer: a small model loses the thread in more, and
reading costs most of the time."""
DOCUMENT_TOKENS: Final = 300
"""Of those at most."""
_ALL_TOKENS: Final = 8_000
MAX_CLAIMS: Final = 8
"""Of one answer; the rest is not looked at, and `truncated` says so."""
_LIMITS: Final = PromptLimits.for_context(4_096)
_NOT_ASKED: Final = "not_asked"


@dataclass(slots=True)
class Odds:
    """What the model gives for each claim of an answer."""

    language: str
    claims: list[tuple[str, float]]
    """Text, and log-odds that every detail of it is in the documents."""
    unread: int
    """Claims on which it said neither yes nor no."""
    truncated: list[str]
    served_by: str
    usage: Usage

    @property
    def weakest(self) -> float | None:
        """Of the claim that is least supported; null where nothing was read."""
        return min((odds for _, odds in self.claims), default=None)


class LocalJudge:
    """Judges traces by the odds of single claims. Stands where `ask_panel` would: same in, same out."""

    def __init__(self, server: AsksForNext, model: str, boundaries: Mapping[str, Boundary]) -> None:
        """`boundaries`: by language; a trace in another language has odds, and no verdict."""
        self._server = server
        self.model = model
        self.boundaries = dict(boundaries)

    name = "local"

    async def opine(self, trace: Trace, scores: Mapping[str, Any] | None = None) -> PanelOpinion:
        """What it says. Raises JudgeFailed: NOT_JUDGEABLE without documents, or without a claim."""
        odds = await self.read_odds(trace, scores)
        opinion = Opinion(self.name, self.model, RUBRIC, RUBRIC_VERSION, odds.language)
        opinion.usage, opinion.served_by, opinion.truncated = odds.usage, odds.served_by, odds.truncated
        opinion.not_measured = dict.fromkeys(
            ("failure", "answer_relevance", "context_relevance", "context_sufficiency", "refusal"), _NOT_ASKED
        )
        self._measure(opinion, odds)
        shown = find_shown(trace)
        if shown is not None:
            opinion.failure, opinion.failure_confidence = shown.failure.value, shown.confidence
            opinion.not_measured.pop("failure")
        elif opinion.hallucination is not None and opinion.hallucination >= 0.5:
            opinion.failure, opinion.failure_confidence = Failure.HALLUCINATION.value, opinion.hallucination
            opinion.not_measured.pop("failure")
        return PanelOpinion([opinion], opinion, None)

    async def read_odds(self, trace: Trace, scores: Mapping[str, Any] | None = None) -> Odds:
        """Ask about each claim. Raises JudgeFailed."""
        language = language_of(trace, scores) or "en"
        material = read_material(trace, language, _LIMITS)
        show_documents(material, _ALL_TOKENS)
        documents = choose_documents(material)
        claims = _claims(material, language)
        if not documents or not claims:
            raise JudgeFailed(Reason.NOT_JUDGEABLE, "no documents" if claims else "the answer claims nothing")
        odds = Odds(language, [], 0, list(material.truncated), "", Usage())
        if len(claims) > MAX_CLAIMS:
            odds.truncated.append("answer")
        wording = wording_for(language)
        for claim in claims[:MAX_CLAIMS]:
            began = perf_counter()
            said = await self._server.next_token(wording.messages(documents, claim))
            said.usage.latency_ms = (perf_counter() - began) * 1000
            odds.usage.add(said.usage)
            odds.served_by = said.served_by
            value = log_odds(said.top)
            if value is None:
                odds.unread += 1
            else:
                odds.claims.append((claim, value))
        return odds

    def _measure(self, opinion: Opinion, odds: Odds) -> None:
        boundary, weakest = self.boundaries.get(odds.language), odds.weakest
        if boundary is None or weakest is None:
            why = "unreadable" if boundary is not None else "unsupported_language"
            opinion.not_measured |= {"hallucination": why, "faithfulness": why}
            return
        for text, value in odds.claims:
            unsupported = boundary.hallucination(value) >= 0.5
            label = "not_found" if unsupported else "supported"
            opinion.claims.append(ClaimVerdict(text, label, label))  # type: ignore[arg-type]
        supported = sum(claim.label == "supported" for claim in opinion.claims)
        opinion.faithfulness = supported / len(opinion.claims)
        opinion.hallucination = boundary.hallucination(weakest)
        opinion.measured_by |= {"hallucination": "log-odds", "faithfulness": "log-odds"}


def choose_documents(material: Material) -> list[str]:
    """What is shown of the documents. Those that are not, or not whole, are noted as truncated."""
    about = " ".join((material.question, material.rewritten, material.answer))
    texts = [(shown.index, " … ".join(shown.passages)) for shown in material.documents]
    near = _nearest(texts, about)
    chosen = fit(near, about, DOCUMENT_TOKENS)
    whole = {shown.index for shown in chosen if not shown.cut}
    left_out = [f"chunk {index}" for index, text in texts if index not in whole and not is_blank(text)]
    material.truncated += [name for name in left_out if name not in material.truncated]
    return [text for shown in chosen if not is_blank(text := " … ".join(shown.passages))]


def _nearest(texts: list[tuple[int, str]], about: str) -> list[tuple[int, str]]:
    """The documents that share most pairs of words with `about`, in their order; rare pairs count more."""
    asked = _pairs_of(about)
    held = [_pairs_of(text) & asked for _, text in texts]
    often = Counter(pair for pairs in held for pair in pairs)
    weights = [sum(1 / often[pair] for pair in pairs) for pairs in held]
    best = sorted(range(len(texts)), key=lambda i: -weights[i])[:MOST_DOCUMENTS]
    return [texts[i] for i in sorted(best)]


def _pairs_of(text: str) -> set[tuple[str, ...]]:
    """Chinese words are mostly two characters long; an English word stands for itself as well."""
    words = words_of(text)
    return {*pairwise(words), *((word,) for word in words if len(word) > 1)}


def _claims(material: Material, language: str) -> list[str]:
    answer = material.answer
    return [answer[span.start : span.end] for span in split_claims(answer, language)]


__all__ = [
    "DOCUMENT_TOKENS",
    "MOST_DOCUMENTS",
    "RUBRIC",
    "RUBRIC_VERSION",
    "LocalJudge",
    "Odds",
    "choose_documents",
]
