"""What the sink says of itself."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from stream.telemetry.base import AGE_SECONDS, StreamMetrics


class SinkMetrics(StreamMetrics):
    """What the sink says of itself."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        super().__init__(registry)
        r = self.registry
        self.inserted = Counter(
            "ragpulse_rows_inserted", "Rows that ClickHouse confirmed", ["table"], registry=r
        )
        self.inserted_bytes = Counter("ragpulse_bytes_inserted", "Bytes of those rows", ["table"], registry=r)
        self.insert_failures = Counter(
            "ragpulse_insert_failures", "Inserts that failed and are tried again", ["kind"], registry=r
        )
        self.splits = Counter(
            "ragpulse_insert_splits", "Batches halved to find the row that is refused", registry=r
        )
        self.columns_left_out = Counter(
            "ragpulse_columns_left_out",
            "Columns of sampled rows that the table does not have (about one row a second is looked at)",
            ["table", "column"],
            registry=r,
        )
        self.rollup_minutes = Counter(
            "ragpulse_rollup_minutes", "Minutes computed anew from the traces", registry=r
        )
        self.sink_up = Gauge("ragpulse_sink_up", "1 while ClickHouse takes inserts", registry=r)
        self.publish_to_inserted = Histogram(
            "ragpulse_publish_to_inserted_seconds",
            "From the broker's timestamp of a row to its insert being confirmed, for up to 50 rows a batch",
            buckets=AGE_SECONDS,
            registry=r,
        )
