//! The way bytes get out: in large pieces, the next one read ahead, verified to the last.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures_util::stream::{self, BoxStream};
use futures_util::{Stream, StreamExt, TryStreamExt};
use object_store::{GetOptions, GetRange, GetResult, GetResultPayload};
use tokio::task::JoinHandle;
use toolgate_core::port::{SourceError, TextStream};
use toolgate_core::{Digest, Refusal};

use super::Blobs;
use super::shelf::BlobStorage;
use super::trouble::{StorageTrouble, tallied};
use super::verify::{BlobVerifier, damaged, gone};
use crate::refusal;

const READING: &str = "read a file";
/// The size of a piece from a folder. Two of them are in memory at once.
const PIECE_BYTES: u64 = 512 << 10;

/// The number of resumptions of a broken read, each with the usual number of tries.
const RESUMPTIONS_MAX: usize = 2;

impl Blobs {
    /// All bytes under a digest. Nothing is opened before they are read; if they do not match, an error
    /// replaces the last piece.
    pub fn read(&self, digest: Digest, bytes: u64) -> TextStream {
        let shelf = Arc::clone(&self.shelf);
        let opening = async move {
            let found = shelf.get(digest, None).await.map_err(|refusal| SourceError(refusal.message))?;
            shelf.verified(found, digest, bytes)
        };
        Box::pin(stream::once(opening).try_flatten())
    }

    /// The same, opened now: a missing object is detected before the first byte is sent on.
    pub async fn open(&self, digest: Digest, bytes: u64) -> Result<TextStream, Refusal> {
        let found = self.shelf.get(digest, None).await?;
        self.shelf.verified(found, digest, bytes).map_err(|error| refusal::broken_off(&error))
    }

    /// The same for bytes whose number is not known: the number, and the bytes.
    pub async fn open_whole(&self, digest: Digest) -> Result<(u64, TextStream), Refusal> {
        let found = self.shelf.get(digest, None).await?;
        let bytes = found.meta.size;
        let stream =
            self.shelf.verified(found, digest, bytes).map_err(|error| refusal::broken_off(&error))?;
        Ok((bytes, stream))
    }

    /// All bytes under a digest, in memory.
    pub async fn read_whole(&self, digest: Digest, bytes_max: u64) -> Result<Bytes, Refusal> {
        let found = self.shelf.get(digest, None).await?;
        let bytes = found.meta.size;
        if bytes > bytes_max {
            return Err(refusal::too_large(bytes_max));
        }
        let mut whole = BytesMut::with_capacity(usize::try_from(bytes).unwrap_or_default());
        let broken_off = |error| refusal::broken_off(&error);
        let mut stream = self.shelf.verified(found, digest, bytes).map_err(broken_off)?;
        while let Some(piece) = stream.next().await {
            whole.extend_from_slice(&piece.map_err(broken_off)?);
        }
        Ok(whole.freeze())
    }

    /// Some of the bytes under a digest. They are counted, not verified.
    pub async fn read_range(&self, digest: Digest, range: Range<u64>) -> Result<TextStream, Refusal> {
        if range.is_empty() {
            return Ok(Box::pin(stream::empty()));
        }
        let found = self.shelf.get(digest, Some(range.clone())).await?;
        if found.range != range {
            return Err(refusal::broken_off(&damaged()));
        }
        Ok(self.shelf.pieces(found, digest, None))
    }

    /// The same, in memory.
    pub(crate) async fn read_some(&self, digest: Digest, range: Range<u64>) -> Result<Bytes, Refusal> {
        let pieces = self.read_range(digest, range).await?.try_collect::<Vec<Bytes>>().await;
        Ok(pieces.map_err(|error| refusal::broken_off(&error))?.concat().into())
    }
}

impl BlobStorage {
    async fn get(&self, digest: Digest, range: Option<Range<u64>>) -> Result<GetResult, Refusal> {
        let options = GetOptions { range: range.map(GetRange::Bounded), ..GetOptions::default() };
        let found = tallied(self.objects.get_opts(&self.path(digest), options)).await;
        found.map_err(|trouble| match trouble.is_missing() {
            true => refusal::broken_off(&gone()),
            false => trouble.refusal(READING),
        })
    }

    fn verified(
        self: &Arc<Self>,
        found: GetResult,
        digest: Digest,
        bytes: u64,
    ) -> Result<TextStream, SourceError> {
        match found.meta.size == bytes {
            true => Ok(self.pieces(found, digest, Some(BlobVerifier::new(digest, bytes)))),
            false => Err(damaged()),
        }
    }

