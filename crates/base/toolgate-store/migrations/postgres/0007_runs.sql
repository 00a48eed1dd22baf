-- Definitions of work.
CREATE TABLE tasks (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id             TEXT COLLATE "C" NOT NULL,
    name           TEXT   NOT NULL,
    description    TEXT   NOT NULL,
    agent          TEXT,
    budget_calls   BIGINT,
    budget_seconds BIGINT,
    budget_bytes   BIGINT,
    created_by     TEXT   NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    updated_at_ms  BIGINT NOT NULL,
    row_version    BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX tasks_by_time ON tasks (tenant, created_at_ms, id);

-- Executions of tasks, never deleted: the ledger names them. Whoever changes anything of a run, its calls or its questions
-- holds the row of its `root`, the outermost run that it belongs to and maybe itself; so nobody else changes anything in the
-- same tree of runs meanwhile.
CREATE TABLE runs (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id             TEXT COLLATE "C" NOT NULL,
    root           TEXT COLLATE "C" NOT NULL,
    -- How many runs there are above it.
    depth          BIGINT NOT NULL,
    parent         TEXT COLLATE "C",
    task           TEXT COLLATE "C",
    agent          TEXT   NOT NULL,
    principal      TEXT COLLATE "C" NOT NULL,
    created_by     TEXT   NOT NULL,
    session        TEXT COLLATE "C",
    state          TEXT COLLATE "C" NOT NULL,
    reason         TEXT,
    summary        TEXT,
    -- The files that it was given, as JSON.
    input          TEXT   NOT NULL,
    -- The digests of what it says it made, as JSON. Nothing means all that it stored.
    output         TEXT,
    budget_calls   BIGINT,
    budget_seconds BIGINT,
    budget_bytes   BIGINT,
    used_calls     BIGINT NOT NULL,
    used_bytes     BIGINT NOT NULL,
    active_ms      BIGINT NOT NULL,
    -- Which limit a call was refused for: `calls`, `bytes` or `seconds`.
    ran_out_of     TEXT,
    created_at_ms  BIGINT NOT NULL,
    started_at_ms  BIGINT,
    state_since_ms BIGINT NOT NULL,
    ended_at_ms    BIGINT,
    row_version    BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX runs_by_time ON runs (tenant, created_at_ms, id);
CREATE INDEX runs_by_state ON runs (tenant, state, created_at_ms, id);
CREATE INDEX runs_by_principal ON runs (tenant, principal, created_at_ms, id);
CREATE INDEX runs_by_task ON runs (tenant, task, created_at_ms, id) WHERE task IS NOT NULL;
CREATE INDEX runs_by_parent ON runs (tenant, parent, created_at_ms, id) WHERE parent IS NOT NULL;
CREATE INDEX runs_open ON runs (tenant, root) WHERE ended_at_ms IS NULL;
CREATE INDEX runs_timed ON runs (tenant, state_since_ms) WHERE state = 'running' AND budget_seconds IS NOT NULL;

-- The calls that were let into a run: `open`, then `completed`, `failed` or, after a crash, `unknown`.
CREATE TABLE run_calls (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    run           TEXT COLLATE "C" NOT NULL,
    call          TEXT COLLATE "C" NOT NULL,
    tool          TEXT   NOT NULL,
    kind          TEXT COLLATE "C" NOT NULL,
    state         TEXT COLLATE "C" NOT NULL,
    bytes         BIGINT NOT NULL,
    -- The ledger stream of the gateway that it went through.
    stream        TEXT COLLATE "C" NOT NULL,
    created_at_ms BIGINT NOT NULL,
    ended_at_ms   BIGINT,
    PRIMARY KEY (tenant, run, call)
);
CREATE INDEX run_calls_by_time ON run_calls (tenant, run, created_at_ms);
CREATE INDEX run_calls_open ON run_calls (tenant, stream) WHERE state = 'open';

-- Calls under the ids that their client gave them, so that what is sent twice runs once: `running`, then `done`. What has no
-- end yet because a person is asked is `put_off`, and runs again when it is sent again.
CREATE TABLE batch_calls (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    run           TEXT COLLATE "C" NOT NULL,
    client_id     TEXT COLLATE "C" NOT NULL,
    -- Of what was asked.
    request       BYTEA  NOT NULL,
    state         TEXT COLLATE "C" NOT NULL,
    result        TEXT,
    stream        TEXT COLLATE "C" NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, run, client_id)
);
CREATE INDEX batch_calls_running ON batch_calls (tenant, stream) WHERE state = 'running';

-- Questions to people: `pending`, then `answered` or `cancelled`. A run waits for one at a time.
CREATE TABLE inputs (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id             TEXT COLLATE "C" NOT NULL,
    run            TEXT COLLATE "C" NOT NULL,
    session        TEXT COLLATE "C",
    call           TEXT COLLATE "C",
    principal      TEXT COLLATE "C" NOT NULL,
    -- What is asked, as JSON, and the digest of its `slot_id`, which may be longer than an index takes.
    slot           TEXT   NOT NULL,
    slot_key       BYTEA  NOT NULL,
    state          TEXT COLLATE "C" NOT NULL,
    answer         TEXT,
    answered_by    TEXT,
    via            TEXT,
    created_at_ms  BIGINT NOT NULL,
    resolved_at_ms BIGINT,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX inputs_by_time ON inputs (tenant, created_at_ms, id);
CREATE INDEX inputs_by_state ON inputs (tenant, state, created_at_ms, id);
CREATE INDEX inputs_by_run ON inputs (tenant, run, created_at_ms, id);
CREATE UNIQUE INDEX inputs_by_slot ON inputs (tenant, run, slot_key) WHERE state <> 'cancelled';
CREATE UNIQUE INDEX inputs_pending ON inputs (tenant, run) WHERE state = 'pending';
