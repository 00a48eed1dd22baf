//! The gateway's connection to an API: it answers the requests of MCP from the book, and sends the calls.

use std::sync::Arc;
use std::time::Duration;

use openapi_tools::FileLabels;
use parking_lot::{Mutex, RwLock};
use serde_json::{Map, Value, json};
use tokio::time::Instant;
use toolgate_core::id::CallId;
use toolgate_core::port::{Caller, NoKey, ServerError, ServerReply, ServerRequest};
use toolgate_core::{RawJson, RpcError};

use super::arguments::{self, CalledTool};
use super::book::{BookTool, BookToolKind};
use super::call_time::CallTime;
use super::exchange::ApiRoute;
use super::heard::HeardRate;
use super::opened::{ApiSources, OpenedApi};
use super::operation::{self, ApiCall};
use super::source::SourceTrouble;
use super::{connector, preview, stream};
use crate::context::ServerContext;
use crate::deadline::{Deadline, DeadlinePassed};
use crate::keys::SecretUser;

/// Tools on one page of the list.
const PAGE_TOOLS: usize = 200;

/// Descriptions are looked at for changes at most so often.
const LOOK_PAUSE: Duration = Duration::from_secs(10);

/// Private methods, which only the gateway sends.
const PREVIEW: &str = "toolgate/preview";
const STREAM: &str = "toolgate/stream";
const SIGN_IN: &str = "toolgate/sign-in";
const PROBE: &str = "toolgate/probe";

pub(crate) struct ApiLink {
    ctx: Arc<ServerContext>,
    sources: ApiSources,
    opened: RwLock<Arc<OpenedApi>>,
    looked: Mutex<Instant>,
    heard: HeardRate,
}

impl ApiLink {
    pub(super) fn new(ctx: Arc<ServerContext>, sources: ApiSources, opened: OpenedApi) -> Self {
        let opened = RwLock::new(Arc::new(opened));
        Self { ctx, sources, opened, looked: Mutex::new(Instant::now()), heard: HeardRate::default() }
    }

