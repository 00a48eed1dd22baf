-- The ledger as lines. Rows of the first form are rewritten when the store is opened; until then they wait in tables of their
-- own, where no earlier version of the program looks for them.
ALTER TABLE ledger_events RENAME TO ledger_events_1;
ALTER TABLE ledger_heads RENAME TO ledger_heads_1;
ALTER INDEX ledger_heads_pkey RENAME TO ledger_heads_1_pkey;
DROP SEQUENCE ledger_seq;
DROP TABLE ledger_terms;
DROP TABLE ledger_minutes;

-- What happened, one line for each event, never changed. `stream` is who wrote it, `number` its place among what they wrote,
-- `time` its place in the order of all streams, `day` the day of that time. Each day has a partition, which the program makes
-- ahead of time. Each unique key of the tables with lines has the stream and the day, so that they can be partitioned by one
-- and distributed by the other.
CREATE TABLE ledger_lines (
    tenant TEXT COLLATE "C" NOT NULL,
    stream TEXT COLLATE "C" NOT NULL,
    day    BIGINT NOT NULL,
    number BIGINT NOT NULL,
    time   BIGINT NOT NULL,
    line   BYTEA  NOT NULL,
    PRIMARY KEY (tenant, stream, day, number)
) PARTITION BY RANGE (day);

-- Complete blocks of 256 numbers; one that lies in two days has a row for each. `since` and `until` are the times of its first
-- and last line, `at_min` and `at_max` when its events happened, `root` the Merkle tree hash of its lines.
CREATE TABLE ledger_blocks (
    tenant TEXT COLLATE "C" NOT NULL,
    stream TEXT COLLATE "C" NOT NULL,
    day    BIGINT NOT NULL,
    block  BIGINT NOT NULL,
    first  BIGINT NOT NULL,
    last   BIGINT NOT NULL,
    since  BIGINT NOT NULL,
    until  BIGINT NOT NULL,
    at_min BIGINT NOT NULL,
    at_max BIGINT NOT NULL,
    root   BYTEA  NOT NULL,
    PRIMARY KEY (tenant, stream, block, day)
) PARTITION BY RANGE (day);

-- In which blocks there are events with something: a letter for what it is, and the value or what stands for it. `places` has
-- a byte for each such event, its place in the block, or nothing if there are many. What most events have is not in it. Of
-- blocks and terms, 32 days have a partition: a search goes through all of them.
CREATE TABLE ledger_terms (
    tenant TEXT COLLATE "C" NOT NULL,
    term   BYTEA  NOT NULL,
    stream TEXT COLLATE "C" NOT NULL,
    block  BIGINT NOT NULL,
    day    BIGINT NOT NULL,
    places BYTEA  NOT NULL,
    PRIMARY KEY (tenant, term, stream, block, day)
) PARTITION BY RANGE (day);

-- The end of each stream, sealed with the key of this gateway, so that a tail that was cut off is missed. `part` is the first
-- number that lies in no complete block.
CREATE TABLE ledger_heads (
    tenant TEXT COLLATE "C" NOT NULL,
    stream TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    time   BIGINT NOT NULL,
    part   BIGINT NOT NULL,
    hash   BYTEA  NOT NULL,
    seal   BYTEA  NOT NULL,
    PRIMARY KEY (tenant, stream)
);

-- Where a stream begins after its first days were removed: `number` and `hash` are those of the last event that is gone, `day` is
-- the first day that is kept. `peaks` are the roots of the largest complete subtrees of what is gone, the largest first, so that
-- the Merkle tree of the stream can go on. Sealed with the key of this gateway, so that a beginning that was cut off otherwise is missed.
CREATE TABLE ledger_cuts (
    tenant TEXT COLLATE "C" NOT NULL,
    stream TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    day    BIGINT NOT NULL,
    hash   BYTEA  NOT NULL,
    peaks  BYTEA  NOT NULL,
    seal   BYTEA  NOT NULL,
    PRIMARY KEY (tenant, stream)
);

ALTER TABLE deliveries RENAME COLUMN stream_seq TO number;
