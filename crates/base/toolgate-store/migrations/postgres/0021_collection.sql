-- Manifests that are kept although no pointer, move or run leads to them.
CREATE TABLE pins (
    tenant    TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    manifest  BYTEA NOT NULL,
    principal TEXT COLLATE "C" NOT NULL,
    reason    TEXT   NOT NULL,
    at_ms     BIGINT NOT NULL,
    PRIMARY KEY (tenant, manifest, principal)
);
CREATE INDEX pins_by_principal ON pins (tenant, principal, at_ms);

-- The collection of a tenant: whose turn it is, and which marks count. A generation lasts as long as no root goes away; marks of an
-- earlier one say nothing.
CREATE TABLE collections (
    tenant          TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    generation      BIGINT NOT NULL,
    -- Counts the looks for roots.
    round           BIGINT NOT NULL,
    -- 1 once everything that the roots reach is marked. A collection that ended before that begins a new generation.
    is_whole        BIGINT NOT NULL,
    holder          TEXT   NOT NULL,
    leased_until_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant)
);

-- The manifests that a collection begins with, and the last round that found them.
CREATE TABLE collection_roots (
    tenant TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    digest BYTEA NOT NULL,
    round  BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest)
);

-- What was reached, and in which generation. `kind` is 1 for a manifest, 2 for a node, 3 for an artifact.
CREATE TABLE collection_marks (
    tenant     TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    kind       BIGINT NOT NULL,
    digest     BYTEA NOT NULL,
    generation BIGINT NOT NULL,
    PRIMARY KEY (tenant, kind, digest)
);
