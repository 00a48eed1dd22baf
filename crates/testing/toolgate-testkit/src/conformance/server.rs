//! The handler: the server's description of itself and the module for each method. The behaviour of single
//! tools, prompts and resources lives in their own modules.
#![expect(
    deprecated,
    reason = "logging and resources/subscribe are deprecated but the suite still asks for them"
)]

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use rmcp::{ErrorData, ServerHandler};

use super::settings::{is_modern, versions_of};
use super::state::ConformanceServer;
use super::{calls, catalogue, changes, jobs, pages, prompts, resources};

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
        *self.log_level_min.lock() = request.level;
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
        self.watched.lock().insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.watched.lock().remove(&request.uri);
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
