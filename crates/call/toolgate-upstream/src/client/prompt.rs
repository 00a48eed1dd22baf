//! A socket that can acknowledge received data at once.
//!
//! A server that leaves Nagle's algorithm on holds every event after the first back until the one before has
//! been acknowledged, and a client that only listens delays its acknowledgements: 40 ms for each. While a
//! response is a stream, asking for prompt acknowledgements costs a system call per read and saves that wait.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

pub(super) struct PromptStream {
    stream: TokioIo<TcpStream>,
    wanted: Arc<AtomicBool>,
}

impl PromptStream {
    pub(super) fn new(stream: TokioIo<TcpStream>) -> (Self, Arc<AtomicBool>) {
        let wanted = Arc::new(AtomicBool::new(false));
        (Self { stream, wanted: wanted.clone() }, wanted)
    }

    #[cfg(target_os = "linux")]
    fn acknowledge(&self) {
        // It is only about speed: a socket that does not know the option is as good as before.
        drop(self.stream.inner().set_quickack(true));
    }

    #[cfg(not(target_os = "linux"))]
    fn acknowledge(&self) {}
}

impl Read for PromptStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        // Before the read, because the unacknowledged data has been read already. The kernel resets the
        // option by itself, so it is set each time.
        if self.wanted.load(Ordering::Relaxed) {
            self.acknowledge();
        }
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl Write for PromptStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, buffers)
    }
}
