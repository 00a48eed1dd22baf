-- Names that lead to a manifest. A deleted one stays for its history, and its name is free again, unless it was a snapshot:
-- a name that was fixed never leads elsewhere.
CREATE TABLE pointers (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id            TEXT COLLATE "C" NOT NULL,
    namespace     TEXT COLLATE "C" NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    -- `bundle`, `corpus` or `snapshot`, for good.
    kind          TEXT   NOT NULL,
    -- The head. Nothing while it is empty.
    manifest      BYTEA,
    description   TEXT   NOT NULL,
    -- The number of its last move.
    version       BIGINT NOT NULL,
    created_by    TEXT   NOT NULL,
    created_at_ms BIGINT NOT NULL,
    moved_at_ms   BIGINT NOT NULL,
    deleted_at_ms BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX pointers_by_name ON pointers (tenant, namespace, name)
    WHERE deleted_at_ms IS NULL OR kind = 'snapshot';
CREATE INDEX pointers_of_name ON pointers (tenant, namespace, name, created_at_ms);
CREATE INDEX pointers_by_manifest ON pointers (tenant, manifest) WHERE manifest IS NOT NULL;

-- Every move of a pointer, in the transaction of the move and of its ledger event. Rows are added and never changed.
CREATE TABLE pointer_moves (
    tenant       TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    pointer      TEXT COLLATE "C" NOT NULL,
    version      BIGINT NOT NULL,
    -- `create`, `advance`, `promote`, `revert` or `delete`.
    operation    TEXT   NOT NULL,
    old_manifest BYTEA,
    new_manifest BYTEA,
    principal    TEXT   NOT NULL,
    call         TEXT,
    approval     TEXT,
    reason       TEXT   NOT NULL,
    at_ms        BIGINT NOT NULL,
    PRIMARY KEY (tenant, pointer, version)
);
CREATE INDEX pointer_moves_by_time ON pointer_moves (tenant, at_ms);
