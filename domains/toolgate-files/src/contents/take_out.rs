//! Results on their way to the agent.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::Duration;

use aho_corasick::AhoCorasick;
use bytes::Bytes;
use futures_util::{StreamExt, stream};
use toolgate_core::codes;
use toolgate_core::content::{ContentHolder, Notice, SentContent, TrimmedResult};
use toolgate_core::file::Ref;
use toolgate_core::id::RefId;
use toolgate_core::{Digest, RawJson, Refusal, Tool};
use toolgate_wire::object::may_spell;

use super::base64_run::may_have_run;
use super::clean::{
    CleanedResult, PIECES_MAX, PieceContent, PiecePosition, ResultPart, StructureRule, TakenPiece, clean,
};
use super::kind::{self, is_text};
use super::render::{PieceFate, describe, preview, render};
use super::secrets;
use crate::files::Files;

/// Pieces of one result that are written at once.
const WRITTEN_AT_ONCE: usize = 8;

/// Words without which there is nothing to take out of a short result, nor to remember from it.
const TELLING: [&str; 5] = ["\"image\"", "\"audio\"", "\"blob\"", ";base64,", "ref_id"];
static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| AhoCorasick::new(TELLING).expect("five short words"));

impl Files {
    pub(super) fn may_hold_something(&self, result: &RawJson) -> bool {
        let bytes = result.as_bytes();
        bytes.len() > self.settings().results.text_bytes_max
            || FINDER.is_match(bytes)
            || TELLING.iter().any(|word| may_spell(bytes, word.trim_matches('"')))
            || may_have_run(bytes)
    }

    pub(super) async fn taken_out(
        &self,
        holder: &ContentHolder,
        tool: &Tool,
        result: RawJson,
        secrets: &[SentContent],
    ) -> TrimmedResult {
        let result = secrets::without(result, secrets);
        if !self.may_hold_something(&result) {
            return TrimmedResult { result, refs: Vec::new(), notices: Vec::new() };
        }
        let structure =
            if tool.output_schema.is_some() { StructureRule::Promised } else { StructureRule::Free };
        let CleanedResult { parts, pieces, long_structure } =
            clean(result.as_str(), &self.settings().results, structure);
        let kept = self.keep_pieces(holder, tool, pieces).await;
        let mut notices = notices(parts.as_deref().unwrap_or_default(), &kept);
        notices.extend(long_structure.map(|bytes| self.too_long(bytes)));
        let result = match parts {
            Some(parts) => RawJson::from_composed(render(&parts, &kept)),
            None => result.clone(),
        };
        self.remember(holder, tool, &result, &ids(&kept)).await;
        TrimmedResult { result, refs: kept.iter().filter_map(told).collect(), notices }
    }

    /// Stores the pieces. A piece that cannot be stored is lost, but not passed on.
    async fn keep_pieces(
        &self,
        holder: &ContentHolder,
        tool: &Tool,
        pieces: Vec<TakenPiece>,
    ) -> Vec<PieceFate> {
        let written = stream::iter(pieces).map(|piece| self.keep_piece(holder, tool, piece));
        let kept: Vec<PieceFate> = written.buffered(WRITTEN_AT_ONCE).collect().await;
        let refs: Vec<Ref> = kept.iter().filter_map(|one| one.as_ref().cloned()).collect();
        match self.store().put_refs(&refs).await {
            Ok(()) => kept,
            Err(error) => {
                tracing::warn!(%error, "what was taken out of a result could not be noted");
                kept.into_iter().map(PieceFate::lost).collect()
            }
        }
    }

    async fn keep_piece(&self, holder: &ContentHolder, tool: &Tool, piece: TakenPiece) -> PieceFate {
        let (media_type, preview) = describe_piece(&piece);
        let bytes: Bytes = match piece.content {
            PieceContent::Bytes(bytes) => bytes.into(),
            PieceContent::Text(text) => text.into(),
        };
        let length = bytes.len();
        match self.blobs().put_bytes(bytes).await {
            Ok(put) => {
                let one = self.fresh_ref(holder, tool, put.digest, put.bytes);
                PieceFate::Ref(Box::new(Ref { media_type, preview, ..one }), put.digest)
            }
            Err(Refusal { message, .. }) => {
                tracing::warn!(reason = %message, "what was taken out of a result could not be stored");
                PieceFate::Lost(length)
            }
        }
    }

    fn fresh_ref(&self, holder: &ContentHolder, tool: &Tool, digest: Digest, bytes: u64) -> Ref {
        let now_ms = self.clock().now_ms();
        Ref {
            id: RefId::new(self.clock().fresh_id(RefId::PREFIX)),
            media_type: String::new(),
            bytes,
            digest: Some(digest),
            preview: String::new(),
            principal: holder.principal.id.clone(),
            session: holder.session.clone(),
            run: holder.run.clone(),
            call: holder.call.clone(),
            tool: Some(tool.name.clone()),
            origin: None,
            created_at_ms: now_ms,
            expires_at_ms: later(now_ms, self.settings().ref_keep),
        }
    }

    fn too_long(&self, bytes: usize) -> Notice {
        let bytes_max = self.settings().results.text_bytes_max;
        let message = format!(
            "`structuredContent` has about {bytes} bytes, more than the {bytes_max} that results should have; it stays \
             because the tool promises what it looks like"
        );
        Notice { code: &codes::LONG_STRUCTURE, message }
    }
}

pub(super) fn later(now_ms: i64, by: Duration) -> i64 {
    now_ms.saturating_add(i64::try_from(by.as_millis()).unwrap_or(i64::MAX))
}

/// Its media type and its first words.
fn describe_piece(piece: &TakenPiece) -> (String, String) {
    match &piece.content {
        PieceContent::Text(text) => (kind::of_text(text, piece.declared.as_deref()), preview(text)),
        PieceContent::Bytes(bytes) => {
            let media_type = kind::of_bytes(bytes);
            let words = if is_text(&media_type) { preview(&kind::beginning(bytes)) } else { String::new() };
            (media_type, words)
        }
    }
}

fn ids(kept: &[PieceFate]) -> HashSet<RefId> {
    kept.iter().filter_map(PieceFate::as_ref).map(|one| one.id.clone()).collect()
}

fn told(kept: &PieceFate) -> Option<RawJson> {
    match kept {
        PieceFate::Ref(one, digest) => Some(describe(one, digest)),
        PieceFate::Lost(_) => None,
    }
}

fn notices(parts: &[ResultPart<'_>], kept: &[PieceFate]) -> Vec<Notice> {
    let lost = kept.iter().filter(|one| matches!(one, PieceFate::Lost(_))).count();
    let over = parts.iter().filter(|part| matches!(part.taken(), Some(PiecePosition::Over(_)))).count();
    let mut notices = Vec::new();
    if lost > 0 {
        let message = format!("{lost} parts of this result were withheld: the storage of files is away");
        notices.push(Notice { code: &codes::STORAGE_DOWN, message });
    }
    if over > 0 {
        let message =
            format!("{over} parts of this result were withheld: at most {PIECES_MAX} of one result are kept");
        notices.push(Notice { code: &codes::TOO_MANY_REFS, message });
    }
    notices
}
