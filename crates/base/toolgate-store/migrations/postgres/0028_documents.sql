-- Documents as DocIR: once for each content, parser and tier. A row lives as long as the bytes that it was made of, and keeps the DocIR.
CREATE TABLE parsed_documents (
    tenant     TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    artifact   BYTEA NOT NULL,
    parser     TEXT COLLATE "C" NOT NULL,
    tier       TEXT COLLATE "C" NOT NULL,
    docir      BYTEA NOT NULL,
    -- The media type that the bytes have.
    media_type TEXT NOT NULL,
    pages      BIGINT NOT NULL,
    items      BIGINT NOT NULL,
    tables     BIGINT NOT NULL,
    -- In millionths.
    confidence BIGINT NOT NULL,
    -- As JSON.
    warnings   TEXT NOT NULL,
    at_ms      BIGINT NOT NULL,
    PRIMARY KEY (tenant, artifact, parser, tier)
);
CREATE INDEX parsed_documents_by_docir ON parsed_documents (tenant, docir);

-- Work that takes long: `queued`, `running`, then `done` or `failed`. A gateway works on a row while it has the lease; afterwards any
-- other one takes it up.
CREATE TABLE platform_work (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id             TEXT COLLATE "C" NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL,
    -- Of one kind and key, one row is open at most.
    key            TEXT COLLATE "C" NOT NULL,
    -- As JSON.
    input          TEXT NOT NULL,
    run            TEXT COLLATE "C" NOT NULL,
    -- Who asked for it, and where.
    principal      TEXT NOT NULL,
    session        TEXT,
    asked_in_run   TEXT,
    asked_by_call  TEXT,
    state          TEXT COLLATE "C" NOT NULL,
    -- The ledger stream of the gateway that has the lease.
    holder         TEXT COLLATE "C",
    lease_until_ms BIGINT NOT NULL,
    attempts       BIGINT NOT NULL,
    done           BIGINT NOT NULL,
    total          BIGINT NOT NULL,
    -- As JSON, once it has ended.
    result         TEXT,
    created_at_ms  BIGINT NOT NULL,
    updated_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX platform_work_open ON platform_work (tenant, kind, key) WHERE state = 'queued' OR state = 'running';
CREATE INDEX platform_work_due ON platform_work (tenant, created_at_ms, id) WHERE state = 'queued' OR state = 'running';
CREATE INDEX platform_work_by_time ON platform_work (tenant, created_at_ms, id);
CREATE INDEX platform_work_by_run ON platform_work (tenant, run);

-- The index that was built of one state of a pointer with one version of a profile: a state that comes back finds its index.
CREATE TABLE index_builds (
    tenant          TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    namespace       TEXT COLLATE "C" NOT NULL,
    name            TEXT COLLATE "C" NOT NULL,
    profile         TEXT COLLATE "C" NOT NULL,
    profile_version BIGINT NOT NULL,
    engine          TEXT COLLATE "C" NOT NULL,
    source_manifest BYTEA NOT NULL,
    index_manifest  BYTEA NOT NULL,
    documents       BIGINT NOT NULL,
    chunks          BIGINT NOT NULL,
    -- Those that are named, as JSON, and the count of all.
    problems        TEXT NOT NULL,
    problem_count   BIGINT NOT NULL,
    run             TEXT,
    at_ms           BIGINT NOT NULL,
    PRIMARY KEY (tenant, namespace, name, profile, profile_version, engine, source_manifest)
);
CREATE INDEX index_builds_by_time ON index_builds (tenant, namespace, name, at_ms);

-- The version of a profile that counts. One without a row has the version that the gateway brings along.
CREATE TABLE index_profiles (
    tenant  TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    name    TEXT COLLATE "C" NOT NULL,
    version BIGINT NOT NULL,
    -- Of the profile itself.
    digest  BYTEA NOT NULL,
    set_by  TEXT NOT NULL,
    at_ms   BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- Governed sets of pointers with a profile and a manner.
CREATE TABLE knowledge_bases (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id            TEXT COLLATE "C" NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    title         TEXT,
    description   TEXT,
    -- Namespaces and names, as JSON.
    pointers      TEXT NOT NULL,
    profile       TEXT NOT NULL,
    manner        TEXT NOT NULL,
    version       BIGINT NOT NULL,
    created_by    TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    changed_by    TEXT NOT NULL,
    changed_at_ms BIGINT NOT NULL,
    -- It is kept, for those who ask what answered them.
    deleted_at_ms BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX knowledge_bases_by_name ON knowledge_bases (tenant, name) WHERE deleted_at_ms IS NULL;
CREATE INDEX knowledge_bases_by_time ON knowledge_bases (tenant, created_at_ms, id);
