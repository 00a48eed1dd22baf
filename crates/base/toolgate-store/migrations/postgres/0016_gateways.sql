-- Which gateway writes each stream of the ledger. `beat` is another number after each sign of life, and `place` names the data
-- folder whose lock its gateway holds.
CREATE TABLE gateways (
    tenant   TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    stream   TEXT COLLATE "C" NOT NULL,
    holder   TEXT COLLATE "C" NOT NULL,
    place    TEXT    NOT NULL,
    shown    TEXT    NOT NULL,
    since_ms BIGINT  NOT NULL,
    seen_ms  BIGINT  NOT NULL,
    beat     BIGINT  NOT NULL,
    PRIMARY KEY (tenant, stream)
);
