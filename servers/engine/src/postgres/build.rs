//! A build: one transaction from begin to finish. An engine that is killed has never begun it.
//!
//! It goes on in the line of its base if the base is the newest there and nobody else does the same; else it begins a line of its own
//! with a copy of the base, so that neither a reverted corpus nor two builds at once disturb anybody.

use std::sync::Arc;

use engine_protocol::{BeginBuild, EngineFault, IndexListing, IngestDocument, Profile};

use super::batch::DocumentFacts;
use super::copy;
use super::database::{BUILD_STEP_LIMIT, EngineTransaction, StepError};
use super::engine::EngineCore;
use super::listing::{VersionName, VersionRow, outdated};
use super::schema::try_own_line;
use super::state::{BuildState, profile_name};
use crate::fault::internal;
use crate::port::{Build, EmbeddedChunk};

/// A line with more removed passages than others, and more than these, is copied.
const REMOVED_CHUNKS_MAX: u64 = 10_000;

pub(super) struct PostgresBuild {
    core: Arc<EngineCore>,
    /// Taken at the end.
    tx: Option<EngineTransaction>,
    state: BuildState,
}

impl PostgresBuild {
    pub(super) fn begin(core: &Arc<EngineCore>, begin: &BeginBuild) -> Result<Self, EngineFault> {
        let base = begin.base.as_ref().map(|base| base_name(core, base, &begin.profile)).transpose()?;
        let work = async {
            let mut tx = core.database.writing().await?;
            let state = match &base {
                None => BuildState::new_line(core, &mut tx, begin).await?,
                Some(base) => follow(core, &mut tx, begin, base).await?,
            };
            Ok((tx, state))
        };
        let (tx, state) = core.database.wait(BUILD_STEP_LIMIT, work)?;
        Ok(Self { core: Arc::clone(core), tx: Some(tx), state })
    }
}

impl Build for PostgresBuild {
    fn put(&mut self, document: &IngestDocument, chunks: Vec<EmbeddedChunk>) -> Result<(), EngineFault> {
        let facts = DocumentFacts::of(document)?;
        let tx = self.tx.as_mut().ok_or_else(ended)?;
        self.core.database.wait(BUILD_STEP_LIMIT, self.state.put(tx, facts, chunks))
    }

    fn drop_document(&mut self, path: &str) -> Result<(), EngineFault> {
        let tx = self.tx.as_mut().ok_or_else(ended)?;
        self.core.database.wait(BUILD_STEP_LIMIT, self.state.drop_document(tx, path))
    }

    fn finish(mut self: Box<Self>) -> Result<IndexListing, EngineFault> {
        let mut tx = self.tx.take().ok_or_else(ended)?;
        let state = &mut self.state;
        let work = async {
            let listing = state.finish(&mut tx).await?;
            tx.commit().await?;
            Ok(listing)
        };
        self.core.database.wait(BUILD_STEP_LIMIT, work)
    }
}

impl Drop for PostgresBuild {
    fn drop(&mut self) {
        if let Some(tx) = self.tx.take() {
            self.core.database.forget(tx);
        }
    }
}

fn ended() -> EngineFault {
    internal("going on with a build", "it has ended")
}

fn base_name(core: &EngineCore, base: &IndexListing, profile: &Profile) -> Result<VersionName, EngineFault> {
    let wanted = profile_name(profile);
    if base.profile != wanted {
        return Err(outdated(format!("the index was built with {}, not with {wanted}", base.profile)));
    }
    if base.model.as_deref() != core.model_of(profile) {
        return Err(outdated("the index was built with another model"));
    }
    VersionName::read(&core.contents, base)
}

/// Goes on from a version, in its line or in a copy.
async fn follow(
    core: &Arc<EngineCore>,
    tx: &mut EngineTransaction,
    begin: &BeginBuild,
    base: &VersionName,
) -> Result<BuildState, StepError> {
    let row = base.find(tx, &core.name).await?;
    let is_ours = base.index == begin.name && try_own_line(tx, row.line).await?;
    // Only whoever has the line sees what stays the newest.
    if is_ours && is_newest(tx, &row).await? && !has_many_removed(&row) {
        return Ok(BuildState::of(core, begin, row.line, row.version + 1, &row));
    }
    let mut state = BuildState::new_line(core, tx, begin).await?;
    copy::copy(tx, &row, core.vector(), &mut state).await?;
    Ok(state)
}

async fn is_newest(tx: &mut EngineTransaction, row: &VersionRow) -> Result<bool, StepError> {
    let newest: (Option<i64>,) =
        sqlx::query_as("SELECT max(version) FROM toolgate_engine.versions WHERE line = $1")
            .bind(row.line)
            .fetch_one(&mut **tx)
            .await?;
    Ok(newest.0 == Some(row.version))
}

fn has_many_removed(row: &VersionRow) -> bool {
    let removed = row.end_chunk.saturating_sub(row.totals.passages);
    removed > REMOVED_CHUNKS_MAX && removed > row.totals.passages
}
