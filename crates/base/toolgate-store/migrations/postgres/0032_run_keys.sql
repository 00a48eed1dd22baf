-- Runs that their creator made under a key of their own: asked for again under it, the same run is found.
CREATE TABLE run_keys (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    created_by    TEXT COLLATE "C" NOT NULL,
    run_key       TEXT COLLATE "C" NOT NULL,
    run           TEXT COLLATE "C" NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, created_by, run_key)
);
