//! Bodies of requests and answers that do not fit into memory.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use anyhow::anyhow;
use bytes::Bytes;
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body, Frame, SizeHint};
use tokio::io::{AsyncRead, ReadBuf};

pub(super) type StreamFailure = Box<dyn std::error::Error + Send + Sync>;

/// The number of bytes read at once.
const PIECE_BYTES: usize = 256 << 10;

/// The number of bytes so far.
#[derive(Clone, Default)]
pub(crate) struct PassedBytes(Arc<AtomicU64>);

impl PassedBytes {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, bytes: usize) {
        self.0.fetch_add(u64::try_from(bytes).unwrap_or_default(), Ordering::Relaxed);
    }
}

/// An upload of a command, read while it is sent.
pub(crate) struct UploadBody {
    reader: Pin<Box<dyn AsyncRead + Send>>,
    /// Its size, if known.
    bytes: Option<u64>,
    passed: PassedBytes,
    is_over: bool,
}

impl UploadBody {
    pub(crate) fn new(reader: impl AsyncRead + Send + 'static, bytes: Option<u64>) -> Self {
        Self { reader: Box::pin(reader), bytes, passed: PassedBytes::default(), is_over: false }
    }

    pub(crate) fn passed(&self) -> PassedBytes {
        self.passed.clone()
    }
}

impl Body for UploadBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let mut space = vec![0; PIECE_BYTES];
        let mut piece = ReadBuf::new(&mut space);
        let read = ready!(self.reader.as_mut().poll_read(context, &mut piece));
        let filled = piece.filled().len();
        space.truncate(filled);
        self.is_over = read.is_err() || filled == 0;
        self.passed.add(filled);
        Poll::Ready(match read {
            Err(error) => Some(Err(error)),
            Ok(()) if filled == 0 => None,
            Ok(()) => Some(Ok(Frame::data(space.into()))),
        })
    }

    fn is_end_stream(&self) -> bool {
        self.is_over
    }

    fn size_hint(&self) -> SizeHint {
        match self.bytes {
            Some(bytes) => SizeHint::with_exact(bytes.saturating_sub(self.passed.bytes())),
            None => SizeHint::default(),
        }
    }
}

/// A download of a command, as it arrives.
pub(crate) struct DownloadBody {
    body: UnsyncBoxBody<Bytes, StreamFailure>,
    /// The announced size.
    pub(crate) bytes: Option<u64>,
    passed: u64,
}

impl DownloadBody {
    pub(super) fn new<B>(body: B, bytes: Option<u64>) -> Self
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<StreamFailure>,
    {
        Self { body: body.map_err(Into::into).boxed_unsync(), bytes, passed: 0 }
    }

    #[cfg(test)]
    pub(crate) fn of_bytes(text: &'static str, announced: u64) -> Self {
        Self::new(http_body_util::Full::new(Bytes::from_static(text.as_bytes())), Some(announced))
    }

    pub(crate) fn passed(&self) -> u64 {
        self.passed
    }

    /// The next piece. `None` once everything announced has arrived.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Option<Bytes>> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|error| anyhow!("the file could not be read to its end: {error}"))?;
            if let Ok(piece) = frame.into_data() {
                self.passed += u64::try_from(piece.len()).unwrap_or_default();
                return Ok(Some(piece));
            }
        }
        match self.bytes {
            Some(bytes) if bytes != self.passed => {
                Err(anyhow!("the file broke off after {} of {bytes} bytes", self.passed)
                    .context("the gateway could not send the file"))
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_upload_is_what_its_reader_gives() {
        let text = "x".repeat(PIECE_BYTES + 7);
        let upload = UploadBody::new(std::io::Cursor::new(text.clone()), Some(text.len() as u64));
        let passed = upload.passed();
        assert_eq!(upload.size_hint().exact(), Some(text.len() as u64));
        let sent = upload.collect().await.expect("it reads").to_bytes();
        assert_eq!((sent.len(), passed.bytes()), (text.len(), text.len() as u64));
    }

    #[tokio::test]
    async fn a_download_that_is_too_short_is_an_error() {
        let mut whole = DownloadBody::of_bytes("hello", 5);
        assert_eq!(whole.next().await.expect("a piece"), Some(Bytes::from("hello")));
        assert_eq!(whole.next().await.expect("the end"), None);
        let mut short = DownloadBody::of_bytes("hello", 6);
        short.next().await.expect("a piece");
        assert!(short.next().await.is_err_and(|error| format!("{error:#}").contains("after 5 of 6 bytes")));
    }
}
