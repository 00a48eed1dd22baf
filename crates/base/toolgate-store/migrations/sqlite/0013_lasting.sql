-- By which names agents call tools and prompts, each with its owner for good. A server may call things whatever it likes, at
-- any length: `key` is the digest of the name; `name` and `owner`, the canonical name, are JSON texts.
CREATE TABLE wire_names (
    tenant   TEXT NOT NULL DEFAULT 'default',
    kind     TEXT NOT NULL,
    key      TEXT NOT NULL,
    name     TEXT   NOT NULL,
    server   TEXT NOT NULL,
    owner    TEXT   NOT NULL,
    given_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, kind, key)
);
CREATE INDEX wire_names_by_server ON wire_names (tenant, server);
