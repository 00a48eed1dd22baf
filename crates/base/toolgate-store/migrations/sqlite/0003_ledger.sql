-- What happened, one row for each event, never changed. `stream` is who wrote it, `stream_seq` its place among what they
-- wrote, `previous` the hash of the event before it there, `hash` its own over all other columns.
CREATE TABLE ledger_events (
    seq            INTEGER PRIMARY KEY AUTOINCREMENT,
    tenant         TEXT    NOT NULL,
    stream         TEXT    NOT NULL,
    stream_seq     INTEGER NOT NULL,
    previous       BLOB    NOT NULL,
    hash           BLOB    NOT NULL,
    kind           TEXT    NOT NULL,
    at_ms          INTEGER NOT NULL,
    principal      TEXT    NOT NULL,
    session        TEXT,
    run            TEXT,
    task           TEXT,
    call           TEXT,
    tool           TEXT,
    server         TEXT,
    tool_version   BLOB,
    trace          TEXT,
    approval       TEXT,
    policy_version BLOB,
    decision       TEXT,
    outcome        TEXT,
    duration_us    INTEGER,
    input          BLOB,
    output         BLOB,
    detail         TEXT,
    UNIQUE (stream, stream_seq)
) STRICT;
-- In which stretches of 256 numbers there are events with something: `t:files:read` for a tool, `p:…` for a principal, and
-- so on. An index over all events would be paid for three times by every call, and spread over as many pages as there are
-- tools; this has one row where a stretch has many events. What most events have is not in it.
CREATE TABLE ledger_terms (
    term  TEXT NOT NULL,
    block INTEGER NOT NULL,
    PRIMARY KEY (term, block)
) STRICT, WITHOUT ROWID;

-- Where the events of a minute lie, so that a span of time is found without an index over all events.
CREATE TABLE ledger_minutes (
    minute    INTEGER NOT NULL,
    stream    TEXT    NOT NULL,
    first_seq INTEGER NOT NULL,
    last_seq  INTEGER NOT NULL,
    PRIMARY KEY (minute, stream)
) STRICT, WITHOUT ROWID;

-- The end of each stream, sealed with the key of this gateway, so that a tail that was cut off is missed.
CREATE TABLE ledger_heads (
    stream     TEXT    NOT NULL PRIMARY KEY,
    tenant     TEXT    NOT NULL,
    stream_seq INTEGER NOT NULL,
    hash       BLOB    NOT NULL,
    seal       BLOB    NOT NULL
) STRICT, WITHOUT ROWID;

-- Arguments and results, redacted, under the digest that events name. They go when their time is over; the chain stays.
CREATE TABLE ledger_bodies (
    digest        BLOB    NOT NULL PRIMARY KEY,
    tenant        TEXT    NOT NULL,
    body          TEXT    NOT NULL,
    keep_until_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX ledger_bodies_by_time ON ledger_bodies (keep_until_ms);

-- Calls that were sent and have not ended. `round` is how often a call has waited for its client; `paused_at_ms` is set
-- while it does.
CREATE TABLE open_calls (
    call          TEXT    NOT NULL PRIMARY KEY,
    tenant        TEXT    NOT NULL,
    stream        TEXT    NOT NULL,
    started_at_ms INTEGER NOT NULL,
    round         INTEGER NOT NULL DEFAULT 0,
    paused_at_ms  INTEGER,
    principal     TEXT    NOT NULL,
    session       TEXT,
    run           TEXT,
    task          TEXT,
    tool          TEXT,
    server        TEXT,
    tool_version  BLOB
) STRICT, WITHOUT ROWID;

-- Who is sent events. The lease keeps two processes from sending the same ones.
CREATE TABLE sinks (
    sink           TEXT    NOT NULL PRIMARY KEY,
    tenant         TEXT    NOT NULL,
    holder         TEXT,
    lease_until_ms INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- How far each sink has got in each stream. A stream without a row is sent from its start.
CREATE TABLE deliveries (
    sink       TEXT    NOT NULL,
    stream     TEXT    NOT NULL,
    stream_seq INTEGER NOT NULL,
    PRIMARY KEY (sink, stream)
) STRICT, WITHOUT ROWID;
