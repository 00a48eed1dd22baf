-- What the registries that servers came from have instead. A server that is up to date has no row.
CREATE TABLE outdated_servers (
    tenant      TEXT    NOT NULL DEFAULT 'default',
    server      TEXT    NOT NULL,
    -- The version that the server was added from.
    version     TEXT    NOT NULL,
    state       TEXT    NOT NULL,
    -- The latest version in the registry; empty if it has none.
    latest      TEXT    NOT NULL,
    found_at_ms INTEGER NOT NULL,
    PRIMARY KEY (tenant, server)
) STRICT;
