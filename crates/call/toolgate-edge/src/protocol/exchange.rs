//! One request under way, as its door sees it: what the call sends, and at last its answer in the era of the client.

use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::{CancellationToken, DropGuard};
use toolgate_core::RpcError;

use crate::clients::caller::RequestCaller;
use crate::clients::client::Client;
use crate::clients::hub::Hub;
use crate::clients::mailbox::{Mail, OutboundMessage};
use crate::messages::frame::{Frame, ResponseFrame};
use crate::messages::parts::RequestHead;
use crate::metrics::RequestOutcome;
use crate::protocol::era;
use crate::protocol::parked::{ParkedExchanges, ParkedQuestion};

/// A call under way, seen from the client's side.
pub(crate) struct Exchange {
    hub: Arc<Hub>,
    parked: Arc<ParkedExchanges>,
    caller: Arc<RequestCaller>,
    head: RequestHead,
    started: Instant,
    /// In the newer era a client that goes away cancels; in the older one it may come back.
    cancel_on_drop: Option<DropGuard>,
}

impl Exchange {
    /// The exchange of a call that runs for `caller`; `cancel` ends it.
    pub(crate) fn new(
        hub: Arc<Hub>,
        parked: Arc<ParkedExchanges>,
        caller: Arc<RequestCaller>,
        head: RequestHead,
        cancel: CancellationToken,
    ) -> Self {
        let cancel_on_drop = caller.session.is_none().then(|| cancel.drop_guard());
        Self { hub, parked, caller, head, started: Instant::now(), cancel_on_drop }
    }

    pub(crate) fn head(&self) -> &RequestHead {
        &self.head
    }

    pub(crate) fn client(&self) -> &Arc<Client> {
        &self.caller.client
    }

    pub(crate) fn caller(&self) -> &Arc<RequestCaller> {
        &self.caller
    }

    /// A retry of the same request goes on with this exchange under its new id.
    pub(crate) fn continue_as(&mut self, head: RequestHead) {
        self.head = head;
    }

    /// The next thing to write. A question to a client of the newer era is an answer to its request: the exchange
    /// is parked then, and the client's retry finds it there.
    pub(crate) async fn next(mut self) -> (Frame, Option<Self>) {
        match self.caller.mailbox.next().await {
            Mail::Cancelled => {
                let error = RpcError::new(RpcError::INTERNAL, "the request was cancelled");
                let response =
                    ResponseFrame { cancelled: true, ..ResponseFrame::error(Some(&self.head.id), &error) };
                self.count(&response);
                (Frame::Response(response), None)
            }
            Mail::Outbound(OutboundMessage::Notify(message)) => (Frame::Message(message), Some(self)),
            Mail::Done(answer) => {
                self.cancel_on_drop.take().map(DropGuard::disarm);
                let response = era::respond(&self.caller.client, &self.head, answer);
                self.count(&response);
                self.end();
                (Frame::Response(response), None)
            }
            Mail::Outbound(OutboundMessage::Ask { id, kind, params, answer }) => {
                match self.caller.session.clone() {
                    Some(session) => (Frame::Message(session.ask(kind, &params, answer)), Some(self)),
                    None => {
                        let parked = self.parked.clone();
                        (
                            Frame::Response(parked.park(self, ParkedQuestion { id, kind, params, answer })),
                            None,
                        )
                    }
                }
            }
        }
    }

    fn count(&self, response: &ResponseFrame) {
        let outcome =
            if response.error_code.is_some() { RequestOutcome::Error } else { RequestOutcome::Answered };
        let metrics = &self.hub.metrics;
        metrics.request(&self.head.method, self.client().era(), outcome, self.started.elapsed());
    }

    fn end(&self) {
        if let Some(session) = &self.caller.session {
            session.end(self.head.id.as_str());
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        // An answer that was not taken would keep its request's id in use for ever.
        if self.caller.mailbox.abandon() {
            self.end();
        }
    }
}
