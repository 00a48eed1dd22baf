-- Until when a token lets somebody in, who made it, and when it last did.
ALTER TABLE tokens ADD COLUMN expires_at_ms BIGINT;
ALTER TABLE tokens ADD COLUMN created_by TEXT COLLATE "C";
ALTER TABLE tokens ADD COLUMN used_at_ms BIGINT;

-- One word for each state of an approval, as people and programs read it. The ledger keeps what it was told.
UPDATE approvals SET state = 'denied' WHERE state = 'rejected';
UPDATE approvals SET state = 'used' WHERE state = 'consumed';
