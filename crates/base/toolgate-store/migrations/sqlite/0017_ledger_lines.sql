-- The ledger as lines. Rows of the first form are rewritten when the store is opened; until then they wait in tables of their
-- own, where no earlier version of the program looks for them.
ALTER TABLE ledger_events RENAME TO ledger_events_1;
ALTER TABLE ledger_heads RENAME TO ledger_heads_1;
DROP TABLE ledger_terms;
DROP TABLE ledger_minutes;

-- What happened, one line for each event, never changed. `stream` is who wrote it, `number` its place among what they wrote,
-- `time` its place in the order of all streams, `day` the day of that time.
CREATE TABLE ledger_lines (
    tenant TEXT    NOT NULL,
    stream TEXT    NOT NULL,
    day    INTEGER NOT NULL,
    number INTEGER NOT NULL,
    time   INTEGER NOT NULL,
    line   BLOB    NOT NULL,
    PRIMARY KEY (tenant, stream, day, number)
) STRICT, WITHOUT ROWID;

-- Complete blocks of 256 numbers; one that lies in two days has a row for each. `since` and `until` are the times of its first
-- and last line, `at_min` and `at_max` when its events happened, `root` the Merkle tree hash of its lines.
CREATE TABLE ledger_blocks (
    tenant TEXT    NOT NULL,
    stream TEXT    NOT NULL,
    day    INTEGER NOT NULL,
    block  INTEGER NOT NULL,
    first  INTEGER NOT NULL,
    last   INTEGER NOT NULL,
    since  INTEGER NOT NULL,
    until  INTEGER NOT NULL,
    at_min INTEGER NOT NULL,
    at_max INTEGER NOT NULL,
    root   BLOB    NOT NULL,
    PRIMARY KEY (tenant, stream, block, day)
) STRICT, WITHOUT ROWID;

-- In which blocks there are events with something: a letter for what it is, and the value or what stands for it. `places` has
-- a byte for each such event, its place in the block, or nothing if there are many. What most events have is not in it.
CREATE TABLE ledger_terms (
    tenant TEXT    NOT NULL,
    term   BLOB    NOT NULL,
    stream TEXT    NOT NULL,
    block  INTEGER NOT NULL,
    day    INTEGER NOT NULL,
    places BLOB    NOT NULL,
    PRIMARY KEY (tenant, term, stream, block, day)
) STRICT, WITHOUT ROWID;

-- The end of each stream, sealed with the key of this gateway, so that a tail that was cut off is missed. `part` is the first
-- number that lies in no complete block.
CREATE TABLE ledger_heads (
    tenant TEXT    NOT NULL,
    stream TEXT    NOT NULL,
    number INTEGER NOT NULL,
    time   INTEGER NOT NULL,
    part   INTEGER NOT NULL,
    hash   BLOB    NOT NULL,
    seal   BLOB    NOT NULL,
    PRIMARY KEY (tenant, stream)
) STRICT, WITHOUT ROWID;

-- Where a stream begins after its first days were removed: `number` and `hash` are those of the last event that is gone, `day` is
-- the first day that is kept. `peaks` are the roots of the largest complete subtrees of what is gone, the largest first, so that
-- the Merkle tree of the stream can go on. Sealed with the key of this gateway, so that a beginning that was cut off otherwise is missed.
CREATE TABLE ledger_cuts (
    tenant TEXT    NOT NULL,
    stream TEXT    NOT NULL,
    number INTEGER NOT NULL,
    day    INTEGER NOT NULL,
    hash   BLOB    NOT NULL,
    peaks  BLOB    NOT NULL,
    seal   BLOB    NOT NULL,
    PRIMARY KEY (tenant, stream)
) STRICT, WITHOUT ROWID;

ALTER TABLE deliveries RENAME COLUMN stream_seq TO number;
