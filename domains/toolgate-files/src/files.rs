//! The files, refs and artifacts of one gateway process: its inputs and answers.

mod addresses;
mod answering;
mod artifacts;
mod download;
mod finding;
mod kind;
mod receiving;
mod sharing;
mod state;
mod upkeep;
mod uploads;

use std::fmt::Display;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::content::Suppliers;
use toolgate_core::file::{File, FileName};
use toolgate_core::governance::Clock;
use toolgate_core::id::FileId;
use toolgate_core::{PrincipalId, Refusal};
use toolgate_store::{Actor, Books, FileEnd, FileFilter, PageCursor, Store};

pub use addresses::SignedAddress;
pub use artifacts::ArtifactSource;
pub use download::{ByteRange, DownloadContent};
pub use finding::FoundContent;
pub use kind::StoredKind;
pub use receiving::NewFile;
pub use sharing::{LongText, SharedArtifact};
pub use state::{Allowance, Files};
pub use upkeep::CollectionReport;
pub use uploads::OfferedUpload;

use crate::access::ContentAccess;
use crate::blobs::{Blobs, StoredBlob};
use crate::contents::extractions::Extractions;
use crate::media;
use crate::refusal::{self, UnknownContent, unknown};
use crate::sealing::AddressSeal;
use crate::settings::FilesSettings;
use state::later;

/// The time that shutdown waits for the removal of broken drafts.
const SETTLE_MAX: Duration = Duration::from_secs(10);

pub struct FilesSetup {
    pub store: Store,
    pub books: Arc<Books>,
    pub clock: Arc<dyn Clock>,
    pub settings: FilesSettings,
    /// Signs addresses. The key is the same for all gateways of one store, and after a restart.
    pub signing_key: [u8; 32],
    pub shutdown: CancellationToken,
}

/// A filter for files. `None` matches anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileQuery {
    /// Only admins and operators see the files of others.
    pub owner: Option<PrincipalId>,
    pub name: Option<FileName>,
    pub cursor: Option<PageCursor>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilePage {
    /// Newest first.
    pub files: Vec<File>,
    /// The cursor of the next page.
    pub next: Option<PageCursor>,
}

impl Files {
    /// Opens the storage and starts the collection of unused bytes.
    pub fn open(setup: FilesSetup) -> Result<Arc<Files>, Refusal> {
        let FilesSetup { store, books, clock, settings, signing_key, shutdown } = setup;
        let blobs = Blobs::new(&settings, store.clone(), Arc::clone(&clock))?;
        let files = Arc::new(Files {
            blobs,
            store,
            books,
            clock,
            settings,
            seal: AddressSeal::new(signing_key),
            suppliers: OnceLock::new(),
            allowance: OnceLock::new(),
            extractions: Extractions::default(),
            collecting: Mutex::default(),
            tasks: TaskTracker::new(),
            releases: TaskTracker::new(),
            shutdown: shutdown.child_token(),
        });
        files.tasks.spawn(upkeep::run(Arc::clone(&files), files.shutdown.clone()));
        files.tasks.close();
        Ok(files)
    }

    /// Sets the suppliers of contents from elsewhere, which start later than the files. Only the first call
    /// counts.
    pub fn supply(&self, suppliers: Arc<dyn Suppliers>) {
        let is_first = self.suppliers.set(suppliers).is_ok();
        debug_assert!(is_first, "suppliers are told once");
    }

    /// Sets the storage quota of principals. Only the first call counts.
    pub fn limit(&self, allowance: Allowance) {
        let is_first = self.allowance.set(allowance).is_ok();
        debug_assert!(is_first, "the allowance is told once");
    }

    /// Refuses a file that would exceed its owner's quota. Two concurrent ones may both fit.
    async fn refuse_too_much(&self, owner: &PrincipalId, bytes: u64) -> Result<(), Refusal> {
        let Some(max) = self.allowance.get().and_then(|allowance| allowance(owner)) else { return Ok(()) };
        let kept = self.store.bytes_of_files(owner, self.clock.now_ms()).await.map_err(refusal::down)?;
        if kept.saturating_add(bytes) <= max { Ok(()) } else { Err(refusal::too_much_kept(owner, kept, max)) }
    }

    /// Stops the tasks, and removes broken drafts.
    pub async fn stop(&self) {
        self.shutdown.cancel();
        self.tasks.wait().await;
        if tokio::time::timeout(SETTLE_MAX, self.settle()).await.is_err() {
            tracing::warn!("what broke off was not cleared away in time; some of it stays in the storage");
        }
    }

