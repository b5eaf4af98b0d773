"""Who sends the simulated traffic: tenants, their apps and releases, and what one release breaks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from schemas.taxonomy import HEALTHY, Failure


@dataclass(frozen=True, slots=True)
class Tenant:
    """A simulated customer: its share of the traffic, the share of Chinese in it, its app."""

    name: str
    share: float
    chinese: float
    app: str


@dataclass(frozen=True, slots=True)
class App:
    """One RAG application: what it is asked about and how it is built."""

    name: str
    domains: tuple[str, ...]
    index: str
    embedding_model: str
    reranker: str | None
    generator: str
    top_k: int
    min_score: float | None
    citation: str
    """How its model cites: a pattern with `{n}`, `circled`, or empty."""
    layout: str
    """How a chunk is laid out: a pattern with `{title}` and `{text}`."""


APPS: Final = {
    app.name: app
    for app in (
        App("helpdesk", ("accounts", "billing", "shipping", "devices"), "kb-2026-11", "bge-m3", None,
            "qwen-max", 5, 0.35, "[{n}]", "{title}\n{text}"),
        App("staff-desk", ("leave", "expenses", "security", "office"), "intranet-7", "bge-large-zh",
            "bge-reranker-v2", "glm-4-9b", 6, None, "【{n}】", "# {title}\n\n{text}"),
        App("dev-docs", ("api", "operations", "security"), "docs-v4", "text-embedding-3-small", None,
            "gpt-4o-mini", 4, 0.3, "circled", "{text}"),
    )
}  # fmt: skip

TENANTS: Final = (
    Tenant("nordlicht", 0.25, 0.2, "helpdesk"),
    Tenant("xinghe", 0.25, 0.85, "helpdesk"),
    Tenant("lumen", 0.25, 0.5, "helpdesk"),
    Tenant("baita", 0.15, 0.7, "staff-desk"),
    Tenant("orchard", 0.10, 0.3, "dev-docs"),
)

SPIKE_TENANT: Final = "lumen"
PROMPTS: Final = {"helpdesk": "p7", "staff-desk": "p3", "dev-docs": "p12"}
SPIKE_PROMPT: Final = "p8"
"""The prompt that the spike's tenant rolls out halfway: from then on its model makes things up."""

DECK: Final[dict[str, int]] = {
    HEALTHY: 70,
    Failure.SYSTEM_ERROR: 5,
    Failure.REWRITE_FAILURE: 5,
    Failure.EMPTY_RECALL: 5,
    Failure.POOR_RETRIEVAL: 5,
    Failure.OVER_REFUSAL: 5,
    Failure.HALLUCINATION: 5,
}
"""Of 100 traces, how many are of each kind: dealt like cards, so the rates are exact, not lucky."""

SPIKE_DECK: Final[dict[str, int]] = {**DECK, HEALTHY: 35, Failure.HALLUCINATION: 40}


def release_of(tenant: Tenant, *, spiking: bool) -> dict[str, str | None]:
    """What was running at this tenant (the trace's `release`)."""
    app = APPS[tenant.app]
    changed = spiking and tenant.name == SPIKE_TENANT
    return {
        "app": "v43" if changed else "v42",
        "prompt": SPIKE_PROMPT if changed else PROMPTS[tenant.app],
        "index": app.index,
        "embedding_model": app.embedding_model,
        "reranker": app.reranker,
        "generator": app.generator,
    }


__all__ = [
    "APPS", "DECK", "PROMPTS", "SPIKE_DECK", "SPIKE_PROMPT", "SPIKE_TENANT", "TENANTS", "App", "Tenant",
    "release_of",
]  # fmt: skip
