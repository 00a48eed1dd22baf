//! The public data of a session.

use serde::Serialize;
use toolgate_core::Digest;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::moment::rfc3339;
use toolgate_core::scope::{Credential, Mounts, Scope, TokenBudget};
use toolgate_sessions::{SessionKind, SessionState, SessionView};
use utoipa::ToSchema;

use super::definitions::Warning;
use super::seat::oversees;
use super::template_name::TemplateName;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionsPage {
    sessions: Vec<SessionSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A session, and its token, which is shown only here
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OpenedSession {
    pub(super) session: SessionDetail,
    /// The token, which ends with the session.
    pub(super) token: String,
    /// Its MCP endpoint on this gateway.
    #[schema(example = "/mcp/ses_0198f5c2a4b07c3d8e1f")]
    pub(super) mcp_url: String,
    /// Rules of its agent that match no tool; only for admins, operators and auditors.
    pub(super) warnings: Vec<Warning>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionSummary {
    #[schema(example = "ses_0198f5c2a4b07c3d8e1f")]
    id: String,
    /// explicit (it was opened) or default (of a credential that brings none).
    #[schema(value_type = String)]
    kind: SessionKind,
    /// active, idle or closed.
    #[schema(value_type = String)]
    state: SessionState,
    agent: String,
    /// The version of the agent's definition that it was made from.
    #[schema(value_type = String)]
    agent_version: Digest,
    /// Its owner.
    principal: String,
    opened_by: String,
    created_at: String,
    last_used_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_at: Option<String>,
    /// closed, idle, lifetime or revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_because: Option<String>,
    /// The time without use after which it is closed.
    idle_seconds: u64,
    /// The age at which it is closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    lifetime_seconds: Option<u64>,
    /// Mounts in addition to those of its agent.
    #[schema(value_type = Object)]
    mounts: Mounts,
    /// Absent if only the gateway's applies.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<TemplateName>)]
    policy_template: Option<PolicyTemplate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    /// The number of tokens that its list of tools may cost; beyond it, tools are searched for instead. A
    /// number, or "off".
    #[schema(value_type = Object)]
    token_budget: TokenBudget,
    /// The digest of everything that decides what it sees, except policy.
    #[schema(value_type = String)]
    scope_id: Digest,
    /// The number of the version, from 1.
    version: u64,
}

/// A session, with the rules that decide what it sees
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionDetail {
    #[serde(flatten)]
    session: SessionSummary,
    /// Only for admins, operators and auditors: it names what the session does not see.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    scope: Option<Scope>,
}

impl SessionsPage {
    pub(super) fn of(page: toolgate_sessions::SessionPage) -> Self {
        let sessions = page.sessions.into_iter().map(SessionSummary::from).collect();
        Self { sessions, next_cursor: page.next }
    }
}

impl SessionDetail {
    pub(super) fn of(view: SessionView, credential: &Credential) -> Self {
        let scope = oversees(credential).then(|| Scope::clone(&view.scope));
        Self { session: view.into(), scope }
    }
}

impl From<SessionView> for SessionSummary {
    fn from(view: SessionView) -> Self {
        let (closed_at, closed_because) = match view.closing {
            Some(closing) => (Some(rfc3339(closing.at_ms)), Some(closing.reason)),
            None => (None, None),
        };
        Self {
            id: view.id.to_string(),
            kind: view.kind,
            state: view.state,
            agent: view.agent.to_string(),
            agent_version: view.agent_version,
            principal: view.principal.id.to_string(),
            opened_by: view.opened_by.to_string(),
            created_at: rfc3339(view.created_at_ms),
            last_used_at: rfc3339(view.last_used_at_ms),
            closed_at,
            closed_because,
            idle_seconds: view.idle_seconds,
            lifetime_seconds: view.lifetime_seconds,
            mounts: view.mounts,
            policy_template: view.scope.template,
            task: view.task,
            run: view.run.map(|run| run.to_string()),
            token_budget: view.scope.token_budget,
            scope_id: view.scope_id,
            version: view.version,
        }
    }
}
