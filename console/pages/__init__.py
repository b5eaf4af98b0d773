"""The pages, a module each: a router that asks `console/queries` and renders a template."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter

from console.pages import case, gaps, golden, golden_grow, incidents, judges, label, live, login, queue

PAGES: Final[tuple[APIRouter, ...]] = (
    login.router,
    live.router,
    incidents.router,
    case.router,
    queue.router,
    label.router,
    golden.router,
    golden_grow.router,
    judges.router,
    gaps.router,
)
__all__ = ["PAGES"]
