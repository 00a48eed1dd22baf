//! Access to routes: the roles that `routes.rs` names, and the check of every request against them.

use axum::extract::{MatchedPath, Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::Method;
use toolgate_core::codes;
use toolgate_core::{Principal, Role};

use crate::problem::{ApiResult, Problem};

/// One route.
pub(crate) struct RouteAccess {
    pub(crate) method: Method,
    /// As in the document, with parameters in braces.
    pub(crate) path: String,
    pub(crate) who: RouteCallers,
}

#[derive(Clone, Copy)]
pub(crate) enum RouteCallers {
    /// Tokens with one of these roles.
    Roles(&'static [Role]),
    /// Requests signed with the secret of a webhook. There is no token.
    Signed,
    /// Holders of an issued address. There is no token.
    Addressed,
}

/// Servers too: they may read their own permissions.
pub(crate) const EVERYONE: RouteCallers = RouteCallers::Roles(&Role::ALL);
pub(crate) const PEOPLE_AND_AGENTS: RouteCallers =
    RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Approver, Role::Auditor, Role::Agent]);
/// The registry restricts a server to its own name.
pub(crate) const REGISTERING: RouteCallers =
    RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Server]);
pub(crate) const RUNNING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator]);
/// Anyone who can create a token can act as anyone.
pub(crate) const ADMITTING: RouteCallers = RouteCallers::Roles(&[Role::Admin]);
pub(crate) const CALLING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Agent]);
/// Operating the gateway does not include the right to approve.
pub(crate) const DECIDING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Approver]);
/// The asker does not answer: an agent would answer itself.
pub(crate) const ANSWERING: RouteCallers =
    RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Approver]);
pub(crate) const GRANTING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Approver]);
pub(crate) const INBOX: RouteCallers =
    RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Approver, Role::Auditor]);
pub(crate) const AUDITING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Auditor]);
/// Agents see their own; the sessions leave out the others.
pub(crate) const SITTING: RouteCallers =
    RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Auditor, Role::Agent]);
/// Reading the current state and its changes.
pub(crate) const WATCHING: RouteCallers = INBOX;

/// The roles of every route, in the order of `routes.rs`.
#[derive(Default)]
pub(crate) struct AccessTable(Vec<RouteAccess>);

impl AccessTable {
    pub(crate) fn add(&mut self, method: Method, path: &str, who: RouteCallers) {
        self.0.push(RouteAccess { method, path: path.to_owned(), who });
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &RouteAccess> {
        self.0.iter()
    }

    pub(crate) fn of(&self, method: &Method, path: &str) -> Option<&RouteAccess> {
        self.iter().find(|access| access.method == *method && access.path == path)
    }

    /// True if a path may belong to the API. Its first part decides.
    pub(crate) fn is_ours(&self, path: &str) -> bool {
        self.iter().any(|access| first_part(&access.path) == first_part(path))
    }

    /// True if requests to a path authenticate themselves, without a token.
    pub(crate) fn is_open(&self, path: &str) -> bool {
        let mut open = self.iter().filter(|access| !matches!(access.who, RouteCallers::Roles(_)));
        open.any(|access| has_form(path, &access.path))
    }
}

/// True if a path matches a route: parts in braces match anything.
fn has_form(path: &str, route: &str) -> bool {
    let (mut parts, mut route) = (path.split('/'), route.split('/'));
    loop {
        match (parts.next(), route.next()) {
            (None, None) => return true,
            (Some(_), Some(any)) if any.starts_with('{') => {}
            (Some(part), Some(expected)) if part == expected => {}
            _ => return false,
        }
    }
}

fn first_part(path: &str) -> &str {
    path.trim_start_matches('/').split('/').next().unwrap_or_default()
}

/// Runs before every route. A route that is missing in the table is refused for everyone.
pub(crate) async fn check(
    State(table): State<&'static AccessTable>,
    matched: MatchedPath,
    request: Request,
    next: Next,
) -> Response {
    // HEAD is answered by the route of GET and is as confidential.
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    match permit(table.of(method, matched.as_str()), request.extensions().get::<Principal>()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn permit(access: Option<&RouteAccess>, principal: Option<&Principal>) -> ApiResult<()> {
    let roles = match access.map(|access| access.who) {
        Some(RouteCallers::Signed | RouteCallers::Addressed) => return Ok(()),
        Some(RouteCallers::Roles(roles)) => roles,
        None => &[],
    };
    let Some(principal) = principal else {
        return Err(Problem::new(&codes::UNAUTHORIZED, "this needs a token"));
    };
    if roles.contains(&principal.role) {
        return Ok(());
    }
    let allowed: Vec<&str> = roles.iter().map(|role| role.as_str()).collect();
    let detail = format!("a token of role {} may not do this", principal.role.as_str());
    Err(Problem::new(&codes::WRONG_ROLE, detail)
        .hint(format!("use a token of role {}", allowed.join(", ")))
        .with("roles", allowed))
}
