"""What an annotator sees of a trace, and what is asked: nothing of what anybody else said of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from judges.calibration.measures import RATINGS
from schemas.trace import Trace

SHOWN: Final = ("item", "language", "history", "question", "rewritten_query", "documents", "answer", "errors")
ASKED: Final = (
    "failure", "hallucination", "context_sufficient", "refusal", *(f"rating_{n}" for n in RATINGS), "note",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SheetItem:
    """One line of a sheet."""

    item: str
    language: str
    trace: Trace

    def as_line(self) -> dict[str, Any]:
        """For JSON lines: texts whole, questions empty. No id of the trace: nobody can look it up."""
        trace = self.trace
        return {
            "item": self.item,
            "language": self.language,
            "history": [{"role": turn.role, "content": turn.content} for turn in trace.history or ()],
            "question": trace.question,
            "rewritten_query": trace.rewritten_query,
            "documents": documents_of(trace),
            "answer": trace.answer,
            "errors": errors_of(trace),
            **dict.fromkeys(ASKED),
        }

    def as_cells(self) -> list[str]:
        """For a spreadsheet, in the order of `SHOWN`."""
        trace = self.trace
        documents = documents_of(trace)
        return [
            self.item,
            self.language,
            "\n".join(f"{turn.role}: {turn.content}" for turn in trace.history or ()),
            trace.question or "",
            trace.rewritten_query or "",
            "(retrieval was not recorded)"
            if documents is None
            else "\n\n".join(f"[{n}] {text}" for n, text in enumerate(documents, 1)) or "(nothing was found)",
            trace.answer or "(no answer)",
            "; ".join(errors_of(trace)),
        ]


def documents_of(trace: Trace) -> list[str] | None:
    """The texts that the answer should rest on, in their order; null where no retrieval was recorded."""
    retrieval = trace.retrieval
    if retrieval is None:
        return None
    texts = [chunk.text for chunk in retrieval.chunks or () if chunk.text]
    if not texts and retrieval.prompt_context:
        return [retrieval.prompt_context]
    return texts if texts or retrieval.chunks is not None else None


def errors_of(trace: Trace) -> list[str]:
    """What went wrong technically, as the trace says it."""
    found = []
    if trace.retrieval is not None and trace.retrieval.error:
        found.append(f"retrieval: {trace.retrieval.error}")
    generation = trace.generation
    if generation is not None and generation.error:
        found.append(f"generation: {generation.error}")
    if generation is not None and generation.finish_reason not in (None, "stop"):
        found.append(f"finish_reason: {generation.finish_reason}")
    return found


__all__ = ["ASKED", "SHOWN", "SheetItem", "documents_of", "errors_of"]
