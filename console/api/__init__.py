"""The operations of the pages for programs: JSON under /api/v1, described by OpenAPI."""

from __future__ import annotations

from fastapi import APIRouter

from console.api import about, golden, queue, reading

API: tuple[APIRouter, ...] = (about.document, about.router, queue.router, reading.router, golden.router)

__all__ = ["API"]
