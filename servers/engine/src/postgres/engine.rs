//! Everything that searches and builds share.

use std::collections::BTreeMap;
use std::sync::Arc;

use engine_protocol::{EngineFault, Profile};
use parking_lot::Mutex;

use super::abilities::{DatabaseAbilities, VectorSupport, abilities};
use super::database::{EngineDatabase, EngineTransaction, OPEN_LIMIT, StepError};
use super::listing::VersionRow;
use super::ranges::ChunkRanges;
use super::schema::prepare;
use crate::contents::Contents;

/// Versions whose removed passages are remembered.
const REMEMBERED_MAX: usize = 256;

/// By line and version.
type RemovedByVersion = BTreeMap<(i64, i64), Arc<ChunkRanges>>;

pub(super) struct EngineCore {
    pub(super) database: EngineDatabase,
    pub(super) contents: Arc<Contents>,
    /// The database's name in listings.
    pub(super) name: String,
    pub(super) abilities: DatabaseAbilities,
    /// The digest of the model whose vectors are put.
    pub(super) model: Option<String>,
    /// Versions never change, so that this is true for ever.
    removed: Mutex<RemovedByVersion>,
}

impl EngineCore {
    pub(super) fn open(
        url: &str,
        contents: Arc<Contents>,
        model: Option<String>,
    ) -> Result<Self, EngineFault> {
        let database = EngineDatabase::open(url)?;
        let (name, abilities) = database.wait(OPEN_LIMIT, async {
            let mut tx = database.writing().await?;
            let name = prepare(&mut tx).await?;
            tx.commit().await?;
            Ok((name, abilities(&database).await?))
        })?;
        Ok(Self { database, contents, name, abilities, model, removed: Mutex::default() })
    }

    pub(super) fn vector(&self) -> Option<&VectorSupport> {
        self.abilities.vector.as_ref()
    }

    /// The model of an index with this profile, if it has vectors.
    pub(super) fn model_of(&self, profile: &Profile) -> Option<&str> {
        self.model.as_deref().filter(|_| profile.meaning.is_some() && self.vector().is_some())
    }

    /// The passages of a version's line that the version has no more.
    pub(super) async fn removed(
        &self,
        tx: &mut EngineTransaction,
        row: &VersionRow,
    ) -> Result<Arc<ChunkRanges>, StepError> {
        let key = (row.line, row.version);
        if let Some(known) = self.removed.lock().get(&key) {
            return Ok(Arc::clone(known));
        }
        let text = "SELECT first_chunk, end_chunk FROM toolgate_engine.documents WHERE line = $1 AND to_version <= $2";
        let rows: Vec<(i64, i64)> =
            sqlx::query_as(text).bind(row.line).bind(row.version).fetch_all(&mut **tx).await?;
        let ranges = rows.into_iter().map(|(first, end)| (first as u64, end as u64)).collect();
        let ranges = Arc::new(ChunkRanges::new(ranges));
        let mut remembered = self.removed.lock();
        if remembered.len() >= REMEMBERED_MAX {
            // The oldest line and version.
            remembered.pop_first();
        }
        remembered.insert(key, Arc::clone(&ranges));
        Ok(ranges)
    }
}
