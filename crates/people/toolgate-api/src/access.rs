//! The roles for each route: one table. Every request is checked against it, and the OpenAPI document is
//! generated from it.

use axum::extract::{MatchedPath, Request};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::Method;
use toolgate_core::codes;
use toolgate_core::{Principal, Role};

use crate::problem::{Answered, Problem};

/// One route.
pub(crate) struct Access {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) who: Who,
}

#[derive(Clone, Copy)]
pub(crate) enum Who {
    /// Tokens with one of these roles.
    Roles(&'static [Role]),
    /// Requests signed with the secret of a webhook. There is no token.
    Signed,
    /// Holders of an issued address. There is no token.
    Addressed,
}

/// Servers too: they may read their own permissions.
const EVERYBODY: Who = Who::Roles(&Role::ALL);
const PEOPLE_AND_AGENTS: Who =
    Who::Roles(&[Role::Admin, Role::Operator, Role::Approver, Role::Auditor, Role::Agent]);
/// The registry restricts a server to its own name.
const REGISTERING: Who = Who::Roles(&[Role::Admin, Role::Operator, Role::Server]);
const RUNNING: Who = Who::Roles(&[Role::Admin, Role::Operator]);
/// Anyone who can create a token can act as anyone.
const ADMITTING: Who = Who::Roles(&[Role::Admin]);
const CALLING: Who = Who::Roles(&[Role::Admin, Role::Operator, Role::Agent]);
/// Operating the gateway does not include the right to approve.
const DECIDING: Who = Who::Roles(&[Role::Admin, Role::Approver]);
/// The asker does not answer: an agent would answer itself.
const ANSWERING: Who = Who::Roles(&[Role::Admin, Role::Operator, Role::Approver]);
const GRANTING: Who = Who::Roles(&[Role::Admin, Role::Operator, Role::Approver]);
const INBOX: Who = Who::Roles(&[Role::Admin, Role::Operator, Role::Approver, Role::Auditor]);
const AUDITING: Who = Who::Roles(&[Role::Admin, Role::Operator, Role::Auditor]);
/// Agents see their own; the sessions leave out the others.
const SITTING: Who = Who::Roles(&[Role::Admin, Role::Operator, Role::Auditor, Role::Agent]);
/// Reading the current state and its changes.
const WATCHING: Who = INBOX;

pub(crate) static TABLE: [Access; 104] = [
    Access::get("/openapi.json", EVERYBODY),
    Access::post("/tools/call", CALLING),
    Access::get("/tools", CALLING),
    Access::get("/tools/search", CALLING),
    Access::get("/tools/cost", CALLING),
    Access::get("/tools/preview", CALLING),
    Access::get("/tools/{name}", CALLING),
    Access::get("/agents", AUDITING),
    Access::get("/agents/{name}", AUDITING),
    Access::put("/agents/{name}", RUNNING),
    Access::delete("/agents/{name}", RUNNING),
    Access::get("/agents/{name}/versions", AUDITING),
    Access::get("/capabilities", AUDITING),
    Access::get("/capabilities/{name}", AUDITING),
    Access::put("/capabilities/{name}", RUNNING),
    Access::delete("/capabilities/{name}", RUNNING),
    // The sessions themselves decide the permissions for a session, and the token to use.
    Access::post("/sessions", CALLING),
    Access::get("/sessions", SITTING),
    Access::get("/sessions/{id}", SITTING),
    Access::patch("/sessions/{id}", CALLING),
    Access::delete("/sessions/{id}", CALLING),
    Access::get("/sessions/{id}/explain", SITTING),
    Access::get("/sessions/{id}/cost", SITTING),
    Access::get("/sessions/{id}/preview", SITTING),
    Access::get("/tasks", SITTING),
    Access::post("/tasks", RUNNING),
    Access::get("/tasks/{id}", SITTING),
    Access::put("/tasks/{id}", RUNNING),
    Access::delete("/tasks/{id}", RUNNING),
    // The lookup of a run decides who sees and controls it.
    Access::get("/runs", SITTING),
    Access::post("/runs", CALLING),
    Access::get("/runs/{id}", SITTING),
    Access::post("/runs/{id}/pause", CALLING),
    Access::post("/runs/{id}/resume", CALLING),
    Access::post("/runs/{id}/cancel", CALLING),
    Access::get("/runs/{id}/children", SITTING),
    Access::get("/runs/{id}/calls", SITTING),
    Access::get("/runs/{id}/events", SITTING),
    Access::post("/runs/{id}/tool-calls", CALLING),
    Access::get("/inputs", INBOX),
    // Agents see the questions of their own runs; the handler omits the others.
    Access::get("/inputs/{id}", PEOPLE_AND_AGENTS),
    Access::post("/inputs/{id}/answer", ANSWERING),
    Access::get("/inbox", INBOX),
    // The files crate decides who may use files, refs and artifacts.
    Access::get("/files", PEOPLE_AND_AGENTS),
    Access::post("/files", PEOPLE_AND_AGENTS),
    Access::get("/files/{id}", PEOPLE_AND_AGENTS),
    Access::delete("/files/{id}", PEOPLE_AND_AGENTS),
    Access::get("/files/{id}/content", PEOPLE_AND_AGENTS),
    Access::get("/refs/{id}", CALLING),
    Access::get("/refs/{id}/content", CALLING),
    // Auditors may see that artifacts exist, but not read them.
    Access::get("/artifacts", SITTING),
    Access::get("/artifacts/{sha256}", SITTING),
    Access::get("/artifacts/{sha256}/content", CALLING),
    Access::post("/artifacts/{sha256}/link", CALLING),
    Access::put("/uploads/{id}", Who::Addressed),
    Access::post("/uploads/{id}", Who::Addressed),
    Access::get("/signed/{kind}/{digest}", Who::Addressed),
    Access::get("/aliases", WATCHING),
    Access::get("/servers", AUDITING),
    Access::post("/servers/register", REGISTERING),
    // Auditors do not read a server's output; the handler omits it.
    Access::get("/servers/{name}", AUDITING),
    Access::delete("/servers/{name}", RUNNING),
    Access::post("/servers/{name}/instances/{id}/heartbeat", REGISTERING),
    Access::delete("/servers/{name}/instances/{id}", REGISTERING),
    Access::get("/settings", AUDITING),
    Access::get("/settings/{key}", AUDITING),
    Access::patch("/settings/{key}", RUNNING),
    Access::get("/registry/tools", WATCHING),
    Access::get("/registry/tools/{name}", WATCHING),
    Access::get("/registry/tools/{name}/diff", WATCHING),
    Access::get("/registry/tools/{name}/versions", WATCHING),
    Access::get("/registry/tools/{name}/versions/compare", WATCHING),
    Access::post("/registry/tools/{name}/review", RUNNING),
    Access::get("/secrets/{server}", RUNNING),
    Access::put("/secrets/{server}/{name}", RUNNING),
    Access::delete("/secrets/{server}/{name}", RUNNING),
    // Operators set the addresses of servers: others decide which secrets go there.
    Access::put("/secrets/{server}/{name}/origins", ADMITTING),
    // Approvers see events about approvals and questions; the handler omits the rest.
    Access::get("/events", WATCHING),
    Access::get("/approvals", INBOX),
    // Agents see their own requests; the handler omits the others.
    Access::get("/approvals/{id}", PEOPLE_AND_AGENTS),
    Access::post("/approvals/{id}/decide", DECIDING),
    // An approver sees the content to approve. Auditors may see that it exists, but not read it.
    Access::get("/approvals/{id}/attachments/{number}", GRANTING),
    Access::get("/grants", INBOX),
    Access::delete("/grants/{id}", GRANTING),
    // Approvers see what waits for people; the handler omits the rest.
    Access::get("/overview", WATCHING),
    Access::get("/calls", AUDITING),
    Access::get("/ledger", AUDITING),
    Access::get("/ledger/export", AUDITING),
    Access::get("/ledger/verify", AUDITING),
    Access::get("/ledger/bodies/{digest}", AUDITING),
    Access::get("/ledger/{call_id}", AUDITING),
    Access::post("/webhooks/{name}/decisions", Who::Signed),
    Access::get("/webhooks", AUDITING),
    Access::post("/webhooks/{name}/test", RUNNING),
    Access::get("/retention", AUDITING),
    Access::get("/policy", AUDITING),
    Access::get("/policy/table", AUDITING),
    Access::post("/policy/explain", AUDITING),
    Access::get("/policy/shadow", AUDITING),
    Access::get("/filters", AUDITING),
    Access::post("/filters/test", AUDITING),
    Access::get("/tokens", ADMITTING),
    Access::post("/tokens", ADMITTING),
    Access::delete("/tokens/{id}", ADMITTING),
];

impl Access {
    const fn get(path: &'static str, who: Who) -> Self {
        Self { method: Method::GET, path, who }
    }

