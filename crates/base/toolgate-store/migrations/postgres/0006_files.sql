-- Bytes that the storage of files holds, one row for each content. A row is touched before its bytes are written, and marked
-- before they are deleted; while it is marked, nobody writes them anew.
CREATE TABLE blobs (
    tenant            TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    digest            BYTEA  NOT NULL,
    bytes             BIGINT NOT NULL,
    touched_at_ms     BIGINT NOT NULL,
    deleting          BIGINT NOT NULL DEFAULT 0,
    -- Which gateway deletes them, and since when: if it dies, another one goes on after a while.
    deleting_by       TEXT,
    deleting_since_ms BIGINT,
    PRIMARY KEY (tenant, digest)
);
CREATE INDEX blobs_by_touch ON blobs (tenant, touched_at_ms) WHERE deleting = 0;
CREATE INDEX blobs_deleting ON blobs (tenant) WHERE deleting = 1;

-- Uploaded files. A row that is deleted or whose time is over is removed; the ledger tells of it.
CREATE TABLE files (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id            TEXT COLLATE "C" NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    media_type    TEXT   NOT NULL,
    bytes         BIGINT NOT NULL,
    digest        BYTEA  NOT NULL,
    owner         TEXT COLLATE "C" NOT NULL,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX files_by_time ON files (tenant, created_at_ms, id);
CREATE INDEX files_by_owner ON files (tenant, owner, created_at_ms, id);
CREATE INDEX files_by_digest ON files (tenant, digest);
CREATE INDEX files_by_expiry ON files (tenant, expires_at_ms) WHERE expires_at_ms IS NOT NULL;

-- Places for one upload each: `open`, then `claimed` while bytes come in, then `done`.
CREATE TABLE uploads (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id            TEXT COLLATE "C" NOT NULL,
    -- Of the key that opens it. The key itself is nowhere.
    secret_digest BYTEA  NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    owner         TEXT COLLATE "C" NOT NULL,
    session       TEXT COLLATE "C" NOT NULL,
    run           TEXT COLLATE "C",
    state         TEXT COLLATE "C" NOT NULL,
    file          TEXT,
    expires_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX uploads_by_expiry ON uploads (tenant, expires_at_ms);

-- What was taken out of results, and what servers keep under ids of their own. Such an id may be of any length: `own_key` is
-- its digest.
CREATE TABLE refs (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id            TEXT COLLATE "C" NOT NULL,
    media_type    TEXT   NOT NULL,
    bytes         BIGINT NOT NULL,
    digest        BYTEA,
    preview       TEXT   NOT NULL,
    principal     TEXT COLLATE "C" NOT NULL,
    session       TEXT COLLATE "C" NOT NULL,
    run           TEXT COLLATE "C",
    call          TEXT,
    tool          TEXT,
    server        TEXT,
    own           TEXT,
    own_key       BYTEA,
    uri           TEXT,
    created_at_ms BIGINT NOT NULL,
    expires_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX refs_by_own ON refs (tenant, own_key) WHERE own_key IS NOT NULL;
CREATE INDEX refs_by_digest ON refs (tenant, digest) WHERE digest IS NOT NULL;
CREATE INDEX refs_by_expiry ON refs (tenant, expires_at_ms);

-- What runs made, for good. A run has one artifact of each name.
CREATE TABLE artifacts (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    digest        BYTEA  NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    media_type    TEXT   NOT NULL,
    bytes         BIGINT NOT NULL,
    run           TEXT COLLATE "C",
    owner         TEXT COLLATE "C" NOT NULL,
    created_at_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX artifacts_of_run ON artifacts (tenant, run, name) WHERE run IS NOT NULL;
CREATE UNIQUE INDEX artifacts_of_nobody ON artifacts (tenant, owner, name, digest) WHERE run IS NULL;
CREATE INDEX artifacts_by_digest ON artifacts (tenant, digest);

-- The text that an extractor made of bytes, as bytes of their own. It lives as long as what it was made of.
CREATE TABLE extractions (
    tenant      TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    digest      BYTEA  NOT NULL,
    extractor   TEXT COLLATE "C" NOT NULL,
    text_digest BYTEA  NOT NULL,
    PRIMARY KEY (tenant, digest, extractor)
);
CREATE INDEX extractions_by_text ON extractions (tenant, text_digest);
