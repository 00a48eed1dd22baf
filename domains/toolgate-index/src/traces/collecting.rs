//! Making the corpus: the events since the last time become documents, and the oldest days go when there are too many.

use std::collections::BTreeMap;

use bytes::Bytes;
use serde_json::{Map, Value, json};
use toolgate_core::event::{EventFilter, EventKind, Position, RecordedEvent};
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{PrincipalId, Refusal, codes};
use toolgate_files::ArtifactSource;
use toolgate_store::{Actor, LEDGER_PAGE_MAX, LedgerOrder};
use toolgate_substrate::{ManifestNote, NewFile};

use super::document::{self, TraceDocument};
use crate::indexes::Indexes;
use crate::limits::{CHANGES_PAGE, MOVES_MAX, TRACES_AT_ONCE_MAX, TRACES_MAX};
use crate::refusal::down;
use crate::source::IndexSource;

/// The kinds of events that are traces, and the name of each one's place in the ledger in the manifest's note.
const KINDS: [(EventKind, &str); 2] =
    [(EventKind::CallCompleted, "calls_until"), (EventKind::RunEnded, "runs_until")];
const PRINCIPAL: &str = "principal";
const TEXT_TYPE: &str = "text/plain";

/// A state of the corpus.
pub(crate) struct TraceCorpus {
    pub(crate) manifest: ManifestDigest,
    /// The ledger goes on after what it has.
    pub(crate) has_more: bool,
}

/// The corpus as it was, and what is new.
struct GrowingCorpus {
    head: Option<ManifestDigest>,
    note: Map<String, Value>,
    files: BTreeMap<String, NewFile>,
}

impl Indexes {
    /// Brings a corpus of traces up to date with the ledger, a piece at a time, and moves its pointer.
    pub(crate) async fn collect_traces(
        &self,
        source: &IndexSource,
        author: &Actor,
    ) -> Result<TraceCorpus, Refusal> {
        let mut tries = 1;
        loop {
            match self.try_to_collect(source, author).await {
                // Another gateway was faster, and what it made is gone on from.
                Err(refusal) if *refusal.code == codes::POINTER_MOVED && tries < MOVES_MAX => tries += 1,
                collected => return collected,
            }
        }
    }

    async fn try_to_collect(&self, source: &IndexSource, author: &Actor) -> Result<TraceCorpus, Refusal> {
        let mut corpus = self.corpus_before(source, author).await?;
        let mut has_more = false;
        let mut is_changed = corpus.head.is_none();
        for (kind, place) in KINDS {
            let (events, more) = self.events_since(&corpus, source, kind, place).await?;
            has_more |= more;
            is_changed |= !events.is_empty();
            if let Some(last) = events.last() {
                corpus.note.insert(place.to_owned(), json!(last.position.to_string()));
            }
            for recorded in &events {
                if let Some(document) = self.trace_of(recorded).await? {
                    let file = self.keep_trace(&document, author).await?;
                    corpus.files.insert(file.path.clone(), file);
                }
            }
        }
        match corpus.head.filter(|_| !is_changed) {
            Some(manifest) => Ok(TraceCorpus { manifest, has_more: false }),
            None => {
                let manifest = self.keep_corpus(source, corpus, author).await?;
                Ok(TraceCorpus { manifest, has_more })
            }
        }
    }

    /// The corpus that the pointer leads to. One that was not there yet says whose it is: its name has only a digest.
    async fn corpus_before(&self, source: &IndexSource, author: &Actor) -> Result<GrowingCorpus, Refusal> {
        let head = self.head_of(source).await?;
        let Some(manifest) = head else {
            let is_own = *source == IndexSource::traces_of(&author.principal);
            let owner = is_own.then(|| (PRINCIPAL.to_owned(), json!(author.principal.as_str())));
            return Ok(GrowingCorpus { head, note: owner.into_iter().collect(), files: BTreeMap::new() });
        };
        let note = self.substrate.manifest(manifest).await?.metadata.unwrap_or_default();
        let mut files = BTreeMap::new();
        let mut after: Option<String> = None;
        loop {
            let page = self.substrate.files_of(manifest, after.as_deref(), CHANGES_PAGE).await?;
            let is_last = page.len() < CHANGES_PAGE;
            after = page.last().map(|file| file.path.clone());
            files.extend(page.into_iter().map(|file| {
                let metadata = Some(file.metadata);
                (file.path.clone(), NewFile { path: file.path, artifact: file.artifact, metadata })
            }));
            if is_last {
                return Ok(GrowingCorpus { head, note, files });
            }
        }
    }

