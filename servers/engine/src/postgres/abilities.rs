//! The abilities of the database: which extensions are there, and what follows from it.
//!
//! `pgvector` keeps and compares vectors. The extensions for BM25 are named, but not asked: they count every row of their table, also
//! those of other versions and of builds that were given up, so that documents which a search does not see would change its scores.
//! Words are scored from postings of our own, on every Postgres alike.

use engine_protocol::PostgresFacts;

use super::database::{EngineDatabase, EngineTransaction, StepError};
use super::schema::lock_schema;

const VECTOR: &str = "vector";
const BM25: [&str; 2] = ["pg_textsearch", "pg_search"];
/// Half vectors and functions on bits came with 0.7.
const VECTOR_MIN: &str = "0.7";

const NO_VECTOR: &str = "pgvector is not installed on the server: search by words works, search by meaning does not; \
    install pgvector 0.7 or newer and start the engine again, then ingest in the mode `rebuild`";
const NO_BM25: &str = "neither pg_textsearch nor pg_search is there: nothing is lost, since words are scored by BM25 from the \
    engine's own postings";

/// The extension for vectors, ready to be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct VectorSupport {
    /// The schema of the extension, quoted.
    pub(super) schema: String,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct DatabaseAbilities {
    pub(super) facts: PostgresFacts,
    pub(super) vector: Option<VectorSupport>,
}

/// Finds out, and adds `pgvector` to the database if the server has it.
pub(super) async fn abilities(database: &EngineDatabase) -> Result<DatabaseAbilities, StepError> {
    let mut lacking = Vec::new();
    let mut tx = database.writing().await?;
    let version: (String,) =
        sqlx::query_as("SELECT current_setting('server_version')").fetch_one(&mut *tx).await?;
    let bm25 = bm25(&mut tx).await?;
    tx.commit().await?;
    if bm25.is_none() {
        lacking.push(NO_BM25.to_owned());
    }
    let found = match vector(database).await? {
        Ok(found) => Some(found),
        Err(why) => {
            lacking.push(why);
            None
        }
    };
    let (vector, support) = found.unzip();
    let facts = PostgresFacts { version: version.0, vector, bm25, lacking };
    Ok(DatabaseAbilities { facts, vector: support })
}

async fn bm25(tx: &mut EngineTransaction) -> Result<Option<String>, StepError> {
    let installed: Vec<(String,)> = sqlx::query_as(
        "SELECT extname::text FROM pg_extension WHERE extname = ANY($1) ORDER BY extname DESC",
    )
    .bind(BM25.map(str::to_owned).to_vec())
    .fetch_all(&mut **tx)
    .await?;
    Ok(installed.into_iter().next().map(|(name,)| name))
}

/// Version and place of `pgvector`, or a sentence about why it is not used.
async fn vector(database: &EngineDatabase) -> Result<Result<(String, VectorSupport), String>, StepError> {
    let mut tx = database.writing().await?;
    lock_schema(&mut tx).await?;
    if installed(&mut tx).await?.is_none() {
        let available: Vec<(String,)> =
            sqlx::query_as("SELECT name::text FROM pg_available_extensions WHERE name = $1")
                .bind(VECTOR)
                .fetch_all(&mut *tx)
                .await?;
        if available.is_empty() {
            return Ok(Err(NO_VECTOR.to_owned()));
        }
        if let Err(error) = sqlx::raw_sql("CREATE EXTENSION IF NOT EXISTS vector").execute(&mut *tx).await {
            return Ok(Err(refused(&error)));
        }
    }
    let found = installed(&mut tx).await?;
    let Some((version, schema)) = found else { return Ok(Err(NO_VECTOR.to_owned())) };
    let support = VectorSupport { schema };
    if !has_half_vectors(&mut tx, &support).await? {
        return Ok(Err(format!(
            "pgvector {version} is older than {VECTOR_MIN}: search by words works, search by meaning does not; \
             update it and start the engine again, then ingest in the mode `rebuild`"
        )));
    }
    make_tables(&mut tx, &support).await?;
    tx.commit().await?;
    Ok(Ok((version, support)))
}

fn refused(error: &sqlx::Error) -> String {
    let said = error.as_database_error().map_or_else(|| error.to_string(), |said| said.message().to_owned());
    format!(
        "pgvector is on the server, but not in this database ({said}): search by words works, search by meaning does not; \
         let its owner run CREATE EXTENSION vector and start the engine again, then ingest in the mode `rebuild`"
    )
}

async fn installed(tx: &mut EngineTransaction) -> Result<Option<(String, String)>, StepError> {
    let text = "SELECT e.extversion::text, quote_ident(n.nspname) FROM pg_extension AS e \
        JOIN pg_namespace AS n ON n.oid = e.extnamespace WHERE e.extname = $1";
    Ok(sqlx::query_as(text).bind(VECTOR).fetch_optional(&mut **tx).await?)
}

async fn has_half_vectors(tx: &mut EngineTransaction, support: &VectorSupport) -> Result<bool, StepError> {
    let found: (bool,) = sqlx::query_as("SELECT to_regtype($1) IS NOT NULL")
        .bind(format!("{}.halfvec", support.schema))
        .fetch_one(&mut **tx)
        .await?;
    Ok(found.0)
}

/// Bits are apart from the vectors: every search reads all of the former and few of the latter.
async fn make_tables(tx: &mut EngineTransaction, support: &VectorSupport) -> Result<(), StepError> {
    let exists: (bool,) = sqlx::query_as("SELECT to_regclass('toolgate_engine.vectors') IS NOT NULL")
        .fetch_one(&mut **tx)
        .await?;
    if exists.0 {
        return Ok(());
    }
    let text = format!(
        "CREATE TABLE IF NOT EXISTS toolgate_engine.vector_bits (
            line bigint NOT NULL REFERENCES toolgate_engine.lines (id) ON DELETE CASCADE,
            chunk bigint NOT NULL, document bigint NOT NULL, bits bit varying NOT NULL,
            PRIMARY KEY (line, chunk));
         CREATE TABLE IF NOT EXISTS toolgate_engine.vectors (
            line bigint NOT NULL REFERENCES toolgate_engine.lines (id) ON DELETE CASCADE,
            chunk bigint NOT NULL, embedding {}.halfvec NOT NULL,
            PRIMARY KEY (line, chunk));",
        support.schema
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(text)).execute(&mut **tx).await?;
    Ok(())
}
