//! The output of runs.

use toolgate_core::Digest;
use toolgate_core::file::FileName;
use toolgate_core::id::RunId;
use toolgate_core::run::{OutputFile, Run};

use super::row::{RunRow, StoredRun};
use crate::db::without_nul;
use crate::error::doing;
use crate::registry::{read_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

const WITH_ARTIFACTS: &str = "WITH RECURSIVE open_tree (id) AS (
        SELECT id FROM runs WHERE tenant = $1 AND id = $2 AND ended_at_ms IS NULL
        UNION ALL
        SELECT runs.id FROM runs JOIN open_tree ON runs.parent = open_tree.id
        WHERE runs.tenant = $1 AND runs.ended_at_ms IS NULL)
    SELECT id FROM open_tree
    WHERE EXISTS (SELECT 1 FROM artifacts WHERE artifacts.tenant = $1 AND artifacts.run = open_tree.id)";

row! {
    struct OutputRow {
        run: String,
        digest: Vec<u8>,
        name: String,
        media_type: String,
        bytes: i64,
    }
}

impl Store {
    /// A run and those within it, as far as they have not ended and have stored artifacts.
    pub async fn open_runs_with_artifacts(&self, id: &RunId) -> Result<Vec<RunId>, StoreError> {
        let read = self.db.sql(WITH_ARTIFACTS).bind(self.tenant).bind(without_nul(id.as_str()));
        let ids: Vec<(String,)> = read.fetch_all().await.map_err(doing("find runs with artifacts"))?;
        Ok(ids.into_iter().map(|(id,)| RunId::new(id)).collect())
    }

    /// Runs with their output: the artifacts that they named, or all that they stored.
    pub(super) async fn with_output(
        &self,
        rows: Vec<RunRow>,
        what: &'static str,
    ) -> Result<Vec<Run>, StoreError> {
        let kept: Vec<StoredRun> = rows.into_iter().map(|row| row.read(what)).collect::<Result<_, _>>()?;
        let ids: Vec<RunId> = kept.iter().map(|kept| kept.run.id.clone()).collect();
        let made = self.made(&ids, what).await?;
        Ok(kept.into_iter().map(|kept| with_output(kept, &made)).collect())
    }

    /// By their names.
    async fn made(&self, runs: &[RunId], what: &'static str) -> Result<Vec<(RunId, OutputFile)>, StoreError> {
        let Some(last) = runs.last() else { return Ok(Vec::new()) };
        // Few different texts, so that they stay prepared.
        let count = runs.len().next_power_of_two();
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(made_text(count))).bind(self.tenant);
        for id in runs.iter().chain(std::iter::repeat(last)).take(count) {
            statement.push(without_nul(id.as_str()));
        }
        let rows: Vec<OutputRow> = statement.fetch_all().await.map_err(doing(what))?;
        rows.into_iter().map(|row| row.read(what)).collect()
    }
}

fn made_text(count: usize) -> String {
    let places: Vec<String> = (2..count + 2).map(|place| format!("${place}")).collect();
    format!(
        "SELECT run, digest, name, media_type, bytes FROM artifacts WHERE tenant = $1 AND run IN ({}) ORDER BY name",
        places.join(", ")
    )
}

fn with_output(kept: StoredRun, made: &[(RunId, OutputFile)]) -> Run {
    let StoredRun { run, output: named, .. } = kept;
    let is_named = |file: &OutputFile| named.as_ref().is_none_or(|named| named.contains(&file.artifact));
    let output = made.iter().filter(|(by, file)| *by == run.id && is_named(file));
    Run { output: output.map(|(_, file)| file.clone()).collect(), ..run }
}

impl OutputRow {
    fn read(self, doing: &'static str) -> Result<(RunId, OutputFile), StoreError> {
        let digest =
            <[u8; 32]>::try_from(self.digest).map_err(|_| unreadable(doing, "digest of an artifact"))?;
        let file = OutputFile {
            name: FileName::new(&self.name).map_err(|_| unreadable(doing, "name of an artifact"))?,
            artifact: Digest::from_bytes(digest),
            bytes: read_count(self.bytes),
            media_type: self.media_type,
        };
        Ok((RunId::new(self.run), file))
    }
}
