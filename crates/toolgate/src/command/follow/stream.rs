//! Server-sent events, read from their bytes.

use anyhow::bail;
use serde_json::Value;

/// The maximum length of one event, in bytes.
const EVENT_BYTES_MAX: usize = 16 << 20;
const BETWEEN: &[u8] = b"\n\n";

/// One event.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StreamEvent {
    /// Missing for events that nobody can go on after.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) data: Value,
}

/// Collects bytes until they are events.
#[derive(Default)]
pub(super) struct EventBuffer(Vec<u8>);

impl EventBuffer {
    pub(super) fn push(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if self.0.len() + bytes.len() > EVENT_BYTES_MAX {
            bail!("an event of the gateway is longer than {EVENT_BYTES_MAX} bytes");
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    /// The next whole event. Comments are skipped.
    pub(super) fn next(&mut self) -> Option<StreamEvent> {
        loop {
            let end = self.0.windows(BETWEEN.len()).position(|two| two == BETWEEN)?;
            let frame: Vec<u8> = self.0.drain(..end + BETWEEN.len()).collect();
            if let Some(event) = read(&String::from_utf8_lossy(&frame)) {
                return Some(event);
            }
        }
    }
}

fn read(frame: &str) -> Option<StreamEvent> {
    let field = |name: &str| frame.lines().find_map(|line| line.strip_prefix(name)).map(str::to_owned);
    let data = serde_json::from_str(&field("data: ")?).ok()?;
    Some(StreamEvent { id: field("id: "), name: field("event: ")?, data })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_read_however_their_bytes_arrive() {
        let text = "retry: 1000\n\nid: a:1\nevent: run.started\ndata: {\"n\":1}\n\n: keep-alive\n\nevent: model.text\ndata: {\"text\":\"ä\"}\n\n";
        for size in 1..text.len() {
            let (mut buffer, mut heard) = (EventBuffer::default(), Vec::new());
            for piece in text.as_bytes().chunks(size) {
                buffer.push(piece).expect("short");
                heard.extend(std::iter::from_fn(|| buffer.next()));
            }
            let expected = [
                StreamEvent { id: Some("a:1".into()), name: "run.started".into(), data: json!({ "n": 1 }) },
                StreamEvent { id: None, name: "model.text".into(), data: json!({ "text": "ä" }) },
            ];
            assert_eq!(heard, expected, "{size} bytes at once");
        }
        assert!(EventBuffer::default().push(&vec![0; EVENT_BYTES_MAX + 1]).is_err());
    }
}
