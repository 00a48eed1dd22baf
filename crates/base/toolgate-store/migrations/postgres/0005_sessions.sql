-- A token may be bound to an agent definition, or be the one that a session is reached with.
ALTER TABLE tokens ADD COLUMN agent TEXT;
ALTER TABLE tokens ADD COLUMN session TEXT COLLATE "C";
CREATE INDEX tokens_by_session ON tokens (tenant, session) WHERE session IS NOT NULL;

INSERT INTO revisions (topic, revision) VALUES ('sessions', 0);

-- Sessions, never deleted: the ledger names them. Those of kind `default` are what a credential has that brings none; they
-- are never closed.
CREATE TABLE sessions (
    tenant           TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id               TEXT COLLATE "C" NOT NULL,
    kind             TEXT COLLATE "C" NOT NULL,
    principal        TEXT COLLATE "C" NOT NULL,
    -- All that is known of the principal, as JSON.
    identity         TEXT   NOT NULL,
    agent            TEXT COLLATE "C" NOT NULL,
    agent_version    BYTEA  NOT NULL,
    -- What it lets its holder see, frozen, as JSON.
    scope            TEXT   NOT NULL,
    -- What the agent's definition lets it touch, and what was asked for in addition, as JSON.
    base_mounts      TEXT   NOT NULL,
    mounts           TEXT   NOT NULL,
    task             TEXT,
    run              TEXT,
    opened_by        TEXT   NOT NULL,
    state            TEXT COLLATE "C" NOT NULL,
    closed_reason    TEXT,
    closed_at_ms     BIGINT,
    created_at_ms    BIGINT NOT NULL,
    last_used_at_ms  BIGINT NOT NULL,
    idle_seconds     BIGINT NOT NULL,
    lifetime_seconds BIGINT,
    -- Counts the changes of this row.
    row_version      BIGINT NOT NULL,
    -- The revision of the topic `sessions` at the last of them.
    revision         BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX sessions_by_time ON sessions (tenant, created_at_ms, id);
CREATE INDEX sessions_by_principal ON sessions (tenant, principal, created_at_ms);
CREATE INDEX sessions_by_revision ON sessions (tenant, revision);
CREATE INDEX sessions_open ON sessions (tenant, agent) WHERE state = 'open' AND kind = 'explicit';

-- Every version of an agent definition that was ever in effect.
CREATE TABLE agent_versions (
    tenant           TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    agent            TEXT COLLATE "C" NOT NULL,
    number           BIGINT NOT NULL,
    digest           BYTEA  NOT NULL,
    definition       TEXT   NOT NULL,
    first_seen_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, agent, number),
    UNIQUE (tenant, agent, digest)
);
