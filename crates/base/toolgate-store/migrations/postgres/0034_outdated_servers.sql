-- What the registries that servers came from have instead. A server that is up to date has no row.
CREATE TABLE outdated_servers (
    tenant      TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    server      TEXT COLLATE "C" NOT NULL,
    -- The version that the server was added from.
    version     TEXT COLLATE "C" NOT NULL,
    state       TEXT COLLATE "C" NOT NULL,
    -- The latest version in the registry; empty if it has none.
    latest      TEXT COLLATE "C" NOT NULL,
    found_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, server)
);
