-- Credentials for sites outside, which agents use by handle. An erased one keeps its row for a while, so that a use of it can be
-- told what became of it.
CREATE TABLE credentials (
    tenant          TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id              TEXT COLLATE "C" NOT NULL,
    name            TEXT COLLATE "C" NOT NULL,
    -- Scheme, host and port. It never changes, and the values are sealed together with it.
    origin          TEXT COLLATE "C" NOT NULL,
    -- Lists of texts as JSON: who may use it, and which servers may get it.
    users           TEXT COLLATE "C" NOT NULL,
    servers         TEXT COLLATE "C" NOT NULL,
    created_by      TEXT COLLATE "C" NOT NULL,
    created_at_ms   BIGINT NOT NULL,
    expires_at_ms   BIGINT,
    last_used_at_ms BIGINT,
    erased_at_ms    BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX credentials_by_name ON credentials (tenant, name, id) WHERE erased_at_ms IS NULL;

-- A field has a value that is sealed with a key that is not in this database, or the name of a secret of the gateway's own.
CREATE TABLE credential_fields (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    credential    TEXT COLLATE "C" NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    sealed        BYTEA,
    secret        TEXT COLLATE "C",
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, credential, name)
);

-- The sessions that have used a credential.
CREATE TABLE credential_uses (
    tenant      TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    credential  TEXT COLLATE "C" NOT NULL,
    session     TEXT COLLATE "C" NOT NULL,
    first_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, credential, session)
);
CREATE INDEX credential_uses_by_age ON credential_uses (tenant, first_at_ms);
