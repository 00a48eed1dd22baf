-- Every definition that a tool was seen with, as its server gave it; that of a tool which never changed is in its row alone.
-- `key` is that of `registry_tools`.
CREATE TABLE tool_versions (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    key           TEXT COLLATE "C" NOT NULL,
    version       BYTEA   NOT NULL,
    definition    TEXT   NOT NULL,
    first_seen_us BIGINT NOT NULL,
    PRIMARY KEY (tenant, key, version)
);
INSERT INTO tool_versions (tenant, key, version, definition, first_seen_us)
    SELECT tenant, key, candidate_version, candidate, last_seen_ms * 1000 + 1 FROM registry_tools
    WHERE candidate IS NOT NULL AND candidate_version <> pinned_version;
