//! The refusals of this crate, with hints.

use toolgate_core::connector::ConnectorName;
use toolgate_core::{Fault, FaultKind, Refusal, RpcError, codes};
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

/// The server of the connector answered with an error of its own.
pub(crate) fn failed(connector: &ConnectorName, stream: &str, error: &RpcError) -> Refusal {
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
