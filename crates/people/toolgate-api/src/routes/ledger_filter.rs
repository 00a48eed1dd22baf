//! The filters of lists of events and of calls, from the query string.

use toolgate_core::event::{DecisionKind, EventKind, Filter, Outcome};
use toolgate_core::id::{CallId, RunId, SessionId};
use toolgate_core::moment::parse_rfc3339;
use toolgate_core::{CanonicalName, PrincipalId, ServerName};

use crate::problem::Answered;
use crate::read::{bad_parameter, word};

/// The words of a filter, not read yet.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FilterWords<'a> {
    pub(super) from: Option<&'a str>,
    pub(super) until: Option<&'a str>,
    pub(super) kind: Option<&'a str>,
    pub(super) principal: Option<&'a str>,
    pub(super) session: Option<&'a str>,
    pub(super) run: Option<&'a str>,
    pub(super) call: Option<&'a str>,
    pub(super) tool: Option<&'a str>,
    pub(super) server: Option<&'a str>,
    pub(super) outcome: Option<&'a str>,
    pub(super) decision: Option<&'a str>,
}

impl FilterWords<'_> {
    /// `None` if nothing can match: no server can have such a name.
    pub(super) fn read(self) -> Answered<Option<Filter>> {
        let kinds: Vec<&str> = EventKind::ALL.iter().map(|kind| kind.as_str()).collect();
        let outcomes: Vec<&str> = Outcome::ALL.iter().map(|outcome| outcome.as_str()).collect();
        let decisions: Vec<&str> = DecisionKind::ALL.iter().map(|decision| decision.as_str()).collect();
        let filter = Filter {
            from_ms: moment("from", self.from)?,
            until_ms: moment("until", self.until)?,
            kind: word("kind", self.kind, &kinds, EventKind::parse)?,
            principal: self.principal.map(PrincipalId::new),
            session: self.session.map(SessionId::new),
            run: self.run.map(RunId::new),
            call: self.call.map(CallId::new),
            tool: self.tool.map(CanonicalName::recorded),
            server: self.server.and_then(|server| ServerName::new(server).ok()),
            outcome: word("outcome", self.outcome, &outcomes, Outcome::parse)?,
            decision: word("decision", self.decision, &decisions, DecisionKind::parse)?,
        };
        Ok(if self.server.is_some() && filter.server.is_none() { None } else { Some(filter) })
    }
}

fn moment(name: &str, value: Option<&str>) -> Answered<Option<i64>> {
    let Some(value) = value else { return Ok(None) };
    let read = parse_rfc3339(value).or_else(|| value.parse().ok());
    let bad = || {
        bad_parameter(name, value, "a moment").hint("write 2026-08-01T12:00:00Z, or milliseconds since 1970")
    };
    read.map(Some).ok_or_else(bad)
}
