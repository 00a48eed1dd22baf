-- The people who apply.
CREATE TABLE users (
    id            TEXT NOT NULL PRIMARY KEY,
    name          TEXT NOT NULL,
    email         TEXT,
    updated_at_ms BIGINT NOT NULL
);

-- Their resumes, as JSON Resume.
CREATE TABLE profiles (
    user_id       TEXT NOT NULL PRIMARY KEY REFERENCES users (id),
    resume        TEXT NOT NULL,
    updated_at_ms BIGINT NOT NULL
);

-- Their answers to questions of forms, by the question in a plain form.
CREATE TABLE answers (
    user_id       TEXT NOT NULL REFERENCES users (id),
    question_key  TEXT NOT NULL,
    question      TEXT NOT NULL,
    answer        TEXT NOT NULL,
    updated_at_ms BIGINT NOT NULL,
    PRIMARY KEY (user_id, question_key)
);

-- Files to upload, by the refs or ids under which a gateway has them.
CREATE TABLE documents (
    user_id    TEXT NOT NULL REFERENCES users (id),
    name       TEXT NOT NULL,
    reference  TEXT NOT NULL,
    media_type TEXT,
    PRIMARY KEY (user_id, name)
);

-- Handles of credentials at a gateway. No value is ever here.
CREATE TABLE credentials (
    user_id TEXT NOT NULL REFERENCES users (id),
    origin  TEXT NOT NULL,
    handle  TEXT NOT NULL,
    -- A JSON list of names.
    fields  TEXT NOT NULL,
    PRIMARY KEY (user_id, origin)
);

CREATE TABLE jobs (
    id             TEXT NOT NULL PRIMARY KEY,
    -- The first of its keys.
    canonical_key  TEXT NOT NULL,
    title          TEXT NOT NULL,
    company        TEXT NOT NULL,
    place          TEXT NOT NULL,
    url            TEXT NOT NULL,
    -- schema.org JobPosting.
    posting        TEXT NOT NULL,
    valid_until_ms BIGINT,
    created_at_ms  BIGINT NOT NULL
);

-- The names of a job: a host with its id for the posting, and the words of the advertisement. Several postings are one job.
CREATE TABLE job_keys (
    key  TEXT NOT NULL PRIMARY KEY,
    job  TEXT NOT NULL REFERENCES jobs (id),
    -- Empty for the words.
    host TEXT NOT NULL,
    url  TEXT NOT NULL
);
CREATE INDEX job_keys_by_job ON job_keys (job);

-- One for each person and job, for ever.
CREATE TABLE applications (
    id                  TEXT NOT NULL PRIMARY KEY,
    user_id             TEXT NOT NULL REFERENCES users (id),
    job                 TEXT NOT NULL REFERENCES jobs (id),
    state               TEXT NOT NULL CHECK (state IN ('pending', 'leased', 'submitting', 'submitted_unconfirmed',
                            'confirmed', 'failed', 'needs_person', 'withdrawn')),
    -- The number of its last event.
    version             BIGINT NOT NULL,
    -- The run or session that has it, or that had it when it came before a person.
    holder              TEXT,
    lease_until_ms      BIGINT NOT NULL,
    reason              TEXT,
    -- What record_application was told, to recognise the same again.
    recorded_status     TEXT,
    evidence_url        TEXT,
    evidence_text       TEXT,
    evidence_screenshot TEXT,
    record_key          TEXT,
    created_at_ms       BIGINT NOT NULL,
    updated_at_ms       BIGINT NOT NULL,
    UNIQUE (user_id, job)
);
CREATE UNIQUE INDEX applications_by_record_key ON applications (user_id, record_key) WHERE record_key IS NOT NULL;
CREATE INDEX applications_by_state ON applications (user_id, state, id);
CREATE INDEX applications_held ON applications (lease_until_ms) WHERE state IN ('leased', 'submitting');

-- Every change of an application, with whoever made it. Rows are added and never changed.
CREATE TABLE events (
    application TEXT NOT NULL REFERENCES applications (id),
    version     BIGINT NOT NULL,
    at_ms       BIGINT NOT NULL,
    kind        TEXT NOT NULL,
    from_state  TEXT,
    to_state    TEXT NOT NULL,
    session     TEXT,
    run         TEXT,
    reason      TEXT,
    -- JSON.
    evidence    TEXT,
    PRIMARY KEY (application, version)
);
