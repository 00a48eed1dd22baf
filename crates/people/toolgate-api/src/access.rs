//! The roles for each route: one table. Every request is checked against it, and the OpenAPI document is
//! generated from it.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::Method;
use toolgate_core::codes;
use toolgate_core::{Principal, Role};

use crate::problem::{ApiResult, Problem};

/// One route.
pub(crate) struct RouteAccess {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
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
const EVERYBODY: RouteCallers = RouteCallers::Roles(&Role::ALL);
const PEOPLE_AND_AGENTS: RouteCallers =
    RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Approver, Role::Auditor, Role::Agent]);
/// The registry restricts a server to its own name.
const REGISTERING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Server]);
const RUNNING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator]);
/// Anyone who can create a token can act as anyone.
const ADMITTING: RouteCallers = RouteCallers::Roles(&[Role::Admin]);
const CALLING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Agent]);
/// Operating the gateway does not include the right to approve.
const DECIDING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Approver]);
/// The asker does not answer: an agent would answer itself.
const ANSWERING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Approver]);
const GRANTING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Approver]);
const INBOX: RouteCallers =
    RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Approver, Role::Auditor]);
const AUDITING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Auditor]);
/// Agents see their own; the sessions leave out the others.
const SITTING: RouteCallers = RouteCallers::Roles(&[Role::Admin, Role::Operator, Role::Auditor, Role::Agent]);
/// Reading the current state and its changes.
const WATCHING: RouteCallers = INBOX;

pub(crate) static TABLE: [RouteAccess; 105] = [
    RouteAccess::get("/openapi.json", EVERYBODY),
    RouteAccess::post("/tools/call", CALLING),
    RouteAccess::get("/tools", CALLING),
    RouteAccess::get("/tools/search", CALLING),
    RouteAccess::get("/tools/cost", CALLING),
    RouteAccess::get("/tools/preview", CALLING),
    RouteAccess::get("/tools/{name}", CALLING),
    RouteAccess::post("/tools/{name}", CALLING),
    RouteAccess::get("/agents", AUDITING),
    RouteAccess::get("/agents/{name}", AUDITING),
    RouteAccess::put("/agents/{name}", RUNNING),
    RouteAccess::delete("/agents/{name}", RUNNING),
    RouteAccess::get("/agents/{name}/versions", AUDITING),
    RouteAccess::get("/capabilities", AUDITING),
    RouteAccess::get("/capabilities/{name}", AUDITING),
    RouteAccess::put("/capabilities/{name}", RUNNING),
    RouteAccess::delete("/capabilities/{name}", RUNNING),
    // The sessions themselves decide the permissions for a session, and the token to use.
    RouteAccess::post("/sessions", CALLING),
    RouteAccess::get("/sessions", SITTING),
    RouteAccess::get("/sessions/{id}", SITTING),
    RouteAccess::patch("/sessions/{id}", CALLING),
    RouteAccess::delete("/sessions/{id}", CALLING),
    RouteAccess::get("/sessions/{id}/explain", SITTING),
    RouteAccess::get("/sessions/{id}/cost", SITTING),
    RouteAccess::get("/sessions/{id}/preview", SITTING),
    RouteAccess::get("/tasks", SITTING),
    RouteAccess::post("/tasks", RUNNING),
    RouteAccess::get("/tasks/{id}", SITTING),
    RouteAccess::put("/tasks/{id}", RUNNING),
    RouteAccess::delete("/tasks/{id}", RUNNING),
    // The lookup of a run decides who sees and controls it.
    RouteAccess::get("/runs", SITTING),
    RouteAccess::post("/runs", CALLING),
    RouteAccess::get("/runs/{id}", SITTING),
    RouteAccess::post("/runs/{id}/pause", CALLING),
    RouteAccess::post("/runs/{id}/resume", CALLING),
    RouteAccess::post("/runs/{id}/cancel", CALLING),
    RouteAccess::get("/runs/{id}/children", SITTING),
    RouteAccess::get("/runs/{id}/calls", SITTING),
    RouteAccess::get("/runs/{id}/events", SITTING),
    RouteAccess::post("/runs/{id}/tool-calls", CALLING),
    RouteAccess::get("/inputs", INBOX),
    // Agents see the questions of their own runs; the handler omits the others.
    RouteAccess::get("/inputs/{id}", PEOPLE_AND_AGENTS),
    RouteAccess::post("/inputs/{id}/answer", ANSWERING),
    RouteAccess::get("/inbox", INBOX),
    // The files crate decides who may use files, refs and artifacts.
    RouteAccess::get("/files", PEOPLE_AND_AGENTS),
    RouteAccess::post("/files", PEOPLE_AND_AGENTS),
    RouteAccess::get("/files/{id}", PEOPLE_AND_AGENTS),
    RouteAccess::delete("/files/{id}", PEOPLE_AND_AGENTS),
    RouteAccess::get("/files/{id}/content", PEOPLE_AND_AGENTS),
    RouteAccess::get("/refs/{id}", CALLING),
    RouteAccess::get("/refs/{id}/content", CALLING),
    // Auditors may see that artifacts exist, but not read them.
    RouteAccess::get("/artifacts", SITTING),
    RouteAccess::get("/artifacts/{sha256}", SITTING),
    RouteAccess::get("/artifacts/{sha256}/content", CALLING),
    RouteAccess::post("/artifacts/{sha256}/link", CALLING),
    RouteAccess::put("/uploads/{id}", RouteCallers::Addressed),
    RouteAccess::post("/uploads/{id}", RouteCallers::Addressed),
    RouteAccess::get("/signed/{kind}/{digest}", RouteCallers::Addressed),
    RouteAccess::get("/aliases", WATCHING),
    RouteAccess::get("/servers", AUDITING),
    RouteAccess::post("/servers/register", REGISTERING),
    // Auditors do not read a server's output; the handler omits it.
    RouteAccess::get("/servers/{name}", AUDITING),
    RouteAccess::delete("/servers/{name}", RUNNING),
    RouteAccess::post("/servers/{name}/instances/{id}/heartbeat", REGISTERING),
    RouteAccess::delete("/servers/{name}/instances/{id}", REGISTERING),
    RouteAccess::get("/settings", AUDITING),
    RouteAccess::get("/settings/{key}", AUDITING),
    RouteAccess::patch("/settings/{key}", RUNNING),
    RouteAccess::get("/registry/tools", WATCHING),
    RouteAccess::get("/registry/tools/{name}", WATCHING),
    RouteAccess::get("/registry/tools/{name}/diff", WATCHING),
    RouteAccess::get("/registry/tools/{name}/versions", WATCHING),
    RouteAccess::get("/registry/tools/{name}/versions/compare", WATCHING),
    RouteAccess::post("/registry/tools/{name}/review", RUNNING),
    RouteAccess::get("/secrets/{server}", RUNNING),
    RouteAccess::put("/secrets/{server}/{name}", RUNNING),
    RouteAccess::delete("/secrets/{server}/{name}", RUNNING),
    // Operators set the addresses of servers: others decide which secrets go there.
    RouteAccess::put("/secrets/{server}/{name}/origins", ADMITTING),
    // Approvers see events about approvals and questions; the handler omits the rest.
    RouteAccess::get("/events", WATCHING),
    RouteAccess::get("/approvals", INBOX),
    // Agents see their own requests; the handler omits the others.
    RouteAccess::get("/approvals/{id}", PEOPLE_AND_AGENTS),
    RouteAccess::post("/approvals/{id}/decide", DECIDING),
    // An approver sees the content to approve. Auditors may see that it exists, but not read it.
    RouteAccess::get("/approvals/{id}/attachments/{number}", GRANTING),
    RouteAccess::get("/grants", INBOX),
    RouteAccess::delete("/grants/{id}", GRANTING),
    // Approvers see what waits for people; the handler omits the rest.
    RouteAccess::get("/overview", WATCHING),
    RouteAccess::get("/calls", AUDITING),
    RouteAccess::get("/ledger", AUDITING),
    RouteAccess::get("/ledger/export", AUDITING),
    RouteAccess::get("/ledger/verify", AUDITING),
    RouteAccess::get("/ledger/bodies/{digest}", AUDITING),
    RouteAccess::get("/ledger/{call_id}", AUDITING),
    RouteAccess::post("/webhooks/{name}/decisions", RouteCallers::Signed),
    RouteAccess::get("/webhooks", AUDITING),
    RouteAccess::post("/webhooks/{name}/test", RUNNING),
    RouteAccess::get("/retention", AUDITING),
    RouteAccess::get("/policy", AUDITING),
    RouteAccess::get("/policy/table", AUDITING),
    RouteAccess::post("/policy/explain", AUDITING),
    RouteAccess::get("/policy/shadow", AUDITING),
    RouteAccess::get("/filters", AUDITING),
    RouteAccess::post("/filters/test", AUDITING),
    RouteAccess::get("/tokens", ADMITTING),
    RouteAccess::post("/tokens", ADMITTING),
    RouteAccess::delete("/tokens/{id}", ADMITTING),
];

