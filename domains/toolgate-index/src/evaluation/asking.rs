//! Asking the questions: over an index of the version that is measured, whatever version is active.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use engine_protocol::{IndexRef, Search, SearchFilter};
use futures_util::{StreamExt as _, TryStreamExt as _};
use manifest_tree::EntryPath;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::{Actor, IndexBuildRow};
use toolgate_substrate::{SnapshotContent, SnapshotEntry};

use super::measures::SearchMeasures;
use crate::indexes::Indexes;
use crate::ingest::{IngestMode, IngestOrder};
use crate::limits::{EVALUATED_HITS, QUESTIONS_AT_ONCE};
use crate::profiles::{KnownProfile, ProfileDocument, ProfileQuestion};
use crate::refusal::{bad_profile, no_index, under_way};
use crate::source::IndexSource;

const DOCUMENT_TYPE: &str = "text/markdown";

/// The state that questions are asked about. It is the same for all versions that are compared.
#[derive(Clone)]
pub(crate) struct EvaluationTarget {
    pub(crate) source: IndexSource,
    pub(crate) manifest: ManifestDigest,
    pub(crate) questions: Vec<ProfileQuestion>,
}

/// A version, measured.
pub(crate) struct MeasuredVersion {
    pub(crate) known: Arc<KnownProfile>,
    pub(crate) build: IndexBuildRow,
    pub(crate) measures: SearchMeasures,
    pub(crate) questions: Vec<MeasuredQuestion>,
}

pub(crate) struct MeasuredQuestion {
    pub(crate) query: String,
    pub(crate) measures: SearchMeasures,
}

impl Indexes {
    /// The documents of a profile as a manifest, which its own questions are about. The same documents are the same manifest.
    pub(crate) async fn own_target(&self, known: &KnownProfile) -> Result<EvaluationTarget, Refusal> {
        let entries = known.documents.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
        // Not of the one who asks: everybody measures the same manifest.
        let by = Actor::person(&PrincipalId::gateway());
        let message = format!("documents of the profile {}", known.profile.name);
        let manifest = self.substrate.snapshot(&by, entries, &message).await?.digest;
        let source = IndexSource::of_manifest(manifest);
        Ok(EvaluationTarget { source, manifest, questions: known.questions.clone() })
    }

    /// Measures a version. Its index is built first, if there is none.
    pub(crate) async fn measure(
        &self,
        known: &Arc<KnownProfile>,
        target: &EvaluationTarget,
        by: &Actor,
        wait: Duration,
    ) -> Result<MeasuredVersion, Refusal> {
        let build = self.index_to_measure(known, target, by, wait).await?;
        let kept = self.kept_index(build.index_manifest).await?;
        let label = target.source.label(&known.profile.name);
        let index = IndexRef { label, listing: kept.listing.clone() };
        let asked: Vec<_> =
            target.questions.iter().map(|question| self.ask(known, &index, question)).collect();
        let questions: Vec<MeasuredQuestion> =
            futures_util::stream::iter(asked).buffered(QUESTIONS_AT_ONCE).try_collect().await?;
        let all: Vec<SearchMeasures> = questions.iter().map(|question| question.measures).collect();
        Ok(MeasuredVersion {
            known: Arc::clone(known),
            build,
            measures: SearchMeasures::mean(&all),
            questions,
        })
    }

    async fn ask(
        &self,
        known: &KnownProfile,
        index: &IndexRef,
        question: &ProfileQuestion,
    ) -> Result<MeasuredQuestion, Refusal> {
        let search = Search {
            indexes: vec![index.clone()],
            query: question.query.clone(),
            profile: known.profile.clone(),
            top_k: EVALUATED_HITS.into(),
            filter: SearchFilter::default(),
        };
        let answer = self.engine.search(search).await?;
        let ranked: Vec<String> = answer.hits.into_iter().map(|hit| hit.path).collect();
        let measures = SearchMeasures::of(&ranked, &question.relevant);
        Ok(MeasuredQuestion { query: question.query.clone(), measures })
    }

    async fn index_to_measure(
        &self,
        known: &Arc<KnownProfile>,
        target: &EvaluationTarget,
        by: &Actor,
        wait: Duration,
    ) -> Result<IndexBuildRow, Refusal> {
        let order = IngestOrder {
            source: target.source.clone(),
            manifest: Some(target.manifest),
            known: Arc::clone(known),
            mode: IngestMode::Incremental,
        };
        if let Some(build) = self.sound_build(&order, target.manifest).await? {
            return Ok(build);
        }
        let started = self.start_ingest(&order, by).await?;
        let view = self.work.wait(&started.id, wait).await?.unless_failed()?;
        if view.state.is_open() {
            return Err(under_way(&known.full_name(), started.run.as_str()));
        }
        let built = self.built(&order, target.manifest).await?;
        built.ok_or_else(|| no_index(Some(&target.source), &known.profile.name))
    }
}

fn entry(document: &ProfileDocument) -> Result<SnapshotEntry, Refusal> {
    let path = EntryPath::new(&document.path);
    let path =
        path.map_err(|error| bad_profile(&document.path, format!("a document has this path: {error}")))?;
    let bytes = Bytes::copy_from_slice(document.text.as_bytes());
    let content = SnapshotContent::Bytes { bytes, media_type: DOCUMENT_TYPE.to_owned() };
    Ok(SnapshotEntry { path, content, metadata: None })
}
