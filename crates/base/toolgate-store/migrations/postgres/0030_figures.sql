-- What the ledger's events add up to, by minute, hour and day. `span` is the length in seconds, `at` the number of such spans since 1970.
-- `property` says what `name` names: 0 nothing, 1 a principal, 2 a tool, 3 a server, 4 a model, 5 an error code. `sums` has pairs of numbers: which
-- figure, and how much. Each stream has rows of its own, written with the blocks of the ledger that they count; figures of events in no
-- complete block are added by readers. The stream with an empty name has those of blocks that are older than this table.
CREATE TABLE figures (
    tenant   TEXT COLLATE "C" NOT NULL,
    span     BIGINT NOT NULL,
    property BIGINT NOT NULL,
    at       BIGINT NOT NULL,
    name     TEXT COLLATE "C" NOT NULL,
    stream   TEXT COLLATE "C" NOT NULL,
    sums     BYTEA  NOT NULL,
    PRIMARY KEY (tenant, span, property, at, name, stream)
);

-- Blocks that are not counted yet.
CREATE TABLE figures_due (
    tenant TEXT COLLATE "C" NOT NULL,
    stream TEXT COLLATE "C" NOT NULL,
    block  BIGINT NOT NULL,
    day    BIGINT NOT NULL,
    PRIMARY KEY (tenant, stream, block, day)
);

INSERT INTO figures_due (tenant, stream, block, day) SELECT tenant, stream, block, day FROM ledger_blocks;
