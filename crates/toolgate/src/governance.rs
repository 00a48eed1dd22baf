//! Governance of calls, assembled: policy, approvals, ledger and the pipeline that uses them, and the
//! background work: policies are reloaded, approvals time out, bodies are deleted.

mod following;

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_catalog::Catalog;
use toolgate_core::event::EventKind;
use toolgate_core::governance::{Clock, StoreDown};
use toolgate_core::port::BoxFuture;
use toolgate_core::{CanonicalName, Digest, PrincipalId, Refusal, Tool, codes};
use toolgate_edge::QuotaUsage;
use toolgate_pipeline::desk::{ApprovalDesk, ToolBook};
use toolgate_pipeline::filter::Filters;
use toolgate_pipeline::redact::{RedactRule, Redactor};
use toolgate_pipeline::{BodyRetention, Pipeline, PipelineSettings, PipelineSetup, WhenDown};
use toolgate_policy::{NamedPolicies, PolicyDraft, PolicyEngine, PolicyPurpose, PolicyReport, Sources};
use toolgate_registry::PolicyTexts;
use toolgate_store::{Books, BooksSettings, Store};

use crate::config::{Config, ReadsWhenDown};
use crate::stored;

pub(crate) use following::PolicyFollower;

/// The polling interval of policies.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The polling interval of expired approvals.
const RUN_OUT_EVERY: Duration = Duration::from_secs(1);
/// The polling interval of bodies past their retention.
const RETENTION_EVERY: Duration = Duration::from_secs(600);
/// Between two handfuls of old blocks that are counted for the metrics.
const COUNT_PAUSE: Duration = Duration::from_millis(20);
/// After a failure of the database.
const COUNT_AGAIN: Duration = Duration::from_secs(30);

pub(crate) struct Governance {
    pub(crate) pipeline: Arc<Pipeline>,
    pub(crate) desk: Arc<ApprovalDesk>,
    pub(crate) books: Arc<Books>,
    pub(crate) policy: Arc<PolicyEngine>,
    catalog: Arc<Catalog>,
    tasks: TaskTracker,
}

impl Governance {
    pub(crate) async fn start(
        config: &Config,
        books: Arc<Books>,
        tools: CatalogTools,
        link: Option<String>,
        shutdown: &CancellationToken,
    ) -> anyhow::Result<Self> {
        let set = set_policies(&stored_texts(books.store()).await?);
        let policy = Arc::new(PolicyEngine::load_with(sources(config), set)?);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::default());
        let pipeline = Pipeline::new(PipelineSetup {
            policy: policy.clone(),
            approvals: books.clone(),
            ledger: books.clone(),
            clock: clock.clone(),
            redactor: redactor(config)?,
            filters: Filters::new(&config.filters)?,
            settings: settings(config, link),
            closing: shutdown.clone(),
        });
        let (CatalogTools::Served(catalog) | CatalogTools::Listed(catalog)) = tools.clone();
        let desk =
            ApprovalDesk::new(policy.clone(), books.clone(), Arc::new(tools), clock, redactor(config)?);
        Ok(Self {
            pipeline: Arc::new(pipeline),
            desk: Arc::new(desk),
            books,
            policy,
            catalog,
            tasks: TaskTracker::new(),
        })
    }

    /// Starts the background work of the gateway that holds the data folder.
    pub(crate) async fn watch(&self, store: &Store, shutdown: &CancellationToken) -> anyhow::Result<()> {
        let swept = store.sweep(self.books.writer().stream()).await?;
        for call in &swept {
            tracing::warn!(%call, "the gateway ended while this call was under way; whether it took effect is not known");
        }
        let follower = self.follower();
        follower.note(EventKind::PolicyLoaded, None).await;
        self.tasks.spawn(shutdown.clone().run_until_cancelled_owned(run_out(self.books.clone())));
        self.tasks.spawn(shutdown.clone().run_until_cancelled_owned(follower.follow()));
        self.tasks.spawn(shutdown.clone().run_until_cancelled_owned(let_bodies_go(store.clone())));
        self.tasks.spawn(shutdown.clone().run_until_cancelled_owned(count_older_events(store.clone())));
        Ok(())
    }

    /// Keeps the policies in force in step with the configuration and the policy folder.
    pub(crate) fn follower(&self) -> PolicyFollower {
        PolicyFollower {
            policy: self.policy.clone(),
            books: self.books.clone(),
            desk: self.desk.clone(),
            pipeline: self.pipeline.clone(),
            catalog: self.catalog.clone(),
        }
    }

    /// Writes the last events.
    pub(crate) async fn stop(self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.books.writer().close().await;
    }
}

