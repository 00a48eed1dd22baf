-- Who is logged in to the console, and links that log somebody in once. Both are kept as hashes.
CREATE TABLE logins (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    hash          BYTEA  NOT NULL,
    -- `link` or `login`.
    kind          TEXT COLLATE "C" NOT NULL,
    -- The token that was shown; nothing for the person who may read the data folder.
    token         TEXT COLLATE "C",
    created_at_ms BIGINT NOT NULL,
    ends_at_ms    BIGINT NOT NULL,
    PRIMARY KEY (tenant, hash)
);
CREATE INDEX logins_by_end ON logins (tenant, ends_at_ms);
