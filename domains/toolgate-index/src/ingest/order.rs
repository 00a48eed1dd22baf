//! An ingest that somebody asks for: what, with which profile, and how it is written into the row of the work.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::substrate::ManifestDigest;
use toolgate_store::{Actor, IndexBuildKey, IndexBuildRow};
use toolgate_work::{StartedWork, WorkOrder};

use crate::indexes::Indexes;
use crate::profiles::KnownProfile;
use crate::refusal::down;
use crate::source::IndexSource;

/// The kind of the work and of its run.
pub(crate) const INGEST_KIND: &str = "index_ingest";

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IngestMode {
    /// From the last index, if there is one that can be gone on from.
    Incremental,
    /// From the corpus alone.
    Rebuild,
}

#[derive(Clone)]
pub(crate) struct IngestOrder {
    pub(crate) source: IndexSource,
    /// The state to index. Traces have none: their corpus is made first.
    pub(crate) manifest: Option<ManifestDigest>,
    pub(crate) known: Arc<KnownProfile>,
    pub(crate) mode: IngestMode,
}

/// The order as the row of its work has it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct IngestInput {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) manifest: Option<ManifestDigest>,
    pub(super) profile: String,
    pub(super) version: u32,
    pub(super) mode: IngestMode,
}

impl IngestOrder {
    fn input(&self) -> IngestInput {
        IngestInput {
            namespace: self.source.namespace().to_owned(),
            name: self.source.name().to_owned(),
            manifest: self.manifest,
            profile: self.known.profile.name.clone(),
            version: self.known.profile.version,
            mode: self.mode,
        }
    }

    pub(crate) fn build_key(&self, manifest: ManifestDigest, engine: &str) -> IndexBuildKey {
        IndexBuildKey {
            namespace: self.source.namespace().to_owned(),
            name: self.source.name().to_owned(),
            profile: self.known.profile.name.clone(),
            profile_version: self.known.profile.version.into(),
            engine: engine.to_owned(),
            source_manifest: manifest,
        }
    }
}

impl IngestInput {
    /// Two ingests of the same state with the same version are one. A rebuild is another matter than going on.
    fn key(&self) -> String {
        let Self { namespace, name, manifest, profile, version, mode } = self;
        let state = manifest.map_or_else(|| "now".to_owned(), |manifest| manifest.to_string());
        let mode = match mode {
            IngestMode::Incremental => "incremental",
            IngestMode::Rebuild => "rebuild",
        };
        format!("{namespace}:{name}@{profile}@{version} {state} {mode}")
    }
}

impl Indexes {
    /// Opens the work of an ingest, or joins the one that is open.
    pub(crate) async fn start_ingest(
        &self,
        order: &IngestOrder,
        actor: &Actor,
    ) -> Result<StartedWork, Refusal> {
        let input = order.input();
        let new = WorkOrder {
            kind: INGEST_KIND.to_owned(),
            key: input.key(),
            input: serde_json::to_value(&input).expect("names and numbers are JSON"),
            name: format!("index {} with {}", order.source, order.known.full_name()),
            actor: actor.clone(),
            input_manifest: order.manifest,
        };
        self.work.start(new).await
    }

    /// The order that a row of work stands for.
    pub(super) fn read_order(&self, input: IngestInput) -> Result<IngestOrder, Refusal> {
        let IngestInput { namespace, name, manifest, profile, version, mode } = input;
        let source = IndexSource::stored(&namespace, &name)?;
        let known = Arc::clone(self.shelf.version(&profile, version)?);
        Ok(IngestOrder { source, manifest, known, mode })
    }

    /// The index of a state that was built before, if its manifest is still there.
    pub(crate) async fn built(
        &self,
        order: &IngestOrder,
        manifest: ManifestDigest,
    ) -> Result<Option<IndexBuildRow>, Refusal> {
        let key = order.build_key(manifest, self.engine_name());
        let found = self.store.index_build(&key).await.map_err(|error| down(&error))?;
        let Some(build) = found else { return Ok(None) };
        // One that was collected is no longer there.
        Ok(self.kept_index(build.index_manifest).await.is_ok().then_some(build))
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;

    use super::*;

    fn input() -> IngestInput {
        IngestInput {
            namespace: "project/a".to_owned(),
            name: "handbook".to_owned(),
            manifest: Some(ManifestDigest::new(Digest::of("corpus"))),
            profile: "docs.default".to_owned(),
            version: 1,
            mode: IngestMode::Incremental,
        }
    }

    #[test]
    fn the_same_state_and_version_is_the_same_work() {
        assert_eq!(input().key(), input().key());
        let others = [
            IngestInput { manifest: Some(ManifestDigest::new(Digest::of("other"))), ..input() },
            IngestInput { manifest: None, ..input() },
            IngestInput { version: 2, ..input() },
            IngestInput { mode: IngestMode::Rebuild, ..input() },
            IngestInput { name: "draft".to_owned(), ..input() },
        ];
        for other in others {
            assert_ne!(other.key(), input().key());
        }
    }

    #[test]
    fn an_order_is_read_as_it_was_written() {
        let written = serde_json::to_value(input()).expect("JSON");
        assert_eq!(serde_json::from_value::<IngestInput>(written).expect("an order"), input());
    }
}
