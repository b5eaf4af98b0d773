"""Pipeline: does ragpulse itself keep up? Lag, throughput, dead letters, latencies, from Prometheus."""

from __future__ import annotations

from grafana_foundation_sdk.builders import dashboard

from grafana import parts

UID = "ragpulse-pipeline"


def build() -> dashboard.Dashboard:
    """What the processes say of themselves."""
    made = parts.board(UID, "ragpulse / Pipeline", "Does ragpulse itself keep up?", names=(), since="now-1h")
    for panel in _panels():
        made = made.with_panel(panel.span(12).height(8))
    return made


def _panels() -> list[parts.TimeSeries]:
    return [
        parts.chart(
            "Lag",
            "Messages on the broker whose work is not done.",
            parts.prom("sum by (topic) (ragpulse_lag_messages)", "{{topic}}"),
            unit="short",
        ),
        parts.chart(
            "Throughput",
            "A second: messages read, traces scored, rows stored.",
            parts.prom("sum(rate(ragpulse_messages_received_total[1m]))", "messages read", "A"),
            parts.prom("sum(rate(ragpulse_traces_scored_total[1m]))", "traces scored", "B"),
            parts.prom('sum(rate(ragpulse_rows_inserted_total{table="traces"}[1m]))', "rows stored", "C"),
            unit="cps",
        ),
        parts.chart(
            "Publish to queryable, worker and sink",
            "Seconds, 50th and 99th percentile of each step.",
            parts.prom(_quantile(0.5, "ragpulse_publish_to_scored_seconds"), "scored, p50", "A"),
            parts.prom(_quantile(0.99, "ragpulse_publish_to_scored_seconds"), "scored, p99", "B"),
            parts.prom(_quantile(0.5, "ragpulse_publish_to_inserted_seconds"), "stored, p50", "C"),
            parts.prom(_quantile(0.99, "ragpulse_publish_to_inserted_seconds"), "stored, p99", "D"),
            unit="s",
        ),
        parts.chart(
            "Dead letters",
            "A minute, by reason.",
            parts.prom("sum by (reason) (rate(ragpulse_dead_letters_total[5m])) * 60", "{{reason}}"),
            unit="short",
        ),
        parts.chart(
            "Not measured",
            "Traces a second, by coverage.",
            parts.prom("sum by (coverage) (rate(ragpulse_traces_not_measured_total[5m]))", "{{coverage}}"),
            unit="cps",
        ),
        parts.chart(
            "Time a batch",
            "Seconds, 95th percentile by step.",
            parts.prom(
                "histogram_quantile(0.95, sum by (le, step) (rate(ragpulse_batch_seconds_bucket[5m])))",
                "{{step}}",
            ),
            unit="s",
        ),
        parts.chart(
            "In flight",
            "Messages in work or not yet confirmed; pauses are backpressure.",
            parts.prom("sum by (process) (ragpulse_in_flight_messages)", "{{process}}", "A"),
            parts.prom("sum(rate(ragpulse_pauses_total[5m])) * 60", "pauses a minute", "B"),
            unit="short",
        ),
        parts.chart(
            "Is ClickHouse taking inserts",
            "1 while it does.",
            parts.prom("min(ragpulse_sink_up)", "sink"),
            unit="short",
        ),
        parts.chart(
            "Failed inserts and commits",
            "A minute.",
            parts.prom(
                "sum by (kind) (rate(ragpulse_insert_failures_total[5m])) * 60", "insert, {{kind}}", "A"
            ),
            parts.prom('sum(rate(ragpulse_commits_total{result="failed"}[5m])) * 60', "commit", "B"),
            unit="short",
        ),
        parts.chart(
            "Memory and processor",
            "Resident bytes, and cores in use, by process.",
            parts.prom("sum by (process) (process_resident_memory_bytes)", "memory {{process}}"),
            unit="bytes",
        ),
        parts.chart(
            "Scorers",
            "Which scorer the workers run, and changes of it.",
            parts.prom("sum by (scorer) (ragpulse_build)", "{{scorer}}", "A"),
            parts.prom(
                "sum by (outcome) (increase(ragpulse_scorer_swaps_total[10m]))", "swap {{outcome}}", "B"
            ),
            unit="short",
        ),
        parts.chart(
            "Rebalances and losses",
            "Changes of ownership, and what retention deleted unread, in ten minutes.",
            parts.prom("sum by (event) (increase(ragpulse_rebalances_total[10m]))", "{{event}}", "A"),
            parts.prom("sum(increase(ragpulse_lost_by_retention_total[10m]))", "lost by retention", "B"),
            unit="short",
        ),
    ]


def _quantile(which: float, metric: str) -> str:
    return f"histogram_quantile({which}, sum by (le) (rate({metric}_bucket[5m])))"


__all__ = ["UID", "build"]
