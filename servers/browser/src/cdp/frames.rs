//! Messages on the pipe: JSON, each ended by a NUL. One that is too long is left out as a whole, since a page can cause it
//! and others share the pipe.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt};

/// A picture of a very long page fits.
pub(super) const MESSAGE_BYTES_MAX: usize = 64 << 20;
/// Of a message that is left out: enough to see which command it answers.
const HEAD_BYTES: usize = 64;
const END: u8 = 0;

pub(super) enum CdpMessage {
    Whole(Vec<u8>),
    /// The beginning of one that was too long.
    TooLong(Vec<u8>),
}

/// The next message; `None` at the end of the pipe.
pub(super) async fn read(
    from: &mut (impl AsyncBufRead + Unpin),
    bytes_max: usize,
) -> io::Result<Option<CdpMessage>> {
    let mut message = Vec::new();
    let mut is_too_long = false;
    loop {
        let piece = from.fill_buf().await?;
        if piece.is_empty() {
            return Ok(None);
        }
        let end = piece.iter().position(|byte| *byte == END);
        let content = &piece[..end.unwrap_or(piece.len())];
        if message.len() + content.len() > bytes_max {
            is_too_long = true;
            message.extend_from_slice(&content[..content.len().min(HEAD_BYTES)]);
            message.truncate(HEAD_BYTES);
            message.shrink_to_fit();
        } else if !is_too_long {
            message.extend_from_slice(content);
        }
        let used = content.len() + usize::from(end.is_some());
        from.consume(used);
        if end.is_some() {
            return Ok(Some(if is_too_long {
                CdpMessage::TooLong(message)
            } else {
                CdpMessage::Whole(message)
            }));
        }
    }
}

pub(super) async fn write(to: &mut (impl AsyncWrite + Unpin), message: &[u8]) -> io::Result<()> {
    to.write_all(message).await?;
    to.write_all(&[END]).await?;
    to.flush().await
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn all(bytes: &[u8], bytes_max: usize) -> Vec<(bool, String)> {
        let mut from = tokio::io::BufReader::with_capacity(5, bytes);
        let mut messages = Vec::new();
        while let Some(message) = read(&mut from, bytes_max).await.unwrap() {
            let (whole, bytes) = match message {
                CdpMessage::Whole(bytes) => (true, bytes),
                CdpMessage::TooLong(bytes) => (false, bytes),
            };
            messages.push((whole, String::from_utf8(bytes).unwrap()));
        }
        messages
    }

    #[tokio::test]
    async fn a_message_that_is_too_long_is_left_out_and_the_next_one_is_read() {
        let long = format!("{{\"id\":7,{}", "x".repeat(500));
        let pipe = format!("{{}}\0{long}\0{{\"a\":1}}\0half");
        let read = all(pipe.as_bytes(), 100).await;
        let words: Vec<(bool, &str)> = read.iter().map(|(whole, text)| (*whole, text.as_str())).collect();
        assert_eq!(words[0], (true, "{}"));
        assert!(!words[1].0 && words[1].1.starts_with("{\"id\":7,") && words[1].1.len() <= HEAD_BYTES);
        assert_eq!(words[2], (true, "{\"a\":1}"));
        assert_eq!(words.len(), 3, "half a message at the end is none");
    }
}
