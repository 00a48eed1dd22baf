//! The handler: the server's description of itself and the module for each method. The behaviour of single
//! tools, prompts and resources lives in their own modules.
#![expect(
    deprecated,
    reason = "logging and resources/subscribe are deprecated but the suite still asks for them"
)]

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, ServerHandler};
use tokio_util::task::TaskTracker;

use super::changes::{self, Changes};
use super::reconnect::Returns;
use super::{calls, catalogue, jobs, pages, prompts, resources};

/// The protocol revisions that the server supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Era {
    #[default]
    Both,
    /// Revisions that open with `initialize`; the newer one is refused the way servers of that time refuse it.
    Legacy,
    /// The stateless revision alone.
    Modern,
}

/// The set of tools of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum ToolSet {
    /// The tools that the official conformance suite calls by name.
    #[default]
    Conformance,
    /// Tools that take and make documents.
    Documents,
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Settings {
    pub era: Era,
    pub tools: ToolSet,
    /// Items per page of every list; everything on one page when absent.
    pub page_size: Option<usize>,
}

/// One handler per session (initialize era), per request (stateless HTTP) or per process (stdio).
pub(super) struct ConformanceServer {
    pub(super) shared: Arc<Shared>,
    /// Set by `logging/setLevel`, so it lives as long as the session does.
    log_level_min: Mutex<LoggingLevel>,
    /// Grown and shrunk by `resources/subscribe` and `resources/unsubscribe` of this session.
    watched: Arc<Mutex<BTreeSet<String>>>,
}

/// The state beyond a handler: tasks, the seal of request states, the notifications about changed lists.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) codec: RequestStateCodec,
    pub(super) tasks: TaskManager,
    pub(super) changes: Changes,
    pub(super) returns: Returns,
    /// The number of cancellations of `test_cancellation`.
    pub(super) cancellations: AtomicU64,
    /// The number of its calls.
    pub(super) cancellable: AtomicU64,
    pub(super) spawned: TaskTracker,
}

impl Shared {
    pub(super) fn new(settings: Settings) -> Arc<Self> {
        let mut key = [0_u8; 32];
        getrandom::fill(&mut key).expect("the operating system has randomness");
        Arc::new(Self {
            settings,
            codec: RequestStateCodec::new(key.to_vec()),
            tasks: TaskManager::new(),
            changes: Changes::new(),
            returns: Returns::default(),
            cancellations: AtomicU64::new(0),
            cancellable: AtomicU64::new(0),
            spawned: TaskTracker::new(),
        })
    }
}

impl ConformanceServer {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, log_level_min: Mutex::new(LoggingLevel::Info), watched: Arc::default() }
    }

    /// Sends a log line if the client asked for lines of this level: per request since 2026-07-28, per session before.
    pub(super) async fn log(&self, ctx: &RequestContext<RoleServer>, level: LoggingLevel, text: &str) {
        let level_min = if is_modern(ctx) {
            ctx.meta.log_level()
        } else {
            Some(*self.log_level_min.lock().unwrap_or_else(PoisonError::into_inner))
        };
        if level_min.is_none_or(|level_min| (level as u8) < (level_min as u8)) {
            return;
        }
        let line = LoggingMessageNotificationParam::new(level, text.into()).with_logger("conformance-server");
        // A client that hung up has no use for the line, and the call itself notices soon enough.
        drop(ctx.peer.notify_logging_message(line).await);
    }

    fn capabilities() -> ServerCapabilities {
        ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build()
    }
}

pub(super) fn versions_of(era: Era) -> Cow<'static, [ProtocolVersion]> {
    match era {
        Era::Both => Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS),
        Era::Legacy => Cow::Borrowed(ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE)),
        Era::Modern => Cow::Owned(vec![ProtocolVersion::V_2026_07_28]),
    }
}

/// True when the request speaks the stateless revision.
pub(super) fn is_modern(ctx: &RequestContext<RoleServer>) -> bool {
    ctx.protocol_version().is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

impl ServerHandler for ConformanceServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(Self::capabilities())
            .with_server_info(Implementation::new("conformance-server", env!("CARGO_PKG_VERSION")))
            .with_instructions("Everything the MCP conformance suite calls by name, in both protocol eras.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        versions_of(self.shared.settings.era)
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        changes::forward_to_session(&self.shared, context.peer, Arc::clone(&self.watched));
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if is_modern(&context) {
            return Err(ErrorData::method_not_found::<SetLevelRequestMethod>());
        }
        *self.log_level_min.lock().unwrap_or_else(PoisonError::into_inner) = request.level;
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(CompleteResult::new(prompts::complete(&request)))
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let page = pages::page(prompts::list(&self.shared.changes), self.shared.settings.page_size, request)?;
        Ok(ListPromptsResult {
            next_cursor: page.next,
            ..ListPromptsResult::with_all_items(page.items)
                .with_ttl_ms(pages::TTL_MS)
                .with_cache_scope(CacheScope::Public)
        })
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(self, &request, &context).await
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let page =
            pages::page(resources::list(&self.shared.changes), self.shared.settings.page_size, request)?;
        Ok(ListResourcesResult {
            next_cursor: page.next,
            ..ListResourcesResult::with_all_items(page.items)
                .with_ttl_ms(pages::TTL_MS)
                .with_cache_scope(CacheScope::Public)
        })
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let page = pages::page(resources::templates(), self.shared.settings.page_size, request)?;
        Ok(ListResourceTemplatesResult {
            next_cursor: page.next,
            ..ListResourceTemplatesResult::with_all_items(page.items)
                .with_ttl_ms(pages::TTL_MS)
                .with_cache_scope(CacheScope::Public)
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let contents = resources::read(&request.uri, &self.shared.changes)?;
        Ok(ReadResourceResult::new(vec![contents])
            .with_ttl_ms(pages::TTL_MS)
            .with_cache_scope(CacheScope::Private)
            .into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        self.shared.changes.promise(requested);
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        changes::forward_to_subscription(&self.shared.changes, &context).await;
        Ok(())
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let page =
            pages::page(catalogue::tools(&self.shared.changes), self.shared.settings.page_size, request)?;
        Ok(ListToolsResult {
            next_cursor: page.next,
            ..ListToolsResult::with_all_items(page.items)
                .with_ttl_ms(pages::TTL_MS)
                .with_cache_scope(CacheScope::Public)
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalogue::tools(&self.shared.changes).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        calls::call(self, request, context).await
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        jobs::state(&self.shared.tasks, &request.task_id)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.update_task(&request.task_id, request.input_responses)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.cancel_task(&request.task_id)
    }
}
