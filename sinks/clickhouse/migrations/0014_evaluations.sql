-- What evaluators said of a trace after it was published, in the words of other tools: Langfuse scores,
-- OpenTelemetry's evaluation events. Users' feedback is in `feedback`. One row a trace, name and source;
-- the last one wins.
CREATE TABLE IF NOT EXISTS evaluations {{on_cluster}}
(
    trace_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC'),
    name String,
    source LowCardinality(String),
    score Nullable(Float64),
    label Nullable(String),
    comment Nullable(String) CODEC(ZSTD(3)),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    kept_from DateTime('UTC') MATERIALIZED if(
        received_at >= '2020-01-01 00:00:00' AND received_at <= inserted_at + INTERVAL 1 DAY,
        received_at,
        inserted_at
    )
)
ENGINE = {{replicated}}ReplacingMergeTree(received_at)
PARTITION BY toYYYYMM(kept_from)
ORDER BY (trace_id, name, source)
SETTINGS non_replicated_deduplication_window = 1000;

-- All of them: those that came with their trace (for as long as its texts are kept), and those that came late.
CREATE OR REPLACE VIEW trace_evaluations {{on_cluster}} AS
SELECT trace_id, timestamp, name, source, score, label, comment, true AS was_late
FROM evaluations FINAL
UNION ALL
SELECT
    trace_id,
    timestamp,
    JSONExtractString(said, 'name') AS name,
    JSONExtractString(said, 'source') AS source,
    if(JSONType(said, 'score') = 'Bool', toFloat64(JSONExtractBool(said, 'score')),
       JSONExtract(said, 'score', 'Nullable(Float64)')) AS score,
    JSONExtract(said, 'label', 'Nullable(String)') AS label,
    JSONExtract(said, 'comment', 'Nullable(String)') AS comment,
    false AS was_late
FROM
(
    SELECT trace_id, timestamp, arrayJoin(JSONExtractArrayRaw(extra, 'evaluations')) AS said
    FROM traces FINAL
    WHERE position(extra, '"evaluations"') > 0
);
