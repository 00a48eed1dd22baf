//! Values of columns that rows of the registry share: names, counters, JSON.

use toolgate_core::{RawJson, ServerName};

use crate::StoreError;

/// Names the data that cannot be read.
pub(crate) fn unreadable(doing: &'static str, what: &'static str) -> StoreError {
    StoreError::Unreadable { doing, what }
}

pub(super) fn read_server(name: &str, doing: &'static str) -> Result<ServerName, StoreError> {
    ServerName::new(name).map_err(|_| unreadable(doing, "server name"))
}

pub(crate) fn read_raw(text: String, doing: &'static str, what: &'static str) -> Result<RawJson, StoreError> {
    RawJson::parse(text.into_bytes().into()).map_err(|_| unreadable(doing, what))
}

/// A counter. Databases have no unsigned ones.
pub(crate) fn read_count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or_default()
}

pub(crate) fn stored_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
