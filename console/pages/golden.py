"""Golden sets: their versions, what each holds of what is wanted, and what changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from fastapi import Response
from markupsafe import Markup

from console.drawing import Bar, draw_bars
from console.routing import page_router
from console.security.roles import Role, allow
from console.visit import Visiting
from console.words import Words
from judges.golden.compare import Difference, compare
from judges.golden.golden_set import GoldenSet, Quota
from schemas.golden import Kind
from sinks.golden.errors import GoldenSetDamaged, NoSuchGoldenSet
from sinks.golden.store import GoldenStore, Head

router = page_router()
SIGNS: Final = {
    Kind.SINGLE_HOP: "1", Kind.MULTI_HOP: "2", Kind.UNANSWERABLE: "∅", Kind.CONFLICTING: "≠",
    Kind.PERMISSION: "⚿", Kind.LONG_DOCUMENT: "¶",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Version:
    """A version of a set in a line."""

    head: Head
    picture: Markup


@router.get("/golden", name="golden")
@allow(Role.VIEWER)
def show(visit: Visiting) -> Response:
    """All sets with their versions, the newest first."""
    heads = sorted(GoldenStore(visit.store).heads(), key=lambda head: head.name)
    sets = [
        (name, [Version(head, _picture(head.quotas, visit.say)) for head in found])
        for name, found in groupby(heads, key=lambda head: head.name)
    ]
    return visit.page("golden.html", sets=sets, signs=SIGNS, kinds=list(Kind))


@router.get("/golden/{name}", name="golden set")
@allow(Role.VIEWER)
def open_set(visit: Visiting, name: str) -> Response:
    """One version with its cases: the newest, unless `version` names another."""
    chosen = visit.request.query_params
    store = GoldenStore(visit.store)
    try:
        golden = store.load(name, chosen.get("version", ""))
        difference = _difference(store, golden)
    except NoSuchGoldenSet:
        return visit.page("golden_missing.html", 404, name=name)
    kind = chosen.get("kind", "")
    return visit.page(
        "golden_set.html",
        golden=golden,
        heads=store.heads(name),
        difference=difference,
        kind=kind,
        kinds=list(Kind),
        signs=SIGNS,
        picture=_picture(golden.quotas, visit.say),
        cases=[case for case in golden.cases if kind in ("", case.kind.value)],
    )


def _difference(store: GoldenStore, golden: GoldenSet) -> Difference | None:
    """What came since the parent; null for the first version, and where the parent is not stored here."""
    if not golden.parent:
        return None
    try:
        return compare(store.load(golden.name, golden.parent), golden)
    except (NoSuchGoldenSet, GoldenSetDamaged):
        return None


def _picture(quotas: Mapping[Kind, Quota], say: Words) -> Markup:
    bars = [
        Bar(quota.have, kind.value, say("golden." + kind.value), SIGNS[kind])
        for kind, quota in quotas.items()
    ]
    said = ", ".join(f"{bar.name} {bar.amount:.0f}" for bar in bars)
    return Markup(draw_bars(bars, say("golden.chart", said=said), width=320, height=18))


__all__ = ["router"]
