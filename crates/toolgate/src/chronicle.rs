//! The stored data about servers between runs and for the command line: their health, their last listing,
//! their era, their complaints. One task writes it, with a short delay.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::ServerName;
use toolgate_core::server::{Era, InstanceId, ServerListing, ServerSpec, ServerState, TransportSpec};
use toolgate_store::clock::now_ms;
use toolgate_store::{ListCounts, Store, StoreError};
use toolgate_upstream::ServerFacts;

/// A note about a server to be stored.
pub(crate) enum ServerNote {
    State(ServerName, ServerState),
    Listing(ServerName, ServerListing),
    Era(ServerName, Era, String),
    Stderr(ServerName, String),
    /// There are these servers and no others.
    Known(Vec<ServerName>),
}

/// Notes that may wait to be written; beyond that the newest are dropped.
const NOTES_MAX: usize = 16_384;
const STDERR_LINES_KEPT: usize = 100;
/// Changes are gathered this long before they are written.
const GATHER: Duration = Duration::from_millis(100);
const LAST_WRITE: Duration = Duration::from_secs(2);

/// The intake of notes.
#[derive(Clone)]
pub(crate) struct NoteSender(mpsc::Sender<ServerNote>);

impl NoteSender {
    /// A writer that cannot keep up loses details of the past, never anything a caller depends on.
    pub(crate) fn add(&self, note: ServerNote) {
        drop(self.0.try_send(note));
    }
}

/// The other writers of a chronicle in the same store.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OtherWriters {
    None,
    /// Other gateways, which may know other servers for a while: nothing of theirs is removed here.
    Replicas,
}

/// The knowledge at the start of the gateway.
pub(crate) struct Chronicle {
    notes: NoteSender,
    memory: Arc<EraMemory>,
    listings: Vec<(ServerName, String, ServerListing)>,
    writer: TaskTracker,
    /// Tells the writer that no more notes will come.
    last_note: CancellationToken,
}

impl Chronicle {
    pub(crate) async fn open(store: &Store, company: OtherWriters) -> Result<Self, StoreError> {
        let (sender, inbox) = mpsc::channel(NOTES_MAX);
        let notes = NoteSender(sender);
        let eras = store.read_eras().await?.into_iter();
        let stored = store.read_listings().await?.into_iter();
        let listings: Vec<_> = stored.map(|one| (one.name, one.fingerprint, one.listing)).collect();
        let memory = Arc::new(EraMemory {
            stored: eras
                .map(|(name, fingerprint, era, version)| ((name, fingerprint), (era, version)))
                .collect(),
            fingerprints: Mutex::default(),
            eras: Mutex::default(),
            notes: notes.clone(),
            company,
        });
        let counts = listings.iter().map(|(name, _, listing)| (name.clone(), ListCounts::of(listing)));
        let pages = UnwrittenNotes { counts: counts.collect(), ..UnwrittenNotes::default() };
        let last_note = CancellationToken::new();
        let writer = TaskTracker::new();
        writer.spawn(write(store.clone(), memory.clone(), pages, inbox, last_note.clone()));
        writer.close();
        Ok(Self { notes, memory, listings, writer, last_note })
    }

    pub(crate) fn notes(&self) -> NoteSender {
        self.notes.clone()
    }

    pub(crate) fn memory(&self) -> Arc<EraMemory> {
        self.memory.clone()
    }

    /// The last listings of servers that are reached in the same way as then.
    pub(crate) fn take_listings(&mut self) -> Vec<(ServerName, ServerListing)> {
        let listings = std::mem::take(&mut self.listings).into_iter();
        let same = |(name, fingerprint, _): &(ServerName, String, ServerListing)| {
            self.memory.fingerprint(name).as_ref() == Some(fingerprint)
        };
        listings.filter(same).map(|(name, _, listing)| (name, listing)).collect()
    }

    pub(crate) async fn close(self) {
        self.last_note.cancel();
        if tokio::time::timeout(LAST_WRITE, self.writer.wait()).await.is_err() {
            tracing::warn!("the last changes of servers could not be recorded in time");
        }
    }
}

/// The eras of servers, for the way they are reached now.
pub(crate) struct EraMemory {
    stored: BTreeMap<(ServerName, String), (Era, String)>,
    fingerprints: Mutex<BTreeMap<ServerName, String>>,
    eras: Mutex<BTreeMap<ServerName, (Era, String)>>,
    notes: NoteSender,
    company: OtherWriters,
}

impl EraMemory {
    /// There are these servers and no others.
    pub(crate) fn know(&self, specs: &[ServerSpec]) {
        let known = specs.iter().map(|spec| (spec.name.clone(), fingerprint(spec))).collect();
        *self.fingerprints.lock() = known;
        if self.company == OtherWriters::None {
            self.notes.add(ServerNote::Known(specs.iter().map(|spec| spec.name.clone()).collect()));
        }
    }

    fn fingerprint(&self, server: &ServerName) -> Option<String> {
        self.fingerprints.lock().get(server).cloned()
    }
}

