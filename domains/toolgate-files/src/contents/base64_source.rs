//! Base64 of bytes that are read while they are sent.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::{Stream, StreamExt, stream};
use toolgate_core::port::{SourceError, TextSource, TextStream};

/// The amount that is encoded at once. Divisible by three, so that only the very end is padded.
const PIECE_BYTES: usize = 192 << 10;

/// Opens the bytes from their start.
pub(super) type StreamOpener = Arc<dyn Fn() -> TextStream + Send + Sync>;

/// Base64 of some bytes, never all of it in memory.
#[derive(Clone)]
pub(super) struct Base64Source {
    /// Before they are encoded.
    bytes: u64,
    open: StreamOpener,
}

impl Base64Source {
    pub(super) fn new(bytes: u64, open: StreamOpener) -> Self {
        Self { bytes, open }
    }
}

impl TextSource for Base64Source {
    fn bytes(&self) -> u64 {
        encoded_bytes(self.bytes)
    }

    fn open(&self) -> TextStream {
        Box::pin(encoded((self.open)()))
    }
}

impl fmt::Debug for Base64Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Base64Source").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

fn encoded_bytes(bytes: u64) -> u64 {
    bytes.div_ceil(3).saturating_mul(4)
}

struct Base64Encoding {
    stream: TextStream,
    /// The received content that is not encoded yet.
    piece: Bytes,
    /// Bytes at the end of the pieces before that do not make four letters.
    rest: Vec<u8>,
    text: Vec<u8>,
}

fn encoded(stream: TextStream) -> impl Stream<Item = Result<Bytes, SourceError>> + Send {
    let encoding = Base64Encoding { stream, piece: Bytes::new(), rest: Vec::new(), text: Vec::new() };
    stream::try_unfold(Some(encoding), |encoding| async move {
        let Some(mut encoding) = encoding else { return Ok(None) };
        while encoding.text.len() < PIECE_BYTES {
            if !encoding.piece.is_empty() {
                encoding.encode_some();
                continue;
            }
            match encoding.stream.next().await {
                Some(piece) => encoding.piece = piece?,
                None => return Ok(encoding.end().map(|text| (text, None))),
            }
        }
        let text = std::mem::take(&mut encoding.text).into();
        Ok(Some((text, Some(encoding))))
    })
}

impl Base64Encoding {
    fn encode_some(&mut self) {
        if !self.rest.is_empty() || self.piece.len() < 3 {
            let wanted = (3 - self.rest.len()).min(self.piece.len());
            self.rest.extend_from_slice(&self.piece.split_to(wanted));
            if self.rest.len() == 3 {
                let rest = std::mem::take(&mut self.rest);
                self.push(&rest);
            }
            return;
        }
        let whole = self.piece.len().min(PIECE_BYTES) / 3 * 3;
        let bytes = self.piece.split_to(whole);
        self.push(&bytes);
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.text.capacity() == 0 {
            // One piece more than sending needs.
            self.text.reserve_exact(PIECE_BYTES + PIECE_BYTES / 3 * 4);
        }
        base64_simd::STANDARD.encode_append(bytes, &mut self.text);
    }

    /// The rest, if there is any.
    fn end(mut self) -> Option<Bytes> {
        let rest = std::mem::take(&mut self.rest);
        self.push(&rest);
        (!self.text.is_empty()).then(|| self.text.into())
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    use futures_util::TryStreamExt;
    use proptest::prelude::*;

    use super::*;

    fn source(pieces: Vec<Bytes>) -> Base64Source {
        let bytes = pieces.iter().map(|piece| piece.len() as u64).sum();
        let open = move || -> TextStream { Box::pin(stream::iter(pieces.clone().into_iter().map(Ok))) };
        Base64Source::new(bytes, Arc::new(open))
    }

    async fn collect(source: &Base64Source) -> Vec<u8> {
        source.open().try_collect::<Vec<Bytes>>().await.expect("it is read to its end").concat()
    }

    fn run<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().expect("a runtime").block_on(future)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(50))]

        #[test]
        fn pieces_of_any_size_give_base64_of_the_whole(
            sizes in prop::collection::vec(prop_oneof![0usize..8, 0usize..5000, 190_000usize..200_000], 0..12),
        ) {
            let mut next = 0_u32;
            let mut byte = || {
                next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                next.to_be_bytes()[0]
            };
            let pieces: Vec<Bytes> = sizes.iter().map(|size| (0..*size).map(|_| byte()).collect()).collect();
            let whole = pieces.concat();
            let source = source(pieces);
            let text = run(collect(&source));
            prop_assert_eq!(source.bytes(), text.len() as u64);
            prop_assert!(STANDARD.encode(whole).as_bytes() == text);
            // Repeatable any number of times.
            prop_assert_eq!(text, run(collect(&source)));
        }
    }

    #[test]
    fn a_large_file_is_never_in_memory_as_a_whole() {
        const PIECES: usize = 5;
        let piece = Bytes::from(vec![7; 20 << 20]);
        let bytes = piece.len() as u64 * PIECES as u64;
        let open =
            move || -> TextStream { Box::pin(stream::iter(std::iter::repeat_n(Ok(piece.clone()), PIECES))) };
        let source = Base64Source::new(bytes, Arc::new(open));
        let (mut total, mut largest) = (0, 0);
        run(async {
            let mut stream = source.open();
            while let Some(text) = stream.next().await {
                let text = text.expect("nothing breaks off").len();
                (total, largest) = (total + text as u64, largest.max(text));
            }
        });
        assert_eq!(total, source.bytes());
        assert!(largest <= 1 << 20, "{largest}");
    }

    #[test]
    fn what_breaks_off_ends_with_an_error() {
        let open = || -> TextStream {
            Box::pin(stream::iter([Ok(Bytes::from_static(b"abcd")), Err(SourceError("gone".to_owned()))]))
        };
        let source = Base64Source::new(6, Arc::new(open));
        let read = run(source.open().try_collect::<Vec<Bytes>>());
        assert_eq!(read, Err(SourceError("gone".to_owned())));
    }
}
