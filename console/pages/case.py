"""One case: what was asked, found, answered, and what is said of it."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import Response
from markupsafe import Markup

from console.diagnosis import diagnose
from console.drawing import draw_interval
from console.figures import Figure
from console.queries.case import RELEASE_PARTS, Case, Chunk, Evidence, read_case
from console.queries.redacted import redact_case
from console.rendering.highlight import highlight
from console.rendering.marks import SUPPORTED, claim_marks, evidence_marks, is_supported
from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting
from console.words import Words
from sinks.clickhouse.measured import GOLD_MEASURES, MEASURES

router = page_router()
_SHORT = 700
"""Characters of a chunk that are shown unasked where no claim points into it."""


@dataclass(frozen=True, slots=True)
class ShownChunk:
    """A chunk with the passages marked that claims were held against."""

    place: int
    chunk: Chunk
    text: Markup
    folded: bool
    """Long, and no claim points into it."""


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """A claim of the answer in the list below it."""

    number: int
    claim: Evidence
    supported: bool
    picture: Markup


@router.get("/case/{trace_id:path}", name="case")
@allow(Role.VIEWER)
def show(visit: Visiting, trace_id: str) -> Response:
    """The page, redacted. An admin may ask for the original, which is written down."""
    case = read_case(visit.store, trace_id)
    if case is None:
        return visit.page("case_missing.html", 404, trace_id=trace_id)
    original = visit.request.query_params.get("original") == "1" and visit.may("admin")
    taken: dict[str, int] = {}
    if original:
        visit.audit("original read", trace_id=trace_id)
    else:
        case, taken = redact_case(case)
    return visit.page(
        "case.html",
        case=case,
        row=case.row,
        trace_id=trace_id,
        diagnosis=diagnose(case.row, case.because),
        answer=_answer(case, visit.say),
        claims=[_claim(number, one) for number, one in enumerate(case.evidence, 1)],
        chunks=[_chunk(place, one, case) for place, one in enumerate(case.chunks or ())],
        scores=[(name, case.row[name], _drawn(case.row[name])) for name in MEASURES],
        gold=[(name, case.row[name], _drawn(case.row[name])) for name in GOLD_MEASURES if _has(case, name)],
        releases=[(part, case.row[f"release_{part}"]) for part in RELEASE_PARTS],
        original=original,
        taken=taken,
    )


def _answer(case: Case, say: Words) -> Markup:
    marks = claim_marks(case.evidence, say("why.supported"), say("why.unsupported"))
    return highlight(case.row["answer"], marks)


def _chunk(place: int, chunk: Chunk, case: Case) -> ShownChunk:
    marks = evidence_marks(case.evidence, place)
    folded = not marks and len(chunk.text or "") > _SHORT
    return ShownChunk(place, chunk, highlight(chunk.text, marks), folded)


def _claim(number: int, one: Evidence) -> ShownClaim:
    return ShownClaim(number, one, is_supported(one), _drawn(one.support, SUPPORTED))


def _drawn(value: float | None, bar: float | None = None) -> Markup:
    return Markup(draw_interval(Figure(value, None, None, 1), bar=bar, width=80))


def _has(case: Case, name: str) -> bool:
    return case.row[name] is not None


__all__ = ["router"]
