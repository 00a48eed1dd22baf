//! The REST API and the pages behind the gateway's door, and the gateway's tools behind the API.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context as _;
use tokio_util::sync::CancellationToken;
use toolgate_api::{
    Api, CheckpointFolder, FilterInForce, FilterPort, HoldMode, IncomingWebhook, LedgerSigner, NotCalled,
    Retention, Services, StreamPlace, StreamQuota, ToolCallRequest, ToolCaller,
};
use toolgate_catalog::Catalog;
use toolgate_console::Console;
use toolgate_core::id::RunId;
use toolgate_core::platform::Platform as _;
use toolgate_core::port::BoxFuture;
use toolgate_core::scope::{Credential, Seat};
use toolgate_core::signature::SigningKey;
use toolgate_core::{PrincipalId, RawJson, Refusal};
use toolgate_courier::ReceiverBoard;
use toolgate_credentials::CredentialDesk;
use toolgate_discovery::Discovery;
use toolgate_edge::{DirectCall, Gateway, PatientBody, Quotas, RestBody, RestService, ServedCallers};
use toolgate_models::ModelDesk;
use toolgate_pipeline::{CallAnswer, CallerLabels, Pipeline, WaitMode};
use toolgate_registry::Registry;
use toolgate_sessions::Sessions;
use toolgate_store::Store;

use crate::agents::AgentDoorway;
use crate::archiving;
use crate::checkpoints::{AnchorBoard, ConfiguredFolder};
use crate::config::{Config, WebhookConfig};
use crate::connectors::ShownConnectors;
use crate::credentials::DeskCredentials;
use crate::governance::{Governance, SystemClock};
use crate::judging::EnginePolicyPort;
use crate::keyring::VaultSecrets;
use crate::mail::ShownMail;
use crate::manifests::{SchemaWords, ShownManifests};
use crate::models::DeskModels;
use crate::outbound::WebhookReceivers;
use crate::platform::PlatformDomains;
use crate::published::ConfiguredRegistry;
use crate::shown_quotas::ShownQuotas;
use crate::signing::ConfiguredSigner;

/// The place of the API and of the pages in the gateway. The gateway exists first, since the API calls its
/// tools.
#[derive(Clone, Default)]
pub(crate) struct RestDoorway(Arc<OnceLock<RestServices>>);

#[derive(Clone)]
struct RestServices {
    api: Api,
    console: Option<Console>,
}

impl RestDoorway {
    pub(crate) fn open(&self, api: Api, console: Option<Console>) {
        // It is set once, during assembly.
        drop(self.0.set(RestServices { api, console }));
    }
}

impl RestService for RestDoorway {
    fn serves(&self, path: &str) -> ServedCallers {
        let Some(beside) = self.0.get() else { return ServedCallers::Nothing };
        match () {
            () if beside.console.is_some() && Console::handles(path) => ServedCallers::Anyone,
            () if Api::is_open(path) => ServedCallers::Anyone,
            () if Api::handles(path) => ServedCallers::Principals,
            () => ServedCallers::Nothing,
        }
    }

    fn serve(
        &self,
        credential: Option<Credential>,
        mut request: http::Request<PatientBody>,
    ) -> BoxFuture<'static, http::Response<RestBody>> {
        let beside = self.0.get().cloned();
        if let Some(credential) = credential {
            request.extensions_mut().insert(credential.principal.clone());
            request.extensions_mut().insert(credential);
        }
        Box::pin(async move {
            let RestServices { api, console } = beside.expect("only what one of them serves comes here");
            match console.filter(|_| Console::handles(request.uri().path())) {
                Some(console) => console.serve(request).await.map(toolgate_api::unfailing),
                None => api.serve(request).await,
            }
        })
    }
}

/// The existing parts that the API needs.
pub(crate) struct RestParts<'a> {
    pub(crate) config: &'a Config,
    pub(crate) store: &'a Store,
    pub(crate) governance: &'a Governance,
    pub(crate) gateway: &'a Arc<Gateway>,
    pub(crate) quotas: &'a Arc<Quotas>,
    pub(crate) sessions: &'a Arc<Sessions>,
    pub(crate) discovery: &'a Arc<Discovery>,
    pub(crate) domains: &'a PlatformDomains,
    pub(crate) board: &'a ReceiverBoard,
    pub(crate) anchors: &'a Arc<AnchorBoard>,
    pub(crate) models: &'a Arc<ModelDesk>,
    pub(crate) credentials: &'a CredentialDesk,
}

