-- The form of a block's terms: 1 lacks those of decisions, which were common once. Searches go through such blocks.
ALTER TABLE ledger_blocks ADD COLUMN form BIGINT NOT NULL DEFAULT 1;
CREATE INDEX ledger_blocks_of_form_1 ON ledger_blocks (tenant, stream, block, day) WHERE form = 1;
