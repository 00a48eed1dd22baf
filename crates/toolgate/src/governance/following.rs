//! The policies in force follow the policy folder, `[policy]` and `[approvals]` of the configuration, and
//! the setting `policy`. Changes that do not load have no effect. Questions that policy no longer asks in the same way, or whose tool
//! has changed, are withdrawn.

use std::fmt;
use std::sync::Arc;

use serde_json::json;
use toolgate_catalog::{Catalog, Snapshot};
use toolgate_core::decision::Policy;
use toolgate_core::event::{Event, EventKind, EventSubject, LedgerEntry};
use toolgate_core::governance::{Clock, Ledger};
use toolgate_core::port::BoxFuture;
use toolgate_core::{Digest, PrincipalId, RawJson, Refusal};
use toolgate_pipeline::Pipeline;
use toolgate_pipeline::desk::ApprovalDesk;
use toolgate_policy::{PolicyDraft, PolicyEngine, PolicyError};
use toolgate_registry::{PolicyControl, PolicyTexts};
use toolgate_store::Books;

use super::{LOOK_EVERY, SystemClock, refuse_errors, set_policies, sources};
use crate::config::Config;
use crate::stored;

#[derive(Clone)]
pub(crate) struct PolicyFollower {
    pub(super) policy: Arc<PolicyEngine>,
    pub(super) books: Arc<Books>,
    pub(super) desk: Arc<ApprovalDesk>,
    pub(super) pipeline: Arc<Pipeline>,
    pub(super) catalog: Arc<Catalog>,
}

impl fmt::Debug for PolicyFollower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyFollower").field("version", &self.policy.version()).finish_non_exhaustive()
    }
}

/// The state that open approvals were last compared with.
#[derive(Default)]
struct ComparedState {
    version: Option<Digest>,
    snapshot: Option<Arc<Snapshot>>,
    /// The problems of the policies then.
    broken: Option<PolicyError>,
}

impl PolicyFollower {
    /// Applies changes of policy files, for as long as the gateway runs.
    pub(super) async fn follow(self) {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        let mut held = ComparedState::default();
        loop {
            tick.tick().await;
            if self.policy.sources_changed() {
                self.taken(self.policy.reload(&stored::tools(&self.catalog))).await;
            }
            self.hold_against(&mut held).await;
        }
    }

    /// Applies a configuration of policies and approvals.
    pub(crate) async fn take(&self, config: &Config) {
        let settings = &config.approvals;
        self.pipeline.set_times(settings.hold, settings.timeout);
        self.books.set_approvals(settings.approved_valid, settings.escalate_to.clone());
        let sources = sources(config);
        if !self.policy.is_from(&sources) {
            self.taken(self.policy.reload_from(sources, &stored::tools(&self.catalog))).await;
        }
    }

    /// Reports the result of reloading policies.
    async fn taken(&self, read: Result<Digest, PolicyError>) {
        match read {
            Ok(version) => {
                tracing::info!(%version, "policies were read again and are in force");
                self.note(EventKind::PolicyLoaded, None).await;
            }
            Err(error) => {
                tracing::error!("the new policies do not load and the old ones stay in force:\n{error}");
                let detail = json!({ "error": error.to_string() });
                self.note(EventKind::PolicyRefused, Some(detail.into())).await;
            }
        }
    }

    /// Withdraws questions whose yes would be void, and reports policies that fail on current tools. Only if policies or tools have changed since the last time.
    async fn hold_against(&self, held: &mut ComparedState) {
        let (version, snapshot) = (Some(self.policy.version()), self.catalog.snapshot());
        let is_known = held.snapshot.as_ref().is_some_and(|known| Arc::ptr_eq(known, &snapshot));
        if is_known && held.version == version {
            return;
        }
        let broken = self.find_broken().await;
        if let Some(error) = broken.as_ref().filter(|error| held.broken.as_ref() != Some(error)) {
            tracing::error!("policies in force fail on tools there are, and deny calls of them:\n{error}");
        }
        match self.desk.withdraw_void().await {
            Ok(withdrawn) => {
                for (approval, why) in withdrawn {
                    tracing::info!(%approval, "a request for approval was withdrawn: {}", why.told());
                }
                *held = ComparedState { version, snapshot: Some(snapshot), broken };
            }
            // They are checked again in a moment.
            Err(error) => tracing::warn!(%error, "open approvals could not be held against new policies"),
        }
    }

    /// The problems of the policies in force. Checking them against thousands of tools takes a while, and
    /// nothing waits for it.
    async fn find_broken(&self) -> Option<PolicyError> {
        let (policy, catalog) = (self.policy.clone(), self.catalog.clone());
        let looked = tokio::task::spawn_blocking(move || policy.broken(&stored::tools(&catalog))).await;
        looked.unwrap_or_default()
    }

    pub(super) async fn note(&self, kind: EventKind, detail: Option<RawJson>) {
        let now_ms = SystemClock::default().now_ms();
        let mut event = Event::new(kind, now_ms, PrincipalId::gateway(), Arc::new(EventSubject::default()));
        event.policy_version = Some(self.policy.version());
        event.detail = detail;
        let entry = LedgerEntry { events: vec![event], ..LedgerEntry::default() };
        if let Err(error) = self.books.append(entry).await {
            tracing::warn!(%error, "a change of policies could not be recorded");
        }
    }
}

impl PolicyControl for PolicyFollower {
    fn check(&self, texts: PolicyTexts) -> BoxFuture<'static, Result<(), Refusal>> {
        let (policy, catalog) = (self.policy.clone(), self.catalog.clone());
        let draft = PolicyDraft { set: set_policies(&texts), ..PolicyDraft::default() };
        Box::pin(async move {
            let check = move || policy.draft(&draft, &stored::tools(&catalog)).0;
            let report = tokio::task::spawn_blocking(check).await;
            refuse_errors(&report.expect("checking policies does not panic"))
        })
    }

    fn take(&self, texts: PolicyTexts) -> BoxFuture<'static, ()> {
        let follower = self.clone();
        Box::pin(async move {
            let (policy, catalog) = (follower.policy.clone(), follower.catalog.clone());
            let reload = move || policy.reload_set(set_policies(&texts), &stored::tools(&catalog));
            let read = tokio::task::spawn_blocking(reload).await.expect("reading policies does not panic");
            if let Some(read) = read {
                follower.taken(read).await;
            }
        })
    }
}
