#![doc = include_str!("../README.md")]

// Routes, roles and the document.
mod access;
mod document;
mod routes;

// Requests and answers.
mod body;
mod form;
mod problem;
mod read;
mod similar;

// The state of the API.
mod context;
mod events;
mod policy_trials;
mod progress;
mod pulse;
mod replay;

// Work beside requests.
mod blocking;
mod work;

// Ports to the rest of the program.
mod call;
mod checkpoints;
mod citations;
mod connectors;
mod credential;
mod driven;
mod filters;
mod mail;
mod manifests;
mod models;
mod outbound;
mod policy;
mod published;
mod quotas;
mod schema_words;
mod secret;
mod services;
mod streams;
mod trial;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderName, HeaderValue};
use toolgate_core::Principal;
use toolgate_core::platform::PlatformTool;
use toolgate_core::run::{RunStarter, TurnPlayer};
use tower::ServiceExt;

pub use body::{ApiBody, unfailing};
pub use call::{HoldMode, NotCalled, ToolCallRequest, ToolCaller};
pub use checkpoints::{
    CheckpointFault, CheckpointFolder, CheckpointPlace, FolderCheckpoints, FolderPage, KeptCheckpoint,
    LedgerSigner, SigningSchedule,
};
pub use citations::{
    CitationBoxView, CitationItemView, CitationPageView, CitationPort, CitationView, CitedSpan,
    DrawnPageRequest,
};
pub use connectors::{ConnectorPort, ConnectorSyncView, ConnectorView};
pub(crate) use context::ApiContext;
use context::ApiInner;
pub use credential::{CredentialKeeper, CredentialSpec, FieldInput};
pub use driven::{DrivenRuns, RunPiece};
use events::EventFeed;
pub use filters::{FilterInForce, FilterPort, FilterView};
pub use mail::{MailPort, MailRecipient, MailState, MailTest};
pub use manifests::{
    ManifestChangeCounts, ManifestChangeView, ManifestChangesPage, ManifestChangesRequest,
    ManifestEntriesPage, ManifestEntryView, ManifestFolderRequest, ManifestPort, ManifestView,
};
pub use models::ModelPort;
pub use outbound::{OutgoingWebhook, Retention, WebhookPort};
pub use policy::{
    CheckedPolicies, PastCall, PolicyCell, PolicyChange, PolicyFault, PolicyFile, PolicyHome, PolicyInForce,
    PolicyPort, PolicyRow, PolicyRule, RoleAsking, TrialJudge, TrialVerdict,
};
use policy_trials::PolicyTrials;
pub use problem::Problem;
pub use published::PublishedPort;
use pulse::GatewayPulse;
pub use quotas::{QuotaFor, QuotaHolderEntry, QuotaLimits, QuotaPort, QuotaRuleEntry};
use replay::SeenIds;
pub use schema_words::{SchemaChangeView, SchemaChangesView, SchemaPort};
pub use secret::{InstanceToken, SecretIdentity, SecretKeeper, SecretSource, StoredSecret};
pub use services::{IncomingWebhook, RequestDoor, Services};
pub use streams::{StreamPlace, StreamQuota};
pub use trial::{FilterTrial, FilterTrialResult, TriedExample, TriedFilter};
use work::WorkInProgress;

/// How an answer says the gateway's version, for clients that fit some versions.
const VERSION: HeaderName = HeaderName::from_static("toolgate-version");

/// The OpenAPI document, as `/openapi.json` serves it: the routes, and the path of each tool of the platform.
pub fn openapi_document(platform: &[Arc<PlatformTool>]) -> String {
    document::text(&routes::api_document(), routes::access_table(), platform)
}

/// The REST API, behind the edge: Host, Origin and token are checked before a request comes here.
#[derive(Clone)]
pub struct Api {
    router: axum::Router,
    context: ApiContext,
}

impl Api {
    /// Must be made inside the runtime on which streams of events shall be followed, and calls of batches made.
    pub fn new(services: Services) -> Api {
        let feed = EventFeed::new(services.store.clone(), services.shutdown.clone());
        let work = WorkInProgress::here();
        let context = ApiContext(Arc::new(ApiInner {
            services,
            seen: SeenIds::default(),
            feed,
            work,
            pulse: GatewayPulse::default(),
            trials: PolicyTrials::default(),
            progress: Arc::default(),
        }));
        context.runs.halt_with(routes::run_halt(&context));
        Api { router: routes::router(context.clone()), context }
    }

    /// The way of the calls of runs that the gateway drives: in the session of each, as its principal.
    pub fn player(&self) -> Arc<dyn TurnPlayer> {
        routes::turn_player(&self.context)
    }

    /// The start and the end of such runs.
    pub fn starter(&self) -> Arc<dyn RunStarter> {
        routes::run_starter(&self.context)
    }

    /// Waits for the work that continues without its clients. No more requests may come.
    pub async fn finish(&self) {
        self.context.0.work.finish().await;
    }

    /// True if [`Api::serve`] should get requests to a path.
    pub fn handles(path: &str) -> bool {
        routes::access_table().is_ours(path)
    }

    /// True if requests to a path come without a token, because they authenticate themselves.
    pub fn is_open(path: &str) -> bool {
        routes::access_table().is_open(path)
    }

    /// Answers one request. The verified [`toolgate_core::scope::Credential`] and its
    /// [`toolgate_core::Principal`] are among its extensions, or neither is. Only who has a token hears the version.
    pub async fn serve<B>(&self, request: http::Request<B>) -> http::Response<ApiBody>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let is_known = request.extensions().get::<Principal>().is_some();
        let served = self.router.clone().oneshot(request.map(Body::new)).await;
        let mut answer = served.unwrap_or_else(|never| match never {}).map(unfailing);
        if is_known {
            answer.headers_mut().insert(VERSION, HeaderValue::from_static(env!("CARGO_PKG_VERSION")));
        }
        answer
    }
}
