//! The refusals of actions on a session.

use toolgate_core::Refusal;
use toolgate_core::codes;
use toolgate_core::id::SessionId;
use toolgate_core::scope::AgentName;
use toolgate_store::StoreError;

/// The number of suggestions for a misspelt name.
const NEAREST: usize = 3;
const ALIKE: f64 = 0.75;

/// A missing session and one that this caller may not see look the same.
pub(crate) fn unknown_session(id: &SessionId) -> Refusal {
    Refusal::new(&codes::UNKNOWN_SESSION, format!("there is no session {:?}", id.as_str()))
}

pub(crate) fn unknown_agent(name: &AgentName) -> Refusal {
    Refusal::new(&codes::UNKNOWN_AGENT, format!("there is no agent {:?}", name.as_str()))
        .hint("agents are defined in toolgate.toml or at /agents; `toolgate agents list` shows them")
}

pub(crate) fn closed(id: &SessionId) -> Refusal {
    Refusal::new(&codes::SESSION_CLOSED, format!("the session {id} is closed"))
}

pub(crate) fn not_allowed(message: impl Into<String>) -> Refusal {
    Refusal::new(&codes::NOT_ALLOWED, message)
}

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: StoreError) -> Refusal {
    tracing::warn!(%error, "sessions cannot be read or changed");
    Refusal::new(&codes::STORE_DOWN, "the gateway's store is not available")
}

/// "did you mean …?", or another hint.
pub(crate) fn nearest<'n>(given: &str, names: impl Iterator<Item = &'n str>, otherwise: &str) -> String {
    let alike = |name: &'n str| (strsim::jaro_winkler(given, name), name);
    let mut near: Vec<(f64, &str)> = names.map(alike).filter(|(likeness, _)| *likeness > ALIKE).collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0));
    let near: Vec<&str> = near.into_iter().take(NEAREST).map(|(_, name)| name).collect();
    match near[..] {
        [] => otherwise.to_owned(),
        _ => format!("did you mean {}?", near.join(", ")),
    }
}
