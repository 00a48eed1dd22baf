//! The state of every handler.

use std::sync::Arc;

use toolgate_runs::RunWatchers;

use crate::events::EventFeed;
use crate::policy_trials::PolicyTrials;
use crate::progress::CallProgress;
use crate::pulse::GatewayPulse;
use crate::replay::SeenIds;
use crate::services::Services;
use crate::work::WorkInProgress;

pub(crate) struct ApiInner {
    pub(crate) services: Services,
    pub(crate) seen: SeenIds,
    pub(crate) feed: Arc<EventFeed>,
    pub(crate) work: WorkInProgress,
    pub(crate) pulse: GatewayPulse,
    pub(crate) trials: PolicyTrials,
    /// Those who follow runs.
    pub(crate) progress: Arc<RunWatchers<CallProgress>>,
}

/// The state of every handler.
#[derive(Clone)]
pub(crate) struct ApiContext(pub(crate) Arc<ApiInner>);

impl std::ops::Deref for ApiContext {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0.services
    }
}
