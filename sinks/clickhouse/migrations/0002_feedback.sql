-- What users said of an answer after its trace was published (or before it arrived).
-- The last word on a trace wins.
CREATE TABLE IF NOT EXISTS feedback {{on_cluster}}
(
    trace_id String CODEC(ZSTD(1)),
    timestamp DateTime64(3, 'UTC'),
    received_at DateTime64(3, 'UTC'),
    rating Nullable(Int8),
    comment Nullable(String) CODEC(ZSTD(3)),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC'),
    kept_from DateTime('UTC') MATERIALIZED if(
        received_at >= '2020-01-01 00:00:00' AND received_at <= inserted_at + INTERVAL 1 DAY,
        received_at,
        inserted_at
    ),
    INDEX by_inserted_at inserted_at TYPE minmax GRANULARITY 1
)
ENGINE = {{replicated}}ReplacingMergeTree(received_at)
PARTITION BY toYYYYMM(kept_from)
ORDER BY trace_id
SETTINGS non_replicated_deduplication_window = 1000;

-- Each trace once, with the last feedback known: the late one, else the one it came with.
CREATE OR REPLACE VIEW traces_with_feedback {{on_cluster}} AS
SELECT
    trace.* EXCEPT (feedback_rating, feedback_comment),
    late.trace_id != '' AS feedback_was_late,
    if(feedback_was_late, late.rating, trace.feedback_rating) AS feedback_rating,
    if(feedback_was_late, late.comment, trace.feedback_comment) AS feedback_comment
FROM traces AS trace FINAL
LEFT JOIN (SELECT trace_id, rating, comment FROM feedback FINAL) AS late ON late.trace_id = trace.trace_id;
