//! One sync: every stream page by page, published as it goes, so that whoever takes it up after a crash goes on from the last place.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::port::Caller;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Refusal, codes, stop_point};
use toolgate_store::Actor;
use toolgate_substrate::SnapshotEntry;
use toolgate_work::WorkProgress;

use super::note::{StreamPosition, SyncNote};
use super::records;
use crate::connectors::Connectors;
use crate::limits::{
    PAGES_AT_ONCE, PAGES_MAX, PLACE_BYTES_MAX, PROBLEMS_MAX, RATE_WAIT_MAX, RATE_WAITS_MAX, RECORDS_AT_ONCE,
};
use crate::pages::{PageFailure, PulledPage};
use crate::reach::ConnectorServer;
use crate::requester::StreamRequester;

pub(super) struct SyncPass<'a> {
    connectors: &'a Connectors,
    of: &'a ConnectorServer,
    author: &'a Actor,
    progress: &'a WorkProgress,
    caller: Arc<dyn Caller>,
    note: SyncNote,
    /// The note of the manifest that the pointer leads to.
    published: SyncNote,
    /// Records that are not published yet, by path.
    entries: BTreeMap<String, SnapshotEntry>,
    pages_unpublished: usize,
    passed: PassedSync,
}

/// A sync that came to its end.
#[derive(Default)]
pub(super) struct PassedSync {
    pub(super) manifest: Option<ManifestDigest>,
    pub(super) records: u64,
    pub(super) pages: u64,
    pub(super) problems: Vec<String>,
}

/// The end of one stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StreamPassEnd {
    Passed,
    /// The provider has no rate left for others either.
    RateUsedUp,
}

/// The waits for a provider within one stream.
#[derive(Default)]
struct RateWaits(usize);

impl<'a> SyncPass<'a> {
    /// Begins where the last sync ended.
    pub(super) async fn begin(
        connectors: &'a Connectors,
        of: &'a ConnectorServer,
        author: &'a Actor,
        progress: &'a WorkProgress,
    ) -> Result<Self, Refusal> {
        let base = connectors.synced(&of.connector).await?;
        let note = SyncNote::read(base.as_ref().and_then(|base| base.metadata.as_ref()));
        let manifest = base.map(|base| base.digest);
        Ok(Self {
            connectors,
            of,
            author,
            progress,
            caller: Arc::new(StreamRequester::new(author.principal.clone())),
            published: note.clone(),
            note,
            entries: BTreeMap::new(),
            pages_unpublished: 0,
            passed: PassedSync { manifest, ..PassedSync::default() },
        })
    }

    pub(super) async fn run(mut self, streams: &[String]) -> Result<PassedSync, Refusal> {
        for stream in streams {
            let end = self.pass(stream).await;
            // What was read stays, whatever ended it.
            self.publish().await?;
            if end? == StreamPassEnd::RateUsedUp {
                break;
            }
        }
        Ok(self.passed)
    }

    async fn pass(&mut self, stream: &str) -> Result<StreamPassEnd, Refusal> {
        let mut position = self.note.streams.get(stream).cloned().unwrap_or_default();
        let mut met: BTreeSet<String> = position.page().map(str::to_owned).into_iter().collect();
        let (mut waits, mut pages) = (RateWaits::default(), 0);
        while pages < PAGES_MAX {
            let asked = self.connectors.page(self.of, &self.caller, stream, position.place()).await;
            let page = match asked {
                Ok(page) => page,
                Err(PageFailure::Waits(time)) => match self.wait(stream, time, &mut waits).await {
                    true => continue,
                    false => return Ok(StreamPassEnd::RateUsedUp),
                },
                // The provider has forgotten a page of an earlier sync.
                Err(PageFailure::Refused(refusal)) if pages == 0 && is_forgotten(&position, &refusal) => {
                    position.restart();
                    continue;
                }
                // What came before it is good, so the rest of the run is not lost with one page.
                Err(PageFailure::Refused(refusal)) if pages > 0 && is_about_page(&refusal) => {
                    self.problem(stream, &format!("stopped at page {}: {}", pages + 1, refusal.message));
                    return Ok(StreamPassEnd::Passed);
                }
                Err(PageFailure::Refused(refusal)) => return Err(refusal),
            };
            pages += 1;
            self.take(stream, &page, &mut position, pages);
            let goes_on = self.turn(stream, &page, &mut position, &mut met);
            self.note.streams.insert(stream.to_owned(), position.clone());
            stop_point::reach("page read");
            if !goes_on {
                return Ok(StreamPassEnd::Passed);
            }
            if self.pages_unpublished >= PAGES_AT_ONCE || self.entries.len() >= RECORDS_AT_ONCE {
                self.publish().await?;
            }
            if let Some(time) = page.exhausted()
                && !self.wait(stream, time, &mut waits).await
            {
                return Ok(StreamPassEnd::RateUsedUp);
            }
        }
        self.problem(stream, &format!("stopped after {PAGES_MAX} pages; the next sync goes on from there"));
        Ok(StreamPassEnd::Passed)
    }

