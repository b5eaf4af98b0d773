"""What a judge is shown of a trace: its texts, cut to what there is room for, and what was cut.

`read_material` alone decides what of a trace goes to a judge. What is not in `Material` (feedback, releases,
latencies, ids, our own cheap scores) is not shown: some of it would sway the judge, and none is needed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from judges.distilled.reading.language import detect, normalise
from judges.llm.hostile import neutralise
from judges.llm.tokens import estimate
from judges.llm.windows import MOST_CHARS_A_TOKEN, Shown, cut_tokens, fit
from schemas.blank import is_blank, is_wordless
from schemas.bounds import CUT_KEY
from schemas.scored import Scores
from schemas.trace import Retrieval, Trace

MAX_TURNS: Final = 8
MAX_READ_CHARS: Final = 400_000
"""Of all documents of a trace together: of what is longer, the longest are looked through in part."""
PROMPT: Final = -1
"""The index of the prompt's context, which stands in for chunks whose texts were not recorded."""


@dataclass(slots=True, frozen=True)
class PromptLimits:
    """The most tokens of each part of a prompt, as `tokens.estimate` counts them.

    `context` is what the model can take in and give out together. The documents get what the other parts
    leave of it, and no more than `documents`.
    """

    context: int = 32_768
    question: int = 800
    rewritten: int = 400
    history: int = 1_000
    answer: int = 2_000
    reference: int = 800
    documents: int = 12_000
    output: int = 4_000

    @classmethod
    def for_context(cls, tokens: int) -> PromptLimits:
        """Limits that suit a model of this context. A large one is not filled up: each token is paid."""
        usual = cls()
        return cls(
            context=tokens,
            question=min(usual.question, tokens // 20),
            rewritten=min(usual.rewritten, tokens // 40),
            history=min(usual.history, tokens // 16),
            answer=min(usual.answer, tokens // 8),
            reference=min(usual.reference, tokens // 20),
            documents=min(usual.documents, tokens // 2),
            output=min(usual.output, tokens // 4),
        )


@dataclass(slots=True)
class Material:
    """The texts of one trace as they are shown: neutralised, and cut where they are too long.

    An empty text is one that the trace does not have.

    `unseen` says why some of what was retrieved is not shown at all, or not in full: "truncated",
    "not_recorded", or empty where everything is. `truncated` names the texts that were cut.
    """

    trace: Trace
    language: str | None
    question: str = ""
    rewritten: str = ""
    history: list[tuple[str, str]] = field(default_factory=list)
    answer: str = ""
    reference: str = ""
    documents: list[Shown] = field(default_factory=list)
    labels: dict[int, str] = field(default_factory=dict)
    """Ids of chunks that the answer names, by index."""
    unseen: str = ""
    truncated: list[str] = field(default_factory=list)

    @property
    def from_prompt(self) -> bool:
        """Whether the one document is the context that stood in the prompt."""
        return bool(self.documents) and self.documents[0].index == PROMPT

    @property
    def numbered(self) -> dict[int, Shown]:
        """The documents by the numbers they are shown under: a chunk's place from 1, as answers cite it."""
        return {1 if shown.index == PROMPT else shown.index + 1: shown for shown in self.documents}

    def was_cut(self, name: str) -> bool:
        """Whether only a part of the text of this name is shown."""
        return name in self.truncated


def language_of(trace: Trace, scores: Scores | Mapping[str, Any] | None = None) -> str | None:
    """The language of a trace: as it was scored, else by its texts, else as the source says."""
    scored = scores.get("language") if isinstance(scores, Mapping) else scores.language if scores else None
    if isinstance(scored, str) and scored:
        return scored
    return detect(trace.question, trace.answer, trace.rewritten_query) or normalise(trace.language)


def read_material(trace: Trace, language: str | None, limits: PromptLimits) -> Material:
    """What is shown of `trace`, within the limits of each part but the documents (see `show_documents`)."""
    material = Material(trace, language)
    gold = trace.gold.answer if trace.gold else None
    material.question = (
        "" if is_wordless(trace.question) else _cut(material, "question", trace.question, limits.question)
    )
    material.rewritten = _cut(material, "rewritten query", trace.rewritten_query, limits.rewritten)
    material.answer = _cut(material, "answer", trace.answer, limits.answer)
    material.reference = _cut(material, "gold answer", gold, limits.reference)
    material.history = _read_history(material, limits.history)
    return material


def show_documents(material: Material, tokens: int) -> None:
    """Fill in the documents, within `tokens`; sentences that speak of question and answer come first."""
    retrieval = material.trace.retrieval
    if retrieval is None:
        return
    whole = _texts_of(retrieval)
    most = _fair_share([len(text) for _, text in whole], MAX_READ_CHARS)
    texts = [(index, neutralise(text[:most])) for index, text in whole]
    about = " ".join((material.question, material.rewritten, material.answer))
    material.documents = fit(texts, about, tokens)
    for shown, (_, text) in zip(material.documents, whole, strict=True):
        shown.cut |= len(text) > most
    for shown in material.documents:
        if shown.cut:
            material.truncated.append("prompt context" if shown.index == PROMPT else f"chunk {shown.index}")
    cut = (material.trace.extra or {}).get(CUT_KEY)
    cut_before = isinstance(cut, dict) and "chunks" in cut
    if any(shown.cut for shown in material.documents) or cut_before:
        material.unseen = "truncated"
    elif any(c.text is None for c in retrieval.chunks or ()) and texts and texts[0][0] != PROMPT:
        material.unseen = "not_recorded"
    material.labels = _named_ids(retrieval, material.answer)


def _texts_of(retrieval: Retrieval) -> list[tuple[int, str]]:
    texts = [(i, c.text) for i, c in enumerate(retrieval.chunks or ()) if c.text and not is_blank(c.text)]
    if not texts and retrieval.prompt_context and not is_blank(retrieval.prompt_context):
        return [(PROMPT, retrieval.prompt_context)]
    return texts


def _fair_share(lengths: Sequence[int], total: int) -> int:
    """The most that each may keep, so that together they keep `total`: the short ones keep all they have."""
    left, most = total, total
    for count, length in zip(range(len(lengths), 0, -1), sorted(lengths), strict=True):
        most = left // count
        if length > most:
            return most
        left -= length
    return max(most, *lengths, 0)


def _named_ids(retrieval: Retrieval, answer: str) -> dict[int, str]:
    """Ids are shown only where the answer cites by them: they are other people's text as well."""
    named = {}
    for i, chunk in enumerate(retrieval.chunks or ()):
        ids = [s for s in (chunk.id, chunk.doc_id) if s and 3 <= len(s) <= 80 and not s.isdecimal()]
        if found := [s for s in ids if s in answer]:
            named[i] = max(found, key=len)
    return named


def _cut(material: Material, name: str, text: str | None, tokens: int) -> str:
    if not text or is_blank(text):
        return ""
    most = MOST_CHARS_A_TOKEN * tokens
    kept, was_cut = cut_tokens(neutralise(text[:most]), tokens)
    if was_cut or len(text) > most:
        material.truncated.append(name)
    return kept


def _read_history(material: Material, tokens: int) -> list[tuple[str, str]]:
    """The last turns, as many as fit: the nearest explain a follow-up question."""
    turns: list[tuple[str, str]] = []
    said = [m for m in material.trace.history if m.content and not is_blank(m.content)]
    left, whole = tokens, len(said) <= MAX_TURNS
    for message in reversed(said[-MAX_TURNS:]):
        said_here = message.content or ""
        kept, was_cut = cut_tokens(neutralise(said_here[: MOST_CHARS_A_TOKEN * left]), left)
        whole &= not was_cut and len(said_here) <= MOST_CHARS_A_TOKEN * left
        if kept:
            turns.append((message.role[:20], kept))
        left = max(0, left - estimate(kept))
    if not whole:
        material.truncated.append("history")
    return turns[::-1]


__all__ = ["PROMPT", "Material", "PromptLimits", "language_of", "read_material", "show_documents"]
