"""Releases: what changed with it? Each part of a release, value against value, language by language."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard

from grafana import parts
from grafana.queries import RATES, RELEASES, SEEN, SEGMENTS, filters, share, where, wilson

UID = "ragpulse-releases"


def build() -> dashboard.Dashboard:
    """Before and after, for whichever part of the release the variable names."""
    made = parts.board(
        UID,
        "ragpulse / Releases",
        "What changed with a release? Rates by value of one part of it. `ragpulse report release` compares "
        "two values with the mix of intents and languages held fixed.",
        names=(*SEGMENTS, *RELEASES),
        since="now-7d",
    )
    part = dashboard.CustomVariable("part").label("part of the release").values(",".join(RELEASES))
    made = made.with_variable(part.current(parts.option("release_index")))
    for panel in (
        _over_time("Hallucination rate", "sum(hallucination_decided)", "sum(hallucination_measured)"),
        _over_time("Over-refusal rate", "sum(over_refusal)", SEEN),
        _over_time("Poor retrieval", "sum(poor_retrieval)", SEEN),
        _over_time(
            "Traffic, traces a minute", "sum(traces)", "uniqExact(minute) * any(span_s) / 60", unit="short"
        ),
    ):
        made = made.with_panel(panel.span(12).height(8))
    return made.with_panel(_table().span(24).height(10)).with_panel(_marks().span(24).height(7))


def _over_time(title: str, hits: str, of: str, unit: str = "percentunit") -> parts.TimeSeries:
    text = f"""SELECT $__timeInterval(minute) AS time, ${{part:raw}} AS release,
    {share(f"({hits})", f"({of})")} AS value
FROM {RATES}
WHERE {where(names=(*SEGMENTS, *RELEASES))}
GROUP BY time, release
ORDER BY time"""
    return parts.chart(title, "One line a value of the chosen part.", parts.sql(text), unit=unit)


def _table() -> parts.Table:
    hits, of = "sum(hallucination_decided)", "sum(hallucination_measured)"
    text = f"""SELECT ${{part:raw}} AS release, language,
    min(minute) AS first, max(minute) AS last, sum(traces) AS "all traces",
    {share(hits, of)} AS hallucination,
    {wilson(hits, of, upper=False)} AS "from",
    {wilson(hits, of, upper=True)} AS "to",
    {share("sum(over_refusal)", f"({SEEN})")} AS "over refusal",
    {share("sum(poor_retrieval)", f"({SEEN})")} AS "poor retrieval",
    {share("sum(empty_recall)", f"({SEEN})")} AS "empty recall",
    {share("sum(faithfulness_sum)", "sum(faithfulness_measured)")} AS faithfulness
FROM {RATES}
WHERE {where(names=(*SEGMENTS, *RELEASES))}
GROUP BY release, language
ORDER BY last DESC, sum(traces) DESC
LIMIT 100"""
    panel = parts.rows(
        "Value against value",
        "By language, so that more traffic in one language is not taken for a change. From and to are "
        "the 95 % interval of the hallucination rate.",
        text,
    )
    shares = ["hallucination", "from", "to", "over refusal", "poor retrieval", "empty recall", "faithfulness"]
    return parts.as_shares(panel, shares)


def _marks() -> parts.Table:
    text = f"""SELECT at, app, part, previous, value, source, note, made_by
FROM release_marks FINAL
WHERE $__timeFilter(at) AND {filters(("app",))}
ORDER BY at DESC
LIMIT 100"""
    return parts.rows("Release marks", "Said by `ragpulse release mark`, or seen in the traffic.", text)


__all__ = ["UID", "build"]
