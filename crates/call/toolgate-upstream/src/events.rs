//! A response body read as server-sent events.

use std::collections::VecDeque;

use toolgate_wire::sse::{SseDecoder, SseEvent};

use crate::client::{BodyError, ServerResponse};

pub(crate) struct ServerEvents {
    body: ServerResponse,
    decoder: SseDecoder,
    ready: VecDeque<SseEvent>,
    /// The last id of the stream, which a resumption names.
    pub(crate) last_id: Option<String>,
    /// The wait before a resumption, as the stream asked.
    pub(crate) retry_ms: Option<u64>,
}

impl ServerEvents {
    pub(crate) fn new(body: ServerResponse, event_bytes_max: usize) -> Self {
        Self {
            body,
            decoder: SseDecoder::new(event_bytes_max),
            ready: VecDeque::new(),
            last_id: None,
            retry_ms: None,
        }
    }

    /// The next event that has data, or `None` at the end of the stream.
    pub(crate) async fn next(&mut self) -> Result<Option<SseEvent>, BodyError> {
        // A server that floods us is always ready: without this, nothing else on the thread would get its turn.
        tokio::task::coop::consume_budget().await;
        loop {
            while let Some(event) = self.ready.pop_front() {
                if let Some(id) = &event.id {
                    self.last_id = Some(id.clone());
                }
                self.retry_ms = event.retry_ms.or(self.retry_ms);
                if !event.data.is_empty() {
                    return Ok(Some(event));
                }
            }
            let Some(chunk) = self.body.next().await? else {
                return Ok(None);
            };
            let ready = &mut self.ready;
            self.decoder.push(&chunk, |event| ready.push_back(event)).map_err(|_| BodyError::TooLarge)?;
        }
    }

    /// The answer has arrived. A stream that ends right after it leaves its connection usable for the next
    /// request.
    pub(crate) fn finish(self) {
        self.body.finish();
    }
}
