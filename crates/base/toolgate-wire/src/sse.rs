//! Server-sent events, both ways. Written by hand for the byte limit: a server that never ends an event must not
//! fill our memory.

use bytes::Bytes;

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SseEvent {
    /// The `event:` field; empty means "message".
    pub name: String,
    pub data: String,
    pub id: Option<String>,
    pub retry_ms: Option<u64>,
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("an event is larger than {limit} bytes")]
pub struct TooLarge {
    pub limit: usize,
}

/// Turns chunks of a stream into events.
#[derive(Debug)]
pub struct SseDecoder {
    line: Vec<u8>,
    event: SseEvent,
    has_data: bool,
    last_was_cr: bool,
    bytes_max: usize,
}

impl SseDecoder {
    pub fn new(bytes_max: usize) -> Self {
        Self { line: Vec::new(), event: SseEvent::default(), has_data: false, last_was_cr: false, bytes_max }
    }

    /// Takes one chunk and hands every event that it completed to `on_event`. An event that only set an id or a
    /// retry time is handed over too, with empty data.
    pub fn push(&mut self, mut chunk: &[u8], mut on_event: impl FnMut(SseEvent)) -> Result<(), TooLarge> {
        // Nothing has arrived: the other half of a line break may follow.
        if chunk.is_empty() {
            return Ok(());
        }
        if self.last_was_cr && chunk.first() == Some(&b'\n') {
            chunk = &chunk[1..];
        }
        self.last_was_cr = false;
        while let Some(end) = memchr::memchr2(b'\n', b'\r', chunk) {
            self.take(&chunk[..end])?;
            let line = std::mem::take(&mut self.line);
            self.field(&line, &mut on_event);
            let crlf = chunk[end] == b'\r' && chunk.get(end + 1) == Some(&b'\n');
            self.last_was_cr = chunk[end] == b'\r' && end + 1 == chunk.len();
            chunk = &chunk[end + 1 + usize::from(crlf)..];
        }
        self.take(chunk)
    }

    fn take(&mut self, part: &[u8]) -> Result<(), TooLarge> {
        if self.line.len() + self.event.data.len() + part.len() > self.bytes_max {
            return Err(TooLarge { limit: self.bytes_max });
        }
        self.line.extend_from_slice(part);
        Ok(())
    }

    fn field(&mut self, line: &[u8], on_event: &mut impl FnMut(SseEvent)) {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if std::mem::take(&mut self.has_data) || event.id.is_some() || event.retry_ms.is_some() {
                on_event(event);
            }
            return;
        }
        let line = String::from_utf8_lossy(line);
        let line = line.strip_prefix('\u{feff}').unwrap_or(&line);
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "data" => {
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.has_data = true;
                self.event.data.push_str(value);
            }
            "event" => self.event.name = value.to_owned(),
            "id" if !value.contains('\0') => self.event.id = Some(value.to_owned()),
            "retry" => self.event.retry_ms = value.parse().ok(),
            _ => {}
        }
    }
}

/// One event as bytes. `data` is JSON, in which a line break can only be white space between tokens: it
/// becomes a space, because many readers take each `data:` line for a whole message.
pub fn encode(id: Option<&str>, event: Option<&str>, data: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(data.len() + 64);
    if let Some(id) = id {
        out.extend_from_slice(b"id: ");
        out.extend_from_slice(id.as_bytes());
        out.push(b'\n');
    }
    if let Some(event) = event {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(event.as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(b"data: ");
    push_one_line(&mut out, data);
    out.extend_from_slice(b"\n\n");
    out.into()
}

/// Appends JSON text with its line breaks, which can only be white space, turned into spaces.
pub fn push_one_line(out: &mut Vec<u8>, json: &[u8]) {
    let start = out.len();
    out.extend_from_slice(json);
    if memchr::memchr2(b'\n', b'\r', json).is_some() {
        out[start..].iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&str]) -> Vec<SseEvent> {
        let mut decoder = SseDecoder::new(1000);
        let mut events = Vec::new();
        for chunk in chunks {
            decoder.push(chunk.as_bytes(), |event| events.push(event)).expect("within the limit");
        }
        events
    }

    fn data(chunks: &[&str]) -> Vec<String> {
        events(chunks).into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn events_survive_any_cut() {
        let text = "id: 1\nevent: message\ndata: {\"a\":\ndata: 1}\n\n: comment\n\ndata:x\r\n\r\n";
        for cut in 0..text.len() {
            assert_eq!(data(&[&text[..cut], &text[cut..]]), ["{\"a\":\n1}", "x"], "cut at {cut}");
        }
    }

    #[test]
    fn an_empty_piece_within_a_line_break_ends_no_event() {
        assert_eq!(data(&["data:x\r", "", "\ndata:y\n\n"]), ["x\ny"]);
    }

    #[test]
    fn a_priming_event_with_only_an_id_is_seen() {
        let events = events(&["id: 5\nretry: 500\ndata:\n\n"]);
        assert_eq!(events[0].id.as_deref(), Some("5"));
        assert_eq!(events[0].retry_ms, Some(500));
        assert_eq!(events[0].data, "");
    }

    #[test]
    fn an_event_without_end_is_cut_off() {
        let mut decoder = SseDecoder::new(10);
        assert_eq!(decoder.push(b"data: 0123456789", |_| ()), Err(TooLarge { limit: 10 }));
    }

    #[test]
    fn what_is_encoded_is_decoded() {
        let bytes = encode(Some("s-1"), None, b"{\n\"a\":1}");
        let text = std::str::from_utf8(&bytes).expect("text");
        assert_eq!(events(&[text])[0].data, "{ \"a\":1}");
    }
}
