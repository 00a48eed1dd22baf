//! Calls that wait for a client of the newer era to come back with an answer.
//!
//! An older server asks in the middle of a call and keeps it open. The client gets `input_required` with a sealed
//! handle and repeats its request; the handle leads back here, once, for the same principal and the same request.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use tokio::sync::oneshot;
use toolgate_core::port::AskKind;
use toolgate_core::{RawJson, RpcError};
use toolgate_wire::{ObjectMembers, compose};

use crate::clients::client::Client;
use crate::messages::frame::ResponseFrame;
use crate::messages::parts::RequestHead;
use crate::messages::request_state::OURS;
use crate::messages::seal::{Sealer, random_id};
use crate::messages::text::quoted;
use crate::protocol::exchange::Exchange;

/// A question of a server, or of the gateway itself.
pub(crate) struct ParkedQuestion {
    /// Its key in `inputRequests`: that of the approval or of the input, so that a client which repeats its request from the
    /// start finds the answer that it has.
    pub(crate) id: Box<str>,
    pub(crate) kind: AskKind,
    pub(crate) params: RawJson,
    pub(crate) answer: oneshot::Sender<Result<RawJson, RpcError>>,
}

pub(crate) struct ParkedExchanges {
    sealer: Sealer,
    waiting: Mutex<HashMap<String, ParkedExchange>>,
    keep: Duration,
}

struct ParkedExchange {
    exchange: Exchange,
    asked: ParkedQuestion,
    since: Instant,
}

const PURPOSE: &str = "request-state";
const PARKED_MAX: usize = 10_000;

impl ParkedExchanges {
    pub(crate) fn new(sealer: Sealer, keep: Duration) -> Self {
        Self { sealer, waiting: Mutex::default(), keep }
    }

    /// Puts a call aside and says what its client is asked.
    pub(crate) fn park(&self, exchange: Exchange, asked: ParkedQuestion) -> ResponseFrame {
        let id = random_id();
        let request_id = exchange.head().id.clone();
        let result = self.input_required(&id, &exchange, &asked);
        let mut waiting = self.waiting.lock();
        waiting.retain(|_, one| one.since.elapsed() < self.keep);
        if waiting.len() >= PARKED_MAX {
            let error =
                RpcError::new(RpcError::INTERNAL, "too many calls are waiting for input; try again later");
            return ResponseFrame::error(Some(&request_id), &error);
        }
        waiting.insert(id, ParkedExchange { exchange, asked, since: Instant::now() });
        ResponseFrame {
            body: compose::response(request_id.as_str(), &result).into(),
            error_code: None,
            cancelled: false,
        }
    }

    fn input_required(&self, id: &str, exchange: &Exchange, asked: &ParkedQuestion) -> String {
        let method = asked.kind.method();
        let params = asked.params.as_str();
        let key = quoted(&asked.id);
        let requests = format!("{{{key}:{{\"method\":\"{method}\",\"params\":{params}}}}}");
        let payload = format!("{id}\n{}\n{}", exchange.client().owner(), binding(exchange.head()));
        let state = quoted(&format!("{OURS}{}", self.sealer.seal(PURPOSE, &payload)));
        format!("{{\"resultType\":\"input_required\",\"inputRequests\":{requests},\"requestState\":{state}}}")
    }

    /// Takes a parked call up again with the client's answer. Without one the call stays parked and the client is
    /// asked again.
    pub(crate) fn resume(
        &self,
        sealed: &str,
        client: &Client,
        head: RequestHead,
        responses: Option<&RawJson>,
    ) -> Result<ResumeOutcome, RpcError> {
        let refused =
            |why: &str| RpcError::invalid_params(format!("requestState {why}; call again without it"));
        let payload =
            self.sealer.open(PURPOSE, sealed).ok_or_else(|| refused("was not issued by this gateway"))?;
        let mut parts = payload.splitn(3, '\n');
        let (id, whose, bound) = (parts.next(), parts.next(), parts.next());
        if whose != Some(client.owner().as_str()) {
            return Err(refused("belongs to someone else"));
        }
        if bound != Some(binding(&head).as_str()) {
            return Err(refused("belongs to a different request"));
        }
        let found = self.waiting.lock().remove(id.unwrap_or_default());
        let mut waiting = found.ok_or_else(|| refused("has expired or was used before"))?;
        waiting.exchange.continue_as(head);
        let answers = responses.and_then(|raw| ObjectMembers::of(raw).ok()).unwrap_or_default();
        match answers.get(&waiting.asked.id).filter(|answer| answer.get().starts_with('{')) {
            None => Ok(ResumeOutcome::AskedAgain(self.park(waiting.exchange, waiting.asked))),
            Some(answer) => {
                // A call that was cancelled meanwhile needs no answer.
                drop(waiting.asked.answer.send(Ok(RawJson::from(answer))));
                Ok(ResumeOutcome::GoesOn(Box::new(waiting.exchange)))
            }
        }
    }

    /// Gives up calls whose client did not come back; dropping them cancels them.
    pub(crate) fn sweep(&self) {
        let mut waiting = self.waiting.lock();
        waiting.retain(|_, one| one.since.elapsed() < self.keep);
    }
}

pub(crate) enum ResumeOutcome {
    GoesOn(Box<Exchange>),
    AskedAgain(ResponseFrame),
}

/// The binding of a handle to one request: the method and its parameters, however the client spells them.
fn binding(request: &RequestHead) -> String {
    let mut params: serde_json::Value = request.params.decode().unwrap_or_default();
    if let Some(members) = params.as_object_mut() {
        for key in ["_meta", "inputResponses", "requestState"] {
            members.remove(key);
        }
    }
    params.sort_all_objects();
    let digest = Sha256::digest(format!("{}\n{params}", request.method));
    digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}
