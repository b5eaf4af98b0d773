"""The generator, simulated: how an answer comes about when the passages are good, wrong or missing."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from judges.corruption.bank import pick, read_words
from judges.corruption.corrupt import corrupt
from judges.corruption.traces.cite import cite
from judges.corruption.traces.draft import Draft, be_polite, refuse
from judges.corruption.traces.gather import draw_sentence

CITED = 0.25
WITHOUT_CONTEXT = {"refused": 0.5, "from_memory": 0.3, "invented": 0.2}
"""How a model answers when it was given nothing."""
WITH_WRONG_CONTEXT = {
    "refused": 0.4,
    "copied": 0.25,
    "paraphrased": 0.15,
    "from_memory": 0.1,
    "invented": 0.1,
}
"""How a model answers when it was given something else."""
WITH_GARBLED_CONTEXT = {"refused": 0.5, "from_memory": 0.35, "invented": 0.1, "copied": 0.05}
"""How a model answers when it was given what nobody can read."""


def answer_supported(draft: Draft, random: Random) -> None:
    """The right answer, from chunks that hold it."""
    draft.manner, draft.holds_answer = "supported", True
    draft.answer = maybe_cite(draft, draft.material.answer, random)
    be_polite(draft, random)


def answer_without_context(draft: Draft, random: Random) -> None:
    """An answer, or a refusal, with no passage to base it on."""
    _answer(draft, WITHOUT_CONTEXT, random)


def answer_from_wrong_context(draft: Draft, random: Random) -> None:
    """An answer, or a refusal, over passages that do not hold it."""
    _answer(draft, WITH_WRONG_CONTEXT, random)


def answer_from_garbled_context(draft: Draft, random: Random) -> None:
    """An answer, or a refusal, over passages that nobody can read."""
    _answer(draft, WITH_GARBLED_CONTEXT, random)


def maybe_cite(draft: Draft, text: str, random: Random) -> str:
    """The text, in a share of all traces with citation marks."""
    chunks = draft.chunks or ()
    if not chunks or random.random() >= CITED:
        return text
    return cite(text, chunks, draft.material.language, random)


def _answer(draft: Draft, shares: dict[str, float], random: Random) -> None:
    manner = random.choices(list(shares), list(shares.values()))[0]
    text = _compose(draft, manner, draft.chunks or (), random)
    if text is None:
        manner, text = "refused", refuse(draft, random)
    draft.manner = manner
    draft.answer = text if manner == "refused" else maybe_cite(draft, text, random)
    be_polite(draft, random)


def _compose(draft: Draft, manner: str, chunks: Sequence[str], random: Random) -> str | None:
    material = draft.material
    match manner:
        case "refused":
            return refuse(draft, random)
        case "from_memory":
            return material.answer
        case "invented":
            change = corrupt(material.answer, random, material.chunks)
            return change.text if change else None
        case _:
            copied = draw_sentence(chunks, random)
            if copied is None or manner == "copied":
                return copied
            return _lead_in(copied, material.language, random)


def _lead_in(sentence: str, language: str, random: Random) -> str:
    """The sentence behind an introduction, with a small letter where it no longer begins."""
    before = pick("talk", f"lead-ins {language}", random, text="")
    if before.endswith(", ") and sentence.split()[0] in read_words("no names"):
        sentence = sentence[0].lower() + sentence[1:] if not sentence.startswith("I ") else sentence
    return before + sentence
