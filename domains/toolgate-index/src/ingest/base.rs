//! The index to go on from, and why one cannot be gone on from.

use std::sync::Arc;

use engine_protocol::{EngineGreeting, EngineKind};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, Refusal};
use toolgate_store::IndexBuildRow;

use super::order::{IngestMode, IngestOrder};
use crate::indexes::{Indexes, engine_name};
use crate::listing::{IndexNote, KeptIndex};
use crate::profiles::KnownProfile;

/// Newer indexes of a source that are looked at for one to go on from.
const LOOKED_AT_MAX: usize = 8;

/// The things that an index depends on besides its corpus.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BuildTerms {
    engine: EngineKind,
    format: u32,
    /// The digest of the model, if the profile asks for meaning and there is one.
    model: Option<String>,
    profile_digest: Digest,
}

/// The index to go on from, or words about why there is none although there was one.
#[derive(Default)]
pub(super) struct BaseChoice {
    pub(super) base: Option<BaseIndex>,
    pub(super) rebuilt: Option<String>,
}

pub(super) struct BaseIndex {
    pub(super) build: IndexBuildRow,
    pub(super) kept: Arc<KeptIndex>,
}

impl BuildTerms {
    pub(super) fn new(engine: EngineKind, greeting: &EngineGreeting, known: &KnownProfile) -> Self {
        let model = greeting.model.as_ref().filter(|_| known.profile.meaning.is_some());
        Self {
            engine,
            format: greeting.format,
            model: model.map(|model| model.digest.clone()),
            profile_digest: known.digest,
        }
    }

    /// Words about why an index cannot be gone on from, or nothing.
    fn objection(&self, note: &IndexNote) -> Option<String> {
        if note.engine != self.engine {
            return Some(format!("it was built by the engine {}", engine_name(note.engine)));
        }
        if note.format != self.format {
            return Some("the engine writes another form of files now".to_owned());
        }
        if note.profile_digest != self.profile_digest {
            return Some(format!("the profile {} changed without a new version", note.profile));
        }
        match (&note.model, &self.model) {
            (one, other) if one == other => None,
            (Some(_), None) => Some("the model of its vectors is not there any more".to_owned()),
            (None, Some(_)) => Some("there is a model now, and it has no vectors".to_owned()),
            (_, _) => Some("the model of its vectors changed".to_owned()),
        }
    }
}

impl Indexes {
    /// The index of this very state, unless something changed under it.
    pub(super) async fn index_of_state(
        &self,
        order: &IngestOrder,
        terms: &BuildTerms,
        manifest: ManifestDigest,
    ) -> Result<Option<BaseIndex>, Refusal> {
        if order.mode == IngestMode::Rebuild {
            return Ok(None);
        }
        let Some(build) = self.built(order, manifest).await? else { return Ok(None) };
        let kept = self.kept_index(build.index_manifest).await?;
        let is_sound = terms.objection(&kept.note).is_none();
        Ok(is_sound.then_some(BaseIndex { build, kept }))
    }

    /// The same for those who measure: an index of another model or form would not measure what is searched.
    pub(crate) async fn sound_build(
        &self,
        order: &IngestOrder,
        manifest: ManifestDigest,
    ) -> Result<Option<IndexBuildRow>, Refusal> {
        let greeting = self.engine.greeting().await?;
        let terms = BuildTerms::new(self.settings.engine, &greeting, &order.known);
        Ok(self.index_of_state(order, &terms, manifest).await?.map(|base| base.build))
    }

    /// The newest index of the source that can be gone on from.
    pub(super) async fn choose_base(
        &self,
        order: &IngestOrder,
        terms: &BuildTerms,
    ) -> Result<BaseChoice, Refusal> {
        if order.mode == IngestMode::Rebuild {
            return Ok(BaseChoice { base: None, rebuilt: Some("a rebuild was asked for".to_owned()) });
        }
        let indexed = self.indexed(&order.source, &order.known).await?;
        let version = u64::from(order.known.profile.version);
        let builds = indexed.builds.into_iter().filter(|build| build.key.profile_version == version);
        let mut rebuilt: Option<String> = None;
        for build in builds.take(LOOKED_AT_MAX) {
            match self.usable(&build, terms).await {
                Ok(kept) => return Ok(BaseChoice { base: Some(BaseIndex { build, kept }), rebuilt: None }),
                Err(objection) => rebuilt = rebuilt.or(Some(objection)),
            }
        }
        Ok(BaseChoice { base: None, rebuilt })
    }

    /// An index that can be gone on from, or words about why not. Manifests that nothing led to for long are collected, and with them goes
    /// an index, or the state of the corpus that the next one would be compared with.
    async fn usable(&self, build: &IndexBuildRow, terms: &BuildTerms) -> Result<Arc<KeptIndex>, String> {
        let kept = self.kept_index(build.index_manifest).await.map_err(|refusal| refusal.message)?;
        let corpus = self.substrate.manifest(build.key.source_manifest).await;
        corpus.map_err(|refusal| refusal.message)?;
        match terms.objection(&kept.note) {
            None => Ok(kept),
            Some(objection) => Err(objection),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> BuildTerms {
        BuildTerms {
            engine: EngineKind::Inside,
            format: 1,
            model: Some("model one".to_owned()),
            profile_digest: Digest::of("profile"),
        }
    }

    fn note() -> IndexNote {
        IndexNote {
            engine: EngineKind::Inside,
            format: 1,
            documents: 1,
            chunks: 1,
            model: Some("model one".to_owned()),
            profile: "docs.default".to_owned(),
            profile_version: 1,
            profile_digest: Digest::of("profile"),
            source_manifest: ManifestDigest::new(Digest::of("corpus")),
            source_pointer: "project/a:handbook".to_owned(),
        }
    }

    #[test]
    fn an_index_of_the_same_terms_is_gone_on_from() {
        assert_eq!(terms().objection(&note()), None);
    }

    #[test]
    fn whatever_changed_under_an_index_is_said() {
        let other = Some("model two".to_owned());
        for (note, words) in [
            (IndexNote { engine: EngineKind::Postgres, ..note() }, "engine postgres"),
            (IndexNote { format: 2, ..note() }, "another form"),
            (IndexNote { profile_digest: Digest::of("changed"), ..note() }, "without a new version"),
            (IndexNote { model: other, ..note() }, "vectors changed"),
            (IndexNote { model: None, ..note() }, "has no vectors"),
        ] {
            let objection = terms().objection(&note).expect("an objection");
            assert!(objection.contains(words), "{objection}");
        }
        let without = BuildTerms { model: None, ..terms() };
        assert!(without.objection(&note()).expect("an objection").contains("not there any more"));
    }
}
