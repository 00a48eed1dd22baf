-- Every table has its tenant, so that one database can later hold several.

-- Tokens are never deleted: a revoked one still explains who it was. `hash` is the SHA-256 of the secret.
CREATE TABLE tokens (
    tenant        TEXT   NOT NULL DEFAULT 'default',
    id            TEXT   NOT NULL,
    hash          BLOB   NOT NULL,
    role          TEXT   NOT NULL,
    label         TEXT,
    created_at_ms BIGINT NOT NULL,
    revoked_at_ms BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX tokens_by_hash ON tokens (hash);

-- Keys the gateway made for itself.
CREATE TABLE secrets (
    tenant TEXT NOT NULL DEFAULT 'default',
    name   TEXT NOT NULL,
    value  BLOB NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- How a server was last found to speak, for the configuration with this fingerprint.
CREATE TABLE server_eras (
    tenant           TEXT NOT NULL DEFAULT 'default',
    server           TEXT NOT NULL,
    fingerprint      TEXT NOT NULL,
    era              TEXT NOT NULL,
    protocol_version TEXT NOT NULL,
    PRIMARY KEY (tenant, server)
);

-- How each server does, written by the gateway and read by the command line.
CREATE TABLE server_statuses (
    tenant           TEXT   NOT NULL DEFAULT 'default',
    server           TEXT   NOT NULL,
    health           TEXT   NOT NULL,
    reason           TEXT,
    era              TEXT,
    protocol_version TEXT,
    transport        TEXT,
    pid              BIGINT,
    restarts         BIGINT NOT NULL,
    tool_count       BIGINT NOT NULL,
    prompt_count     BIGINT NOT NULL,
    resource_count   BIGINT NOT NULL,
    updated_at_ms    BIGINT NOT NULL,
    PRIMARY KEY (tenant, server)
);

-- What each server listed last, as one JSON text with every definition byte for byte.
CREATE TABLE server_listings (
    tenant        TEXT   NOT NULL DEFAULT 'default',
    server        TEXT   NOT NULL,
    fingerprint   TEXT   NOT NULL,
    listing       BLOB   NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, server)
);

-- The last lines each server wrote to its standard error.
CREATE TABLE server_stderr (
    tenant        TEXT   NOT NULL DEFAULT 'default',
    server        TEXT   NOT NULL,
    lines         TEXT   NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, server)
);