pub(crate) fn sources(config: &Config) -> Sources {
    let settings = &config.policy;
    let extra =
        [("guard", PolicyPurpose::Guard, &settings.guard), ("gates", PolicyPurpose::Gates, &settings.gates)];
    let named = |(key, set, text): (&str, PolicyPurpose, &Option<String>)| {
        Some((format!("{CONFIG_PREFIX}{key}"), set, text.clone()?))
    };
    Sources {
        folder: settings.folder.clone(),
        extra: extra.into_iter().filter_map(named).collect(),
        template: settings.template,
    }
}

/// The same with what was set while a gateway ran: everything that decides.
pub(crate) async fn written_sources(config: &Config, store: &Store) -> anyhow::Result<Sources> {
    let mut sources = sources(config);
    sources.extra.extend(set_policies(&stored_texts(store).await?));
    Ok(sources)
}

/// Checks a value of the setting beside the files, for commands.
pub(crate) async fn check_policies(
    config: &Config,
    store: &Store,
    value: &Value,
) -> anyhow::Result<Result<(), Refusal>> {
    let texts = match PolicyTexts::read(value) {
        Ok(texts) => texts,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let tools = stored::tools(&*stored::catalog(config, store).await?);
    let draft = PolicyDraft { set: set_policies(&texts), ..PolicyDraft::default() };
    let (report, _) = PolicyEngine::load(sources(config))?.draft(&draft, &tools);
    Ok(refuse_errors(&report))
}

/// What begins the names of the texts of the configuration file.
pub(crate) const CONFIG_PREFIX: &str = "toolgate.toml [policy] ";
/// What begins the names of the texts of the setting.
pub(crate) const SET_PREFIX: &str = "setting policy.";

/// The texts of the setting, as the engine takes them.
pub(crate) fn set_policies(texts: &PolicyTexts) -> Vec<NamedPolicies> {
    let named = |(key, text): (&str, &str)| {
        Some((format!("{SET_PREFIX}{key}"), PolicyPurpose::parse(key)?, text.to_owned()))
    };
    texts.texts().filter_map(named).collect()
}

/// Names the first error, and how many more there are.
fn refuse_errors(report: &PolicyReport) -> Result<(), Refusal> {
    let Some(first) = report.errors.first() else { return Ok(()) };
    let place = first.place.map(|place| format!(":{}:{}", place.line, place.column)).unwrap_or_default();
    let more = match report.errors.len() - 1 {
        0 => String::new(),
        more => format!(" (and {more} more)"),
    };
    let message = format!("the policies do not compile: {}{place}: {}{more}", first.file, first.what);
    let key = first.file.strip_prefix(SET_PREFIX);
    let field = key.map_or_else(|| "value".to_owned(), |key| format!("value.{key}"));
    let hint = first.hint.clone().unwrap_or_else(|| "`POST /policy/check` names every problem".to_owned());
    Err(Refusal::new(&codes::INVALID_SETTING, message).field(field).hint(hint))
}

async fn stored_texts(store: &Store) -> anyhow::Result<PolicyTexts> {
    let Some(setting) = store.read_setting("policy").await? else { return Ok(PolicyTexts::default()) };
    let value: Value = setting.value.decode().context("the setting policy is not JSON")?;
    Ok(PolicyTexts::read(&value)?)
}

/// The stream of processes that live as long as one command: the gateway must not close their calls as left
/// over.
pub(crate) const COMMAND_STREAM: &str = "cli";

pub(crate) fn books_settings(config: &Config, stream: &str) -> BooksSettings {
    BooksSettings {
        stream: stream.to_owned(),
        approved_valid: config.approvals.approved_valid,
        escalate_to: config.approvals.escalate_to.clone(),
    }
}

fn settings(config: &Config, link: Option<String>) -> PipelineSettings {
    let ledger = &config.ledger;
    PipelineSettings {
        hold: config.approvals.hold,
        approval_timeout: config.approvals.timeout,
        output_check: config.output_check,
        reads_when_down: match ledger.reads_when_down {
            ReadsWhenDown::Refuse => WhenDown::Refuse,
            ReadsWhenDown::Serve => WhenDown::Serve,
        },
        standard: BodyRetention { body_bytes_max: ledger.body_bytes_max, time: ledger.keep },
        detailed: BodyRetention {
            body_bytes_max: ledger.body_bytes_max_detailed,
            time: ledger.keep_detailed,
        },
        link: link.map(Into::into),
    }
}

fn redactor(config: &Config) -> anyhow::Result<Redactor> {
    let rule = |rule: &crate::config::RedactRule| RedactRule {
        tools: rule.tools.clone(),
        input: rule.input.clone(),
        output: rule.output.clone(),
    };
    Ok(Redactor::new(config.redact.iter().map(rule).collect())?)
}

/// The catalogue, as the desk looks tools up in it.
#[derive(Clone)]
pub(crate) enum CatalogTools {
    /// Of a gateway: what it serves.
    Served(Arc<Catalog>),
    /// Of a command: what servers listed last, which may be a moment behind.
    Listed(Arc<Catalog>),
}

impl ToolBook for CatalogTools {
    fn find(&self, name: &CanonicalName) -> Option<Arc<Tool>> {
        let (CatalogTools::Served(catalog) | CatalogTools::Listed(catalog)) = self;
        match catalog.snapshot().tools.find(name.as_str()) {
            Some(entry) => entry.tool.clone(),
            None => Tool::action_named(name.as_str()).map(Arc::new),
        }
    }

    fn has_changed(&self, name: &CanonicalName, version: Digest) -> bool {
        let CatalogTools::Served(catalog) = self else { return false };
        match self.find(name) {
            Some(tool) => tool.version != version,
            // A tool whose server is not there yet is not known at all.
            None => catalog.snapshot().hidden().any(|hidden| hidden.name == *name),
        }
    }
}

/// The use of quotas, from the store.
pub(crate) struct StoredUsage(pub(crate) Store);

impl QuotaUsage for StoredUsage {
    fn pending_approvals(&self, principal: &PrincipalId) -> BoxFuture<'static, Result<u64, StoreDown>> {
        let (store, principal) = (self.0.clone(), principal.clone());
        Box::pin(async move {
            store.count_pending_approvals(&principal).await.map_err(|error| StoreDown(error.to_string()))
        })
    }

    fn add_calls(
        &self,
        day: i64,
        counts: Vec<(String, u64)>,
    ) -> BoxFuture<'static, Result<Vec<u64>, StoreDown>> {
        let store = self.0.clone();
        Box::pin(
            async move { store.add_calls(day, &counts).await.map_err(|error| StoreDown(error.to_string())) },
        )
    }
}

