//! The filter of lists of events and of calls, from the query string. A route's own parameters stand beside it.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toolgate_core::event::{DecisionKind, EventFilter, EventKind, Outcome};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::moment::parse_rfc3339;
use toolgate_core::{CanonicalName, PrincipalId, ServerName};
use utoipa::IntoParams;

use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{bad_parameter, from_parameters, parameters, word, words};

/// The place that events are read from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EventPlace {
    Database,
    Archive,
}

impl EventPlace {
    /// The parameter `source`.
    pub(super) fn read(source: Option<&str>) -> ApiResult<Self> {
        let parse = |word: &str| match word {
            "database" => Some(EventPlace::Database),
            "archive" => Some(EventPlace::Archive),
            _ => None,
        };
        let source = word("source", source, &["database", "archive"], parse)?;
        Ok(source.unwrap_or(EventPlace::Database))
    }
}

pub(super) fn no_archive() -> Box<Problem> {
    Problem::not_found("this gateway has no archive of the ledger".to_owned())
        .hint("an operator can switch it on with `[ledger.archive]`")
}

/// The parameters that select events and calls, as they were sent.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct Selection {
    /// Start of the period (inclusive): RFC 3339, or milliseconds since 1970
    from: Option<String>,
    /// End of the period (exclusive), in the same format
    until: Option<String>,
    /// Principal that acted
    principal: Option<String>,
    session: Option<String>,
    run: Option<String>,
    /// The canonical name of a tool
    tool: Option<String>,
    server: Option<String>,
    /// Outcome of a call: succeeded, tool_error, failed, denied, …; several of them with commas in between
    outcome: Option<String>,
    /// Error of a call that failed or was refused: its code such as server_timeout, or its outcome if it has none
    error: Option<String>,
    /// Decision of the policy: permit, approve or deny
    decision: Option<String>,
}

/// A query with a selection, and with the parameters that only its route has.
pub(crate) struct Selected<T> {
    pub(super) by: Selection,
    pub(super) own: T,
}

impl<T: DeserializeOwned> FromRequestParts<ApiContext> for Selected<T> {
    type Rejection = Box<Problem>;

    async fn from_request_parts(parts: &mut Parts, _: &ApiContext) -> ApiResult<Self> {
        let given = parameters(parts.uri.query().unwrap_or_default())?;
        let selects = |name: &str| Selection::NAMES.contains(&name);
        let (by, own): (Map<String, Value>, _) = given.into_iter().partition(|(name, _)| selects(name));
        Ok(Self { own: from_parameters(own, &Selection::NAMES)?, by: from_parameters(by, &[])? })
    }
}

impl Selection {
    const NAMES: [&'static str; 10] =
        ["from", "until", "principal", "session", "run", "tool", "server", "outcome", "error", "decision"];

    /// `None` if nothing can match: no server can have such a name.
    pub(super) fn read(&self) -> ApiResult<Option<EventFilter>> {
        let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
        let decisions: Vec<&str> = DecisionKind::ALL.iter().map(|decision| decision.as_str()).collect();
        let filter = EventFilter {
            from_ms: moment("from", self.from.as_deref())?,
            until_ms: moment("until", self.until.as_deref())?,
            kind: None,
            principal: self.principal.as_deref().map(PrincipalId::new),
            session: self.session.as_deref().map(SessionId::new),
            run: self.run.as_deref().map(RunId::new),
            call: None,
            tool: self.tool.as_deref().map(CanonicalName::recorded),
            server: self.server.as_deref().and_then(|server| ServerName::new(server).ok()),
            outcomes: words("outcome", self.outcome.as_deref(), &outcomes, Outcome::parse)?,
            error: self.error.clone(),
            decision: word("decision", self.decision.as_deref(), &decisions, DecisionKind::parse)?,
        };
        Ok(if self.server.is_some() && filter.server.is_none() { None } else { Some(filter) })
    }

    /// The same for events, which have a kind and may belong to a call.
    pub(super) fn read_of_events(
        &self,
        call: Option<&str>,
        kind: Option<&str>,
    ) -> ApiResult<Option<EventFilter>> {
        let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let kind = word("kind", kind, &kinds, EventKind::parse)?;
        let of_events = |filter| EventFilter { kind, call: call.map(CallId::new), ..filter };
        Ok(self.read()?.map(of_events))
    }
}

fn moment(name: &str, value: Option<&str>) -> ApiResult<Option<i64>> {
    let Some(value) = value else { return Ok(None) };
    let read = parse_rfc3339(value).or_else(|| value.parse().ok());
    let bad = || {
        bad_parameter(name, value, "a moment").hint("write 2026-08-01T12:00:00Z, or milliseconds since 1970")
    };
    read.map(Some).ok_or_else(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_those_of_the_documented_parameters() {
        let documented: Vec<String> =
            Selection::into_params(|| None).into_iter().map(|one| one.name).collect();
        assert_eq!(documented, Selection::NAMES);
    }
}
