//! Looks names up (wire names, canonical names, aliases), and words the answer if a name leads nowhere. What a session
//! does not see is not there for it.

use std::sync::Arc;
use std::time::Instant;

use serde_json::json;
use toolgate_catalog::{Alias, CatalogEntry, MissingTool, WithheldReason};
use toolgate_core::codes::{self, Code};
use toolgate_core::event::EventSubject;
use toolgate_core::moment::rfc3339;
use toolgate_core::scope::{ScopeReason, Seat};
use toolgate_core::{Role, RpcError, ServerName, Tool};
use toolgate_discovery::View;
use toolgate_pipeline::CallWarning;

use crate::gateway::Gateway;

/// A tool, and what is to be said about the name it was called by.
pub(crate) struct ResolvedTool {
    pub(crate) entry: Arc<CatalogEntry>,
    pub(crate) warning: Option<CallWarning>,
    /// The reason why this caller must not learn that it exists. The attempt is recorded; the answer is that there is none.
    pub(crate) barred: Option<Arc<str>>,
}

/// A tool by any of its names. One that is not known yet may belong to a server that is still starting.
pub(crate) async fn tool(gateway: &Gateway, seat: &Seat, name: &str) -> Result<ResolvedTool, MissingTool> {
    let now_ms = gateway.pipeline.now_ms();
    if let Some(found) = tool_in(&gateway.discovery.view(seat), seat, name, now_ms) {
        return Ok(found);
    }
    gateway.wait_settled().await;
    let view = gateway.discovery.view(seat);
    let missing = || view.missing(&seat.principal, gateway.discovery.policy(), name, now_ms);
    tool_in(&view, seat, name, now_ms).ok_or_else(missing)
}

fn tool_in(view: &View, seat: &Seat, name: &str, now_ms: i64) -> Option<ResolvedTool> {
    if let Some(found) = view.find(name, now_ms) {
        let alias = found.alias.filter(|alias| !alias.primary);
        let warning = alias.map(|alias| old_name(alias, &found.entry));
        return Some(ResolvedTool { entry: found.entry, warning, barred: None });
    }
    let hidden = view.snapshot().find_tool(name, now_ms)?;
    if may_be_told(seat, &hidden.entry) {
        return Some(ResolvedTool { entry: hidden.entry, warning: None, barred: None });
    }
    let why = format!("it is not among the tools of session {} of agent \"{}\"", seat.session, seat.agent);
    Some(ResolvedTool { entry: hidden.entry, warning: None, barred: Some(why.into()) })
}

/// Those who run the gateway see every tool anyway: they are told that policy forbids it, and which.
fn may_be_told(seat: &Seat, entry: &CatalogEntry) -> bool {
    let runs_it = matches!(seat.principal.role, Role::Admin | Role::Operator);
    let in_scope =
        |tool: &Arc<Tool>| matches!(seat.scope.judge(tool, seat.principal.role), ScopeReason::In(_));
    runs_it && entry.tool.as_ref().is_some_and(in_scope)
}

fn old_name(alias: &Alias, entry: &CatalogEntry) -> CallWarning {
    let until = alias.until_ms.map(|until_ms| format!(" It works until {}.", rfc3339(until_ms)));
    let until = until.unwrap_or_default();
    let message =
        format!("\"{}\" is another name for {}.{until} Use \"{}\".", alias.name, entry.canonical, entry.wire);
    CallWarning::new(&codes::ALIAS, message)
}

/// A prompt, and whether the session shows it.
pub(crate) struct FoundPrompt {
    pub(crate) entry: Arc<CatalogEntry>,
    pub(crate) is_shown: bool,
}

/// A prompt by any of its names.
pub(crate) async fn prompt(gateway: &Gateway, seat: &Seat, name: &str) -> Option<FoundPrompt> {
    let now = || {
        let view = gateway.discovery.view(seat);
        let entry = view.snapshot().prompts.find(name)?.clone();
        let is_shown = view.shows_prompts(&entry.server);
        Some(FoundPrompt { entry, is_shown })
    };
    if let Some(found) = now() {
        return Some(found);
    }
    gateway.wait_settled().await;
    now()
}

/// The place of a resource, and whether the session shows it.
pub(crate) struct FoundResource {
    pub(crate) server: ServerName,
    /// The server's name for it.
    pub(crate) own: String,
    pub(crate) is_shown: bool,
}

/// A resource by its address.
pub(crate) async fn resource(gateway: &Gateway, seat: &Seat, uri: &str) -> Result<FoundResource, RpcError> {
    gateway.wait_settled().await;
    let view = gateway.discovery.view(seat);
    let snapshot = view.snapshot();
    // A link says where an unlisted resource is; it never takes over one that a server lists.
    let linked = match snapshot.resources.find(uri) {
        Some(_) => None,
        None => gateway.links.server_of(&seat.principal.id, uri).map(|server| (server, uri.to_owned())),
    };
    let target = || snapshot.resource(uri).map(|target| (target.server, target.uri));
    let (server, own) = linked.or_else(target).ok_or_else(|| resource_not_found(uri))?;
    let is_shown = view.shows_resources(&server);
    Ok(FoundResource { server, own, is_shown })
}

