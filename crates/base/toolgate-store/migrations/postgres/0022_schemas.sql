-- Names of schemas. Whoever registers or promotes a version holds the row of its name, so versions are numbered without a gap and one of
-- them is active at most. The type and the compatibility belong to the name.
CREATE TABLE schema_names (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    namespace     TEXT COLLATE "C" NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    mode          TEXT COLLATE "C" NOT NULL,
    -- How many versions there are.
    versions      BIGINT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, namespace, name)
);

-- Versions of schemas: `draft`, then `active`, then `deprecated` or `superseded`. None is deleted, and no definition changes.
CREATE TABLE schemas (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    namespace      TEXT COLLATE "C" NOT NULL,
    name           TEXT COLLATE "C" NOT NULL,
    version        BIGINT NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    -- Those of the name.
    kind           TEXT COLLATE "C" NOT NULL,
    mode           TEXT COLLATE "C" NOT NULL,
    state          TEXT COLLATE "C" NOT NULL,
    -- Of the definition with sorted members.
    digest         BYTEA  NOT NULL,
    definition     TEXT   NOT NULL,
    description    TEXT,
    created_by     TEXT   NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    state_by       TEXT   NOT NULL,
    state_since_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, namespace, name, version)
);
CREATE UNIQUE INDEX schemas_by_id ON schemas (tenant, id);
CREATE UNIQUE INDEX schemas_by_content ON schemas (tenant, namespace, name, digest);
CREATE UNIQUE INDEX schemas_active ON schemas (tenant, namespace, name) WHERE state = 'active';
CREATE INDEX schemas_by_time ON schemas (tenant, created_at_ms, id);
