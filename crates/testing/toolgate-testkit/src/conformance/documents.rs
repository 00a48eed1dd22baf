//! The other set of tools: documents that come in as Base64 and go out as bytes, text, pictures and ids.
//!
//! It shows everything that a gateway does with files: a tool's input (its size and sha256), the contents
//! that it keeps under its own ids (`docs://{ref_id}`), and the number of runs.

mod calls;
mod catalogue;
mod picture;
mod shelf;
pub(super) mod sink;

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;

use super::pages;
use super::settings::{Settings, versions_of};
pub(super) use shelf::Shelf;

/// The maximum size of a request, over HTTP and on a line.
pub(super) const REQUEST_BYTES_MAX: usize = 512 << 20;

/// One handler per session, per request or per process; the shelf is shared by all.
pub(super) struct DocumentServer {
    settings: Settings,
    shelf: Arc<Shelf>,
}

impl DocumentServer {
    pub(super) fn new(settings: Settings, shelf: Arc<Shelf>) -> Self {
        Self { settings, shelf }
    }
}

impl ServerHandler for DocumentServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_resources().enable_tools().build())
            .with_server_info(Implementation::new("document-server", env!("CARGO_PKG_VERSION")))
            .with_instructions("Takes documents, keeps them and makes new ones.")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        versions_of(self.settings.era)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let page = pages::page(catalogue::tools(), self.settings.page_size, request)?;
        Ok(ListToolsResult {
            next_cursor: page.next,
            ..ListToolsResult::with_all_items(page.items)
                .with_ttl_ms(pages::TTL_MS)
                .with_cache_scope(CacheScope::Public)
        })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalogue::tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(calls::call(&self.shelf, &request).await?.into())
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = ResourceTemplate::new("docs://{ref_id}", "document")
            .with_description("The bytes of a document, by the ref_id that a tool gave it");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template])
            .with_ttl_ms(pages::TTL_MS)
            .with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = request.uri.strip_prefix("docs://").and_then(|id| self.shelf.find(id));
        let Some(document) = found else {
            let about = json!({ "uri": request.uri });
            return Err(ErrorData::resource_not_found("Resource not found", Some(about)));
        };
        let contents = ResourceContents::blob(shelf::encode(&document.bytes), request.uri)
            .with_mime_type(document.media_type);
        Ok(ReadResourceResult::new(vec![contents])
            .with_ttl_ms(pages::TTL_MS)
            .with_cache_scope(CacheScope::Private)
            .into())
    }
}