    pub(crate) async fn request(
        &self,
        request: &ServerRequest,
        caller: Option<Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, ServerError> {
        let who = caller.as_ref().map(|caller| caller.principal());
        match deadline.limit(Box::pin(self.answer(request, who, deadline.length()))).await {
            Ok(answer) => answer.map(ServerReply::Complete),
            Err(DeadlinePassed) => Err(self.ctx.late(deadline, None)),
        }
    }

    pub(crate) fn close(&self) {
        self.opened().origin.endpoint.client.close_idle();
    }

    pub(crate) fn sweep(&self) {
        self.opened().origin.endpoint.client.sweep();
    }

    fn opened(&self) -> Arc<OpenedApi> {
        self.opened.read().clone()
    }

    async fn answer(
        &self,
        request: &ServerRequest,
        who: SecretUser<'_>,
        patience: Duration,
    ) -> Result<RawJson, ServerError> {
        match &*request.method {
            "tools/list" => self.list(request).await,
            "tools/call" => self.call(request, who, patience).await,
            "ping" => Ok(RawJson::EMPTY),
            PREVIEW => self.preview(request, who).await,
            STREAM => self.stream(request, who, patience).await,
            SIGN_IN => self.sign_in(who).await,
            PROBE => self.probe(request, who, patience).await,
            other => Err(RpcError::method_not_found(other).into()),
        }
    }

    async fn list(&self, request: &ServerRequest) -> Result<RawJson, ServerError> {
        let params = arguments::params(&self.ctx, request).await?;
        let start = match params.get("cursor").and_then(Value::as_str) {
            Some(cursor) => {
                cursor.parse::<usize>().map_err(|_| RpcError::invalid_params("an unknown cursor"))?
            }
            None => {
                self.look().await?;
                0
            }
        };
        Ok(page(&self.opened(), start))
    }

    /// Takes up descriptions that have changed. One that cannot be reached for a while changes nothing.
    async fn look(&self) -> Result<(), ServerError> {
        {
            let mut looked = self.looked.lock();
            if looked.elapsed() < LOOK_PAUSE {
                return Ok(());
            }
            *looked = Instant::now();
        }
        match self.sources.read_again(&self.ctx, &self.opened()).await {
            Ok(None) => Ok(()),
            Ok(Some(opened)) => {
                *self.opened.write() = Arc::new(opened);
                Ok(())
            }
            Err(SourceTrouble::Away(reason)) => {
                tracing::warn!(server = %self.ctx.name(), reason, "a description could not be looked at; what is known of it is used");
                Ok(())
            }
            Err(SourceTrouble::Bad(reason)) => Err(self.ctx.garbled(reason)),
        }
    }

    async fn call(
        &self,
        request: &ServerRequest,
        who: SecretUser<'_>,
        patience: Duration,
    ) -> Result<RawJson, ServerError> {
        let CalledTool { name, mut arguments } = arguments::called(&self.ctx, request).await?;
        let opened = self.opened();
        let tool = found(&opened, &name)?;
        let labels = tool.labels(&mut arguments);
        let id = self.call_id(request);
        let uri = format!("api://{}/{name}", self.ctx.name());
        let call = ApiCall { arguments: &arguments, labels: &labels, id: &id, uri: &uri, patience };
        let route = self.route(&opened, who);
        match &tool.kind {
            BookToolKind::Operation(operation) => operation::call(route, operation, &call).await,
            BookToolKind::Action(action) => connector::call(route, action, &call).await,
        }
    }

    async fn preview(&self, request: &ServerRequest, who: SecretUser<'_>) -> Result<RawJson, ServerError> {
        let CalledTool { name, arguments } = arguments::called(&self.ctx, request).await?;
        let opened = self.opened();
        let tool = found(&opened, &name)?;
        let id = self.call_id(request);
        let shown = preview::of_call(self.route(&opened, who), tool, &arguments, &id);
        shown.map_err(|words| RpcError::invalid_params(words).into())
    }

    async fn stream(
        &self,
        request: &ServerRequest,
        who: SecretUser<'_>,
        patience: Duration,
    ) -> Result<RawJson, ServerError> {
        let params = arguments::params(&self.ctx, request).await?;
        let opened = self.opened();
        let name = params.get("stream").and_then(Value::as_str).unwrap_or_default();
        let unknown = || RpcError::invalid_params(format!("there is no stream {name:?}"));
        let known = opened.book.streams.get(name).ok_or_else(unknown)?;
        let id = self.call_id(request);
        stream::read(self.route(&opened, who), known, &params, &id, CallTime::begin(patience)).await
    }

    /// Whether the credentials for a request are there, and the rate that the API said it has left. Nothing is sent to it.
    async fn sign_in(&self, who: SecretUser<'_>) -> Result<RawJson, ServerError> {
        let opened = self.opened();
        let found = opened.origin.credentials(&self.ctx, who).await;
        let mut state = match found {
            Ok(_) => json!({}),
            Err(NoKey(missing)) => json!({ "missing": missing }),
        };
        if let Some(rate) = self.heard.to_json() {
            state["rate"] = rate;
        }
        Ok(RawJson::from_serialize(&state))
    }

    /// Calls the action that the connector file names for trying a connection.
    async fn probe(
        &self,
        request: &ServerRequest,
        who: SecretUser<'_>,
        patience: Duration,
    ) -> Result<RawJson, ServerError> {
        let opened = self.opened();
        let Some(name) = opened.book.probe.as_deref() else { return Ok(RawJson::EMPTY) };
        let BookToolKind::Action(action) = &found(&opened, name)?.kind else { return Ok(RawJson::EMPTY) };
        let (id, uri) = (self.call_id(request), format!("api://{}/{name}", self.ctx.name()));
        let (arguments, labels) = (Map::new(), FileLabels::new());
        let call = ApiCall { arguments: &arguments, labels: &labels, id: &id, uri: &uri, patience };
        let result = connector::call(self.route(&opened, who), action, &call).await?;
        Ok(RawJson::from_serialize(&json!({ "action": name, "result": result })))
    }

    fn route<'a>(&'a self, opened: &'a OpenedApi, who: SecretUser<'a>) -> ApiRoute<'a> {
        ApiRoute { ctx: &self.ctx, origin: &opened.origin, who, heard: &self.heard }
    }

    /// The id of the call, which is the same however often its request is sent.
    fn call_id(&self, request: &ServerRequest) -> String {
        match &request.call {
            Some(call) => call.to_string(),
            None => self.ctx.house.clock.fresh_id(CallId::PREFIX),
        }
    }
}

fn found<'a>(opened: &'a OpenedApi, name: &str) -> Result<&'a BookTool, RpcError> {
    let unknown = || RpcError::invalid_params(format!("there is no tool {name:?}"));
    opened.book.tools.get(name).ok_or_else(unknown)
}

fn page(opened: &OpenedApi, start: usize) -> RawJson {
    let definitions = &opened.book.definitions;
    let end = definitions.len().min(start.saturating_add(PAGE_TOOLS));
    let shown = definitions.get(start..end).unwrap_or_default();
    let mut text = String::with_capacity(shown.iter().map(|(_, one)| one.len() + 1).sum::<usize>() + 64);
    text.push_str(r#"{"tools":["#);
    for (at, (_, definition)) in shown.iter().enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(definition);
    }
    text.push(']');
    if end < definitions.len() {
        text.push_str(&format!(r#","nextCursor":{}"#, json!(end.to_string())));
    }
    text.push('}');
    RawJson::from_composed(text)
}
