//! The target of an ingest or an evaluation: a pointer, a manifest, or the traces of the caller.

use schemars::JsonSchema;
use serde::Deserialize;
use toolgate_core::Refusal;
use toolgate_core::substrate::ManifestDigest;
use toolgate_domain::{ToolContext, unknown_pointer};

use super::arguments::{PointerArgument, manifest};
use crate::indexes::Indexes;
use crate::profiles::{KnownProfile, ProfileCorpus};
use crate::refusal::{empty_pointer, invalid};
use crate::scope::traces_of;
use crate::source::IndexSource;

const ONE_OF: &str = "give `pointer` with `namespace` and `name`, or `manifest`";

/// One of both.
#[derive(Deserialize, JsonSchema)]
pub(super) struct TargetArgument {
    pointer: Option<PointerArgument>,
    /// sha256:… of a manifest, which is indexed without a pointer
    manifest: Option<String>,
}

/// A source, and the state of it that is meant. Traces have none before they are collected.
pub(super) struct NamedTarget {
    pub(super) source: IndexSource,
    pub(super) manifest: Option<ManifestDigest>,
}

/// The target of an ingest. A profile of traces has no other than those of the caller.
pub(super) async fn to_ingest(
    indexes: &Indexes,
    context: &ToolContext,
    target: Option<TargetArgument>,
    known: &KnownProfile,
) -> Result<NamedTarget, Refusal> {
    match (known.corpus, target) {
        (ProfileCorpus::Traces, None) => Ok(NamedTarget { source: traces_of(context)?, manifest: None }),
        (ProfileCorpus::Traces, Some(_)) => {
            Err(invalid("this profile indexes calls and runs, and no pointers", "target")
                .hint("leave `target` out"))
        }
        (ProfileCorpus::Pointers, Some(target)) => find(indexes, context, target).await,
        (ProfileCorpus::Pointers, None) => Err(invalid("nothing to index is named", "target").hint(ONE_OF)),
    }
}

/// A pointer that the session has mounted and where it leads to, or a manifest that is there.
pub(super) async fn find(
    indexes: &Indexes,
    context: &ToolContext,
    target: TargetArgument,
) -> Result<NamedTarget, Refusal> {
    match (target.pointer, target.manifest) {
        (Some(PointerArgument { namespace, name }), None) => {
            if !context.sees_pointer(&namespace, &name) {
                return Err(unknown_pointer(&namespace, &name));
            }
            let source = IndexSource::pointer(&namespace, &name)?;
            let head = indexes.substrate.pointer_head(&namespace, &name).await?;
            let head = head.ok_or_else(|| unknown_pointer(&namespace, &name))?;
            let manifest = head.manifest.ok_or_else(|| empty_pointer(&source))?;
            Ok(NamedTarget { source, manifest: Some(manifest) })
        }
        (None, Some(text)) => {
            let digest = manifest(&text)?;
            indexes.substrate.manifest(digest).await?;
            Ok(NamedTarget { source: IndexSource::of_manifest(digest), manifest: Some(digest) })
        }
        (None, None) => Err(invalid("nothing is named", "target").hint(ONE_OF)),
        (Some(_), Some(_)) => Err(invalid("both a pointer and a manifest are named", "target").hint(ONE_OF)),
    }
}
