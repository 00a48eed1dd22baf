//! Checking a version: its rows are all there, and its postings can be read.

use engine_protocol::IndexListing;

use super::database::{EngineTransaction, StepError};
use super::engine::EngineCore;
use super::listing::{VersionName, VersionRow, damaged};

pub(super) async fn check(
    core: &EngineCore,
    tx: &mut EngineTransaction,
    name: &VersionName,
    listing: &IndexListing,
) -> Result<(), StepError> {
    let row = name.find(tx, &core.name).await?;
    let passages = rows_of(tx, &row, "toolgate_engine.passages").await?;
    if passages != row.totals.passages {
        let all = row.totals.passages;
        return Err(damaged(&format!("{passages} of {all} passages are there")).into());
    }
    check_segments(tx, &row).await?;
    if listing.model.is_some() && core.vector().is_some() && row.dimensions.is_some() {
        let vectors = rows_of(tx, &row, "toolgate_engine.vectors").await?;
        let bits = rows_of(tx, &row, "toolgate_engine.vector_bits").await?;
        if vectors != bits {
            return Err(damaged(&format!("there are {vectors} vectors and {bits} of their bits")).into());
        }
    }
    Ok(())
}

/// The passages of the version that have a row in this table.
async fn rows_of(tx: &mut EngineTransaction, row: &VersionRow, table: &str) -> Result<u64, StepError> {
    let text = format!(
        "SELECT count(*) FROM toolgate_engine.documents AS d JOIN {table} AS p \
            ON p.line = d.line AND p.chunk >= d.first_chunk AND p.chunk < d.end_chunk \
         WHERE d.line = $1 AND d.from_version <= $2 AND (d.to_version IS NULL OR d.to_version > $2)"
    );
    let count: (i64,) = sqlx::query_as(sqlx::AssertSqlSafe(text))
        .bind(row.line)
        .bind(row.version)
        .fetch_one(&mut **tx)
        .await?;
    Ok(count.0 as u64)
}

async fn check_segments(tx: &mut EngineTransaction, row: &VersionRow) -> Result<(), StepError> {
    let text = "SELECT s.segment FROM toolgate_engine.segments AS s WHERE s.line = $1 AND s.postings <> \
        (SELECT coalesce(sum(p.postings), 0) FROM toolgate_engine.postings AS p WHERE p.line = s.line AND p.segment = s.segment)";
    let wrong: Option<(i64,)> = sqlx::query_as(text).bind(row.line).fetch_optional(&mut **tx).await?;
    match wrong {
        None => Ok(()),
        Some((segment,)) => Err(damaged(&format!("postings of its segment {segment} are missing")).into()),
    }
}
