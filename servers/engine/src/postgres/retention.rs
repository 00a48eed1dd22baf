//! Forgetting old versions. The newest stay searchable, for corpora that are reverted and searches that are on their way.

use super::abilities::VectorSupport;
use super::database::{EngineTransaction, StepError};
use super::schema::try_own_line;

/// Versions of an index that stay, however old they are.
const VERSIONS_KEPT: i64 = 64;

/// Forgets the versions of an index that are neither among its newest nor of the last hour. `line` is the line of the caller, who owns
/// it; lines of others that are being written to are left for the next time.
pub(super) async fn forget_old_versions(
    tx: &mut EngineTransaction,
    name: &str,
    line: i64,
    vector: Option<&VectorSupport>,
) -> Result<(), StepError> {
    let text = "SELECT DISTINCT line FROM (SELECT v.line, v.finished_at, \
            row_number() OVER (ORDER BY v.finished_at DESC, v.line DESC, v.version DESC) AS place \
            FROM toolgate_engine.versions AS v JOIN toolgate_engine.lines AS l ON l.id = v.line WHERE l.name = $1) AS r \
        WHERE place > $2 AND finished_at < clock_timestamp() - interval '1 hour' ORDER BY line";
    let lines: Vec<(i64,)> = sqlx::query_as(text).bind(name).bind(VERSIONS_KEPT).fetch_all(&mut **tx).await?;
    for (old,) in lines {
        if old == line || try_own_line(tx, old).await? {
            forget_versions_of(tx, name, old).await?;
            remove_rows(tx, old, vector).await?;
        }
    }
    Ok(())
}

async fn forget_versions_of(tx: &mut EngineTransaction, name: &str, line: i64) -> Result<(), StepError> {
    let text = "DELETE FROM toolgate_engine.versions AS gone USING (SELECT v.line, v.version, v.finished_at, \
            row_number() OVER (ORDER BY v.finished_at DESC, v.line DESC, v.version DESC) AS place \
            FROM toolgate_engine.versions AS v JOIN toolgate_engine.lines AS l ON l.id = v.line WHERE l.name = $1) AS r \
        WHERE gone.line = $3 AND r.line = gone.line AND r.version = gone.version AND r.place > $2 \
            AND r.finished_at < clock_timestamp() - interval '1 hour'";
    sqlx::query(text).bind(name).bind(VERSIONS_KEPT).bind(line).execute(&mut **tx).await?;
    Ok(())
}

/// Removes what no version of the line has any more. Ended documents stay as rows without passages: postings still name theirs.
async fn remove_rows(
    tx: &mut EngineTransaction,
    line: i64,
    vector: Option<&VectorSupport>,
) -> Result<(), StepError> {
    let text = "DELETE FROM toolgate_engine.lines AS l WHERE id = $1 \
        AND NOT EXISTS (SELECT 1 FROM toolgate_engine.versions AS v WHERE v.line = l.id)";
    if sqlx::query(text).bind(line).execute(&mut **tx).await?.rows_affected() > 0 {
        return Ok(());
    }
    let text = "UPDATE toolgate_engine.documents SET is_kept = false WHERE line = $1 AND is_kept \
        AND to_version <= (SELECT min(version) FROM toolgate_engine.versions WHERE line = $1) RETURNING document";
    let documents: Vec<(i64,)> = sqlx::query_as(text).bind(line).fetch_all(&mut **tx).await?;
    let documents: Vec<i64> = documents.into_iter().map(|(document,)| document).collect();
    let mut texts = vec![
        "DELETE FROM toolgate_engine.passages AS p USING toolgate_engine.documents AS d \
            WHERE d.line = $1 AND d.document = ANY($2) AND p.line = $1 AND p.chunk >= d.first_chunk AND p.chunk < d.end_chunk",
    ];
    if vector.is_some() {
        texts.push(
            "DELETE FROM toolgate_engine.vectors AS v USING toolgate_engine.documents AS d \
            WHERE d.line = $1 AND d.document = ANY($2) AND v.line = $1 AND v.chunk >= d.first_chunk AND v.chunk < d.end_chunk",
        );
        texts.push(
            "DELETE FROM toolgate_engine.vector_bits AS v USING toolgate_engine.documents AS d \
            WHERE d.line = $1 AND d.document = ANY($2) AND v.line = $1 AND v.chunk >= d.first_chunk AND v.chunk < d.end_chunk",
        );
    }
    for text in texts {
        sqlx::query(text).bind(line).bind(&documents).execute(&mut **tx).await?;
    }
    Ok(())
}
