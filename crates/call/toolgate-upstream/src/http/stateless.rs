//! Streamable HTTP of the newer era: every request is a separate POST, with all its context, on any
//! connection. This is the hot path: one string for the body, one header map, no task.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue};
use tokio_util::sync::CancellationToken;
use toolgate_core::port::{Caller, ServerError, ServerReply, ServerRequest};
use toolgate_core::server::Era;
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::{IncomingMessage, ProtocolVersion, header, parse};

use super::{Endpoint, body_fault, judge, send_fault, unauthorized};
use crate::answer;
use crate::callers::CallerNaming;
use crate::client::ServerResponse;
use crate::context::ServerContext;
use crate::deadline::{Deadline, DeadlinePassed};
use crate::envelope;
use crate::events::ServerEvents;
use crate::message::OutgoingMessage;
use crate::pending::{NotificationListener, ServerAnswer};
use crate::probe::ServerIntroduction;
use crate::routing::RequestStream;

static METHOD: HeaderName = HeaderName::from_static(header::METHOD);
static NAME: HeaderName = HeaderName::from_static(header::NAME);

pub(crate) struct StatelessLink {
    ctx: Arc<ServerContext>,
    endpoint: Endpoint,
    version: ProtocolVersion,
    /// The endpoint's headers and the protocol version.
    headers: HeaderMap,
    naming: CallerNaming,
    next_id: AtomicU64,
}

impl StatelessLink {
    pub(crate) fn new(ctx: Arc<ServerContext>, endpoint: Endpoint, version: ProtocolVersion) -> Self {
        let mut headers = endpoint.headers();
        headers.insert(header::PROTOCOL_VERSION, HeaderValue::from_static(version.as_str()));
        let naming = CallerNaming::Unnamed;
        Self { ctx, endpoint, version, headers, naming, next_id: AtomicU64::new(0) }
    }

    /// The same once the server has introduced itself.
    pub(crate) fn introduced(self, opening: &ServerIntroduction) -> Self {
        Self { naming: opening.caller_naming(), ..self }
    }

