-- What could not be read or stored, without the bytes (those stay on the dead letter topic).
-- Keyed by the original message, so that a dead letter written twice counts once: read with FINAL.
CREATE TABLE IF NOT EXISTS dead_letters {{on_cluster}}
(
    reason LowCardinality(String),
    detail String CODEC(ZSTD(3)),
    topic LowCardinality(String),
    partition Int32,
    offset Int64,
    timestamp DateTime64(3, 'UTC') COMMENT 'of the original message',
    size UInt64 COMMENT 'bytes of the original message',
    by LowCardinality(String) COMMENT 'which process gave up on it',
    died_at DateTime64(3, 'UTC') COMMENT 'when it was given up',
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(died_at)
PARTITION BY toYYYYMM(inserted_at)
ORDER BY (topic, partition, offset, timestamp, reason)
SETTINGS non_replicated_deduplication_window = 1000;
