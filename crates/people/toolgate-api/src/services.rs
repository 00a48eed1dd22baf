//! The dependencies of the routes, and the doors that requests come through.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use toolgate_archive::Archive;
use toolgate_catalog::Catalog;
use toolgate_core::MessageLimits;
use toolgate_core::governance::Clock;
use toolgate_core::platform::PlatformTool;
use toolgate_core::signature::SigningKey;
use toolgate_discovery::Discovery;
use toolgate_files::Files;
use toolgate_pipeline::desk::ApprovalDesk;
use toolgate_registry::Registry;
use toolgate_runs::Runs;
use toolgate_sessions::Sessions;
use toolgate_store::{ArgumentNames, Books, Store};
use toolgate_tasks::TaskTools;

use crate::call::ToolCaller;
use crate::checkpoints::{CheckpointFolder, LedgerSigner};
use crate::citations::CitationPort;
use crate::connectors::ConnectorPort;
use crate::credential::CredentialKeeper;
use crate::driven::DrivenRuns;
use crate::filters::FilterPort;
use crate::mail::MailPort;
use crate::manifests::ManifestPort;
use crate::models::ModelPort;
use crate::outbound::{Retention, WebhookPort};
use crate::policy::PolicyPort;
use crate::published::PublishedPort;
use crate::quotas::QuotaPort;
use crate::schema_words::SchemaPort;
use crate::secret::SecretKeeper;
use crate::streams::StreamQuota;

/// The door of a request that did not come to the API itself, among its extensions: the ledger records it
/// with decisions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RequestDoor(pub &'static str);

impl RequestDoor {
    pub(crate) const API: RequestDoor = RequestDoor("api");
}

/// The dependencies of the routes. Everything is shared with the rest of the gateway.
pub struct Services {
    pub store: Store,
    /// The archive of the ledger, where it is switched on.
    pub archive: Option<Archive>,
    /// The checkpoints of the ledger, where a folder for them is configured.
    pub checkpoints: Option<Arc<dyn CheckpointFolder>>,
    /// The key that signs checkpoints, where one is configured.
    pub signer: Option<Arc<dyn LedgerSigner>>,
    /// Of the arguments that approvers are shown.
    pub names: ArgumentNames,
    pub books: Arc<Books>,
    pub desk: Arc<ApprovalDesk>,
    pub caller: Arc<dyn ToolCaller>,
    pub catalog: Arc<Catalog>,
    pub registry: Arc<Registry>,
    pub sessions: Arc<Sessions>,
    pub discovery: Arc<Discovery>,
    /// The tools that the gateway answers itself.
    pub platform: Vec<Arc<PlatformTool>>,
    pub files: Arc<Files>,
    /// Passages in their documents.
    pub citations: Arc<dyn CitationPort>,
    /// Trees of paths, and what differs between two.
    pub manifests: Arc<dyn ManifestPort>,
    /// Differences of schemas, in words.
    pub schema_words: Arc<dyn SchemaPort>,
    /// Connectors, with their last syncs.
    pub connectors: Arc<dyn ConnectorPort>,
    pub runs: Arc<Runs>,
    /// Tasks that the gateway runs, and automations.
    pub tasks: Arc<TaskTools>,
    pub streams: Arc<dyn StreamQuota>,
    pub quotas: Arc<dyn QuotaPort>,
    /// The maximum number of concurrent calls of one batch.
    pub parallel_calls_max: usize,
    pub secrets: Arc<dyn SecretKeeper>,
    /// Credentials for sites, which agents use by handle.
    pub credentials: Arc<dyn CredentialKeeper>,
    pub policy: Arc<dyn PolicyPort>,
    pub filters: Arc<dyn FilterPort>,
    pub outbound: Arc<dyn WebhookPort>,
    pub mail: Arc<dyn MailPort>,
    pub models: Arc<dyn ModelPort>,
    /// The MCP registry in which servers are searched.
    pub published: Arc<dyn PublishedPort>,
    pub retention: Retention,
    pub clock: Arc<dyn Clock>,
    /// The agents that the gateway runs itself.
    pub driven: Arc<dyn DrivenRuns>,
    pub webhooks: Vec<IncomingWebhook>,
    pub limits: MessageLimits,
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