/// An error about a resource that no server has.
pub(crate) fn resource_not_found(uri: &str) -> RpcError {
    RpcError::invalid_params(format!("resource not found: {uri}")).with_data(json!({ "uri": uri }))
}

/// The code for a name that leads nowhere.
pub(crate) fn code_of(missing: &MissingTool) -> &'static Code {
    match missing {
        MissingTool::Unknown => &codes::UNKNOWN_TOOL,
        MissingTool::Withheld { why: WithheldReason::Retired, .. } => &codes::TOOL_RETIRED,
        MissingTool::Withheld { why: WithheldReason::Unreadable, .. } => &codes::TOOL_UNREADABLE,
        MissingTool::Withheld { why: WithheldReason::Quarantined, .. } => &codes::TOOL_QUARANTINED,
        MissingTool::Withheld { why: WithheldReason::Disabled, .. } => &codes::SERVER_DISABLED,
        MissingTool::Sunset { .. } => &codes::ALIAS_SUNSET,
    }
}

/// There is no such tool for this seat. Names are suggested from what it sees, so one that is out of its sight suggests what
/// one that no server has would.
pub(crate) fn unknown(gateway: &Gateway, seat: &Seat, asked: &str) -> RpcError {
    let error = RpcError::invalid_params(format!("unknown tool: {asked}"));
    let near = gateway.discovery.nearest(&gateway.discovery.view(seat), asked);
    let names: Vec<&str> = near.iter().map(|entry| entry.wire.as_str()).collect();
    let hint = match names[..] {
        [] => return error,
        // A server offered it while this call looked for it.
        [first, ..] if first == asked => "it is offered now: make the same call again".to_owned(),
        _ => format!("did you mean {}?", names.join(", ")),
    };
    error.with_data(json!({ "code": codes::UNKNOWN_TOOL, "hint": hint }))
}

/// Records a call that leads nowhere as refused. It counts among the calls of its caller; those beyond its quota, and a flood
/// within it, are not recorded one by one. The caller does not wait for it.
pub(crate) async fn record_nowhere(
    gateway: &Arc<Gateway>,
    seat: &Arc<Seat>,
    asked: &str,
    missing: &MissingTool,
) {
    let message = shortened(&error(gateway, seat, asked, missing).message);
    let name = match missing {
        MissingTool::Withheld { name, .. } => Some(name.clone()),
        MissingTool::Unknown | MissingTool::Sunset { .. } => None,
    };
    let mut detail = json!({ "code": code_of(missing), "message": message, "asked": shortened(asked) });
    let (at, seat) = (gateway.clone(), seat.clone());
    let recording = async move {
        let (principal, now_ms) = (&seat.principal.id, at.pipeline.now_ms());
        let counted = match at.quotas.count(&seat, now_ms) {
            Some(counted) => counted,
            None => at.quotas.count_surely(&seat, now_ms).await,
        };
        let Some(omitted) = at.futile.count(principal, Instant::now()) else { return };
        if counted.is_err() {
            return at.futile.omit(principal, omitted + 1);
        }
        if omitted > 0 {
            detail["omitted"] = omitted.into();
        }
        let about = EventSubject {
            session: Some(seat.session.clone()),
            run: seat.run.clone(),
            task: seat.task.clone(),
            tool: name,
            ..EventSubject::default()
        };
        at.pipeline.record_nowhere(principal, about, detail).await;
    };
    gateway.record_aside(recording).await;
}

/// The part of a caller's text that is recorded.
fn shortened(text: &str) -> String {
    const CHARS_MAX: usize = 200;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

pub(crate) fn error(gateway: &Gateway, seat: &Seat, asked: &str, missing: &MissingTool) -> RpcError {
    let (message, hint) = match missing {
        MissingTool::Unknown => return unknown(gateway, seat, asked),
        MissingTool::Withheld { name, why: WithheldReason::Retired, .. } => {
            (format!("tool {name} is no longer offered by its server"), "list the tools again".to_owned())
        }
        MissingTool::Withheld { name, why: WithheldReason::Unreadable, reason } => {
            (format!("tool {name} cannot be used: {reason}"), "its server has to be fixed".to_owned())
        }
        MissingTool::Withheld { name, why: WithheldReason::Quarantined, reason } => (
            format!("tool {name} is withheld until it is reviewed: {reason}"),
            format!("the operator looks at it with `toolgate tools diff {name}` and accepts or rejects it"),
        ),
        MissingTool::Withheld { name, why: WithheldReason::Disabled, reason } => (
            format!("tool {name} cannot be called: {reason}"),
            codes::SERVER_DISABLED.standard_hint().to_owned(),
        ),
        MissingTool::Sunset { alias } => (
            format!("the name \"{}\" is no longer in use; the tool is {}", alias.name, alias.target),
            format!("call {}", alias.target),
        ),
    };
    RpcError::invalid_params(message).with_data(json!({ "code": code_of(missing), "hint": hint }))
}
