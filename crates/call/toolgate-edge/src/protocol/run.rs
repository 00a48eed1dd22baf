//! A request runs in a task of its own, which leaves the answer in the mailbox of its client.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use tokio_util::sync::CancellationToken;

use crate::clients::caller::RequestCaller;
use crate::clients::client::Client;
use crate::clients::leash::Leash;
use crate::clients::mailbox::Mailbox;
use crate::clients::session::ClientSession;
use crate::gateway::Gateway;
use crate::messages::parts::OwnedRequest;
use crate::protocol::dispatch;
use crate::protocol::exchange::Exchange;

/// The tie between a request and its client.
pub(crate) struct ClientTies {
    pub(crate) session: Option<Arc<ClientSession>>,
    pub(crate) leash: Leash,
}

/// Starts a request. What is returned is its exchange.
pub(crate) fn start(
    gateway: &Arc<Gateway>,
    client: Arc<Client>,
    mut request: OwnedRequest,
    ties: ClientTies,
) -> Exchange {
    let modern = ties.session.is_none();
    // What a session set once, a server of the newer era is told with every request.
    let of_session = ties.session.as_ref().and_then(|session| session.log_level());
    let caller = Arc::new(RequestCaller {
        client,
        session: ties.session,
        progress_token: request.parts.meta.progress_token.take(),
        log_level: request.parts.meta.log_level.take().filter(|_| modern).or(of_session),
        input_wait: gateway.limits.input_wait,
        is_patient: true,
        mailbox: Mailbox::default(),
        leash: Some(ties.leash.clone()),
        stream: OnceLock::new(),
        answered_by: Mutex::default(),
        listener: None,
        sent: OnceLock::new(),
    });
    let head = request.head.clone();
    let cancel = ties.leash.cancel;
    gateway.calls.spawn(run(gateway.clone(), caller.clone(), request, cancel.clone()));
    Exchange::new(gateway.hub.clone(), gateway.parked.clone(), caller, head, cancel)
}

async fn run(
    gateway: Arc<Gateway>,
    caller: Arc<RequestCaller>,
    request: OwnedRequest,
    cancel: CancellationToken,
) {
    let id = request.head.id.clone();
    // A tool call is ended by the pipeline, which records that it was cancelled; anything else is just dropped.
    let answer = if request.head.method == "tools/call" {
        let answer = dispatch::run(&gateway, caller.clone(), request, &cancel).await;
        (!cancel.is_cancelled()).then_some(answer)
    } else {
        tokio::select! {
            answer = dispatch::run(&gateway, caller.clone(), request, &cancel) => Some(answer),
            () = cancel.cancelled() => None,
        }
    };
    let taken = answer.is_some();
    let read = caller.mailbox.finish(answer);
    // If the answer is not read, nothing else marks the request as ended.
    if (!taken || !read)
        && let Some(session) = &caller.session
    {
        session.end(id.as_str());
    }
}
