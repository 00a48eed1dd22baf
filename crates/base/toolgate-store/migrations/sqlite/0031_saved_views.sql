-- Filters of the list of calls that people keep under a name.
CREATE TABLE saved_views (
    tenant      TEXT    NOT NULL DEFAULT 'default',
    principal   TEXT    NOT NULL,
    name        TEXT    NOT NULL,
    -- The query of the list's address.
    query       TEXT    NOT NULL,
    saved_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, principal, name)
) STRICT;
