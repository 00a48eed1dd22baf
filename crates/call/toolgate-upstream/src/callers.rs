//! Servers that keep a state for each of their callers: the session and the run that a call names to them, and the news that one of
//! these has ended.

use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::port::{CallOrigin, ServerRequest};
use toolgate_wire::meta;
use toolgate_wire::object::push_string;

/// The place in a server's capabilities where it asks to be told.
pub(crate) const WISH: [&str; 2] = ["experimental", meta::CALLER];
/// The place where it says that it is a connector, which needs to recognise a call that is repeated.
pub(crate) const CONNECTOR: [&str; 2] = ["experimental", meta::CONNECTOR];

/// The notification about a caller that has ended.
pub(crate) const ENDED: &str = "notifications/dev.toolgate/caller_ended";

/// The answer to a server's wish to know its callers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CallerNaming {
    Named,
    Unnamed,
}

impl CallerNaming {
    /// The origin that the server is told.
    pub(crate) fn told(self, request: &ServerRequest) -> Option<&CallOrigin> {
        match self {
            CallerNaming::Named => request.origin.as_ref(),
            CallerNaming::Unnamed => None,
        }
    }
}

/// A session or a run that makes no more calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum EndedCaller {
    Session(SessionId),
    Run(RunId),
}

impl EndedCaller {
    /// The notification about it.
    pub(crate) fn message(&self) -> String {
        let (kind, id) = match self {
            EndedCaller::Session(id) => ("session", id.as_str()),
            EndedCaller::Run(id) => ("run", id.as_str()),
        };
        let mut text = format!(r#"{{"jsonrpc":"2.0","method":"{ENDED}","params":{{"{kind}":"#);
        push_string(&mut text, id);
        text.push_str("}}");
        text
    }
}

/// Appends the members that name the call and its caller to an open `_meta`.
pub(crate) fn push_origin(text: &mut String, origin: Option<&CallOrigin>, call: Option<&CallId>) {
    let Some(CallOrigin { session, run }) = origin else { return };
    if !text.ends_with('{') {
        text.push(',');
    }
    if let Some(call) = call {
        push_string(text, meta::CALL);
        text.push(':');
        push_string(text, call.as_str());
        text.push(',');
    }
    push_string(text, meta::CALLER);
    text.push_str(r#":{"session":"#);
    push_string(text, session.as_str());
    if let Some(run) = run {
        text.push_str(r#","run":"#);
        push_string(text, run.as_str());
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn an_end_is_told_by_its_kind_and_an_odd_id_breaks_nothing() {
        let params = |ended: &EndedCaller| {
            let message: Value = serde_json::from_str(&ended.message()).expect("JSON");
            assert_eq!(message["method"], ENDED);
            message["params"].clone()
        };
        assert_eq!(params(&EndedCaller::Run(RunId::new("run_1"))), json!({ "run": "run_1" }));
        let odd = "ses_\"}, \n";
        assert_eq!(params(&EndedCaller::Session(SessionId::new(odd))), json!({ "session": odd }));
    }
}
