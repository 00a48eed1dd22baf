-- Filters of the list of calls that people keep under a name.
CREATE TABLE saved_views (
    tenant      TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    principal   TEXT COLLATE "C" NOT NULL,
    name        TEXT COLLATE "C" NOT NULL,
    -- The query of the list's address.
    query       TEXT COLLATE "C" NOT NULL,
    saved_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, principal, name)
);
