-- Budgets of runs that the gateway drives itself: answers of a model, tokens, and their price in millionths of a currency unit.
ALTER TABLE tasks ADD COLUMN budget_turns BIGINT;
ALTER TABLE tasks ADD COLUMN budget_tokens BIGINT;
ALTER TABLE tasks ADD COLUMN budget_cost BIGINT;
ALTER TABLE runs ADD COLUMN budget_turns BIGINT;
ALTER TABLE runs ADD COLUMN budget_tokens BIGINT;
ALTER TABLE runs ADD COLUMN budget_cost BIGINT;
ALTER TABLE runs ADD COLUMN used_turns BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN used_tokens BIGINT NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN used_cost BIGINT NOT NULL DEFAULT 0;
-- 1 if the gateway drives it itself. Such a run gets its loop soon after it was created, or its gateway died in between.
ALTER TABLE runs ADD COLUMN is_driven BIGINT NOT NULL DEFAULT 0;
CREATE INDEX runs_unled ON runs (tenant, created_at_ms) WHERE is_driven = 1 AND state = 'pending';

-- The loops of such runs: `ready`, `waiting` as long as the run is paused, `done` when it has ended. They change with the state of
-- the run, in the transaction that holds its root. A gateway works on one while it has the lease; `fence` counts the leases, and
-- who writes under an older number is refused.
CREATE TABLE run_loops (
    tenant          TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    run             TEXT COLLATE "C" NOT NULL,
    model           TEXT COLLATE "C" NOT NULL,
    system          TEXT NOT NULL,
    -- As JSON; nothing before the first turn.
    tools           TEXT,
    outcome_schema  TEXT,
    state           TEXT COLLATE "C" NOT NULL,
    -- What it waits for.
    action_kind     TEXT COLLATE "C",
    action_id       TEXT COLLATE "C",
    action_since_ms BIGINT,
    action_how      TEXT,
    turn            BIGINT NOT NULL,
    last_message    BIGINT NOT NULL,
    input           BIGINT NOT NULL,
    cached          BIGINT NOT NULL,
    written         BIGINT NOT NULL,
    output          BIGINT NOT NULL,
    cost            BIGINT NOT NULL,
    fold_faults     BIGINT NOT NULL,
    nudged          BIGINT NOT NULL,
    fence           BIGINT NOT NULL,
    -- The ledger stream of the gateway that has the lease.
    owner           TEXT COLLATE "C",
    lease_until_ms  BIGINT NOT NULL,
    wake_at_ms      BIGINT NOT NULL,
    -- 1 if its run has ended and calls of its last answer have no results yet: any gateway writes them down.
    unclosed        BIGINT NOT NULL DEFAULT 0,
    created_at_ms   BIGINT NOT NULL,
    PRIMARY KEY (tenant, run)
);
-- Those that wait are not in it, however many they are.
CREATE INDEX run_loops_ready ON run_loops (tenant, wake_at_ms, run) WHERE state = 'ready' OR unclosed = 1;
CREATE INDEX run_loops_owned ON run_loops (tenant, owner) WHERE owner IS NOT NULL;
CREATE INDEX run_loops_by_action ON run_loops (tenant, action_id) WHERE action_id IS NOT NULL;

-- The turns of a loop: `asked`, `answered`, `acted`; or `failed`.
CREATE TABLE run_turns (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    run            TEXT COLLATE "C" NOT NULL,
    turn           BIGINT NOT NULL,
    attempts       BIGINT NOT NULL,
    phase          TEXT COLLATE "C" NOT NULL,
    model          TEXT COLLATE "C" NOT NULL,
    -- The digest of the request.
    request        BYTEA NOT NULL,
    -- The calls that the answer plans.
    calls          BIGINT NOT NULL,
    input          BIGINT NOT NULL,
    cached         BIGINT NOT NULL,
    written        BIGINT NOT NULL,
    output         BIGINT NOT NULL,
    cost           BIGINT NOT NULL,
    stop           TEXT,
    fault          TEXT,
    asked_at_ms    BIGINT NOT NULL,
    answered_at_ms BIGINT,
    acted_at_ms    BIGINT,
    PRIMARY KEY (tenant, run, turn)
);
CREATE INDEX run_turns_by_time ON run_turns (tenant, answered_at_ms) WHERE answered_at_ms IS NOT NULL;

-- Summaries that a loop asked its model for, between its turns. `number` is that of the event in the run.
CREATE TABLE run_summaries (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    run            TEXT COLLATE "C" NOT NULL,
    number         BIGINT NOT NULL,
    turn           BIGINT NOT NULL,
    model          TEXT NOT NULL,
    input          BIGINT NOT NULL,
    cached         BIGINT NOT NULL,
    written        BIGINT NOT NULL,
    output         BIGINT NOT NULL,
    cost           BIGINT NOT NULL,
    answered_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, run, number)
);
CREATE INDEX run_summaries_by_time ON run_summaries (tenant, answered_at_ms);

-- The messages between a loop and its model, which are only ever added: 1, 2, 3 without a gap.
CREATE TABLE run_messages (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    run           TEXT COLLATE "C" NOT NULL,
    number        BIGINT NOT NULL,
    turn          BIGINT NOT NULL,
    role          TEXT COLLATE "C" NOT NULL,
    -- As JSON. Erased ones have none, and no salt.
    parts         TEXT NOT NULL,
    salt          BYTEA,
    tokens        BIGINT NOT NULL,
    -- The number of the message that stands for it since it was folded.
    folded_into   BIGINT,
    -- Of the salt and the content; the ledger has it too.
    digest        BYTEA NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, run, number)
);