pub(crate) async fn api(
    parts: &RestParts<'_>,
    catalog: &Arc<Catalog>,
    registry: &Arc<Registry>,
    vault: VaultSecrets,
    driven: AgentDoorway,
    shutdown: &CancellationToken,
) -> anyhow::Result<Api> {
    let RestParts { config, store, governance, gateway, quotas, sessions, discovery, domains, .. } = *parts;
    Ok(Api::new(Services {
        store: store.clone(),
        archive: config.ledger.archive.enabled.then(|| archiving::open(config, store)).transpose()?,
        checkpoints: checkpoints(config, store).await,
        // A box keeps the future of every start small.
        signer: Box::pin(signer(parts)).await,
        names: store.argument_names().await?,
        books: governance.books.clone(),
        desk: governance.desk.clone(),
        caller: Arc::new(GatewayTools(gateway.clone())),
        catalog: catalog.clone(),
        registry: registry.clone(),
        sessions: sessions.clone(),
        discovery: discovery.clone(),
        platform: domains.tools.tools().to_vec(),
        files: domains.files.clone(),
        citations: domains.citations.clone(),
        manifests: Arc::new(ShownManifests(domains.substrate.clone())),
        schema_words: Arc::new(SchemaWords),
        connectors: Arc::new(ShownConnectors(domains.connectors.clone())),
        runs: domains.runs.clone(),
        tasks: domains.tasks.clone(),
        streams: Arc::new(McpStreamQuota(quotas.clone())),
        quotas: Arc::new(ShownQuotas(quotas.clone())),
        parallel_calls_max: config.runs.parallel_calls_max,
        secrets: Arc::new(vault),
        credentials: Arc::new(DeskCredentials(parts.credentials.clone())),
        policy: Arc::new(EnginePolicyPort::new(governance.policy.clone(), catalog.clone())),
        filters: Arc::new(PipelineFilters(governance.pipeline.clone())),
        outbound: Arc::new(WebhookReceivers::of(config, store, parts.board)),
        mail: Arc::new(ShownMail::of(config, store, parts.board)),
        models: Arc::new(DeskModels(parts.models.clone())),
        published: Arc::new(ConfiguredRegistry::of(config)),
        retention: retention(config),
        shutdown: shutdown.clone(),
        clock: Arc::new(SystemClock::default()),
        driven: Arc::new(driven),
        webhooks: webhooks(config)?,
        limits: config.limits.clone(),
    }))
}

async fn checkpoints(config: &Config, store: &Store) -> Option<Arc<dyn CheckpointFolder>> {
    let folder = ConfiguredFolder::of(config, store).await?;
    Some(Arc::new(folder))
}

async fn signer(parts: &RestParts<'_>) -> Option<Arc<dyn LedgerSigner>> {
    let signer = ConfiguredSigner::of(parts.config, parts.store, parts.anchors).await?;
    Some(Arc::new(signer))
}

fn retention(config: &Config) -> Retention {
    const DAY_SECONDS: u64 = 24 * 60 * 60;
    let days = |time: Duration| time.as_secs() / DAY_SECONDS;
    let bytes = |count: usize| u64::try_from(count).unwrap_or(u64::MAX);
    let (ledger, files) = (&config.ledger, &config.files);
    Retention {
        events_days: ledger.keep_events.map(days),
        bodies_days: days(ledger.keep),
        detailed_bodies_days: days(ledger.keep_detailed),
        body_bytes_max: bytes(ledger.body_bytes_max),
        detailed_body_bytes_max: bytes(ledger.body_bytes_max_detailed),
        files_days: files.keep.map(days),
        refs_seconds: files.ref_keep.as_secs(),
        urls_seconds: files.url_keep.as_secs(),
        upload_urls_seconds: files.upload_url_keep.as_secs(),
    }
}

fn webhooks(config: &Config) -> anyhow::Result<Vec<IncomingWebhook>> {
    let deciding = config.webhooks.iter().filter(|webhook| webhook.decisions);
    deciding
        .map(|webhook| {
            let key = SigningKey::parse(&webhook.secret)
                .with_context(|| format!("the secret of webhook {:?} cannot be used", webhook.name))?;
            let WebhookConfig { name, groups, persons, .. } = webhook.clone();
            Ok(IncomingWebhook { name, key, groups, persons })
        })
        .collect()
}

/// The quota that streams of MCP have, for streams of events.
struct McpStreamQuota(Arc<Quotas>);

impl StreamQuota for McpStreamQuota {
    fn open_stream(&self, principal: &PrincipalId) -> Result<StreamPlace, Refusal> {
        Ok(Box::new(self.0.open_stream(principal)?))
    }
}

/// The filters that calls go through.
struct PipelineFilters(Arc<Pipeline>);

impl FilterPort for PipelineFilters {
    fn in_force(&self) -> Vec<FilterInForce> {
        let filters = self.0.filters();
        let in_force = filters.iter().flat_map(|filters| filters.in_force());
        in_force.map(|(rule, matched)| FilterInForce { rule: rule.clone(), matched }).collect()
    }
}

struct GatewayTools(Arc<Gateway>);

impl ToolCaller for GatewayTools {
    fn call(
        &self,
        seat: Arc<Seat>,
        request: ToolCallRequest,
        hold: HoldMode,
    ) -> BoxFuture<'static, Result<CallAnswer, NotCalled>> {
        let gateway = self.0.clone();
        let call = DirectCall {
            seat,
            name: request.name,
            arguments: request.arguments.unwrap_or(RawJson::EMPTY),
            labels: CallerLabels {
                run: request.run_id.map(RunId::new),
                task: request.task_id.map(Into::into),
                forced_by: None,
            },
            trace: request.trace.map(Into::into),
            patience: match hold {
                HoldMode::AsConfigured => WaitMode::Hold,
                HoldMode::NotAtAll => WaitMode::NotAtAll,
            },
            rounds: request.rounds,
            listener: request.listener,
        };
        Box::pin(async move {
            let answered = gateway.call_tool(call).await;
            answered.map(|(_, answer)| answer).map_err(not_called)
        })
    }

    fn cancel_run(&self, run: &RunId) {
        self.0.cancel_run(run);
    }

    fn settled(&self) -> BoxFuture<'static, ()> {
        let gateway = self.0.clone();
        Box::pin(async move { gateway.settled().await })
    }
}

fn not_called(why: toolgate_edge::NotCalled) -> NotCalled {
    match why {
        // The API asks the catalogue itself about an unknown name.
        toolgate_edge::NotCalled::Missing(_) => NotCalled::UnknownTool,
        toolgate_edge::NotCalled::Refused(error) => NotCalled::Refused(error),
        toolgate_edge::NotCalled::Ended => NotCalled::ShuttingDown,
    }
}
