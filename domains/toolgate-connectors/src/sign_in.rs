//! Whether the credentials of a connector are there, the rate that its provider has left, and what its probe says. Its own server
//! knows.

use std::sync::Arc;

use serde::Deserialize;
use tokio::task::JoinSet;
use tokio::time::timeout;
use toolgate_core::port::{Caller, ServerError, ServerReply, ServerRequest};
use toolgate_core::{Fault, FaultKind, RawJson, Refusal};

use crate::connectors::Connectors;
use crate::limits::SIGN_IN_WAIT;
use crate::rate::RateRemainder;
use crate::reach::ConnectorServer;
use crate::refusal::{failed, of_fault, probe_failed};

/// Only the gateway sends them, and never a client.
const SIGN_IN: &str = "toolgate/sign-in";
const PROBE: &str = "toolgate/probe";

/// The sign-in of a connector, as its server says.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
pub(crate) struct SignInState {
    /// In words with the next step.
    pub(crate) missing: Option<String>,
    /// As the newest answer of the provider had it, to a call or to a sync.
    pub(crate) rate: Option<RateRemainder>,
}

#[derive(Deserialize)]
struct ProbeOutcome {
    action: Option<String>,
    result: Option<ProbeResult>,
}

#[derive(Deserialize)]
struct ProbeResult {
    #[serde(rename = "isError", default)]
    is_error: bool,
    #[serde(default)]
    content: Vec<ProbeText>,
}

#[derive(Deserialize)]
struct ProbeText {
    #[serde(default)]
    text: String,
}

impl Connectors {
    /// The sign-ins of these connectors, in their order. Of a server that does not answer soon, nothing is known to be missing.
    pub(crate) async fn sign_ins(
        &self,
        wanted: &[ConnectorServer],
        caller: &Arc<dyn Caller>,
    ) -> Vec<SignInState> {
        let mut asking = JoinSet::new();
        for (at, of) in wanted.iter().cloned().enumerate() {
            let (servers, caller) = (Arc::clone(&self.servers), Arc::clone(caller));
            asking.spawn(async move {
                let asked = servers.request(&of.server, ServerRequest::new(SIGN_IN, String::new()), caller);
                let answered = timeout(SIGN_IN_WAIT, asked).await.ok().and_then(Result::ok);
                (at, answered.and_then(|reply| state(&of, &reply)))
            });
        }
        let mut found = vec![SignInState::default(); wanted.len()];
        while let Some(asked) = asking.join_next().await {
            if let Ok((at, Some(state))) = asked {
                found[at] = state;
            }
        }
        found
    }

    /// The name of the action that was called to try a connection. `None` if the connector has no such action.
    pub(crate) async fn probe(
        &self,
        of: &ConnectorServer,
        caller: &Arc<dyn Caller>,
    ) -> Result<Option<String>, Refusal> {
        let asked = ServerRequest::new(PROBE, String::new());
        let outcome = match self.servers.request(&of.server, asked, Arc::clone(caller)).await {
            Ok(reply) => read::<ProbeOutcome>(&reply),
            Err(ServerError::Fault(fault)) => return Err(of_fault(&of.connector, &fault)),
            // A server that knows no probe has none.
            Err(ServerError::Rpc(error)) if error.code == toolgate_core::RpcError::METHOD_NOT_FOUND => None,
            Err(ServerError::Rpc(error)) => return Err(failed(&of.connector, &of.server, "", &error)),
        };
        let Some(ProbeOutcome { action: Some(action), result }) = outcome else { return Ok(None) };
        match result.filter(|result| result.is_error) {
            Some(ProbeResult { content, .. }) => {
                let says = content.first().map(|one| one.text.as_str()).unwrap_or_default();
                Err(probe_failed(&of.connector, &action, says))
            }
            None => Ok(Some(action)),
        }
    }
}

/// Agents read it, so it names no address.
fn state(of: &ConnectorServer, reply: &ServerReply) -> Option<SignInState> {
    let SignInState { missing, rate } = read(reply)?;
    let missing = missing.map(|reason| Fault::new(&of.server, FaultKind::Unauthorized { reason }).told());
    Some(SignInState { missing, rate })
}

fn read<T: serde::de::DeserializeOwned>(reply: &ServerReply) -> Option<T> {
    let result: &RawJson = match reply {
        ServerReply::Complete(result) | ServerReply::Cached(result) => result,
        ServerReply::InputRequired(_) | ServerReply::Task(_) => return None,
    };
    result.decode().ok()
}
