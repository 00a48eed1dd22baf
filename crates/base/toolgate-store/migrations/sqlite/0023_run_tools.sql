-- The words that an agent with a loop of its own gives its run, and the manifests of what went in and came out. Runs of earlier
-- versions have none.
ALTER TABLE runs ADD COLUMN run_type TEXT;
ALTER TABLE runs ADD COLUMN name TEXT;
ALTER TABLE runs ADD COLUMN config TEXT;
-- The session in which a tool created it.
ALTER TABLE runs ADD COLUMN made_in TEXT;
ALTER TABLE runs ADD COLUMN input_manifest BLOB;
ALTER TABLE runs ADD COLUMN output_manifest BLOB;
-- The result, or the error, in the agent's own words, as JSON.
ALTER TABLE runs ADD COLUMN result TEXT;
ALTER TABLE runs ADD COLUMN error TEXT;
-- The digest of the request that ended it, so that the same request again is no second end.
ALTER TABLE runs ADD COLUMN end_request BLOB;
-- The number of its last event in `run_events`.
ALTER TABLE runs ADD COLUMN events BIGINT NOT NULL DEFAULT 0;
CREATE INDEX runs_by_maker ON runs (tenant, made_in, created_at_ms, id) WHERE made_in IS NOT NULL;

-- The events of a run in its own order: 1, 2, 3 without a gap. Whoever writes one holds the row of the root, as for every change.
-- Each is in the ledger as well, there without the data that the agent gave.
CREATE TABLE run_events (
    tenant    TEXT NOT NULL DEFAULT 'default',
    run       TEXT NOT NULL,
    number    BIGINT NOT NULL,
    kind      TEXT NOT NULL,
    at_ms     BIGINT NOT NULL,
    principal TEXT NOT NULL,
    call      TEXT,
    -- As JSON.
    detail    TEXT NOT NULL,
    PRIMARY KEY (tenant, run, number)
);

-- The saved states of a run, the latest of them. The state itself is a blob.
CREATE TABLE run_checkpoints (
    tenant     TEXT NOT NULL DEFAULT 'default',
    run        TEXT NOT NULL,
    id         TEXT NOT NULL,
    -- That of its event.
    number     BIGINT NOT NULL,
    digest     BLOB NOT NULL,
    bytes      BIGINT NOT NULL,
    media_type TEXT NOT NULL,
    at_ms      BIGINT NOT NULL,
    PRIMARY KEY (tenant, run, id)
);
CREATE INDEX run_checkpoints_by_number ON run_checkpoints (tenant, run, number);
CREATE INDEX run_checkpoints_by_digest ON run_checkpoints (tenant, digest);