    pub(crate) async fn request(
        &self,
        request: &ServerRequest,
        caller: Option<Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> Result<ServerReply, ServerError> {
        let id = self.next_id();
        let message =
            envelope::modern(id, self.version, request, caller.as_deref(), self.naming.told(request));
        let inserts = message.inserts().cloned();
        let headers = self.headers(request)?;
        let result =
            match deadline.limit(self.exchange(id, headers, message, caller.as_ref(), deadline)).await {
                Ok(answer) => answer.inspect_err(|error| self.notice(error))?,
                Err(DeadlinePassed) => return Err(self.ctx.late(deadline, inserts.as_ref())),
            };
        answer::reply(&self.ctx, Era::Modern, result)
    }

    /// A server that no longer accepts our version has become another server: it has to be opened again.
    fn notice(&self, error: &ServerError) {
        if matches!(error, ServerError::Rpc(error) if error.code == RpcError::UNSUPPORTED_VERSION) {
            self.ctx.signals.suspect();
        }
    }

    /// Sends a request and returns the head of any answer: for probing.
    pub(crate) async fn knock(&self, request: &ServerRequest) -> Result<(u64, ServerResponse), ServerError> {
        let id = self.next_id();
        let message = envelope::modern(id, self.version, request, None, None);
        let answered = self.endpoint.post(None, self.headers(request)?, message).await;
        Ok((id, answered.map_err(|error| send_fault(&self.ctx, error))?))
    }

    /// Opens a subscription and receives its notifications until it ends. Dropping the future closes it.
    pub(crate) async fn subscribe(
        &self,
        request: &ServerRequest,
        listener: NotificationListener,
    ) -> ServerAnswer {
        let (id, answered) = self.knock(request).await?;
        if let Some(fault) = unauthorized(&self.ctx, &answered) {
            return Err(fault);
        }
        let limit = self.ctx.limits().result_bytes_max;
        if !answered.is_event_stream() {
            let status = answered.status;
            let body = answered.whole(limit).await.map_err(|error| body_fault(&self.ctx, error))?;
            return judge(&self.ctx, status, &body, id);
        }
        let mut events = ServerEvents::new(answered, limit);
        while let Some(event) = events.next().await.map_err(|error| body_fault(&self.ctx, error))? {
            let message = Bytes::from(event.data);
            match parse(&message, self.ctx.limits().depth_max) {
                Ok(IncomingMessage::Notification(notification)) => {
                    let params = notification
                        .params
                        .map_or(RawJson::EMPTY, |params| RawJson::within(&message, params));
                    listener(&notification.method, params);
                }
                Ok(IncomingMessage::Response(response)) => return answer::outcome(&message, response),
                _ => self.ctx.discarded("a message that does not belong on a subscription"),
            }
        }
        Err(self.ctx.lost("the stream ended"))
    }

    /// Sends a notification. A server that does not take it misses it.
    pub(crate) async fn notify(&self, method: &'static str, message: String) {
        let mut headers = self.headers.clone();
        headers.insert(&METHOD, HeaderValue::from_static(method));
        match self.endpoint.post(None, headers, message.into()).await {
            Ok(answered) => {
                if !answered.status.is_success() {
                    tracing::debug!(server = %self.ctx.name(), status = %answered.status, "a notification was not taken");
                }
                answered.finish();
            }
            Err(error) => tracing::debug!(server = %self.ctx.name(), %error, "a notification was not sent"),
        }
    }

    pub(crate) fn close(&self) {
        self.endpoint.client.close_idle();
    }

    pub(crate) fn sweep(&self) {
        self.endpoint.client.sweep();
    }

    fn next_id(&self) -> u64 {
        self.next_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn headers(&self, request: &ServerRequest) -> Result<HeaderMap, ServerError> {
        let mut headers = self.headers.clone();
        headers.insert(&METHOD, method_value(&request.method).ok_or_else(|| self.no_header("Mcp-Method"))?);
        if let Some(name) = &request.name {
            let value =
                HeaderValue::try_from(header::encode_value(name)).map_err(|_| self.no_header("Mcp-Name"))?;
            headers.insert(&NAME, value);
        }
        for (name, value) in &request.param_headers {
            let (Ok(key), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) else {
                return Err(self.no_header(name));
            };
            headers.insert(key, value);
        }
        Ok(headers)
    }

    fn no_header(&self, name: &str) -> ServerError {
        self.ctx.down(format!("the header {name} cannot carry what it would have to say"))
    }

    async fn exchange(
        &self,
        id: u64,
        headers: HeaderMap,
        message: OutgoingMessage,
        caller: Option<&Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> ServerAnswer {
        let who = caller.map(|caller| caller.principal());
        let answered =
            self.endpoint.post(who, headers, message).await.map_err(|error| send_fault(&self.ctx, error))?;
        if let Some(fault) = unauthorized(&self.ctx, &answered) {
            return Err(fault);
        }
        if answered.is_event_stream() {
            return Box::pin(self.stream(id, answered, caller, deadline)).await;
        }
        let status = answered.status;
        let body = answered.whole(self.ctx.limits().result_bytes_max).await;
        judge(&self.ctx, status, &body.map_err(|error| body_fault(&self.ctx, error))?, id)
    }

    async fn stream(
        &self,
        id: u64,
        answered: ServerResponse,
        caller: Option<&Arc<dyn Caller>>,
        deadline: &Arc<Deadline>,
    ) -> ServerAnswer {
        let ended = CancellationToken::new();
        let (ctx, deadline) = (&self.ctx, Some(deadline));
        let own = RequestStream { ctx, id, caller, deadline, ended: &ended, back: None, pending: None };
        let mut events = ServerEvents::new(answered, ctx.limits().result_bytes_max);
        loop {
            match events.next().await {
                Ok(Some(event)) => {
                    if let Some(answer) = own.take(&event.data.into()) {
                        events.finish();
                        return answer;
                    }
                }
                Ok(None) => return Err(ctx.lost("the stream ended before the answer came")),
                Err(error) => return Err(body_fault(ctx, error)),
            }
        }
    }
}

/// The methods of every day need no copy.
fn method_value(method: &str) -> Option<HeaderValue> {
    Some(match method {
        "tools/call" => HeaderValue::from_static("tools/call"),
        "tools/list" => HeaderValue::from_static("tools/list"),
        "prompts/get" => HeaderValue::from_static("prompts/get"),
        "resources/read" => HeaderValue::from_static("resources/read"),
        other => HeaderValue::from_str(other).ok()?,
    })
}