/// The machine's clock.
pub(crate) struct SystemClock(Instant);

impl Default for SystemClock {
    fn default() -> Self {
        Self(Instant::now())
    }
}

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        toolgate_store::clock::now_ms()
    }

    fn monotonic_us(&self) -> i64 {
        i64::try_from(self.0.elapsed().as_micros()).unwrap_or(i64::MAX)
    }

    fn sleep(&self, duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(tokio::time::sleep(duration))
    }

    fn fresh_id(&self, prefix: &str) -> String {
        let mut buffer = uuid::Uuid::encode_buffer();
        let id = uuid::Uuid::now_v7().simple().encode_lower(&mut buffer);
        [prefix, id].concat()
    }
}

async fn run_out(books: Arc<Books>) {
    let mut tick = tokio::time::interval(RUN_OUT_EVERY);
    loop {
        tick.tick().await;
        // An unavailable store logs that itself; due work happens when it is back.
        drop(books.expire_due().await);
    }
}

async fn let_bodies_go(store: Store) {
    let mut tick = tokio::time::interval(RETENTION_EVERY);
    loop {
        tick.tick().await;
        match store.delete_expired_bodies(SystemClock::default().now_ms()).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "bodies of calls whose time to be kept is over were deleted"),
            Err(error) => tracing::warn!(%error, "bodies whose time is over could not be deleted"),
        }
        if let Err(error) = store.delete_old_figures(SystemClock::default().now_ms()).await {
            tracing::warn!(%error, "figures whose time is over could not be deleted");
        }
    }
}

/// Counts the events of a ledger that is older than the figures, a little at a time: calls come first.
async fn count_older_events(store: Store) {
    let mut blocks = 0;
    loop {
        match store.count_due_figures().await {
            Ok(0) => break,
            Ok(count) => blocks += count,
            Err(error) => {
                tracing::warn!(%error, "events of an older ledger could not be counted yet");
                tokio::time::sleep(COUNT_AGAIN).await;
            }
        }
        tokio::time::sleep(COUNT_PAUSE).await;
    }
    if blocks > 0 {
        tracing::info!(blocks, "the events of the older ledger are counted: metrics show them");
    }
}