impl ServerFacts for EraMemory {
    fn remembered(&self, server: &ServerName) -> Option<(Era, String)> {
        if let Some(era) = self.eras.lock().get(server) {
            return Some(era.clone());
        }
        self.stored.get(&(server.clone(), self.fingerprint(server)?)).cloned()
    }

    fn remember(&self, server: &ServerName, era: Era, protocol_version: &str) {
        let fact = (era, protocol_version.to_owned());
        self.eras.lock().insert(server.clone(), fact);
        self.notes.add(ServerNote::Era(server.clone(), era, protocol_version.to_owned()));
    }
}

/// Identifies the way a server is reached: another command or URL is another server. Changing instances do
/// not matter.
fn fingerprint(spec: &ServerSpec) -> String {
    let reached = match &spec.transport {
        TransportSpec::Http { instances, .. } if instances.iter().any(|one| one.id != InstanceId::only()) => {
            "instances".to_owned()
        }
        TransportSpec::Http { instances, .. } if instances.is_empty() => "instances".to_owned(),
        transport => format!("{transport:?}"),
    };
    let digest = Sha256::digest(reached);
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn keep_tail(tails: &mut BTreeMap<ServerName, VecDeque<String>>, server: &ServerName, line: &str) {
    let tail = tails.entry(server.clone()).or_default();
    tail.push_back(line.to_owned());
    if tail.len() > STDERR_LINES_KEPT {
        tail.pop_front();
    }
}

/// The knowledge about servers, and the unwritten part of it.
#[derive(Default)]
struct UnwrittenNotes {
    states: BTreeMap<ServerName, ServerState>,
    counts: BTreeMap<ServerName, ListCounts>,
    tails: BTreeMap<ServerName, VecDeque<String>>,
    changed_states: BTreeSet<ServerName>,
    changed_tails: BTreeSet<ServerName>,
    listings: BTreeMap<ServerName, ServerListing>,
    eras: BTreeMap<ServerName, (Era, String)>,
    known: Option<Vec<ServerName>>,
}

async fn write(
    store: Store,
    memory: Arc<EraMemory>,
    mut pages: UnwrittenNotes,
    mut inbox: mpsc::Receiver<ServerNote>,
    last_note: CancellationToken,
) {
    loop {
        let first = tokio::select! {
            first = inbox.recv() => first,
            // A closed inbox delivers its remaining entries, then nothing.
            () = last_note.cancelled(), if !inbox.is_closed() => {
                inbox.close();
                continue;
            }
        };
        let Some(first) = first else { return };
        // The end does not wait for more to gather.
        drop(tokio::time::timeout(GATHER, last_note.cancelled()).await);
        pages.add(first);
        while let Ok(note) = inbox.try_recv() {
            pages.add(note);
        }
        if let Err(error) = pages.write(&store, &memory).await {
            tracing::warn!(%error, "what servers do could not be recorded");
        }
    }
}

impl UnwrittenNotes {
    fn add(&mut self, note: ServerNote) {
        match note {
            ServerNote::State(name, state) => {
                self.changed_states.insert(name.clone());
                self.states.insert(name, state);
            }
            ServerNote::Listing(name, listing) => {
                self.changed_states.insert(name.clone());
                self.counts.insert(name.clone(), ListCounts::of(&listing));
                self.listings.insert(name, listing);
            }
            ServerNote::Era(name, era, version) => {
                self.eras.insert(name, (era, version));
            }
            ServerNote::Stderr(name, line) => {
                keep_tail(&mut self.tails, &name, &line);
                self.changed_tails.insert(name);
            }
            ServerNote::Known(names) => self.forget_others(names),
        }
    }

    fn forget_others(&mut self, names: Vec<ServerName>) {
        let kept: BTreeSet<&ServerName> = names.iter().collect();
        self.states.retain(|name, _| kept.contains(name));
        self.counts.retain(|name, _| kept.contains(name));
        self.tails.retain(|name, _| kept.contains(name));
        self.listings.retain(|name, _| kept.contains(name));
        self.eras.retain(|name, _| kept.contains(name));
        self.known = Some(names);
    }

    async fn write(&mut self, store: &Store, memory: &EraMemory) -> Result<(), StoreError> {
        let fingerprint = |name: &ServerName| memory.fingerprint(name).unwrap_or_default();
        let at = now_ms();
        if let Some(known) = self.known.take() {
            store.keep_only_servers(&known).await?;
        }
        for name in std::mem::take(&mut self.changed_states) {
            if let Some(state) = self.states.get(&name) {
                let counts = self.counts.get(&name).copied().unwrap_or_default();
                store.write_status(&name, state, counts, at).await?;
            }
        }
        for (name, listing) in std::mem::take(&mut self.listings) {
            store.write_listing(&name, &fingerprint(&name), &listing).await?;
        }
        for (name, (era, version)) in std::mem::take(&mut self.eras) {
            store.remember_era(&name, &fingerprint(&name), era, &version).await?;
        }
        for name in std::mem::take(&mut self.changed_tails) {
            let lines: Vec<String> = self.tails.get(&name).into_iter().flatten().cloned().collect();
            store.write_stderr(&name, &lines).await?;
        }
        Ok(())
    }
}