    /// The next events of a kind, and if there may be more. Those of one principal are asked for by its name.
    async fn events_since(
        &self,
        corpus: &GrowingCorpus,
        source: &IndexSource,
        kind: EventKind,
        place: &str,
    ) -> Result<(Vec<RecordedEvent>, bool), Refusal> {
        let of = corpus.note.get(PRINCIPAL).and_then(Value::as_str).map(PrincipalId::new);
        if of.is_none() && *source != IndexSource::all_traces() {
            // Nobody's corpus takes in nobody's calls, whatever happened to its note.
            return Err(Refusal::new(
                &codes::DAMAGED_MANIFEST,
                format!("{source} does not say whose calls it has"),
            ));
        }
        let filter = EventFilter { kind: Some(kind), principal: of, ..EventFilter::default() };
        let mut after: Option<Position> =
            corpus.note.get(place).and_then(Value::as_str).and_then(|text| text.parse().ok());
        let mut events = Vec::new();
        while events.len() < TRACES_AT_ONCE_MAX {
            let page =
                self.store.ledger_page(&filter, after.as_ref(), LEDGER_PAGE_MAX, LedgerOrder::OldestFirst);
            let page = page.await.map_err(|error| down(&error))?;
            let is_last = page.len() < LEDGER_PAGE_MAX;
            after = page.last().map(|last| last.position.clone()).or(after);
            events.extend(page);
            if is_last {
                return Ok((events, false));
            }
        }
        Ok((events, true))
    }

    async fn trace_of(&self, recorded: &RecordedEvent) -> Result<Option<TraceDocument>, Refusal> {
        let event = &recorded.event;
        if event.kind != EventKind::RunEnded {
            return Ok(document::of_call(event));
        }
        let Some(id) = event.about.run.as_ref() else { return Ok(None) };
        let run = self.store.run(id).await.map_err(|error| down(&error))?;
        Ok(run.map(|run| document::of_run(event, &run)))
    }

    async fn keep_trace(&self, document: &TraceDocument, author: &Actor) -> Result<NewFile, Refusal> {
        let name = document.path.rsplit('/').next().unwrap_or_default();
        let bytes = Bytes::copy_from_slice(document.text.as_bytes());
        let source = ArtifactSource::Bytes { bytes, media_type: TEXT_TYPE.to_owned() };
        let shared = self.files.share_artifact(author, toolgate_files::file_name(name)?, source).await?;
        let (path, artifact) = (document.path.clone(), shared.artifact.digest);
        Ok(NewFile { path, artifact, metadata: Some(document.metadata.clone()) })
    }

    async fn keep_corpus(
        &self,
        source: &IndexSource,
        corpus: GrowingCorpus,
        author: &Actor,
    ) -> Result<ManifestDigest, Refusal> {
        let GrowingCorpus { head, note, files } = corpus;
        let message = "calls and runs of the ledger".to_owned();
        let note = ManifestNote { parents: Vec::new(), message, metadata: Some(note) };
        let files = newest(files.into_values().collect(), TRACES_MAX);
        let made = self.substrate.make_manifest(files, &note, author).await?.manifest.digest;
        let (namespace, name) = (source.namespace(), source.name());
        let moved = self.substrate.move_own_pointer(namespace, name, head, made, author, &note.message).await;
        moved.map(|()| made)
    }
}

/// The newest files by their day. Their paths are `calls/<day>/<id>.txt`.
fn newest(mut files: Vec<NewFile>, max: usize) -> Vec<NewFile> {
    if files.len() > max {
        let day = |file: &NewFile| file.path.split('/').nth(1).unwrap_or_default().to_owned();
        files.sort_by_key(|file| (day(file), file.path.clone()));
        files.drain(..files.len() - max);
    }
    files
}

#[cfg(test)]
mod tests {
    use toolgate_core::Digest;

    use super::*;

    #[test]
    fn the_oldest_days_go_first() {
        let file = |path: &str| NewFile { path: path.to_owned(), artifact: Digest::of(path), metadata: None };
        let paths = ["calls/2026-01-03/a.txt", "runs/2026-01-01/b.txt", "calls/2026-01-02/c.txt"];
        let kept = newest(paths.iter().map(|path| file(path)).collect(), 2);
        let kept: Vec<&str> = kept.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(kept, ["calls/2026-01-02/c.txt", "calls/2026-01-03/a.txt"]);
        assert_eq!(newest(paths.iter().map(|path| file(path)).collect(), 5).len(), 3);
    }
}
