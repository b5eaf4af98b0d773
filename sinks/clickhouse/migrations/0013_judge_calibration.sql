-- How far each judge agrees with people, how it does on the probe set, and which sheets went to annotators.
--
-- * `judge_calibration` keeps every measurement; the newest of a judge, model, rubric, language and measure
--   counts. Language '' is over all of them.
-- * `judge_probes` keeps every answer to every probe. Runs are compared from the newest one on that
--   `begins_baseline`.
-- * `calibration_sheets` says with which probability each item was drawn, so that agreement on a sheet can be
--   weighted back to the traffic. What annotators get holds none of it.
CREATE TABLE IF NOT EXISTS judge_calibration {{on_cluster}}
(
    judge LowCardinality(String),
    model LowCardinality(String),
    rubric LowCardinality(String),
    rubric_version LowCardinality(String),
    language LowCardinality(String) COMMENT 'of the traces; nothing: all of them',
    measure LowCardinality(String) COMMENT 'what was compared: hallucination, failure, …',
    n UInt32 COMMENT 'traces with a label and a verdict',
    kappa Nullable(Float32),
    low Nullable(Float32),
    high Nullable(Float32),
    raw Nullable(Float32) COMMENT 'share of the same answers',
    ac1 Nullable(Float32),
    traffic_kappa Nullable(Float32) COMMENT 'weighted back by the probabilities of sample and sheet',
    reason LowCardinality(String) COMMENT 'why kappa is null, or why it does not count',
    min_kappa Float32,
    min_labels UInt32,
    calibrated Bool,
    at DateTime64(3, 'UTC'),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(inserted_at)
ORDER BY (judge, model, rubric, rubric_version, measure, language, at);

CREATE TABLE IF NOT EXISTS judge_probes {{on_cluster}}
(
    run String,
    at DateTime64(3, 'UTC') COMMENT 'when the run began',
    judge LowCardinality(String),
    model LowCardinality(String) COMMENT 'that was asked for',
    served_by LowCardinality(String) COMMENT 'that the server says answered',
    rubric LowCardinality(String),
    rubric_version LowCardinality(String),
    probe_set LowCardinality(String) COMMENT 'version of the probe set',
    begins_baseline Bool COMMENT 'later runs are compared from here on',
    probe LowCardinality(String),
    language LowCardinality(String),
    expected LowCardinality(String),
    said LowCardinality(String) COMMENT 'nothing where the judge did not say',
    faithfulness Nullable(Float32),
    hallucination Nullable(Float32),
    error LowCardinality(String) COMMENT 'why there is no answer',
    cost_usd Nullable(Float64),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(inserted_at)
PARTITION BY toYYYYMM(at)
ORDER BY (judge, model, rubric, rubric_version, at, run, probe);

CREATE TABLE IF NOT EXISTS calibration_sheets {{on_cluster}}
(
    sheet String,
    item String COMMENT 'as it stands on the sheet',
    trace_id String,
    timestamp DateTime64(3, 'UTC') COMMENT 'of the trace',
    app LowCardinality(String),
    tenant LowCardinality(String),
    language LowCardinality(String),
    stratum LowCardinality(String),
    probability Float64 COMMENT 'with which a trace of this stratum was drawn',
    drawn_at DateTime64(3, 'UTC'),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3, 'UTC')
)
ENGINE = {{replicated}}ReplacingMergeTree(drawn_at)
ORDER BY (sheet, item);

ALTER TABLE annotations {{on_cluster}}
    ADD COLUMN IF NOT EXISTS ratings Map(LowCardinality(String), Int8) COMMENT '1 to 5 by name' AFTER refusal;
