//! The state of every handler.

use std::sync::Arc;

use crate::events::Feed;
use crate::pulse::Pulse;
use crate::replay::SeenIds;
use crate::services::Services;
use crate::work::Work;

pub(crate) struct Inner {
    pub(crate) services: Services,
    pub(crate) seen: SeenIds,
    pub(crate) feed: Arc<Feed>,
    pub(crate) work: Work,
    pub(crate) pulse: Pulse,
}

/// The state of every handler.
#[derive(Clone)]
pub(crate) struct Context(pub(crate) Arc<Inner>);

impl std::ops::Deref for Context {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0.services
    }
}
