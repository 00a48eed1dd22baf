//! What those who work beside calls say about a store that is away: once when it goes and once when it is back.

use crate::StoreError;

/// An outage is told when it begins and when it ends.
#[derive(Default)]
pub struct Outage {
    is_on: bool,
}

impl Outage {
    /// `what` is what does not happen meanwhile.
    pub fn note<T>(&mut self, what: &str, result: &Result<T, StoreError>) {
        match result {
            Err(error) if !self.is_on => tracing::warn!(%error, "{what}"),
            Ok(_) if self.is_on => tracing::info!("over: {what}"),
            _ => {}
        }
        self.is_on = result.is_err();
    }
}
