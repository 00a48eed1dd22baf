//! The way bytes get in: hashed while they arrive, written in parts if they are large, and never used before
//! they are complete.

use std::fmt::Display;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use futures_util::{Stream, StreamExt, stream};
use object_store::ObjectStoreExt;
use sha2::{Digest as _, Sha256};
use toolgate_core::{Digest, Refusal};
use toolgate_store::BlobReservation;

use super::Blobs;
use super::draft::BlobDraft;
use super::shelf::BlobStorage;
use super::trouble::tallied;
use crate::refusal;

/// The part of the beginning that is kept to detect the type.
const HEAD_BYTES: usize = 8 << 10;
/// Content in memory is hashed in pieces, so that other tasks get their turn.
const PIECE_BYTES: usize = 256 << 10;
/// The number of attempts, and the pause between them, for bytes that are being deleted.
const TOUCHES_MAX: usize = 100;
const TOUCH_PAUSE: Duration = Duration::from_millis(100);

/// Bytes that are in the storage now. Their sender has an hour to write the row that uses them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredBlob {
    pub digest: Digest,
    pub bytes: u64,
    /// Their beginning: 8 KiB, or all of them.
    pub head: Bytes,
}

impl Blobs {
    /// Receives a stream of bytes. If there are too many, or they break off, or they cannot be written,
    /// nothing of them stays.
    pub async fn put_stream<S, E>(&self, stream: S, bytes_max: u64) -> Result<StoredBlob, Refusal>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: Display,
    {
        let mut stream = pin!(stream);
        let mut intake = BlobIntake::new(&self.shelf, bytes_max);
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(|error| refusal::cut_off(intake.bytes, &error))?;
            intake.take(chunk).await?;
        }
        intake.finish().await
    }

    pub async fn put_bytes(&self, bytes: Bytes) -> Result<StoredBlob, Refusal> {
        let pieces = (0..bytes.len()).step_by(PIECE_BYTES).map(|start| {
            let end = bytes.len().min(start + PIECE_BYTES);
            Ok::<_, std::convert::Infallible>(bytes.slice(start..end))
        });
        self.put_stream(stream::iter(pieces), u64::MAX).await
    }

    /// Announces one more use of existing bytes. `false` if they are being deleted.
    pub(crate) async fn keep(&self, digest: Digest, bytes: u64) -> Result<bool, Refusal> {
        Ok(self.shelf.touched(digest, bytes).await? == BlobReservation::Ready)
    }
}

/// Bytes on their way into the storage.
struct BlobIntake {
    shelf: Arc<BlobStorage>,
    bytes_max: u64,
    bytes: u64,
    hash: Sha256,
    head: BytesMut,
    /// The incomplete part.
    part: BytesMut,
    /// Present once there is more than a part.
    draft: Option<BlobDraft>,
}

impl BlobIntake {
    fn new(shelf: &Arc<BlobStorage>, bytes_max: u64) -> Self {
        Self {
            shelf: Arc::clone(shelf),
            bytes_max,
            bytes: 0,
            hash: Sha256::new(),
            head: BytesMut::new(),
            part: BytesMut::new(),
            draft: None,
        }
    }

    async fn take(&mut self, mut chunk: Bytes) -> Result<(), Refusal> {
        self.bytes += u64::try_from(chunk.len()).expect("a length fits into 64 bits");
        if self.bytes > self.bytes_max {
            return Err(refusal::too_large(self.bytes_max));
        }
        self.hash.update(&chunk);
        let missing = HEAD_BYTES - self.head.len();
        self.head.extend_from_slice(&chunk[..chunk.len().min(missing)]);
        while !chunk.is_empty() {
            // Full, and not the last one: there is more.
            if self.part.len() == self.shelf.kind.part_bytes() {
                self.write_part().await?;
            }
            let room = self.shelf.kind.part_bytes() - self.part.len();
            self.part.extend_from_slice(&chunk.split_to(room.min(chunk.len())));
        }
        Ok(())
    }

    async fn write_part(&mut self) -> Result<(), Refusal> {
        let next = BytesMut::with_capacity(self.part.len());
        let part = std::mem::replace(&mut self.part, next).freeze();
        let draft = match &mut self.draft {
            Some(draft) => draft,
            None => self.draft.insert(BlobDraft::begin(&self.shelf).await?),
        };
        draft.write(part).await
    }

    async fn finish(mut self) -> Result<StoredBlob, Refusal> {
        let digest = Digest::from_bytes(self.hash.finalize_reset().into());
        if self.draft.is_some() && !self.part.is_empty() {
            self.write_part().await?;
        }
        match self.draft.take() {
            Some(mut draft) => {
                draft.finish().await?;
                self.shelf.touch(digest, self.bytes).await?;
                draft.settle(digest, self.bytes).await?;
            }
            None => {
                self.shelf.touch(digest, self.bytes).await?;
                self.shelf.write(digest, self.part.split().freeze()).await?;
            }
        }
        Ok(StoredBlob { digest, bytes: self.bytes, head: self.head.freeze() })
    }
}

impl BlobStorage {
    /// Writes content from memory. The storage makes it visible when it is complete.
    async fn write(&self, digest: Digest, bytes: Bytes) -> Result<(), Refusal> {
        let written = tallied(self.objects.put(&self.path(digest), bytes.into())).await;
        written.map(drop).map_err(|trouble| trouble.refusal("write a file"))
    }

    /// Tells the collector that these bytes are about to be used, and waits while it deletes the same ones.
    async fn touch(&self, digest: Digest, bytes: u64) -> Result<(), Refusal> {
        for _ in 0..TOUCHES_MAX {
            if self.touched(digest, bytes).await? == BlobReservation::Ready {
                return Ok(());
            }
            tokio::time::sleep(TOUCH_PAUSE).await;
        }
        Err(refusal::being_deleted())
    }

    async fn touched(&self, digest: Digest, bytes: u64) -> Result<BlobReservation, Refusal> {
        self.store.touch_blob(&digest, bytes, self.clock.now_ms()).await.map_err(refusal::down)
    }
}
