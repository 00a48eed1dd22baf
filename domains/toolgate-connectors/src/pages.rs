//! One page of a stream, from the server of a connector. Trying and syncing read with the same request.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};
use toolgate_core::port::{Caller, ServerError, ServerReply, ServerRequest};
use toolgate_core::{FaultKind, RawJson, Refusal, codes};

use crate::connectors::Connectors;
use crate::limits::{PAGE_RECORDS_MAX, PAGE_TRIES_MAX};
use crate::rate::RateRemainder;
use crate::reach::ConnectorServer;
use crate::refusal::{bad_page, failed, of_fault};

/// Only the gateway sends it, and never a client.
const METHOD: &str = "toolgate/stream";

/// The place in a stream that a page is asked for.
#[derive(Clone, Copy, Default)]
pub(crate) struct PagePlace<'a> {
    /// The end of an earlier reading; none for all of it.
    pub(crate) cursor: Option<&'a Value>,
    /// The page within this reading; none for the first.
    pub(crate) page: Option<&'a str>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(crate) struct PulledPage {
    pub(crate) records: Vec<PulledRecord>,
    #[serde(default)]
    pub(crate) next_page: Option<String>,
    /// The place from which the next reading goes on.
    #[serde(default)]
    pub(crate) cursor: Option<Value>,
    pub(crate) done: bool,
    #[serde(default)]
    rate: Option<PulledRate>,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(crate) struct PulledRecord {
    pub(crate) key: Value,
    pub(crate) value: Value,
}

#[derive(Clone, Copy, PartialEq, Debug, Deserialize)]
struct PulledRate {
    #[serde(default)]
    remaining: Option<u64>,
    #[serde(default)]
    reset_s: Option<f64>,
}

/// The reason why there is no page.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum PageFailure {
    /// The provider limits its rate.
    Waits(Duration),
    Refused(Refusal),
}

impl From<PageFailure> for Refusal {
    fn from(failure: PageFailure) -> Self {
        match failure {
            PageFailure::Refused(refusal) => refusal,
            PageFailure::Waits(time) => {
                let message = format!("the provider limits its rate for another {} s", time.as_secs());
                Refusal::new(&codes::RATE_LIMITED, message).hint("try again after that time")
            }
        }
    }
}

impl Connectors {
    /// Asks for a page. One whose answer was lost is asked for again.
    pub(crate) async fn page(
        &self,
        of: &ConnectorServer,
        caller: &Arc<dyn Caller>,
        stream: &str,
        place: PagePlace<'_>,
    ) -> Result<PulledPage, PageFailure> {
        let mut tries = 1;
        loop {
            let asked = ServerRequest::new(METHOD, params(stream, place));
            let error = match self.servers.request(&of.server, asked, Arc::clone(caller)).await {
                Ok(ServerReply::Complete(result) | ServerReply::Cached(result)) => {
                    return self.read(of, &result).map_err(PageFailure::Refused);
                }
                Ok(ServerReply::InputRequired(_) | ServerReply::Task(_)) => {
                    let refusal = bad_page(&of.connector, "it answered with a question");
                    return Err(PageFailure::Refused(refusal));
                }
                Err(error) => error,
            };
            match &error {
                ServerError::Fault(fault) if is_lost(&fault.kind) && tries < PAGE_TRIES_MAX => tries += 1,
                _ => return Err(failure(of, stream, error)),
            }
        }
    }

    fn read(&self, of: &ConnectorServer, result: &RawJson) -> Result<PulledPage, Refusal> {
        let page: PulledPage = result.decode().map_err(|error| bad_page(&of.connector, error))?;
        if page.records.len() > PAGE_RECORDS_MAX {
            let why = format!("it has {} records, at most {PAGE_RECORDS_MAX} are taken", page.records.len());
            return Err(bad_page(&of.connector, why));
        }
        if let Some(rate) = page.rate_at(self.clock.now_ms()) {
            self.rates.lock().insert(of.server.clone(), rate);
        }
        Ok(page)
    }
}

impl PulledPage {
    fn rate_at(&self, now_ms: i64) -> Option<RateRemainder> {
        let PulledRate { remaining, reset_s } = self.rate?;
        let resets_at_ms = reset_s.filter(|seconds| seconds.is_finite()).map(|seconds| {
            // A time in the far future is as good as any other that is too long to wait for.
            let seconds = seconds.clamp(0.0, 1e9);
            now_ms.saturating_add(Duration::from_secs_f64(seconds).as_millis().try_into().unwrap_or(i64::MAX))
        });
        Some(RateRemainder { remaining, resets_at_ms, seen_at_ms: now_ms })
    }

    /// The time to wait before the next page, if the provider has nothing left.
    pub(crate) fn exhausted(&self) -> Option<Duration> {
        let PulledRate { remaining, reset_s } = self.rate?;
        let seconds = reset_s.filter(|seconds| seconds.is_finite())?.clamp(0.0, 1e9);
        (remaining == Some(0)).then(|| Duration::from_secs_f64(seconds))
    }
}

fn params(stream: &str, place: PagePlace<'_>) -> String {
    let mut members = Map::new();
    members.insert("stream".to_owned(), json!(stream));
    if let Some(cursor) = place.cursor {
        members.insert("cursor".to_owned(), cursor.clone());
    }
    if let Some(page) = place.page {
        members.insert("page".to_owned(), json!(page));
    }
    let text = Value::Object(members).to_string();
    // The members without the braces.
    text[1..text.len() - 1].to_owned()
}

fn is_lost(kind: &FaultKind) -> bool {
    matches!(kind, FaultKind::Lost { .. } | FaultKind::TimedOut { .. })
}

fn failure(of: &ConnectorServer, stream: &str, error: ServerError) -> PageFailure {
    match error {
        ServerError::Rpc(error) => PageFailure::Refused(failed(&of.connector, &of.server, stream, &error)),
        ServerError::Fault(fault) => match fault.kind {
            FaultKind::RateLimited { retry_after } | FaultKind::Resting { retry_after, .. } => {
                PageFailure::Waits(retry_after)
            }
            _ => PageFailure::Refused(of_fault(&of.connector, &fault)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_asked_for_by_its_place() {
        assert_eq!(params("messages", PagePlace::default()), r#""stream":"messages""#);
        let cursor = json!({ "ts": 7 });
        let place = PagePlace { cursor: Some(&cursor), page: Some("p\"2") };
        let asked: Value =
            serde_json::from_str(&format!("{{{}}}", params("messages", place))).expect("members");
        assert_eq!(asked, json!({ "stream": "messages", "cursor": { "ts": 7 }, "page": "p\"2" }));
    }

    #[test]
    fn a_provider_without_rate_left_says_when_it_has_some() {
        let page = |rate: Value| -> PulledPage {
            serde_json::from_value(json!({ "records": [], "done": true, "rate": rate })).expect("a page")
        };
        assert_eq!(page(json!({ "remaining": 3, "reset_s": 9 })).exhausted(), None);
        let none_left = page(json!({ "remaining": 0, "reset_s": 9 }));
        assert_eq!(none_left.exhausted(), Some(Duration::from_secs(9)));
        let seen = none_left.rate_at(1_000).expect("a rate");
        assert_eq!((seen.remaining, seen.resets_at_ms), (Some(0), Some(10_000)));
        assert_eq!(page(json!(null)).rate_at(0), None);
    }
}
