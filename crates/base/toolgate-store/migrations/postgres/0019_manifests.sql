-- Nodes of the trees of manifests, under the digests of their bytes. A node that is written again is touched, so that nobody takes it
-- for one that is left over.
CREATE TABLE tree_nodes (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    digest        BYTEA  NOT NULL,
    bytes         BYTEA  NOT NULL,
    touched_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest)
);
-- Most of a node is digests, which cannot be made shorter.
ALTER TABLE tree_nodes ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Manifests. The digest is that of the document, which names the root of the tree.
CREATE TABLE manifests (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    digest        BYTEA  NOT NULL,
    root          BYTEA  NOT NULL,
    -- One more than the highest of its parents.
    generation    BIGINT NOT NULL,
    entries       BIGINT NOT NULL,
    bytes         BIGINT NOT NULL,
    document      TEXT   NOT NULL,
    created_at_ms BIGINT NOT NULL,
    -- When it was last created, which may have been more than once.
    touched_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, digest)
);
CREATE INDEX manifests_by_root ON manifests (tenant, root);

-- The parents of manifests, as their documents have them.
CREATE TABLE manifest_parents (
    tenant   TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    manifest BYTEA  NOT NULL,
    place    BIGINT NOT NULL,
    parent   BYTEA  NOT NULL,
    PRIMARY KEY (tenant, manifest, place)
);
CREATE INDEX manifest_parents_by_parent ON manifest_parents (tenant, parent);
