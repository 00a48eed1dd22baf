//! What a server says about a call that gave it values of credentials: results, errors, progress, messages and questions
//! reach nobody before the values are taken out of them. A task would say it later, when nobody looks: such calls get their
//! results at once.

use std::sync::Arc;

use toolgate_core::port::{AskKind, BoxFuture, Caller, ClientKey, ServerError, ServerReply};
use toolgate_core::server::InstanceId;
use toolgate_core::{Fault, FaultKind, PrincipalId, RawJson, RpcError, ServerName};
use toolgate_pipeline::redact::SecretMask;
use toolgate_wire::object::{with_member, without_member};
use toolgate_wire::{ObjectMembers, meta};

/// The member of a client's capabilities in which it offers tasks.
const EXTENSIONS: &str = "extensions";

/// An answer without the values.
pub(super) fn masked(
    server: &ServerName,
    reply: Result<ServerReply, ServerError>,
    mask: Option<&SecretMask>,
) -> Result<ServerReply, ServerError> {
    let Some(mask) = mask else { return reply };
    match reply {
        Ok(ServerReply::Complete(result)) => Ok(ServerReply::Complete(mask.json(result))),
        Ok(ServerReply::Cached(result)) => Ok(ServerReply::Cached(mask.json(result))),
        Ok(ServerReply::InputRequired(result)) => Ok(ServerReply::InputRequired(mask.json(result))),
        Ok(ServerReply::Task(_)) => Err(unwanted_task(server).into()),
        Err(ServerError::Rpc(error)) => Err(mask.error(error).into()),
        Err(ServerError::Fault(fault)) => Err(without(fault, mask).into()),
    }
}

fn unwanted_task(server: &ServerName) -> Fault {
    let what = "it made a task of a call with values of credentials, which was not offered".to_owned();
    Fault { server: server.clone(), kind: FaultKind::Garbled { what } }
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
        FaultKind::Unread { reason } => FaultKind::Unread { reason: mask.text(reason) },
        other => other,
    };
    Fault { server, kind }
}

/// The client of a call, which hears nothing of the values.
pub(super) struct MaskedClient {
    client: Arc<dyn Caller>,
    mask: Arc<SecretMask>,
    capabilities: RawJson,
}

impl MaskedClient {
    /// The client itself where no values went to the server.
    pub(super) fn of(client: Arc<dyn Caller>, mask: Option<&Arc<SecretMask>>) -> Arc<dyn Caller> {
        match mask {
            None => client,
            Some(mask) => {
                let capabilities = without_tasks(client.capabilities());
                Arc::new(Self { client, mask: mask.clone(), capabilities })
            }
        }
    }
}

/// The capabilities of a client that takes no tasks.
fn without_tasks(capabilities: &RawJson) -> RawJson {
    let members = ObjectMembers::of(capabilities).unwrap_or_default();
    let Some(extensions) = members.get(EXTENSIONS) else { return capabilities.clone() };
    let others = without_member(extensions.get(), meta::TASKS_EXTENSION);
    let offered = others.and_then(|others| with_member(capabilities.as_str(), EXTENSIONS, &others));
    offered.map_or(RawJson::EMPTY, RawJson::from_composed)
}

impl Caller for MaskedClient {
    fn principal(&self) -> &PrincipalId {
        self.client.principal()
    }

    fn client(&self) -> ClientKey {
        self.client.client()
    }

    fn capabilities(&self) -> &RawJson {
        &self.capabilities
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use toolgate_core::codes;
    use toolgate_core::credential::SentSecret;

    use super::*;

    fn mask() -> SecretMask {
        let sent = SentSecret::new("cred_1.password".to_owned(), "hunter2".to_owned());
        SecretMask::new(vec![sent]).expect("something was sent")
    }

    #[test]
    fn a_server_does_not_put_off_its_result_into_a_task() {
        let (server, mask) = (ServerName::new("browser").expect("a name"), mask());
        let task = || Ok(ServerReply::Task(RawJson::from(json!({ "taskId": "1" }))));
        assert!(matches!(masked(&server, task(), None), Ok(ServerReply::Task(_))));
        let Err(ServerError::Fault(fault)) = masked(&server, task(), Some(&mask)) else {
            panic!("a task was let through");
        };
        assert_eq!((&fault.server, fault.kind.code()), (&server, &codes::SERVER_GARBLED));
    }

    #[test]
    fn faults_are_looked_through() {
        let server = ServerName::new("browser").expect("a name");
        let kind = FaultKind::Refused { status: 500, body: "wrong password hunter2".to_owned() };
        let fault = Fault { server: server.clone(), kind };
        let Err(ServerError::Fault(fault)) = masked(&server, Err(fault.into()), Some(&mask())) else {
            panic!("it is a fault");
        };
        let body = "wrong password [secret cred_1.password]".to_owned();
        assert_eq!(fault.kind, FaultKind::Refused { status: 500, body });
    }

    #[test]
    fn a_client_offers_everything_but_tasks() {
        for (own, offered) in [
            (json!({}), json!({})),
            (json!({ "sampling": {} }), json!({ "sampling": {} })),
            (
                json!({ "extensions": { (meta::TASKS_EXTENSION): {}, "x/y": { "z": 1 } }, "roots": {} }),
                json!({ "extensions": { "x/y": { "z": 1 } }, "roots": {} }),
            ),
            (json!({ "extensions": 1 }), json!({})),
        ] {
            let left: Value = without_tasks(&RawJson::from(own)).decode().expect("JSON");
            assert_eq!(left, offered);
        }
    }
}
