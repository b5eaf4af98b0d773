-- What `ragpulse watch` finds, and what on-call reads: rates with their intervals, releases, incidents.
--
-- A segment is a text such as `app=helpdesk,language=zh`: names sorted, values as they are; empty means all
-- traffic. The columns app, tenant and language repeat those parts of it, so that a variable can filter.

-- One row a window, segment and measure. `cheap_*` is what the scorer says of all traffic; `value`, `low` and
-- `high` are the estimate that verdicts correct where there are any (`method` says how), else the same.
CREATE TABLE IF NOT EXISTS rates {{on_cluster}}
(
    at DateTime('UTC') COMMENT 'end of the window',
    window_s UInt32,
    measure LowCardinality(String),
    segment String CODEC(ZSTD(1)),
    app LowCardinality(String),
    tenant LowCardinality(String),
    language LowCardinality(String),
    traces UInt64,
    measured UInt64,
    not_measured Map(LowCardinality(String), UInt64) COMMENT 'traces by coverage: why they are not measured',
    cheap_value Nullable(Float64),
    cheap_low Nullable(Float64),
    cheap_high Nullable(Float64),
    value Nullable(Float64),
    low Nullable(Float64),
    high Nullable(Float64),
    level Float64 COMMENT 'of the intervals, such as 0.95',
    method LowCardinality(String) COMMENT 'cheap, weighted, prediction_powered',
    judged UInt64,
    effective_n Float64 COMMENT 'independent traces that these are worth',
    baseline Nullable(Float64) COMMENT 'what is usual for the segment at this time of day',
    evidence Nullable(Float64) COMMENT 'logarithm of the wealth of the bet against the baseline',
    scorer_version LowCardinality(String),
    computed_at DateTime64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(computed_at)
PARTITION BY toYYYYMM(at)
ORDER BY (measure, segment, window_s, at);

-- From when on something ran that did not before: said by whoever released it, or seen in the traffic.
CREATE TABLE IF NOT EXISTS release_marks {{on_cluster}}
(
    at DateTime64(3, 'UTC'),
    app LowCardinality(String),
    part LowCardinality(String) COMMENT 'app, prompt, index, embedding_model, reranker, generator, scorer, or another',
    value String,
    previous String,
    source LowCardinality(String) COMMENT 'manual, detected',
    note String,
    made_by LowCardinality(String),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(inserted_at)
ORDER BY (app, part, value, at);

-- One row an incident; the newest state wins. None of it is the text of a trace.
CREATE TABLE IF NOT EXISTS incidents {{on_cluster}}
(
    incident_id String,
    status LowCardinality(String) COMMENT 'open, resolved, absorbed',
    severity LowCardinality(String) COMMENT 'page, ticket',
    kind LowCardinality(String) COMMENT 'change, objective, budget',
    measure LowCardinality(String),
    segment String,
    app LowCardinality(String),
    tenant LowCardinality(String),
    language LowCardinality(String),
    onset DateTime64(3, 'UTC') COMMENT 'when it began, as far as the traces tell',
    detected_at DateTime64(3, 'UTC'),
    resolved_at Nullable(DateTime64(3, 'UTC')),
    baseline Nullable(Float64),
    value Nullable(Float64),
    low Nullable(Float64),
    high Nullable(Float64),
    traces UInt64 COMMENT 'of the segment, from the onset until it was last looked at',
    evidence Float64 COMMENT 'logarithm of the wealth of the bet against the baseline',
    parent String COMMENT 'the incident that this one is part of',
    explained_by String COMMENT 'the segment that carries the change',
    release String COMMENT 'the mark nearest before the onset, such as index=kb-42',
    summary String CODEC(ZSTD(3)),
    explanation String CODEC(ZSTD(3)) COMMENT 'JSON: the split by segment, release marks, what was absorbed',
    cases Array(String) COMMENT 'trace_ids of the worst cases, the worst first',
    notifications UInt32,
    notified_at Nullable(DateTime64(3, 'UTC')),
    updated_at DateTime64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(updated_at)
ORDER BY incident_id;
