//! The writing to a child's standard input: one message a line, and never two lines at once.

use std::io;
use std::sync::Arc;

use bytes::Bytes;
use tokio::io::{AsyncWrite, AsyncWriteExt, BufWriter};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use toolgate_core::port::SourceError;

use crate::context::ServerContext;
use crate::message::{MessageInserts, MessagePiece, OutgoingMessage, PieceStream};
use crate::pending::PendingRequests;
use crate::pipe::PipeMessage;

pub(super) struct StdinWriter<W> {
    pub(super) ctx: Arc<ServerContext>,
    pub(super) pending: Arc<PendingRequests>,
    pub(super) input: BufWriter<W>,
    pub(super) outgoing: mpsc::Receiver<PipeMessage>,
}

impl<W: AsyncWrite + Unpin> StdinWriter<W> {
    /// Writes until either side is gone.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        tokio::select! {
            () = self.write() => {}
            () = stop.cancelled() => {}
        }
    }

    async fn write(&mut self) {
        while let Some(next) = self.outgoing.recv().await {
            if self.write_all_waiting(next).await.is_err() {
                return;
            }
        }
    }

    /// Writes all waiting messages and flushes once.
    async fn write_all_waiting(&mut self, first: PipeMessage) -> io::Result<()> {
        let mut next = Some(first);
        while let Some(PipeMessage { id, message, ended }) = next {
            match message.inserts().cloned() {
                None => self.write_line(message.text()).await?,
                Some(inserts) => {
                    let upload = PiecewiseMessage { id, message, inserts, ended: ended.unwrap_or_default() };
                    Box::pin(self.write_in_pieces(upload)).await?;
                }
            }
            next = self.outgoing.try_recv().ok();
        }
        self.input.flush().await
    }

    async fn write_line(&mut self, text: &Bytes) -> io::Result<()> {
        self.write_flat(text).await?;
        self.input.write_all(b"\n").await
    }

    async fn write_flat(&mut self, text: &Bytes) -> io::Result<()> {
        if memchr::memchr2(b'\n', b'\r', text).is_none() {
            return self.input.write_all(text).await;
        }
        // In valid JSON a bare line break is only ever space between tokens.
        let flat: Vec<u8> =
            text.iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { *byte }).collect();
        self.input.write_all(&flat).await
    }

    /// Other messages wait until the line has ended. The time of its request limits that: when the request
    /// ends, the line does.
    async fn write_in_pieces(&mut self, upload: PiecewiseMessage) -> io::Result<()> {
        if upload.ended.is_cancelled() {
            return Ok(());
        }
        // Earlier messages must not wait for a source.
        self.input.flush().await?;
        let mut pieces = PieceStream::new(upload.message.text().clone(), upload.inserts.clone());
        while pieces.bytes_left() > 0 {
            let line = tokio::select! {
                biased;
                () = upload.ended.cancelled() => Ok(LineProgress::BreaksOff),
                next = pieces.next() => self.write_piece(next, &upload).await,
            };
            if line? == LineProgress::BreaksOff {
                return self.break_off(&upload, pieces.text_written()).await;
            }
        }
        self.input.write_all(b"\n").await
    }

    /// Text is always written completely, so that the open brackets after it are known.
    async fn write_piece(
        &mut self,
        next: Option<Result<MessagePiece, SourceError>>,
        upload: &PiecewiseMessage,
    ) -> io::Result<LineProgress> {
        match next {
            None => Ok(LineProgress::GoesOn),
            Some(Ok(MessagePiece::Text(text))) => self.write_flat(&text).await.map(|()| LineProgress::GoesOn),
            Some(Ok(MessagePiece::Content(content))) => tokio::select! {
                biased;
                () = upload.ended.cancelled() => Ok(LineProgress::BreaksOff),
                written = self.input.write_all(&content) => written.map(|()| LineProgress::GoesOn),
            },
            Some(Err(error)) => {
                if let Some(id) = upload.id {
                    self.pending.settle(id, Err(self.ctx.unread(error)));
                }
                Ok(LineProgress::BreaksOff)
            }
        }
    }

    /// A line that has begun cannot be taken back, and half a message could crash a child that expects JSON.
    /// So the line becomes one that every server must ignore: open brackets are closed, and since the method
    /// and the id come after the parameters it becomes an unknown notification.
    async fn break_off(&mut self, upload: &PiecewiseMessage, text_written: usize) -> io::Result<()> {
        if text_written == 0 {
            return Ok(());
        }
        let mut rest = closing(&upload.message.text()[..text_written]);
        // The object of the parameters is closed as well; the outermost one stays open for the method.
        rest.pop();
        rest.extend_from_slice(br#","method":"notifications/toolgate/broken_off"}"#);
        rest.push(b'\n');
        self.input.write_all(&rest).await
    }
}

/// A message that is written in pieces.
struct PiecewiseMessage {
    id: Option<u64>,
    message: OutgoingMessage,
    inserts: Arc<MessageInserts>,
    /// Cancelled when the caller gives up.
    ended: CancellationToken,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineProgress {
    GoesOn,
    /// There is nothing more to write into it, or the caller has given up.
    BreaksOff,
}

/// The characters that close everything open at the end of a beginning of JSON.
fn closing(text: &[u8]) -> Vec<u8> {
    let mut open = Vec::new();
    let mut bytes = text.iter();
    while let Some(byte) = bytes.next() {
        match (byte, open.last()) {
            (b'\\', Some(b'"')) => drop(bytes.next()),
            (b'"', Some(b'"')) => drop(open.pop()),
            (_, Some(b'"')) => {}
            (b'"', _) => open.push(b'"'),
            (b'{', _) => open.push(b'}'),
            (b'[', _) => open.push(b']'),
            (b'}' | b']', _) => drop(open.pop()),
            _ => {}
        }
    }
    open.reverse();
    open
}

#[cfg(test)]
mod tests;
