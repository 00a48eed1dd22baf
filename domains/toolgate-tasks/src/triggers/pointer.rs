//! A pointer that moved, so that files arrived there.

use serde::Deserialize;
use toolgate_core::event::{Event, EventKind};
use toolgate_core::scope::NamePattern;

/// A pointer that is made with a manifest has files at once.
pub(super) const KINDS: [EventKind; 2] = [EventKind::PointerCreated, EventKind::PointerMoved];

/// The part of the event's detail that counts.
#[derive(Deserialize)]
struct PointerArrival {
    namespace: String,
    name: String,
    /// The manifest that it leads to now.
    new: Option<String>,
}

/// The pattern is for `namespace/name`; `namespace:name`, as the rest of the gateway writes it, fits as well.
pub(super) fn matches(pattern: &str, event: &Event) -> bool {
    if !KINDS.contains(&event.kind) {
        return false;
    }
    let arrival = event.detail.as_ref().and_then(|detail| detail.decode::<PointerArrival>().ok());
    let (Some(arrival), Ok(pattern)) = (arrival, NamePattern::new(pattern)) else { return false };
    let PointerArrival { namespace, name, new } = arrival;
    let fits = |sign: char| pattern.matches(&format!("{namespace}{sign}{name}"));
    new.is_some() && (fits('/') || fits(':'))
}
