//! The refusals of this crate, with hints.

use serde::Deserialize;
use toolgate_core::connector::ConnectorName;
use toolgate_core::{Fault, FaultKind, Refusal, RpcError, ServerName, codes};
use toolgate_store::StoreError;

use crate::limits::SHOWN_CHARS_MAX;

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: &StoreError) -> Refusal {
    tracing::warn!(%error, "connectors cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

pub(crate) fn closing() -> Refusal {
    Refusal::new(&codes::STORE_DOWN, "the gateway is closing")
}

/// The same for one that is not there and one that the session has not mounted.
pub(crate) fn unknown_connector(provider: &str, connection: Option<&str>) -> Refusal {
    let named = match connection {
        Some(connection) => format!("{}/{}", shown(provider), shown(connection)),
        None => shown(provider),
    };
    Refusal::new(&codes::UNKNOWN_CONNECTOR, format!("there is no connector {named}")).field("provider")
}

pub(crate) fn unknown_stream(connector: &ConnectorName, stream: &str, known: &[String]) -> Refusal {
    let message = format!("{connector} has no stream {:?}", shown(stream));
    Refusal::new(&codes::UNKNOWN_STREAM, message)
        .hint(format!("it has {}", known.join(", ")))
        .field("streams")
}

pub(crate) fn no_streams(connector: &ConnectorName) -> Refusal {
    Refusal::new(&codes::UNKNOWN_STREAM, format!("{connector} has no streams, so there is nothing to sync"))
        .hint("its actions are tools: connector.list shows them")
}

pub(crate) fn bad_page(connector: &ConnectorName, why: impl std::fmt::Display) -> Refusal {
    let message = format!("{connector} answered with no page of records: {}", shown(&why.to_string()));
    Refusal::new(&codes::BAD_STREAM_PAGE, message)
}

/// Programs of connectors say with this code that their provider does not let them in.
const LOCKED: &str = "locked";
const HINT: &str = "\nhint: ";

/// The data of a program's error.
#[derive(Deserialize)]
struct TroubleData {
    code: String,
}

/// The server of the connector answered with an error of its own.
pub(crate) fn failed(
    connector: &ConnectorName,
    server: &ServerName,
    stream: &str,
    error: &RpcError,
) -> Refusal {
    let (says, advice) = error.message.split_once(HINT).unwrap_or((error.message.as_str(), ""));
    let data = error.data.as_ref().and_then(|data| data.decode::<TroubleData>().ok());
    if data.is_some_and(|data| data.code == LOCKED) {
        let message = format!("the sign-in of {connector} has expired or was revoked: {}", shown(says));
        let store = format!("`toolgate secrets set {server} NAME` stores a new secret");
        let advice = if advice.is_empty() { store } else { format!("{}; {store}", shown(advice)) };
        return Refusal::new(&codes::CONNECTOR_SIGN_IN, message).hint(advice);
    }
    let message = format!("{connector} refused the stream {stream}: {}", shown(&error.message));
    Refusal::new(&codes::CONNECTOR_FAILED, message)
}

/// The probe of a connector was refused by its provider.
pub(crate) fn probe_failed(connector: &ConnectorName, action: &str, says: &str) -> Refusal {
    let message = format!("{connector} failed at its probe {action}: {}", shown(says));
    Refusal::new(&codes::CONNECTOR_FAILED, message)
}

/// The server of the connector did not answer. A sign-in that has ended is not worth another try.
pub(crate) fn of_fault(connector: &ConnectorName, fault: &Fault) -> Refusal {
    match fault.kind {
        FaultKind::Unauthorized { .. } => {
            let message = format!("the sign-in of {connector} has expired or was revoked: {}", fault.told());
            Refusal::new(&codes::CONNECTOR_SIGN_IN, message).hint(fault.hint())
        }
        _ => Refusal::new(fault.kind.code(), fault.told()).hint(fault.hint()),
    }
}

/// A foreign text in a message.
pub(crate) fn shown(text: &str) -> String {
    text.chars().filter(|one| !one.is_control()).take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refused(code: &str) -> Refusal {
        let server = ServerName::new("connector.mail").expect("a name");
        let connector = ConnectorName::of(&server).expect("a connector");
        let message = "mail.example:993 cannot be read: the login was refused\nhint: the operator has to renew the password";
        let mut error = RpcError::new(RpcError::INTERNAL, message);
        error.data = Some(json!({ "code": code }).into());
        failed(&connector, &server, "inbox", &error)
    }

    #[test]
    fn a_program_that_is_not_let_in_asks_for_a_sign_in() {
        let locked = refused("locked");
        assert_eq!(*locked.code, codes::CONNECTOR_SIGN_IN, "{}", locked.message);
        assert!(locked.message.ends_with("cannot be read: the login was refused"), "{}", locked.message);
        let hint = "the operator has to renew the password; `toolgate secrets set connector.mail NAME` stores a new secret";
        assert_eq!(locked.hint, hint);
        assert_eq!(*refused("unavailable").code, codes::CONNECTOR_FAILED);
    }
}
