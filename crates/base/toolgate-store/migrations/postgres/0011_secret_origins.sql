-- Where a secret may be sent, beside what the operator's file says. `whose` is `*` for all secrets of the name, which is what
-- an admin allows, or `=` and the principal (nothing: everybody's), which is where somebody had their own secret sent.
CREATE TABLE secret_origins (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    server        TEXT COLLATE "C" NOT NULL,
    whose         TEXT COLLATE "C" NOT NULL,
    name          TEXT COLLATE "C" NOT NULL,
    origin        TEXT COLLATE "C" NOT NULL,
    allowed_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, server, whose, name, origin)
);

-- Whether the vault has a token that the instance wants to be shown.
ALTER TABLE instances ADD COLUMN wants_token BIGINT NOT NULL DEFAULT 0;
