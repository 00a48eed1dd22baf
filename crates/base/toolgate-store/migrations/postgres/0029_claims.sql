-- Types of claims: how a claim is resolved and who must agree, as data.
CREATE TABLE claim_types (
    tenant        TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    name          TEXT COLLATE "C" NOT NULL,
    title         TEXT,
    description   TEXT,
    -- Options and escalation, as JSON.
    options       TEXT NOT NULL,
    escalation    TEXT NOT NULL,
    version       BIGINT NOT NULL,
    changed_by    TEXT NOT NULL,
    changed_at_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, name)
);

-- Claims: `draft`, `submitted`, `under_review`, then `decided` or `superseded`. Whoever changes a claim or links evidence holds its row, so
-- revisions, evidence and decisions are numbered without a gap and the digest is of all of them.
CREATE TABLE claims (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    id             TEXT COLLATE "C" NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL,
    state          TEXT COLLATE "C" NOT NULL,
    -- The number of the current revision, which is how many there are.
    revision       BIGINT NOT NULL,
    -- Of the current revision and all evidence.
    digest         BYTEA NOT NULL,
    evidence       BIGINT NOT NULL,
    decisions      BIGINT NOT NULL,
    -- 1 if the last decision still holds.
    is_settled     BIGINT NOT NULL,
    superseded_by  TEXT,
    created_by     TEXT NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    state_by       TEXT NOT NULL,
    state_since_ms BIGINT NOT NULL,
    PRIMARY KEY (tenant, id)
);
CREATE INDEX claims_by_time ON claims (tenant, created_at_ms, id);

-- What claims say. No row changes, and none is deleted.
CREATE TABLE claim_revisions (
    tenant          TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    claim           TEXT COLLATE "C" NOT NULL,
    number          BIGINT NOT NULL,
    statement       TEXT NOT NULL,
    severity        TEXT COLLATE "C" NOT NULL,
    -- As JSON, like the next.
    source          TEXT NOT NULL,
    quantification  TEXT,
    revision_digest BYTEA NOT NULL,
    revised_by      TEXT NOT NULL,
    revised_at_ms   BIGINT NOT NULL,
    revised_in_call TEXT,
    PRIMARY KEY (tenant, claim, number)
);

-- Evidence for and against claims. No row changes, and none is deleted. It keeps the artifact and the DocIR that it cites.
CREATE TABLE claim_evidence (
    tenant         TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    claim          TEXT COLLATE "C" NOT NULL,
    number         BIGINT NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    kind           TEXT COLLATE "C" NOT NULL,
    relation       TEXT COLLATE "C" NOT NULL,
    strength       TEXT COLLATE "C" NOT NULL,
    summary        TEXT,
    -- Either these three, the last as JSON, or a run, or nothing.
    artifact       BYTEA,
    docir          BYTEA,
    citation       TEXT,
    run            TEXT,
    standing       TEXT COLLATE "C" NOT NULL,
    digest         BYTEA NOT NULL,
    linked_by      TEXT NOT NULL,
    linked_at_ms   BIGINT NOT NULL,
    linked_in_call TEXT,
    PRIMARY KEY (tenant, claim, number)
);
CREATE UNIQUE INDEX claim_evidence_by_id ON claim_evidence (tenant, id);
CREATE UNIQUE INDEX claim_evidence_by_content ON claim_evidence (tenant, claim, digest);
CREATE INDEX claim_evidence_by_artifact ON claim_evidence (tenant, artifact);
CREATE INDEX claim_evidence_by_docir ON claim_evidence (tenant, docir);

-- Decisions on claims. Of a row, only the time since when it is stale changes, once.
CREATE TABLE claim_decisions (
    tenant          TEXT COLLATE "C" NOT NULL DEFAULT 'default',
    claim           TEXT COLLATE "C" NOT NULL,
    number          BIGINT NOT NULL,
    option_name     TEXT COLLATE "C" NOT NULL,
    rationale       TEXT NOT NULL,
    -- As JSON, like the next.
    conditions      TEXT NOT NULL,
    follow_ups      TEXT NOT NULL,
    -- Of the claim and its evidence, as they were.
    digest          BYTEA NOT NULL,
    type_version    BIGINT NOT NULL,
    decided_by      TEXT NOT NULL,
    decided_at_ms   BIGINT NOT NULL,
    decided_in_call TEXT,
    approval        TEXT,
    -- Those who agreed, as JSON.
    approvers       TEXT NOT NULL,
    stale_since_ms  BIGINT,
    PRIMARY KEY (tenant, claim, number)
);