impl RouteAccess {
    const fn get(path: &'static str, who: RouteCallers) -> Self {
        Self { method: Method::GET, path, who }
    }

    const fn post(path: &'static str, who: RouteCallers) -> Self {
        Self { method: Method::POST, path, who }
    }

    const fn put(path: &'static str, who: RouteCallers) -> Self {
        Self { method: Method::PUT, path, who }
    }

    const fn patch(path: &'static str, who: RouteCallers) -> Self {
        Self { method: Method::PATCH, path, who }
    }

    const fn delete(path: &'static str, who: RouteCallers) -> Self {
        Self { method: Method::DELETE, path, who }
    }

    pub(crate) fn of(method: &Method, path: &str) -> Option<&'static RouteAccess> {
        TABLE.iter().find(|access| access.method == *method && access.path == path)
    }
}

/// True if a path may belong to the API. Its first part decides.
pub(crate) fn is_ours(path: &str) -> bool {
    TABLE.iter().any(|access| first_part(access.path) == first_part(path))
}

/// True if requests to a path authenticate themselves, without a token.
pub(crate) fn is_open(path: &str) -> bool {
    let mut open = TABLE.iter().filter(|access| !matches!(access.who, RouteCallers::Roles(_)));
    open.any(|access| has_form(path, access.path))
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
pub(crate) async fn check(matched: MatchedPath, request: Request, next: Next) -> Response {
    // HEAD is answered by the route of GET and is as confidential.
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    match permit(RouteAccess::of(method, matched.as_str()), request.extensions().get::<Principal>()) {
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