    /// Resolves when broken drafts have been removed.
    pub(crate) async fn settle(&self) {
        self.releases.close();
        self.releases.wait().await;
        self.releases.reopen();
        self.blobs.settle().await;
    }

    pub fn settings(&self) -> &FilesSettings {
        &self.settings
    }

    /// Stores incoming bytes as a file of the sender.
    pub async fn put<S, E>(
        &self,
        access: &ContentAccess<'_>,
        name: FileName,
        stream: S,
    ) -> Result<File, Refusal>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: Display,
    {
        let put = self.blobs.put_stream(stream, self.settings.upload_bytes_max).await?;
        self.keep_file(put, name, access.principal().id.clone(), &access.doer()).await
    }

    pub async fn get(&self, access: &ContentAccess<'_>, id: &FileId) -> Result<File, Refusal> {
        let found = self.store.file(id).await.map_err(refusal::down)?;
        let alive = found.filter(|file| file.expires_at_ms.is_none_or(|end| end > self.clock.now_ms()));
        match alive {
            Some(file) if access.may_use_file(&file, &self.store).await? => Ok(file),
            _ => Err(unknown(UnknownContent::File, id.as_str())),
        }
    }

    pub async fn list(
        &self,
        access: &ContentAccess<'_>,
        query: FileQuery,
        limit: usize,
    ) -> Result<FilePage, Refusal> {
        let owner = if access.is_keeper() { query.owner } else { Some(access.principal().id.clone()) };
        let filter = FileFilter {
            owner,
            name: query.name,
            alive_at_ms: Some(self.clock.now_ms()),
            cursor: query.cursor,
        };
        let (files, next) = self.store.files(&filter, limit).await.map_err(refusal::down)?;
        Ok(FilePage { files, next })
    }

    /// Removes a file. Its bytes follow when nothing else needs them.
    pub async fn delete(&self, access: &ContentAccess<'_>, id: &FileId) -> Result<File, Refusal> {
        let file = self.get(access, id).await?;
        if !access.may_delete_file(&file) {
            return Err(refusal::not_yours(&file.id));
        }
        let deleted = self.books.delete_file(id, &access.doer(), FileEnd::Deleted).await;
        deleted.map_err(refusal::down)?.ok_or_else(|| unknown(UnknownContent::File, id.as_str()))
    }

    /// Writes the row that uses the stored bytes.
    async fn keep_file(
        &self,
        put: StoredBlob,
        name: FileName,
        owner: PrincipalId,
        by: &Actor,
    ) -> Result<File, Refusal> {
        self.keep_file_for(put, name, owner, by, self.settings.keep).await
    }

    async fn keep_file_for(
        &self,
        put: StoredBlob,
        name: FileName,
        owner: PrincipalId,
        by: &Actor,
        keep: Option<Duration>,
    ) -> Result<File, Refusal> {
        self.refuse_too_much(&owner, put.bytes).await?;
        let created_at_ms = self.clock.now_ms();
        let file = File {
            id: FileId::new(self.clock.fresh_id(FileId::PREFIX)),
            media_type: self.media_type(&put, Some(&name)).await,
            name,
            bytes: put.bytes,
            digest: put.digest,
            owner,
            created_at_ms,
            expires_at_ms: keep.map(|keep| later(created_at_ms, keep)),
        };
        self.books.store_file(&file, by).await.map_err(refusal::down)?;
        Ok(file)
    }

    /// The media type of bytes, detected from their content.
    pub(crate) async fn media_type(&self, put: &StoredBlob, name: Option<&FileName>) -> String {
        let tail = match media::wants_tail(&put.head, put.bytes) {
            // Without the end it is detected less precisely.
            Some(range) => self.blobs.read_some(put.digest, range).await.unwrap_or_default(),
            None => Bytes::new(),
        };
        let sample = media::ByteSample { head: &put.head, tail: &tail, bytes: put.bytes };
        media::sniff(&sample, name.map(FileName::as_str)).to_owned()
    }

    /// The bytes themselves, for parts of the gateway that keep their own.
    pub fn blobs(&self) -> &Blobs {
        &self.blobs
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    pub(crate) fn extractions(&self) -> &Extractions {
        &self.extractions
    }

    /// `None` until the suppliers are set.
    pub(crate) fn suppliers(&self) -> Option<&Arc<dyn Suppliers>> {
        self.suppliers.get()
    }
}

#[cfg(test)]
mod tests;
