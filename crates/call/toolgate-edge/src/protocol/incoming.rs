//! Messages that every door takes alike: notifications of clients, batches, and requests that go on with a call that waits.

use toolgate_core::RpcError;
use toolgate_wire::ObjectMembers;
use toolgate_wire::message::Notification;

use crate::clients::client::Client;
use crate::clients::session::ClientSession;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::messages::request_state::RequestState;
use crate::protocol::parked::ResumeOutcome;

/// A batch with more messages than a client may have requests under way.
pub(crate) fn too_many(messages_max: usize) -> RpcError {
    RpcError::new(RpcError::INVALID_REQUEST, format!("a batch has at most {messages_max} messages"))
}

pub(crate) fn cancelled_id(notification: &Notification<'_>) -> Option<String> {
    let members = ObjectMembers::parse(notification.params?).ok()?;
    members.get("requestId").map(|id| id.get().to_owned())
}

/// A notification from a client of the older era.
pub(crate) fn notified(gateway: &Gateway, session: &ClientSession, notification: &Notification<'_>) {
    session.touch();
    match notification.method.as_ref() {
        "notifications/cancelled" => {
            if let Some(id) = cancelled_id(notification) {
                session.cancel(&id);
            }
        }
        "notifications/initialized" if session.client.abilities.roots => gateway.servers.roots_changed(),
        "notifications/roots/list_changed" => gateway.servers.roots_changed(),
        _ => {}
    }
}

/// If the request comes back with a handle of ours: the call it belongs to, or why it does not.
pub(crate) fn resume_parked(
    gateway: &Gateway,
    client: &Client,
    request: &OwnedRequest,
) -> Option<Result<ResumeOutcome, RpcError>> {
    let RequestState::Ours(sealed) = request.parts.request_state()?? else { return None };
    let responses = request.parts.input_responses.as_ref();
    Some(gateway.parked.resume(&sealed, client, request.head.clone(), responses))
}
