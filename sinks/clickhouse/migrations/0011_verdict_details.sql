-- What an opinion holds beyond the first columns. `role` tells the verdict on a trace from what single
-- members of a panel said on the way to it: rates and labels are made of verdicts.
ALTER TABLE verdicts {{on_cluster}}
    ADD COLUMN IF NOT EXISTS language LowCardinality(String) COMMENT 'of the rubric' AFTER rubric_version,
    ADD COLUMN IF NOT EXISTS role LowCardinality(String) DEFAULT 'verdict' COMMENT 'verdict, or opinion of one of a panel' AFTER language,
    ADD COLUMN IF NOT EXISTS context_precision Nullable(Float32) COMMENT 'average precision of the ranking' AFTER context_sufficiency,
    ADD COLUMN IF NOT EXISTS context_recall Nullable(Float32) AFTER context_precision,
    ADD COLUMN IF NOT EXISTS refusal_correct Nullable(Bool) AFTER refusal,
    ADD COLUMN IF NOT EXISTS parametric_leak Nullable(Bool) AFTER refusal_correct,
    ADD COLUMN IF NOT EXISTS ratings Map(LowCardinality(String), Int8) COMMENT '1 to 5 by name' AFTER parametric_leak,
    ADD COLUMN IF NOT EXISTS root_cause String CODEC(ZSTD(3)) AFTER rationale,
    ADD COLUMN IF NOT EXISTS suggested_fix String CODEC(ZSTD(3)) AFTER root_cause,
    ADD COLUMN IF NOT EXISTS truncated Array(LowCardinality(String)) COMMENT 'texts that were seen only in part' AFTER claims,
    ADD COLUMN IF NOT EXISTS not_measured Map(LowCardinality(String), String) COMMENT 'score to why it is null' AFTER truncated,
    ADD COLUMN IF NOT EXISTS measured_by Map(LowCardinality(String), String) COMMENT 'score to how it came about' AFTER not_measured,
    ADD COLUMN IF NOT EXISTS disagreement Nullable(Float32) COMMENT 'within the panel, 0 to 1' AFTER measured_by,
    ADD COLUMN IF NOT EXISTS failed Map(LowCardinality(String), String) COMMENT 'members of the panel without an opinion, and why' AFTER disagreement,
    ADD COLUMN IF NOT EXISTS served_by LowCardinality(String) COMMENT 'the model that the server says answered' AFTER failed,
    ADD COLUMN IF NOT EXISTS calls Nullable(Int64) COMMENT 'requests sent; 0 where all came from the cache' AFTER sample_reasons,
    ADD COLUMN IF NOT EXISTS error_detail String CODEC(ZSTD(3)) AFTER error;
