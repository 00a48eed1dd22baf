-- What happened, one row for each event, never changed. `stream` is who wrote it, `stream_seq` its place among what they
-- wrote, `previous` the hash of the event before it there, `hash` its own over all other columns. `seq` is drawn by the
-- writer, because the hash covers it.
CREATE SEQUENCE ledger_seq;
CREATE TABLE ledger_events (
    seq            BIGINT NOT NULL PRIMARY KEY,
    tenant         TEXT COLLATE "C" NOT NULL,
    stream         TEXT COLLATE "C" NOT NULL,
    stream_seq     BIGINT NOT NULL,
    previous       BYTEA  NOT NULL,
    hash           BYTEA  NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL,
    at_ms          BIGINT NOT NULL,
    principal      TEXT COLLATE "C" NOT NULL,
    session        TEXT COLLATE "C",
    run            TEXT COLLATE "C",
    task           TEXT COLLATE "C",
    call           TEXT COLLATE "C",
    tool           TEXT COLLATE "C",
    server         TEXT COLLATE "C",
    tool_version   BYTEA,
    trace          TEXT COLLATE "C",
    approval       TEXT COLLATE "C",
    policy_version BYTEA,
    decision       TEXT COLLATE "C",
    outcome        TEXT COLLATE "C",
    duration_us    BIGINT,
    input          BYTEA,
    output         BYTEA,
    detail         TEXT COLLATE "C",
    UNIQUE (stream, stream_seq)
);
-- In which stretches of 256 numbers there are events with something: `t:files:read` for a tool, `p:…` for a principal, and
-- so on. An index over all events would be paid for three times by every call, and spread over as many pages as there are
-- tools; this has one row where a stretch has many events. What most events have is not in it.
CREATE TABLE ledger_terms (
    term  TEXT COLLATE "C" NOT NULL,
    block BIGINT NOT NULL,
    PRIMARY KEY (term, block)
);

-- Where the events of a minute lie, so that a span of time is found without an index over all events.
CREATE TABLE ledger_minutes (
    minute    BIGINT NOT NULL,
    stream    TEXT COLLATE "C" NOT NULL,
    first_seq BIGINT NOT NULL,
    last_seq  BIGINT NOT NULL,
    PRIMARY KEY (minute, stream)
);

-- The end of each stream, sealed with the key of this gateway, so that a tail that was cut off is missed.
CREATE TABLE ledger_heads (
    stream     TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant     TEXT COLLATE "C" NOT NULL,
    stream_seq BIGINT NOT NULL,
    hash       BYTEA  NOT NULL,
    seal       BYTEA  NOT NULL
);

-- Arguments and results, redacted, under the digest that events name. They go when their time is over; the chain stays.
CREATE TABLE ledger_bodies (
    digest        BYTEA  NOT NULL PRIMARY KEY,
    tenant        TEXT COLLATE "C" NOT NULL,
    body          TEXT   NOT NULL,
    keep_until_ms BIGINT NOT NULL
);
CREATE INDEX ledger_bodies_by_time ON ledger_bodies (keep_until_ms);

-- Calls that were sent and have not ended. `round` is how often a call has waited for its client; `paused_at_ms` is set
-- while it does.
CREATE TABLE open_calls (
    call          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant        TEXT COLLATE "C" NOT NULL,
    stream        TEXT COLLATE "C" NOT NULL,
    started_at_ms BIGINT NOT NULL,
    round         BIGINT NOT NULL DEFAULT 0,
    paused_at_ms  BIGINT,
    principal     TEXT COLLATE "C" NOT NULL,
    session       TEXT COLLATE "C",
    run           TEXT COLLATE "C",
    task          TEXT COLLATE "C",
    tool          TEXT COLLATE "C",
    server        TEXT COLLATE "C",
    tool_version  BYTEA
);

-- Who is sent events. The lease keeps two processes from sending the same ones.
CREATE TABLE sinks (
    sink           TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    tenant         TEXT COLLATE "C" NOT NULL,
    holder         TEXT,
    lease_until_ms BIGINT NOT NULL DEFAULT 0
);

-- How far each sink has got in each stream. A stream without a row is sent from its start.
CREATE TABLE deliveries (
    sink       TEXT COLLATE "C" NOT NULL,
    stream     TEXT COLLATE "C" NOT NULL,
    stream_seq BIGINT NOT NULL,
    PRIMARY KEY (sink, stream)
);
