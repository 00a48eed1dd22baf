//! Publishing an index: its manifest, the pointer that leads to it, and the row by which searches find it.

use engine_protocol::IndexListing;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes};
use toolgate_store::{Actor, IndexBuildRow};

use super::building::BuiltIndex;
use super::order::IngestOrder;
use crate::indexes::Indexes;
use crate::limits::MOVES_MAX;
use crate::listing::{IndexNote, KeptIndex};
use crate::refusal::down;
use crate::source::INDEXES;

impl Indexes {
    /// Keeps a new index. Its manifest has a pointer before a row names it, so that it is not collected in between.
    pub(super) async fn publish(
        &self,
        order: &IngestOrder,
        manifest: ManifestDigest,
        built: &BuiltIndex,
        author: &Actor,
    ) -> Result<IndexBuildRow, Refusal> {
        let kept = KeptIndex { note: note(order, manifest, &built.listing), listing: built.listing.clone() };
        let index_manifest = self.keep_index(&kept, author).await?;
        self.lead_to(order, index_manifest, author).await?;
        let row = IndexBuildRow {
            key: order.build_key(manifest, self.engine_name()),
            index_manifest,
            documents: built.listing.documents,
            chunks: built.listing.chunks,
            problems: built.problems.named().to_vec(),
            problem_count: built.problems.count(),
            run: author.run.clone(),
            at_ms: self.clock.now_ms(),
        };
        self.books.keep_index_build(&row, author).await.map_err(|error| down(&error))?;
        Ok(row)
    }

    /// Moves the pointer of an index. Others may move it as well: the last one stays, and each index has its row.
    pub(super) async fn lead_to(
        &self,
        order: &IngestOrder,
        index: ManifestDigest,
        author: &Actor,
    ) -> Result<(), Refusal> {
        let profile = &order.known.profile;
        let name = order.source.index_name(&profile.name, profile.version);
        let reason = format!("index of {}", order.source);
        let reason: String = reason.chars().take(REASON_CHARS_MAX).collect();
        let mut tries = 1;
        loop {
            let head = self.substrate.pointer_head(INDEXES, &name).await?.and_then(|head| head.manifest);
            if head == Some(index) {
                return Ok(());
            }
            let moved = self.substrate.move_own_pointer(INDEXES, &name, head, index, author, &reason).await;
            match moved {
                Err(refusal) if *refusal.code == codes::POINTER_MOVED && tries < MOVES_MAX => tries += 1,
                moved => return moved,
            }
        }
    }
}

/// The substrate keeps reasons of this length.
const REASON_CHARS_MAX: usize = 500;

fn note(order: &IngestOrder, manifest: ManifestDigest, listing: &IndexListing) -> IndexNote {
    let known = &order.known;
    IndexNote {
        engine: listing.engine,
        format: listing.format,
        documents: listing.documents,
        chunks: listing.chunks,
        model: listing.model.clone(),
        profile: known.profile.name.clone(),
        profile_version: known.profile.version,
        profile_digest: known.digest,
        source_manifest: manifest,
        source_pointer: order.source.to_string(),
    }
}