    fn pieces(
        self: &Arc<Self>,
        found: GetResult,
        digest: Digest,
        verifier: Option<BlobVerifier>,
    ) -> TextStream {
        let Range { start, end } = found.range;
        match found.payload {
            GetResultPayload::File(mut file, _) => match file.seek(SeekFrom::Start(start)) {
                Ok(_) => Box::pin(read_ahead(BlobFileReader { file, left: end - start, verifier })),
                Err(error) => Box::pin(stream::once(async move { Err(unreadable(&error)) })),
            },
            GetResultPayload::Stream(stream) => {
                let shelf = Arc::clone(self);
                let resumptions_left = RESUMPTIONS_MAX;
                follow(RemoteObject { shelf, digest, stream, next: start, end, verifier, resumptions_left })
            }
        }
    }
}

/// An object of a remote storage, while it arrives. It is hashed on the way.
struct RemoteObject {
    shelf: Arc<BlobStorage>,
    digest: Digest,
    stream: BoxStream<'static, object_store::Result<Bytes>>,
    next: u64,
    end: u64,
    verifier: Option<BlobVerifier>,
    resumptions_left: usize,
}

fn follow(remote: RemoteObject) -> TextStream {
    Box::pin(stream::try_unfold(remote, |mut remote| async move {
        Ok(remote.next_piece().await?.map(|piece| (piece, remote)))
    }))
}

impl RemoteObject {
    async fn next_piece(&mut self) -> Result<Option<Bytes>, SourceError> {
        while self.next < self.end {
            match self.stream.next().await {
                Some(Ok(piece)) if piece.is_empty() => {}
                Some(Ok(piece)) => return self.take(piece).map(Some),
                Some(Err(error)) => self.resume(told(&error)).await?,
                None => return Err(damaged()),
            }
        }
        Ok(None)
    }

    fn take(&mut self, piece: Bytes) -> Result<Bytes, SourceError> {
        self.next += u64::try_from(piece.len()).expect("a length fits into 64 bits");
        match &mut self.verifier {
            Some(verifier) => verifier.take(&piece)?,
            None if self.next > self.end => return Err(damaged()),
            None => {}
        }
        Ok(piece)
    }

    /// Continues a broken read. The final verification shows that both parts belong together.
    async fn resume(&mut self, broken: SourceError) -> Result<(), SourceError> {
        self.resumptions_left = self.resumptions_left.checked_sub(1).ok_or(broken)?;
        let found = self.shelf.get(self.digest, Some(self.next..self.end)).await;
        let found = found.map_err(|refusal| SourceError(refusal.message))?;
        match found.payload {
            GetResultPayload::Stream(stream) => self.stream = stream,
            GetResultPayload::File(..) => unreachable!("a storage elsewhere has no files here"),
        }
        Ok(())
    }
}

/// A file of the folder, read and hashed on threads that may block.
struct BlobFileReader {
    file: File,
    left: u64,
    verifier: Option<BlobVerifier>,
}

type ReadTask = JoinHandle<(BlobFileReader, Result<Bytes, SourceError>)>;

impl BlobFileReader {
    fn begin(mut self) -> ReadTask {
        tokio::task::spawn_blocking(move || {
            let piece = self.next();
            (self, piece)
        })
    }

    fn next(&mut self) -> Result<Bytes, SourceError> {
        let wanted = self.left.min(PIECE_BYTES);
        let mut piece = Vec::with_capacity(usize::try_from(wanted).expect("a piece fits into memory"));
        let read = Read::by_ref(&mut self.file).take(wanted).read_to_end(&mut piece);
        let read = read.map_err(|error| unreadable(&error))?;
        if u64::try_from(read) != Ok(wanted) {
            return Err(damaged());
        }
        self.left -= wanted;
        if let Some(verifier) = &mut self.verifier {
            verifier.take(&piece)?;
        }
        Ok(piece.into())
    }
}

/// While a piece is used, the next one is read. No thread waits for a slow reader.
fn read_ahead(reader: BlobFileReader) -> impl Stream<Item = Result<Bytes, SourceError>> {
    let first = (reader.left > 0).then(|| reader.begin());
    stream::try_unfold(first, |reading: Option<ReadTask>| async move {
        let Some(reading) = reading else { return Ok(None) };
        let (reader, piece) = reading.await.expect("reading a file does not panic");
        let next = (piece.is_ok() && reader.left > 0).then(|| reader.begin());
        piece.map(|piece| Some((piece, next)))
    })
}

fn unreadable(error: &std::io::Error) -> SourceError {
    SourceError(format!("the file cannot be read from its folder: {error}"))
}

fn told(error: &object_store::Error) -> SourceError {
    SourceError(format!("the file broke off while it was read: {}", StorageTrouble::of(error).message()))
}
