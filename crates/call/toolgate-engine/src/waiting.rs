//! The requests that wait for an answer of the engine.

use std::collections::BTreeMap;
use std::time::Duration;

use engine_protocol::EngineFault;
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::oneshot;

/// The end of a request without its answer.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub(crate) enum RequestTrouble {
    #[error(transparent)]
    Fault(#[from] EngineFault),
    #[error("the engine {0}")]
    Ended(String),
    #[error("the engine did not answer within {} seconds", .0.as_secs_f32())]
    Late(Duration),
    #[error("the engine answered with {0}")]
    Garbled(String),
    #[error("the request has {0} bytes, which is too long for the engine")]
    TooLong(usize),
}

pub(crate) type EngineReply = Result<Value, RequestTrouble>;

#[derive(Default)]
pub(crate) struct WaitingRequests {
    state: Mutex<WaitingState>,
}

#[derive(Default)]
struct WaitingState {
    last: u64,
    waiting: BTreeMap<u64, oneshot::Sender<EngineReply>>,
    /// The reason why the engine ended, once it has.
    ended: Option<String>,
}

impl WaitingRequests {
    /// A number for a message that nobody waits for.
    pub(crate) fn number(&self) -> u64 {
        let mut state = self.state.lock();
        state.last += 1;
        state.last
    }

    /// The number of a request, and its answer to come.
    pub(crate) fn expect(&self) -> Result<(u64, oneshot::Receiver<EngineReply>), RequestTrouble> {
        let mut state = self.state.lock();
        if let Some(why) = &state.ended {
            return Err(RequestTrouble::Ended(why.clone()));
        }
        let (sender, receiver) = oneshot::channel();
        state.last += 1;
        let id = state.last;
        state.waiting.insert(id, sender);
        Ok((id, receiver))
    }

    /// Hands an answer over. False if nobody waits for it.
    pub(crate) fn settle(&self, id: u64, reply: EngineReply) -> bool {
        let waiting = self.state.lock().waiting.remove(&id);
        waiting.is_some_and(|waiting| waiting.send(reply).is_ok())
    }

    pub(crate) fn forget(&self, id: u64) {
        self.state.lock().waiting.remove(&id);
    }

    /// Ends all requests, those to come included. The first reason stays.
    pub(crate) fn end(&self, why: &str) {
        let waiting = {
            let mut state = self.state.lock();
            state.ended.get_or_insert_with(|| why.to_owned());
            std::mem::take(&mut state.waiting)
        };
        for sender in waiting.into_values() {
            drop(sender.send(Err(RequestTrouble::Ended(why.to_owned()))));
        }
    }

    pub(crate) fn ended(&self) -> Option<String> {
        self.state.lock().ended.clone()
    }
}
