-- A token may belong to somebody who has several, and to groups whose word a gate may ask for.
ALTER TABLE tokens ADD COLUMN principal TEXT;
ALTER TABLE tokens ADD COLUMN kind TEXT NOT NULL DEFAULT 'human';
-- A JSON array of names.
ALTER TABLE tokens ADD COLUMN groups TEXT NOT NULL DEFAULT '[]';
UPDATE tokens SET kind = 'agent' WHERE role = 'agent';

-- People's word on one exact call. `body` is all of it as JSON; the other columns are what it is looked up by.
CREATE TABLE approvals (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id             TEXT COLLATE "C" NOT NULL,
    state          TEXT COLLATE "C" NOT NULL,
    principal      TEXT COLLATE "C" NOT NULL,
    tool           TEXT COLLATE "C" NOT NULL,
    -- The digest of principal, tool, version of the tool, proposed arguments and version of the policy.
    binding        TEXT COLLATE "C" NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    expires_at_ms  BIGINT NOT NULL,
    resolved_at_ms BIGINT,
    -- Counts the changes.
    version        BIGINT NOT NULL,
    body           TEXT   NOT NULL,
    PRIMARY KEY (tenant, id)
);
-- Identical calls join one approval.
CREATE UNIQUE INDEX approvals_open ON approvals (tenant, binding) WHERE state IN ('pending', 'approved');
CREATE INDEX approvals_due ON approvals (tenant, expires_at_ms) WHERE state IN ('pending', 'approved');
CREATE INDEX approvals_by_state ON approvals (tenant, state, id);

-- What need not be asked again.
CREATE TABLE grants (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id            TEXT COLLATE "C" NOT NULL,
    principal     TEXT COLLATE "C" NOT NULL,
    tool          TEXT COLLATE "C" NOT NULL,
    tool_version  TEXT   NOT NULL,
    -- The approval it came from; one gives one at most.
    approval      TEXT COLLATE "C" NOT NULL,
    expires_at_ms BIGINT NOT NULL,
    revoked_at_ms BIGINT,
    -- NULL is no limit.
    uses_left     BIGINT,
    body          TEXT   NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX grants_by_principal ON grants (tenant, principal);
CREATE UNIQUE INDEX grants_by_approval ON grants (tenant, approval);
