"""The blocks of data of each question, from what is shown of a trace."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judges.llm.asking import ClaimVerdict
from judges.llm.material import Material
from judges.llm.prompting import Block, Entry, block
from judges.llm.rubrics import Rubric

MAX_FACT_CHARS: Final = 200
"""Of one error message."""


def blocks_for_claims(material: Material, rubric: Rubric) -> list[Block]:
    """What is needed to find the claims of the answer, and to look them up."""
    return [
        *_conversation(material, rubric),
        *_documents(material, rubric),
        *block(rubric.blocks["answer"], material.answer),
    ]


def blocks_for_scores(
    material: Material, rubric: Rubric, claims: Sequence[ClaimVerdict] | None
) -> list[Block]:
    """Everything that is shown of a trace. `claims`: null where they could not be looked up."""
    return [
        *_conversation(material, rubric),
        *block(rubric.blocks["rewritten"], material.rewritten),
        *_facts(material, rubric),
        *_documents(material, rubric),
        *block(rubric.blocks["reference"], material.reference),
        *block(rubric.blocks["answer"], material.answer),
        *block(rubric.blocks["claims"], "\n".join(_claim_lines(material, rubric, claims or ()))),
    ]


def blocks_for_reverse(
    material: Material, rubric: Rubric, claims: Sequence[ClaimVerdict] | None
) -> list[Block]:
    """What the answer says, without the question: its claims, which stand for themselves."""
    said = "\n".join(claim.text for claim in claims or ()) or material.answer
    return block(rubric.blocks["statements"], said)


def blocks_for_preference(material: Material, rubric: Rubric, first: str, second: str) -> list[Block]:
    """Two answers to one question."""
    return [
        *_conversation(material, rubric),
        *_documents(material, rubric),
        *block(rubric.blocks["answer_a"], first),
        *block(rubric.blocks["answer_b"], second),
    ]


def _conversation(material: Material, rubric: Rubric) -> list[Block]:
    turns = "\n".join(f"{role}: {said}" for role, said in material.history)
    return [
        *block(rubric.blocks["history"], turns),
        *block(rubric.blocks["question"], material.question),
    ]


def _documents(material: Material, rubric: Rubric) -> list[Block]:
    """All documents in one block, by their numbers. The bar keeps one from posing as the next."""
    entries = []
    for number, shown in material.numbered.items():
        omitted = f"\n{rubric.words['omitted']}\n"
        text = omitted.join(passage.strip("\n") for passage in shown.passages)
        if shown.cut:
            text = f"{text}\n{rubric.words['omitted']}" if text else rubric.words["omitted"]
        label = material.labels.get(shown.index)
        if label:
            text = f"({rubric.blocks['label']}: {label})\n{text}"
        name = rubric.blocks["prompt_context" if material.from_prompt else "document"]
        entries.append(Entry(text, heading=f"{name} {number}"))
    return [Block(rubric.blocks["document"], tuple(entries))] if entries else []


def _facts(material: Material, rubric: Rubric) -> list[Block]:
    """What the programs reported. Error messages are other people's text too."""
    trace, words = material.trace, rubric.words
    retrieval, generation = trace.retrieval, trace.generation
    lines = []
    if retrieval is None:
        lines.append(words["no_retrieval"])
    elif retrieval.chunks is not None:
        lines.append(words["documents_seen"].format(len(retrieval.chunks)))
    for name, said in (
        ("retrieval_error", retrieval.error if retrieval else None),
        ("generation_error", generation.error if generation else None),
        ("finish_reason", generation.finish_reason if generation else None),
    ):
        if said:
            lines.append(words[name].format(said[:MAX_FACT_CHARS]))
    return block(rubric.blocks["facts"], "\n".join(lines))


def _claim_lines(material: Material, rubric: Rubric, claims: Sequence[ClaimVerdict]) -> list[str]:
    number = {shown.index: i for i, shown in material.numbered.items()}
    lines = []
    for claim in claims:
        where = f" ({rubric.blocks['document']} {number[claim.chunk]})" if claim.chunk in number else ""
        lines.append(f"{rubric.words[claim.label or 'undecided']}{where}: {claim.text}")
    return lines


__all__ = ["blocks_for_claims", "blocks_for_preference", "blocks_for_reverse", "blocks_for_scores"]