    const fn post(path: &'static str, who: Who) -> Self {
        Self { method: Method::POST, path, who }
    }

    const fn put(path: &'static str, who: Who) -> Self {
        Self { method: Method::PUT, path, who }
    }

    const fn patch(path: &'static str, who: Who) -> Self {
        Self { method: Method::PATCH, path, who }
    }

    const fn delete(path: &'static str, who: Who) -> Self {
        Self { method: Method::DELETE, path, who }
    }

    pub(crate) fn of(method: &Method, path: &str) -> Option<&'static Access> {
        TABLE.iter().find(|access| access.method == *method && access.path == path)
    }
}

/// True if a path may belong to the API. Its first part decides.
pub(crate) fn is_ours(path: &str) -> bool {
    TABLE.iter().any(|access| first_part(access.path) == first_part(path))
}

/// True if requests to a path authenticate themselves, without a token.
pub(crate) fn is_open(path: &str) -> bool {
    let mut open = TABLE.iter().filter(|access| !matches!(access.who, Who::Roles(_)));
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
    match permit(Access::of(method, matched.as_str()), request.extensions().get::<Principal>()) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

fn permit(access: Option<&Access>, principal: Option<&Principal>) -> Answered<()> {
    let roles = match access.map(|access| access.who) {
        Some(Who::Signed | Who::Addressed) => return Ok(()),
        Some(Who::Roles(roles)) => roles,
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
