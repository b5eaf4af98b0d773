"""Pieces of SQL that several dashboards share, in the dialect of Grafana's ClickHouse plugin.

`$__timeFilter(column)`, `$__timeInterval(column)`, `$__fromTime`, `$__toTime` and
`$__conditionalAll(condition, $variable)` are the plugin's own macros. A rate is never shown without how sure
it is: `wilson` gives the interval.
"""

from __future__ import annotations

from typing import Final

Z: Final = 1.96
"""Standard normal quantile of a two-sided interval at 95 %."""

SEGMENTS: Final = ("app", "tenant", "language", "environment", "intent")
RELEASES: Final = (
    "release_app",
    "release_prompt",
    "release_index",
    "release_embedding_model",
    "release_reranker",
    "release_generator",
)
"""The parts of a release, as columns of `minute_rates` and of `traces`."""

_LONG: Final = "$__toTime - $__fromTime > 172800"
RATES: Final = f"""(
    SELECT * FROM minute_rates WHERE $__timeFilter(minute) AND NOT ({_LONG})
    UNION ALL
    SELECT * FROM hour_rates WHERE $__timeFilter(minute) AND {_LONG}
)"""
"""Counts by minute, and over more than two days by hour. `span_s` is how many seconds each of them spans."""

FAILURES: Final = {
    "system_error": "system_error",
    "rewrite_failure": "rewrite_failure",
    "empty_recall": "empty_recall",
    "poor_retrieval": "poor_retrieval",
    "over_refusal": "over_refusal",
    "hallucination": "hallucinated",
}
"""Failure class to its column in `minute_rates`, in the order of blame."""

SEEN: Final = "sum(traces) - sum(healthy_unseen)"
"""How many traces could have shown a failure: those that nobody could look at are no evidence of health."""


def filters(names: tuple[str, ...] = SEGMENTS) -> str:
    """Conditions for the variables of these names, each left out while its variable selects everything."""
    return " AND ".join(f"$__conditionalAll({name} IN (${{{name}:singlequote}}), ${name})" for name in names)


def where(time: str = "minute", names: tuple[str, ...] = SEGMENTS) -> str:
    """The condition that every panel has: the time shown, and the variables."""
    return f"$__timeFilter({time}) AND {filters(names)}"


def wilson(hits: str, of: str, *, upper: bool) -> str:
    """A bound of the Wilson score interval for a share (Wilson 1927), null where there is nothing to count.

    `hits` need not be whole: a sum of probabilities in 0..1 has at most the variance of a count, so the
    interval is wide enough for a mean of such numbers as well.
    """
    sign = "+" if upper else "-"
    k, n = f"toFloat64({hits})", f"toFloat64({of})"
    half = f"{Z} * sqrt({k} * ({n} - {k}) / {n} + {Z * Z / 4:.4f})"
    bound = f"(({k} + {Z * Z / 2:.4f}) {sign} {half}) / ({n} + {Z * Z:.4f})"
    return f"if({n} > 0, round({bound}, 9), NULL)"


def share(hits: str, of: str) -> str:
    """A share, null where there is nothing to count."""
    return f"if({of} > 0, {hits} / ({of}), NULL)"


def banded(hits: str, of: str, name: str, *, source: str = RATES, condition: str | None = None) -> str:
    """A time series `name` with its bounds `low` and `high`."""
    hits, of = f"({hits})", f"({of})"
    return f"""SELECT
    $__timeInterval(minute) AS time,
    {wilson(hits, of, upper=False)} AS low,
    {share(hits, of)} AS "{name}",
    {wilson(hits, of, upper=True)} AS high
FROM {source}
WHERE {condition or where()}
GROUP BY time
ORDER BY time"""


__all__ = [
    "FAILURES",
    "RATES",
    "RELEASES",
    "SEEN",
    "SEGMENTS",
    "Z",
    "banded",
    "filters",
    "share",
    "where",
    "wilson",
]
