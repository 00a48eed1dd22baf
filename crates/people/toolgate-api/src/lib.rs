#![doc = include_str!("../README.md")]

mod access;
mod body;
mod call;
mod document;
mod events;
mod filters;
mod form;
mod outbound;
mod policy;
mod problem;
mod pulse;
mod read;
mod replay;
mod routes;
mod secret;
mod similar;
mod streams;
mod trial;
mod work;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use axum::body::Body;
use bytes::Bytes;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::Catalog;
use toolgate_core::Limits;
use toolgate_core::governance::Clock;
use toolgate_core::signature::SigningKey;
use toolgate_discovery::Discovery;
use toolgate_files::Files;
use toolgate_pipeline::desk::Desk;
use toolgate_registry::Registry;
use toolgate_runs::Runs;
use toolgate_sessions::Sessions;
use toolgate_store::{Books, Store};
use tower::ServiceExt;

pub use body::{ApiBody, unfailing};
pub use call::{Hold, NotCalled, ToolCallRequest, ToolCaller};
use events::Feed;
pub use filters::{FilterDesk, FilterInForce, FilterView};
pub use outbound::{OutboundDesk, OutgoingWebhook, Retention};
pub use policy::{PolicyCell, PolicyDesk, PolicyFile, PolicyInForce, PolicyRow, PolicyRule, RoleAsking};
pub use problem::Problem;
use pulse::Pulse;
use replay::SeenIds;
pub use secret::{InstanceToken, SecretKeeper, SecretPlace, SecretSource, StoredSecret};
pub use streams::{StreamPlace, StreamQuota};
pub use trial::{Trial, Tried, TriedExample, TriedFilter};
use work::Work;

/// The OpenAPI document, as `/openapi.json` serves it.
pub fn openapi_document() -> String {
    routes::api_document().to_json().expect("the document serialises")
}

/// The door of a request that did not come to the API itself, among its extensions: the ledger records it
/// with decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Door(pub &'static str);

impl Door {
    pub(crate) const API: Door = Door("api");
}

/// The dependencies of the routes. Everything is shared with the rest of the gateway.
pub struct Services {
    pub store: Store,
    pub books: Arc<Books>,
    pub desk: Arc<Desk>,
    pub caller: Arc<dyn ToolCaller>,
    pub catalog: Arc<Catalog>,
    pub registry: Arc<Registry>,
    pub sessions: Arc<Sessions>,
    pub discovery: Arc<Discovery>,
    pub files: Arc<Files>,
    pub runs: Arc<Runs>,
    pub streams: Arc<dyn StreamQuota>,
    /// The maximum number of concurrent calls of one batch.
    pub parallel_calls_max: usize,
    pub secrets: Arc<dyn SecretKeeper>,
    pub policy: Arc<dyn PolicyDesk>,
    pub filters: Arc<dyn FilterDesk>,
    pub outbound: Arc<dyn OutboundDesk>,
    pub retention: Retention,
    pub clock: Arc<dyn Clock>,
    pub webhooks: Vec<IncomingWebhook>,
    pub limits: Limits,
    /// Ends the streams of events.
    pub shutdown: CancellationToken,
}

/// Another program through which people decide. It signs its requests.
#[derive(Clone, Debug)]
pub struct IncomingWebhook {
    pub name: String,
    pub key: SigningKey,
    /// The groups that everyone who decides through it counts for.
    pub groups: Vec<String>,
    /// The persons it may speak for, each with their own vote. Without them it may name anyone, and all of
    /// them together have one vote.
    pub persons: Option<Vec<String>>,
}

pub(crate) struct Inner {
    services: Services,
    seen: SeenIds,
    feed: Arc<Feed>,
    work: Work,
    pulse: Pulse,
}

/// The state of every handler.
#[derive(Clone)]
pub(crate) struct Context(Arc<Inner>);

impl std::ops::Deref for Context {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.0.services
    }
}

/// The REST API, behind the edge: Host, Origin and token are checked before a request comes here.
#[derive(Clone)]
pub struct Api {
    router: axum::Router,
    context: Context,
}

impl Api {
    /// Must be made inside the runtime on which streams of events shall be followed, and calls of batches made.
    pub fn new(services: Services) -> Api {
        let feed = Feed::new(services.store.clone(), services.shutdown.clone());
        let work = Work::here();
        let context = Context(Arc::new(Inner {
            services,
            seen: SeenIds::default(),
            feed,
            work,
            pulse: Pulse::default(),
        }));
        Api { router: routes::router(context.clone()), context }
    }

    /// Waits for the work that continues without its clients. No more requests may come.
    pub async fn finish(&self) {
        self.context.0.work.finish().await;
    }

    /// True if [`Api::serve`] should get requests to a path.
    pub fn handles(path: &str) -> bool {
        access::is_ours(path)
    }

    /// True if requests to a path come without a token, because they authenticate themselves.
    pub fn is_open(path: &str) -> bool {
        access::is_open(path)
    }

    /// Answers one request. The verified [`toolgate_core::scope::Credential`] and its
    /// [`toolgate_core::Principal`] are among its extensions, or neither is.
    pub async fn serve<B>(&self, request: http::Request<B>) -> http::Response<ApiBody>
    where
        B: http_body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let served = self.router.clone().oneshot(request.map(Body::new)).await;
        served.unwrap_or_else(|never| match never {}).map(unfailing)
    }
}
