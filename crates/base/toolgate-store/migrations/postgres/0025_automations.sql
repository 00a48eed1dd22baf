-- The work of a task whose agent the gateway runs, as JSON. Other tasks have none.
ALTER TABLE tasks ADD COLUMN plan TEXT;

-- The versions of a task as they were stored, the latest of them.
CREATE TABLE task_versions (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    task          TEXT COLLATE "C" NOT NULL,
    version       BIGINT NOT NULL,
    -- Name, description, agent, budget and plan, as JSON.
    body          TEXT NOT NULL,
    made_by       TEXT NOT NULL,
    created_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, task, version)
);

-- Rules that start runs of a task. Whoever fires one holds its row, so that the rule for overlapping runs sees all of them.
CREATE TABLE automations (
    tenant           TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id               TEXT COLLATE "C" NOT NULL,
    name             TEXT COLLATE "C" NOT NULL,
    task             TEXT COLLATE "C" NOT NULL,
    -- The trigger, as JSON.
    fires_on         TEXT NOT NULL,
    -- 1 if its instants are known before.
    is_timed         BIGINT NOT NULL,
    overlap          TEXT COLLATE "C" NOT NULL,
    catch_up_seconds BIGINT NOT NULL,
    jitter_seconds   BIGINT NOT NULL,
    pause_on_failure BIGINT NOT NULL,
    -- The reason, while it is paused.
    paused           TEXT,
    principal        TEXT NOT NULL,
    created_by       TEXT NOT NULL,
    created_at_ms    BIGINT NOT NULL,
    updated_at_ms    BIGINT NOT NULL,
    row_version      BIGINT NOT NULL,
    -- Every instant up to this one has its row.
    passed_ms        BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX automations_by_name ON automations (tenant, name);
CREATE INDEX automations_by_time ON automations (tenant, created_at_ms, id);
-- Paused ones are not in it.
CREATE INDEX automations_working ON automations (tenant, is_timed, id) WHERE paused IS NULL;

-- One row for each instant or cause of an automation, however many gateways there are: `claimed`, then `started` or `failed`; or
-- `buffered`, `skipped`, `missed`.
CREATE TABLE automation_fires (
    tenant           TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    automation       TEXT COLLATE "C" NOT NULL,
    cause            TEXT COLLATE "C" NOT NULL,
    state            TEXT COLLATE "C" NOT NULL,
    reason           TEXT,
    run              TEXT COLLATE "C",
    -- 1, and one more for each automation whose run caused it.
    depth            BIGINT NOT NULL,
    -- The text that came with the cause, until its run has it.
    data             TEXT,
    -- The ledger stream of the gateway that starts the run, until when it may take, and how many have tried.
    claimed_by       TEXT,
    claimed_until_ms BIGINT NOT NULL,
    attempts         BIGINT NOT NULL,
    at_ms            BIGINT NOT NULL,
    PRIMARY KEY (tenant, automation, cause)
);
CREATE INDEX automation_fires_by_time ON automation_fires (tenant, automation, at_ms, cause);
CREATE INDEX automation_fires_by_age ON automation_fires (tenant, at_ms);
-- Few fires are open at a time, and those that are have to be found quickly among many that are not.
CREATE INDEX automation_fires_open ON automation_fires (tenant, state, claimed_until_ms)
    WHERE state = 'claimed' OR state = 'buffered';
CREATE INDEX automation_fires_started ON automation_fires (tenant, automation, at_ms, cause) WHERE state = 'started';
CREATE INDEX automation_fires_by_run ON automation_fires (tenant, run) WHERE run IS NOT NULL;
-- A run of an automation is named after it and the cause.
CREATE INDEX runs_of_automations ON runs (tenant, name) WHERE run_type = 'automation';
