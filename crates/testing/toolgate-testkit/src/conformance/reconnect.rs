//! The session manager of rmcp, plus one intentional fault: the stream of `test_reconnection` ends right
//! after its first event, so the client has to come back with `Last-Event-ID` to get its result.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use parking_lot::Mutex;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{ServerSseMessage, SessionId, SessionManager};
use tokio::sync::Notify;

use super::state::Shared;

/// The time that clients should wait before they come back.
pub(super) const RETRY: Duration = Duration::from_millis(500);
/// The event that carries only an id to come back with.
const PRIMING_EVENTS: usize = 1;

/// The sessions that came back for a result since their stream was cut.
#[derive(Default)]
pub(super) struct Returns {
    returned: Mutex<BTreeSet<String>>,
    rang: Notify,
}

impl Returns {
    /// Waits until the session comes back; at once if it already has.
    pub(super) async fn wait_for(&self, session: &str) {
        loop {
            // Made before the look, so that no return falls between look and wait.
            let ring = self.rang.notified();
            if self.returned.lock().remove(session) {
                return;
            }
            ring.await;
        }
    }

    fn leaves(&self, session: &SessionId) {
        self.returned.lock().remove(session.as_ref());
    }

    fn returns(&self, session: &SessionId) {
        self.returned.lock().insert(session.as_ref().to_owned());
        self.rang.notify_waiters();
    }
}

pub(super) struct CuttingSessions {
    sessions: LocalSessionManager,
    shared: Arc<Shared>,
}

impl CuttingSessions {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let mut sessions = LocalSessionManager::default();
        sessions.session_config.sse_retry = Some(RETRY);
        Self { sessions, shared }
    }
}

fn asks_for_a_cut(message: &ClientJsonRpcMessage) -> bool {
    let ClientJsonRpcMessage::Request(request) = message else { return false };
    matches!(&request.request, ClientRequest::CallToolRequest(call) if call.params.name == "test_reconnection")
}

impl SessionManager for CuttingSessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.sessions.create_session().await
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.sessions.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.sessions.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.sessions.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let events_max = if asks_for_a_cut(&message) { PRIMING_EVENTS } else { usize::MAX };
        if events_max == PRIMING_EVENTS {
            self.shared.returns.leaves(id);
        }
        Ok(self.sessions.create_stream(id, message).await?.take(events_max))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.sessions.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.sessions.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let stream = self.sessions.resume(id, last_event_id).await?;
        self.shared.returns.returns(id);
        Ok(stream)
    }
}
