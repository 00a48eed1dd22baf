//! Contents by digest between the blobs of the gateway and the folder of the engine. They are put there whole: under a temporary name
//! first, then renamed.

use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use engine_protocol::{CONTENTS_FOLDER, ContentId};
use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::fs::{self, File};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;
use toolgate_core::port::TextStream;
use toolgate_core::substrate::parse_digest;
use toolgate_core::{Digest, Refusal};
use toolgate_files::Blobs;

use crate::refusal;

/// Contents that are on their way at the same time.
const CONTENTS_AT_ONCE: usize = 8;
/// The time for one content.
const BRING_MAX: Duration = Duration::from_secs(30 * 60);
const PIECE_BYTES: usize = 512 << 10;
/// The beginning of temporary names; the number of the process follows.
const INCOMING: &str = ".incoming-";

pub(crate) struct EngineContents {
    folder: PathBuf,
    blobs: Blobs,
    /// The largest content, and the most that the folder takes at all.
    bytes_max: u64,
    drafts: AtomicU64,
}

/// A content that the engine needs and the gateway cannot give.
pub(crate) struct LostContent {
    pub(crate) content: ContentId,
    pub(crate) refusal: Refusal,
}

/// Makes the folder of an engine, for its user alone, and removes what an earlier gateway left unfinished.
pub(crate) fn prepare(folder: &Path) -> io::Result<()> {
    let contents = folder.join(CONTENTS_FOLDER);
    DirBuilder::new().recursive(true).mode(0o700).create(&contents)?;
    let own = draft_prefix();
    for entry in std::fs::read_dir(&contents)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(INCOMING) && !name.starts_with(&own) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn draft_prefix() -> String {
    format!("{INCOMING}{}-", std::process::id())
}

impl EngineContents {
    pub(crate) fn new(folder: &Path, blobs: Blobs, bytes_max: u64) -> Self {
        Self { folder: folder.join(CONTENTS_FOLDER), blobs, bytes_max, drafts: AtomicU64::new(0) }
    }

    /// Brings contents from the blobs to the folder.
    pub(crate) async fn bring_all(&self, missing: &[ContentId]) -> Result<(), LostContent> {
        let one = |content: ContentId| async move {
            let brought = timeout(BRING_MAX, self.bring(&content)).await;
            let brought = brought.unwrap_or_else(|_| Err(refusal::slow_storage(BRING_MAX)));
            brought.map_err(|refusal| LostContent { content, refusal })
        };
        let all = stream::iter(missing.iter().cloned().map(one));
        all.buffer_unordered(CONTENTS_AT_ONCE).try_collect::<Vec<()>>().await.map(drop)
    }

    async fn bring(&self, content: &ContentId) -> Result<(), Refusal> {
        let place = self.place(content);
        if fs::try_exists(&place).await.unwrap_or(false) {
            return Ok(());
        }
        let (bytes, stream) = self.blobs.open_whole(digest_of(content)).await?;
        if bytes > self.bytes_max {
            return Err(refusal::too_large(bytes, self.bytes_max));
        }
        let number = self.drafts.fetch_add(1, Ordering::Relaxed);
        let draft = DraftFile(self.folder.join(format!("{}{number}", draft_prefix())));
        write(&draft.0, stream).await?;
        fs::rename(&draft.0, &place).await.map_err(|error| refusal::bad_folder(&self.folder, &error))
    }

    /// Stores contents that the engine made as blobs. Their user has an hour to write the row that names them.
    pub(crate) async fn store_all(&self, made: &[ContentId]) -> Result<(), Refusal> {
        let one = |content: ContentId| async move { self.store(&content).await };
        let all = stream::iter(made.iter().cloned().map(one));
        all.buffer_unordered(CONTENTS_AT_ONCE).try_collect::<Vec<()>>().await.map(drop)
    }

    pub(crate) async fn store(&self, content: &ContentId) -> Result<(), Refusal> {
        let file =
            File::open(self.place(content)).await.map_err(|error| refusal::not_made(content, &error))?;
        let stored = self.blobs.put_stream(stream::try_unfold(file, next_piece), self.bytes_max).await?;
        if stored.digest == digest_of(content) { Ok(()) } else { Err(refusal::other_bytes(content)) }
    }

    /// A content that the engine made, in memory.
    pub(crate) async fn read(&self, content: &ContentId, bytes_max: u64) -> Result<Bytes, Refusal> {
        let place = self.place(content);
        let not_made = |error: io::Error| refusal::not_made(content, &error);
        let bytes = fs::metadata(&place).await.map_err(not_made)?.len();
        if bytes > bytes_max {
            return Err(refusal::too_large(bytes, bytes_max));
        }
        fs::read(&place).await.map(Bytes::from).map_err(not_made)
    }

    fn place(&self, content: &ContentId) -> PathBuf {
        self.folder.join(content.as_str())
    }
}

async fn next_piece(mut file: File) -> io::Result<Option<(Bytes, File)>> {
    let mut piece = BytesMut::with_capacity(PIECE_BYTES);
    let read = file.read_buf(&mut piece).await?;
    Ok((read > 0).then(|| (piece.freeze(), file)))
}

/// Writes bytes that are checked on their way: if they are not those of the digest, the last piece is an error.
async fn write(path: &Path, mut stream: TextStream) -> Result<(), Refusal> {
    let bad_folder = |error: io::Error| refusal::bad_folder(path, &error);
    let mut file = File::create_new(path).await.map_err(bad_folder)?;
    while let Some(piece) = stream.next().await {
        let piece = piece.map_err(|error| refusal::broken_off(&error))?;
        file.write_all(&piece).await.map_err(bad_folder)?;
    }
    file.flush().await.map_err(bad_folder)
}

/// A file that is removed unless it was renamed.
struct DraftFile(PathBuf);

impl Drop for DraftFile {
    fn drop(&mut self) {
        // It is not there any more, unless something went wrong.
        drop(std::fs::remove_file(&self.0));
    }
}

fn digest_of(content: &ContentId) -> Digest {
    parse_digest(content.as_str()).expect("a content is named by 64 hexadecimal digits")
}
