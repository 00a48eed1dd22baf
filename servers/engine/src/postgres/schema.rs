//! The tables, which the engine makes by itself in the schema `toolgate_engine`, one engine at a time.
//!
//! **A line** of versions is a table of documents with the versions in which each of them is there. A version adds documents and ends
//! others, so that it costs what changed, and older versions stay searchable. Numbers of passages grow along a line, and those of one
//! document stand side by side: a range says which passages belong to a document.
//!
//! **Postings** are packed: a row has all passages of a segment that have a term. A segment is what one build added, or several of
//! them joined.

use engine_protocol::EngineFault;

use super::database::{EngineTransaction, StepError};
use crate::fault::unsupported;

/// Grows with [`STEPS`].
const SCHEMA_VERSION: i32 = 1;
/// The form of `postgres.json` and of packed postings.
pub(super) const POSTGRES_FORMAT: u32 = 1;
/// Held by whoever makes or changes tables.
const SCHEMA_LOCK: i64 = 0x7467_656e_0000_0000;

const STEP_1: &str = r#"
CREATE TABLE toolgate_engine.facts (
    only_one boolean NOT NULL PRIMARY KEY DEFAULT true CHECK (only_one),
    version  integer NOT NULL,
    -- Names this database in listings.
    database text NOT NULL
);
INSERT INTO toolgate_engine.facts (version, database) VALUES (1, gen_random_uuid()::text);

-- Versions that follow one another. A version that follows an older one begins a line of its own.
CREATE TABLE toolgate_engine.lines (
    id         bigint NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name       text COLLATE "C" NOT NULL,
    profile    text NOT NULL,
    stemming   text NOT NULL,
    -- Of the vectors; null: there are none.
    dimensions integer
);
CREATE INDEX lines_by_name ON toolgate_engine.lines (name);

CREATE TABLE toolgate_engine.versions (
    line         bigint NOT NULL REFERENCES toolgate_engine.lines (id) ON DELETE CASCADE,
    version      bigint NOT NULL,
    documents    bigint NOT NULL,
    chunks       bigint NOT NULL,
    -- The first numbers that this version does not have.
    end_document bigint NOT NULL,
    end_chunk    bigint NOT NULL,
    -- Of title, headings, body and path.
    words        bigint[] NOT NULL,
    -- Not the begin of the transaction, which may be hours ago.
    finished_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (line, version)
);

CREATE TABLE toolgate_engine.documents (
    line         bigint NOT NULL REFERENCES toolgate_engine.lines (id) ON DELETE CASCADE,
    document     bigint NOT NULL,
    path         text COLLATE "C" NOT NULL,
    artifact     text NOT NULL,
    docir        text NOT NULL,
    media_type   text COLLATE "C",
    -- Its metadata as terms "key"=value.
    metadata     text[] COLLATE "C" NOT NULL,
    first_chunk  bigint NOT NULL,
    end_chunk    bigint NOT NULL,
    words        bigint[] NOT NULL,
    from_version bigint NOT NULL,
    -- The first version without it.
    to_version   bigint,
    -- False when its passages are gone, since no version has it any more.
    is_kept      boolean NOT NULL DEFAULT true,
    PRIMARY KEY (line, document)
);
CREATE INDEX documents_alive ON toolgate_engine.documents (line, path) WHERE to_version IS NULL;
CREATE INDEX documents_ended ON toolgate_engine.documents (line, to_version) WHERE to_version IS NOT NULL;

CREATE TABLE toolgate_engine.passages (
    line     bigint NOT NULL REFERENCES toolgate_engine.lines (id) ON DELETE CASCADE,
    chunk    bigint NOT NULL,
    document bigint NOT NULL,
    -- JSON: a text of Postgres cannot have every character.
    passage  text NOT NULL,
    PRIMARY KEY (line, chunk)
);

CREATE TABLE toolgate_engine.segments (
    line     bigint NOT NULL REFERENCES toolgate_engine.lines (id) ON DELETE CASCADE,
    segment  bigint NOT NULL,
    -- Grows by one each time that segments are joined.
    level    integer NOT NULL,
    postings bigint NOT NULL,
    PRIMARY KEY (line, segment)
);

CREATE TABLE toolgate_engine.postings (
    line     bigint NOT NULL REFERENCES toolgate_engine.lines (id) ON DELETE CASCADE,
    term     text COLLATE "C" NOT NULL,
    segment  bigint NOT NULL,
    postings bigint NOT NULL,
    packed   bytea NOT NULL,
    PRIMARY KEY (line, term, segment)
);
-- Packed already.
ALTER TABLE toolgate_engine.postings ALTER COLUMN packed SET STORAGE EXTERNAL;
"#;

/// Released steps never change.
const STEPS: [&str; SCHEMA_VERSION as usize] = [STEP_1];

/// Makes what is missing; returns the name of this database in listings.
pub(super) async fn prepare(tx: &mut EngineTransaction) -> Result<String, StepError> {
    check_encoding(tx).await?;
    lock_schema(tx).await?;
    let exists: (bool,) = sqlx::query_as("SELECT to_regclass('toolgate_engine.facts') IS NOT NULL")
        .fetch_one(&mut **tx)
        .await?;
    let version = match exists.0 {
        false => {
            sqlx::raw_sql("CREATE SCHEMA IF NOT EXISTS toolgate_engine").execute(&mut **tx).await?;
            0
        }
        true => facts(tx).await?.0,
    };
    for step in steps_after(version)? {
        sqlx::raw_sql(*step).execute(&mut **tx).await?;
    }
    Ok(facts(tx).await?.1)
}

/// Texts of other encodings lack characters.
async fn check_encoding(tx: &mut EngineTransaction) -> Result<(), StepError> {
    let encoding: (String,) =
        sqlx::query_as("SELECT current_setting('server_encoding')").fetch_one(&mut **tx).await?;
    match encoding.0.as_str() {
        "UTF8" => Ok(()),
        other => {
            let message = format!("the database has the encoding {other}; the engine needs UTF8");
            Err(unsupported(message, "create one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0")
                .into())
        }
    }
}

async fn facts(tx: &mut EngineTransaction) -> Result<(i32, String), StepError> {
    Ok(sqlx::query_as("SELECT version, database FROM toolgate_engine.facts").fetch_one(&mut **tx).await?)
}

fn steps_after(version: i32) -> Result<&'static [&'static str], EngineFault> {
    usize::try_from(version).ok().and_then(|version| STEPS.get(version..)).ok_or_else(|| {
        unsupported(
            format!("the tables in the schema toolgate_engine are of version {version}; this engine knows {SCHEMA_VERSION}"),
            "use the engine that made them, or another database",
        )
    })
}

/// Waits until nobody else makes tables, and keeps others from it until the end of the transaction.
pub(super) async fn lock_schema(tx: &mut EngineTransaction) -> Result<(), StepError> {
    let locked = "SELECT 1 FROM (SELECT pg_advisory_xact_lock($1)) AS locked";
    sqlx::query(locked).bind(SCHEMA_LOCK).execute(&mut **tx).await?;
    Ok(())
}

/// True if this transaction may write to a line until its end.
pub(super) async fn try_own_line(tx: &mut EngineTransaction, line: i64) -> Result<bool, StepError> {
    let key = SCHEMA_LOCK | (line & 0xffff_ffff);
    let owned: (bool,) =
        sqlx::query_as("SELECT pg_try_advisory_xact_lock($1)").bind(key).fetch_one(&mut **tx).await?;
    Ok(owned.0)
}
