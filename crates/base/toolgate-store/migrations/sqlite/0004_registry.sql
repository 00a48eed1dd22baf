-- Since when a server has been as it is, and how each of its instances does (a JSON array).
ALTER TABLE server_statuses ADD COLUMN since_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE server_statuses ADD COLUMN instances TEXT NOT NULL DEFAULT '[]';
UPDATE server_statuses SET since_ms = updated_at_ms;

-- Counts the changes of each topic, in the same transaction as the change: what other processes look at, and what those
-- who change a topic lock first.
CREATE TABLE revisions (
    tenant   TEXT   NOT NULL DEFAULT 'default',
    topic    TEXT   NOT NULL,
    revision BIGINT NOT NULL,
    PRIMARY KEY (tenant, topic)
);
INSERT INTO revisions (topic, revision) VALUES ('settings', 0), ('registrations', 0), ('tools', 0), ('vault', 0);

-- What was pinned of each tool, what its server offers instead, and where that leaves it. A server may call a tool
-- whatever it likes, at any length: `key` is the digest of the canonical name, and `own` is the server's name for it as a
-- JSON text.
CREATE TABLE registry_tools (
    tenant            TEXT   NOT NULL DEFAULT 'default',
    key               TEXT   NOT NULL,
    server            TEXT   NOT NULL,
    own               TEXT   NOT NULL,
    status            TEXT   NOT NULL,
    reason            TEXT,
    pinned            TEXT   NOT NULL,
    pinned_version    BLOB   NOT NULL,
    candidate         TEXT,
    candidate_version BLOB,
    findings          TEXT   NOT NULL,
    rejected          BLOB,
    first_seen_ms     BIGINT NOT NULL,
    last_seen_ms      BIGINT NOT NULL,
    reviewed_by       TEXT,
    reviewed_at_ms    BIGINT,
    changes           BIGINT NOT NULL,
    changes_since_ms  BIGINT NOT NULL,
    -- What is said about the tool, as JSON. Nothing is decided by it.
    traits            TEXT   NOT NULL,
    -- Counts the changes of this row.
    row_version       BIGINT NOT NULL,
    PRIMARY KEY (tenant, key)
);
CREATE INDEX registry_tools_by_server ON registry_tools (tenant, server);

-- When each server was last read to the end: all its tools that are not retired were seen then.
CREATE TABLE registry_readings (
    tenant  TEXT   NOT NULL DEFAULT 'default',
    server  TEXT   NOT NULL,
    read_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, server)
);

-- Servers that registered themselves. They stay when their last instance has left.
CREATE TABLE registered_servers (
    tenant              TEXT   NOT NULL DEFAULT 'default',
    server              TEXT   NOT NULL,
    first_registered_ms BIGINT NOT NULL,
    settings            TEXT   NOT NULL DEFAULT '{}',
    PRIMARY KEY (tenant, server)
);

-- Their instances. `beat` changes with each sign of life; there is no time in it, because every gateway measures by its
-- own clock for how long it has not changed.
CREATE TABLE instances (
    tenant           TEXT   NOT NULL DEFAULT 'default',
    server           TEXT   NOT NULL,
    instance         TEXT   NOT NULL,
    url              TEXT   NOT NULL,
    version          TEXT,
    concurrency_max  BIGINT,
    lease_ms         BIGINT NOT NULL,
    extras           TEXT   NOT NULL,
    registered_at_ms BIGINT NOT NULL,
    beat             BIGINT NOT NULL,
    PRIMARY KEY (tenant, server, instance)
);

-- What operators set while the gateway runs, each value as JSON.
CREATE TABLE settings (
    tenant        TEXT   NOT NULL DEFAULT 'default',
    key           TEXT   NOT NULL,
    value         TEXT   NOT NULL,
    version       BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    updated_by    TEXT   NOT NULL,
    PRIMARY KEY (tenant, key)
);

-- Secrets for servers, sealed with a key that is not in this database. An empty principal is everybody.
CREATE TABLE vault (
    tenant        TEXT   NOT NULL DEFAULT 'default',
    server        TEXT   NOT NULL,
    principal     TEXT   NOT NULL DEFAULT '',
    name          TEXT   NOT NULL,
    sealed        BLOB   NOT NULL,
    created_at_ms BIGINT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, server, principal, name)
);
