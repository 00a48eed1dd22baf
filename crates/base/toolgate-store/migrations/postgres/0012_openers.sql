-- The token that opened the session whose token this is. Where it is revoked, the session and its token end.
ALTER TABLE tokens ADD COLUMN opener TEXT;
CREATE INDEX tokens_by_opener ON tokens (tenant, opener) WHERE opener IS NOT NULL AND revoked_at_ms IS NULL;
