//! Calls, one entry for each: those in progress, then the ended ones.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::event::DecisionKind;
use toolgate_core::id::{ApprovalId, CallId, RunId, SessionId};
use toolgate_core::moment::rfc3339;
use toolgate_store::{CALLS_PAGE_MAX, CallCursor, CallEntry, CallFilter, CallPage, CallStanding};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::ledger_filter::{Selected, Selection};
use crate::ApiContext;
use crate::problem::ApiResult;
use crate::read::{bad_parameter, limit, word};

const PAGE_USUAL: usize = 50;
const TEXT_CHARS_MAX: usize = 200;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CallsQuery {
    /// waiting (for a person or its client), running or ended
    #[serde(default)]
    state: Option<String>,
    /// tc_…, apr_…, ses_… or run_…: calls that are related to it
    #[serde(default)]
    id: Option<String>,
    /// A part of the tool, server, principal, ids, arguments or error, in any case of letters
    #[serde(default)]
    #[param(max_length = 200)]
    q: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct CallsPage {
    calls: Vec<CallView>,
    /// The cursor of the next page; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// The summary of a call
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CallView {
    #[schema(example = "tc_0198f5c2a4b07c3d8e1f")]
    id: String,
    /// awaiting_approval, dispatched, input_required, abandoned (its gateway ended before it was sent) or its
    /// outcome: succeeded, tool_error, failed, cancelled, unknown, invalid, denied, pending_approval, …
    #[schema(example = "succeeded")]
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    /// Principal that called.
    principal: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    /// permit, approve or deny; absent if it was refused before policy was evaluated.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    decision: Option<DecisionKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approval: Option<String>,
    /// What became of the approval, if the caller was told to wait for it: pending, approved, denied, used, …
    #[serde(skip_serializing_if = "Option::is_none")]
    approval_state: Option<&'static str>,
    /// The call that ran under that approval.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_by: Option<String>,
    /// The error code of a call that failed or was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "server_timeout")]
    error: Option<String>,
    /// The error message, redacted.
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

/// The parameters of calls beside those of events.
pub(super) struct CallWords<'a> {
    pub(super) state: Option<&'a str>,
    pub(super) id: Option<&'a str>,
    pub(super) q: Option<&'a str>,
}

/// List calls
///
/// Calls in progress come first, then those that have ended, each newest first. A call that only reads is
/// listed once it has ended. The time of a call is its end, as figures count it, or its start while it is under
/// way. A page may be shorter than requested although there is a next one: for `q`, one
/// request goes through at most 1,000 calls and the first 16 KiB of their arguments.
#[utoipa::path(get, path = "/calls", tag = "calls", params(Selection, CallsQuery),
    responses((status = 200, description = "A page", body = CallsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Selected { by, own: query }: Selected<CallsQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, CALLS_PAGE_MAX)?;
    let cursor = query.cursor()?;
    let words = CallWords { state: query.state.as_deref(), id: query.id.as_deref(), q: query.q.as_deref() };
    let Some(filter) = words.filter(&by)? else { return Ok(json(StatusCode::OK, &CallsPage::default())) };
    let mut page = CallPage::default();
    // A whole id finds its calls at once, wherever they are.
    if let Some(named) = named(&filter).filter(|_| cursor.is_none()) {
        page = context.store.calls(&named, None, limit).await?;
    }
    if page.calls.is_empty() {
        page = context.store.calls(&filter, cursor.as_ref(), limit).await?;
    }
    let next_cursor = page.next.map(|next| next.to_string());
    let calls = page.calls.into_iter().map(CallView::from).collect();
    Ok(json(StatusCode::OK, &CallsPage { calls, next_cursor }))
}

impl CallWords<'_> {
    /// `None` if nothing can match.
    pub(super) fn filter(&self, by: &Selection) -> ApiResult<Option<CallFilter>> {
        let words = CallStanding::ALL.map(CallStanding::as_str);
        let standing = word("state", self.state, &words, CallStanding::parse)?;
        let text = self.q.map(text_of).transpose()?.flatten();
        let Some(events) = by.read()? else { return Ok(None) };
        let mut filter = CallFilter { events, standing, approval: None, text };
        if let Some(id) = self.id {
            take_id(&mut filter, id)?;
        }
        Ok(Some(filter))
    }
}

/// The filter for what the text may be the id of.
fn named(filter: &CallFilter) -> Option<CallFilter> {
    let mut named = CallFilter { text: None, ..filter.clone() };
    take_id(&mut named, filter.text.as_deref()?).ok()?;
    Some(named)
}

/// Nothing for a blank text.
fn text_of(q: &str) -> ApiResult<Option<String>> {
    let text = q.trim();
    if text.chars().count() > TEXT_CHARS_MAX {
        return Err(bad_parameter("q", q, &format!("a text of at most {TEXT_CHARS_MAX} characters")));
    }
    Ok(Some(text.to_owned()).filter(|text| !text.is_empty()))
}

impl CallsQuery {
    fn cursor(&self) -> ApiResult<Option<CallCursor>> {
        let Some(cursor) = self.cursor.as_deref() else { return Ok(None) };
        let bad = |_| bad_parameter("cursor", cursor, "a cursor that this list gave out");
        cursor.parse().map(Some).map_err(bad)
    }
}

/// The prefix of an id tells its kind.
fn take_id(filter: &mut CallFilter, id: &str) -> ApiResult<()> {
    match id {
        _ if id.starts_with(CallId::PREFIX) => filter.events.call = Some(CallId::new(id)),
        _ if id.starts_with(SessionId::PREFIX) => filter.events.session = Some(SessionId::new(id)),
        _ if id.starts_with(RunId::PREFIX) => filter.events.run = Some(RunId::new(id)),
        _ if id.starts_with(ApprovalId::PREFIX) => filter.approval = Some(ApprovalId::new(id)),
        _ => {
            let bad = bad_parameter("id", id, "the id of a call, an approval, a session or a run");
            return Err(bad.hint("ids begin with tc_, apr_, ses_ or run_"));
        }
    }
    Ok(())
}

impl From<CallEntry> for CallView {
    fn from(call: CallEntry) -> Self {
        let about = &call.about;
        let error = call.error.unwrap_or_default();
        Self {
            id: call.id.to_string(),
            state: call.state.as_str(),
            tool: about.tool.as_ref().map(ToString::to_string),
            server: about.server.as_ref().map(ToString::to_string),
            principal: call.principal.to_string(),
            session: about.session.as_ref().map(ToString::to_string),
            run: about.run.as_ref().map(ToString::to_string),
            started_at: rfc3339(call.started_at_ms),
            ended_at: call.ended_at_ms.map(rfc3339),
            duration_ms: call.duration_us.map(|us| us as f64 / 1_000.0),
            decision: call.decision,
            approval: call.approval.as_ref().map(ToString::to_string),
            approval_state: call.asked.as_ref().map(|asked| asked.state.as_str()),
            used_by: call.asked.and_then(|asked| asked.used_by).map(|by| by.to_string()),
            error: error.code,
            message: error.message,
        }
    }
}
