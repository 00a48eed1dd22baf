//! The refusals of actions on a session.

use toolgate_core::id::SessionId;
use toolgate_core::scope::AgentName;
use toolgate_core::{Refusal, RefusalKind};
use toolgate_store::StoreError;

/// The number of suggestions for a misspelt name.
const NEAREST: usize = 3;
const ALIKE: f64 = 0.75;

/// A missing session and one that this caller may not see look the same.
pub(crate) fn unknown_session(id: &SessionId) -> Refusal {
    Refusal::new(RefusalKind::NotFound, "unknown_session", format!("there is no session {:?}", id.as_str()))
        .hint("`POST /sessions` opens one; `toolgate sessions list` shows those there are")
}

pub(crate) fn unknown_agent(name: &AgentName) -> Refusal {
    Refusal::new(RefusalKind::NotFound, "unknown_agent", format!("there is no agent {:?}", name.as_str()))
        .hint("agents are defined in toolgate.toml or at /agents; `toolgate agents list` shows them")
}

pub(crate) fn closed(id: &SessionId) -> Refusal {
    Refusal::new(RefusalKind::Gone, "session_closed", format!("the session {id} is closed"))
        .hint("open another one")
}

pub(crate) fn not_allowed(message: impl Into<String>) -> Refusal {
    Refusal::new(RefusalKind::Forbidden, "not_allowed", message)
}

/// The store is down. The cause may name hosts and statements: it is for the log.
pub(crate) fn down(error: StoreError) -> Refusal {
    tracing::warn!(%error, "sessions cannot be read or changed");
    Refusal::new(RefusalKind::Down, "store_down", "the gateway's store is not available")
        .hint("try again in a moment")
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
