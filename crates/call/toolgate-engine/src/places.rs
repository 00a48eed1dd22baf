//! Classes of requests: how many of each run at once, how long one waits for its place, and how long it may take.

use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::timeout;
use toolgate_core::Refusal;

use crate::refusal;
use crate::settings::EngineLimits;

/// The engine has a time limit of its own for a document, and says more about it.
const DOCUMENT_GRACE: Duration = Duration::from_secs(30);
/// Searches at the same time.
const SEARCHES_MAX: usize = 32;
/// The wait of a search for its place.
const SEARCH_WAIT_MAX: Duration = Duration::from_secs(10);
/// The wait of anything else, which is part of long work.
const WORK_WAIT_MAX: Duration = Duration::from_secs(600);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum RequestClass {
    /// Reads one document.
    Document,
    Search,
    /// Part of the building of an index.
    Build,
}

impl RequestClass {
    /// The time for one request.
    pub(crate) fn limit(self, limits: &EngineLimits) -> Duration {
        match self {
            RequestClass::Document => limits.parse + DOCUMENT_GRACE,
            RequestClass::Search => limits.search,
            RequestClass::Build => limits.build,
        }
    }
}

/// Places for requests. Searches never wait for long work.
pub(crate) struct RequestPlaces {
    documents: Semaphore,
    searches: Semaphore,
    builds: Semaphore,
}

impl RequestPlaces {
    pub(crate) fn new(limits: &EngineLimits) -> Self {
        Self {
            documents: Semaphore::new(limits.parallel()),
            searches: Semaphore::new(SEARCHES_MAX),
            builds: Semaphore::new(limits.parallel()),
        }
    }

    /// Waits for a place, which is free again when the permit is dropped.
    pub(crate) async fn take(&self, class: RequestClass) -> Result<SemaphorePermit<'_>, Refusal> {
        let (places, wait) = match class {
            RequestClass::Document => (&self.documents, WORK_WAIT_MAX),
            RequestClass::Search => (&self.searches, SEARCH_WAIT_MAX),
            RequestClass::Build => (&self.builds, WORK_WAIT_MAX),
        };
        let taken = timeout(wait, places.acquire()).await.map_err(|_| refusal::busy(wait))?;
        Ok(taken.expect("places are never closed"))
    }
}