    /// Takes in the records of a page.
    fn take(&mut self, stream: &str, page: &PulledPage, position: &mut StreamPosition, number: usize) {
        for change in position.form.meet(page.records.iter().map(|record| &record.value)) {
            self.problem(stream, &format!("records have another form since page {number}: {change}"));
        }
        for record in &page.records {
            match records::entry(stream, record) {
                Ok(entry) => {
                    self.entries.insert(entry.path.as_str().to_owned(), entry);
                }
                Err(why) => self.problem(stream, &why),
            }
        }
        let count = u64::try_from(page.records.len()).unwrap_or(u64::MAX);
        self.passed.records += count;
        self.passed.pages += 1;
        self.pages_unpublished += 1;
        self.progress.add(count);
    }

    /// Moves the place behind a page. Returns true if another one follows.
    fn turn(
        &mut self,
        stream: &str,
        page: &PulledPage,
        position: &mut StreamPosition,
        met: &mut BTreeSet<String>,
    ) -> bool {
        if page.cursor.as_ref().is_some_and(|cursor| cursor.to_string().len() > PLACE_BYTES_MAX) {
            self.problem(
                stream,
                &format!("its cursor is longer than {PLACE_BYTES_MAX} bytes and is not kept"),
            );
        } else {
            position.note_cursor(page.cursor.as_ref());
        }
        let Some(next) = page.next_page.as_ref().filter(|_| !page.done) else {
            position.finish();
            return false;
        };
        let trouble = match () {
            () if next.len() > PLACE_BYTES_MAX => {
                format!("the name of the next page is longer than {PLACE_BYTES_MAX} bytes")
            }
            () if !met.insert(next.clone()) => {
                "the provider gave the same page twice, which would never end".to_owned()
            }
            () => {
                position.go_on(next.clone());
                return true;
            }
        };
        self.problem(stream, &format!("stopped: {trouble}; the next sync reads it from its last cursor"));
        position.restart();
        false
    }

    /// Waits for a provider that limits its rate. Returns false if that takes too long.
    async fn wait(&mut self, stream: &str, time: Duration, waits: &mut RateWaits) -> bool {
        if waits.0 >= RATE_WAITS_MAX || time > RATE_WAIT_MAX {
            let seconds = time.as_secs_f32().ceil();
            self.problem(
                stream,
                &format!(
                    "the provider limits its rate for another {seconds} s; the next sync goes on from there"
                ),
            );
            return false;
        }
        waits.0 += 1;
        self.connectors.clock.sleep(time).await;
        true
    }

    async fn publish(&mut self) -> Result<(), Refusal> {
        self.pages_unpublished = 0;
        if self.entries.is_empty() && self.note == self.published {
            return Ok(());
        }
        let entries: Vec<SnapshotEntry> = std::mem::take(&mut self.entries).into_values().collect();
        let connector = &self.of.connector;
        let manifest = self.connectors.publish(connector, &entries, &self.note, self.author).await?;
        self.passed.manifest = Some(manifest);
        self.published = self.note.clone();
        Ok(())
    }

    fn problem(&mut self, stream: &str, what: &str) {
        if self.passed.problems.len() < PROBLEMS_MAX {
            self.passed.problems.push(format!("{stream}: {what}"));
        }
    }
}

fn is_about_page(refusal: &Refusal) -> bool {
    [&codes::CONNECTOR_FAILED, &codes::BAD_STREAM_PAGE].contains(&refusal.code)
}

fn is_forgotten(position: &StreamPosition, refusal: &Refusal) -> bool {
    position.page().is_some() && *refusal.code == codes::CONNECTOR_FAILED
}
