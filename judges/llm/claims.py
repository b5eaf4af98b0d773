"""Claims that a judge looked up, held to the documents: a quote that does not occur voids what rests on it.

So does one that has nothing in common with its claim: small models copy any sentence when told to copy one.

Faithfulness is supported claims / claims (Es et al. 2023, "RAGAS", section 3), over the claims whose verdict
stands. It is not measured where too many verdicts are void, nor where a claim was not found and the documents
were not shown in full: what was cut may hold it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judges.distilled.reading.citations import find_citations
from judges.llm.asking import ClaimVerdict, Opinion
from judges.llm.material import Material
from judges.llm.quotes import Passage, have_nothing_in_common, words_of
from judges.llm.rubrics.forms import ClaimEntry

MAX_CLAIMS: Final = 24
"""An answer with more is judged by its first ones, and counts as cut."""
MAX_VOID_SHARE: Final = 1 / 3
"""With more void verdicts than this among the claims, faithfulness is not measured."""
MAX_TEXT: Final = 600
"""Characters of a claim or quote that are kept."""
INVENTED, NO_QUOTE, UNRELATED = "invented_quote", "no_quote", "unrelated_quote"


class Documents:
    """The documents that were shown, as quotes are looked up in them."""

    def __init__(self, material: Material) -> None:
        self._shown = material.numbered
        self._passages: dict[int, list[Passage]] = {}

    def find(self, quote: str, number: int = 0) -> int | None:
        """The index of the chunk in which a quote occurs, that of document `number` first; null for none."""
        words = words_of(quote)
        order = sorted(self._shown, key=lambda n: n != number)
        return next((self._shown[n].index for n in order if self._holds(n, words)), None)

    def _holds(self, number: int, words: Sequence[str]) -> bool:
        if number not in self._passages:
            self._passages[number] = [Passage(text) for text in self._shown[number].passages]
        return any(passage.holds(words) for passage in self._passages[number])


def weigh_claims(
    entries: Sequence[ClaimEntry], documents: Documents, material: Material
) -> list[ClaimVerdict]:
    """What stands of a judge's verdicts. A claim that is made twice counts once."""
    verdicts, seen = [], set()
    for entry in entries:
        words = tuple(words_of(entry.claim))
        if words and words not in seen:
            seen.add(words)
            verdicts.append(_weigh(entry, documents, material))
    return verdicts[:MAX_CLAIMS]


def _weigh(entry: ClaimEntry, documents: Documents, material: Material) -> ClaimVerdict:
    text, quote = entry.claim.strip()[:MAX_TEXT], entry.quote.strip()
    if entry.label == "not_found":
        void = material.unseen
        return ClaimVerdict(text, None if void else entry.label, entry.label, void=void)
    if not words_of(quote):
        return ClaimVerdict(text, None, entry.label, void=NO_QUOTE)
    chunk = documents.find(quote, entry.document)
    if chunk is None:
        return ClaimVerdict(text, None, entry.label, quote[:MAX_TEXT], void=INVENTED)
    if have_nothing_in_common(text, quote):
        return ClaimVerdict(text, None, entry.label, quote[:MAX_TEXT], chunk, verified=True, void=UNRELATED)
    return ClaimVerdict(text, entry.label, entry.label, quote[:MAX_TEXT], chunk, verified=True)


def measure_claims(opinion: Opinion, material: Material) -> None:
    """Fill in faithfulness and hallucination from the claims of an opinion, or why they are not measured."""
    valid = [claim for claim in opinion.claims if claim.label is not None]
    bad = [claim for claim in valid if claim.label != "supported"]
    why = _why_unmeasured(opinion.claims, material)
    if why is None:
        opinion.faithfulness = 1.0 - len(bad) / len(valid)
    else:
        opinion.not_measured["faithfulness"] = why
    if bad:  # one is enough, however many others there are that could not be settled
        opinion.hallucination = 1.0
    elif why is None and len(valid) == len(opinion.claims):
        opinion.hallucination = 0.0
    else:
        opinion.not_measured["hallucination"] = why or _why_void(opinion.claims)


def _why_unmeasured(claims: Sequence[ClaimVerdict], material: Material) -> str | None:
    if not claims:
        return "no_claims"
    if material.was_cut("answer") or len(claims) >= MAX_CLAIMS:
        return "truncated"
    unsettled = next((c.void for c in claims if c.void and c.claimed == "not_found"), None)
    if unsettled:
        return unsettled
    void = sum(claim.label is None for claim in claims)
    return _why_void(claims) if void > MAX_VOID_SHARE * len(claims) else None


def _why_void(claims: Sequence[ClaimVerdict]) -> str:
    return next(claim.void for claim in claims if claim.void)


def measure_citations(opinion: Opinion, entries: Sequence[ClaimEntry], material: Material) -> None:
    """Share of the documents cited for claims that do say so; one that does not exist is cited wrongly.

    Which documents an answer cites is read from the answer: a judge says of those alone whether they hold.
    """
    marked = {c + 1 for mark in find_citations(material.answer) for c in mark.chunks}
    marked |= {index + 1 for index in material.labels}
    if not marked or material.from_prompt:
        opinion.not_measured["citation_precision"] = "prompt_context" if marked else "no_citations"
        return
    numbered = material.numbered
    cited = [(n, n in entry.cited_holding) for entry in entries for n in set(entry.cited) & marked]
    cited = [(n, holds) for n, holds in cited if n in numbered]
    retrieved = len(material.trace.retrieval.chunks or ()) if material.trace.retrieval else 0
    nowhere = [(n, False) for n in marked if not 1 <= n <= retrieved]
    if any(not holds and numbered[n].cut for n, holds in cited):
        opinion.not_measured["citation_precision"] = "truncated"
    elif cited or nowhere:
        opinion.citation_precision = sum(holds for _, holds in cited) / len(cited + nowhere)
    else:
        opinion.not_measured["citation_precision"] = "no_citations"


__all__ = ["INVENTED", "MAX_CLAIMS", "Documents", "measure_citations", "measure_claims", "weigh_claims"]
