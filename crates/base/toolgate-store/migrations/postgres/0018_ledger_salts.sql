-- What hides a body behind the commitment that events name in place of its digest. Bodies of the ledger's first form have none:
-- there `digest` is that of the body.
ALTER TABLE ledger_bodies ADD COLUMN salt BYTEA;

-- Counts erasures. A writer that sees another number than before makes new commitments, so that what was erased does not come
-- back under the old one.
ALTER TABLE ledger_heads ADD COLUMN erasures BIGINT NOT NULL DEFAULT 0;
