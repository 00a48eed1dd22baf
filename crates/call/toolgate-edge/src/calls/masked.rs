//! What a server says about a call that gave it values of credentials: results, errors, progress, messages and questions
//! reach nobody before the values are taken out of them.

use std::sync::Arc;

use toolgate_core::port::{AskKind, BoxFuture, Caller, ClientKey, ServerError, ServerReply};
use toolgate_core::server::InstanceId;
use toolgate_core::{Fault, FaultKind, PrincipalId, RawJson, RpcError};
use toolgate_pipeline::redact::SecretMask;

/// An answer without the values.
pub(super) fn masked(
    reply: Result<ServerReply, ServerError>,
    mask: Option<&SecretMask>,
) -> Result<ServerReply, ServerError> {
    let Some(mask) = mask else { return reply };
    match reply {
        Ok(ServerReply::Complete(result)) => Ok(ServerReply::Complete(mask.json(result))),
        Ok(ServerReply::Cached(result)) => Ok(ServerReply::Cached(mask.json(result))),
        Ok(ServerReply::InputRequired(result)) => Ok(ServerReply::InputRequired(mask.json(result))),
        Ok(ServerReply::Task(result)) => Ok(ServerReply::Task(mask.json(result))),
        Err(ServerError::Rpc(error)) => Err(mask.error(error).into()),
        Err(ServerError::Fault(fault)) => Err(without(fault, mask).into()),
    }
}

/// A fault whose words come from the server, or from the connection to it.
fn without(fault: Fault, mask: &SecretMask) -> Fault {
    let Fault { server, kind } = fault;
    let kind = match kind {
        FaultKind::Down { reason } => FaultKind::Down { reason: mask.text(reason) },
        FaultKind::Lost { reason } => FaultKind::Lost { reason: mask.text(reason) },
        FaultKind::Garbled { what } => FaultKind::Garbled { what: mask.text(what) },
        FaultKind::Refused { status, body } => FaultKind::Refused { status, body: mask.text(body) },
        FaultKind::Resting { reason, retry_after } => {
            FaultKind::Resting { reason: mask.text(reason), retry_after }
        }
        FaultKind::Unauthorized { reason } => FaultKind::Unauthorized { reason: mask.text(reason) },
        other => other,
    };
    Fault { server, kind }
}

/// The client of a call, which hears nothing of the values.
pub(super) struct MaskedClient {
    client: Arc<dyn Caller>,
    mask: Arc<SecretMask>,
}

impl MaskedClient {
    /// The client itself where no values went to the server.
    pub(super) fn of(client: Arc<dyn Caller>, mask: Option<&Arc<SecretMask>>) -> Arc<dyn Caller> {
        match mask {
            None => client,
            Some(mask) => Arc::new(Self { client, mask: mask.clone() }),
        }
    }
}

impl Caller for MaskedClient {
    fn principal(&self) -> &PrincipalId {
        self.client.principal()
    }

    fn client(&self) -> ClientKey {
        self.client.client()
    }

    fn capabilities(&self) -> &RawJson {
        self.client.capabilities()
    }

    fn client_info(&self) -> Option<&RawJson> {
        self.client.client_info()
    }

    fn can_answer(&self, kind: AskKind) -> bool {
        self.client.can_answer(kind)
    }

    fn waits_for_people(&self) -> bool {
        self.client.waits_for_people()
    }

    fn wants_progress(&self) -> bool {
        self.client.wants_progress()
    }

    fn log_level(&self) -> Option<&str> {
        self.client.log_level()
    }

    fn answered_by(&self, instance: &InstanceId) {
        self.client.answered_by(instance);
    }

    fn progress(&self, params: RawJson) {
        self.client.progress(self.mask.json(params));
    }

    fn log(&self, params: RawJson) {
        self.client.log(self.mask.json(params));
    }

    fn ask(&self, kind: AskKind, params: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        self.client.ask(kind, self.mask.json(params))
    }
}
