//! Log messages about an unavailable store from background tasks: one when it goes down and one when it is
//! back.

use crate::StoreError;

/// An outage is logged when it begins and when it ends.
#[derive(Default)]
pub struct Outage {
    is_on: bool,
}

impl Outage {
    /// `what` names the work that does not happen meanwhile.
    pub fn note<T>(&mut self, what: &str, result: &Result<T, StoreError>) {
        match result {
            Err(error) if !self.is_on => tracing::warn!(%error, "{what}"),
            Ok(_) if self.is_on => tracing::info!("over: {what}"),
            _ => {}
        }
        self.is_on = result.is_err();
    }
}
