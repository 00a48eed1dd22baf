//! A listener to the stream of events.

use std::time::Duration;

use http::{Method, StatusCode};
use http_body_util::BodyExt;
use serde_json::Value;
use toolgate_core::Principal;

use super::gate::{Gate, request};
use crate::ApiBody;

const WAIT: Duration = Duration::from_secs(20);

pub(super) struct Listening {
    body: ApiBody,
    text: String,
}

#[derive(Debug)]
pub(super) struct HeardEvent {
    pub(super) id: String,
    pub(super) kind: String,
    pub(super) data: Value,
}

impl Listening {
    pub(super) async fn start(gate: &Gate, who: &Principal, path: &str, last_event_id: Option<&str>) -> Self {
        let mut request = request(Method::GET, path, Some(who), "");
        if let Some(id) = last_event_id {
            request.headers_mut().insert("last-event-id", id.parse().expect("a value"));
        }
        let (parts, body) = gate.api.serve(request).await.into_parts();
        assert_eq!(
            (parts.status, &parts.headers["content-type"]),
            (StatusCode::OK, &"text/event-stream".parse().expect("a value"))
        );
        Self { body, text: String::new() }
    }

    /// The next event; `None` at the end of the stream.
    pub(super) async fn next(&mut self) -> Option<HeardEvent> {
        loop {
            if let Some((event, rest)) = self.text.split_once("\n\n") {
                let (heard, rest) = (read(event), rest.to_owned());
                self.text = rest;
                if heard.is_some() {
                    return heard;
                }
                continue;
            }
            let frame = tokio::time::timeout(WAIT, self.body.frame()).await.expect("in time")?;
            let bytes = frame.expect("it never fails").into_data().expect("data");
            self.text.push_str(std::str::from_utf8(&bytes).expect("text"));
        }
    }

    pub(super) async fn kinds(&mut self, count: usize) -> Vec<String> {
        let mut kinds = Vec::new();
        while kinds.len() < count {
            kinds.push(self.next().await.expect("an event").kind);
        }
        kinds
    }
}

/// Comments and other lines are skipped.
fn read(event: &str) -> Option<HeardEvent> {
    let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
    Some(HeardEvent {
        id: field("id: ")?.to_owned(),
        kind: field("event: ")?.to_owned(),
        data: serde_json::from_str(field("data: ")?).expect("JSON"),
    })
}
