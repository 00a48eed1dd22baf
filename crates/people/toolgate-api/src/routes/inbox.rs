//! The one inbox: approvals and questions that wait for people, side by side.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::run::{InputRequest, InputState};
use toolgate_runs::{InputPage, InputQuery};
use toolgate_store::{ApprovalFilter, RUN_PAGE_MAX};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::inputs::InputView;
use super::views::ApprovalView;
use crate::ApiContext;
use crate::problem::ApiResult;
use crate::read::{Query, bad_parameter, limit};

const PAGE_USUAL: usize = 50;
/// Separates the two positions in a cursor.
const SEPARATOR: char = '~';

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct InboxQuery {
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
    /// Longer arguments are left out; `arguments_bytes` then has their length
    #[serde(default)]
    #[param(value_type = Option<u64>, minimum = 0)]
    arguments_bytes_max: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InboxPage {
    entries: Vec<InboxEntry>,
    /// True if there are more entries than requested.
    more: bool,
    /// The cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// The places where the configuration file does not load, if it does not: what it said before is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    config_refused: Option<String>,
}

/// Something that waits for a person
#[derive(Debug, Serialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(crate) enum InboxEntry {
    Approval(Box<ApprovalView>),
    Input(Box<InputView>),
}

/// List what waits for people: approvals and questions, newest first
#[utoipa::path(get, path = "/inbox", tag = "inputs", params(InboxQuery),
    responses((status = 200, description = "A page", body = InboxPage)))]
pub(crate) async fn inbox(
    State(context): State<ApiContext>,
    Query(query): Query<InboxQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, RUN_PAGE_MAX)?;
    let bytes_max = arguments_bytes_max(query.arguments_bytes_max.as_deref())?;
    let mut place = InboxCursor::read(query.cursor.as_deref())?;
    let filter = ApprovalFilter { state: Some(ApprovalState::Pending), ..ApprovalFilter::default() };
    let (approvals, more_approvals) =
        context.store.list_approvals(&filter, place.approvals.as_deref(), limit).await?;
    let asked =
        InputQuery { state: Some(InputState::Pending), run: None, cursor: place.inputs.clone(), limit };
    let InputPage { inputs, next } = context.runs.inputs(asked).await?;
    let more = approvals.len() + inputs.len() > limit || more_approvals.is_some() || next.is_some();
    let shown = newest_first(approvals, inputs, limit);
    shown.iter().for_each(|one| place.pass(one));
    let entries = shown.into_iter().map(|one| one.view(&context, bytes_max)).collect();
    let (next_cursor, config_refused) = (more.then(|| place.written()), context.registry.refused_config());
    Ok(json(StatusCode::OK, &InboxPage { entries, more, next_cursor, config_refused }))
}

/// The maximum length of arguments in a list.
pub(super) fn arguments_bytes_max(value: Option<&str>) -> ApiResult<usize> {
    let Some(value) = value else { return Ok(usize::MAX) };
    value.parse().map_err(|_| bad_parameter("arguments_bytes_max", value, "a number of bytes"))
}

enum InboxItem {
    Approval(Box<Approval>),
    Input(Box<InputRequest>),
}

impl InboxItem {
    fn created_at_ms(&self) -> i64 {
        match self {
            InboxItem::Approval(approval) => approval.created_at_ms,
            InboxItem::Input(input) => input.created_at_ms,
        }
    }

    fn view(self, context: &ApiContext, bytes_max: usize) -> InboxEntry {
        match self {
            InboxItem::Approval(approval) => {
                let view = ApprovalView::of(context, *approval).without_arguments_over(bytes_max);
                InboxEntry::Approval(Box::new(view))
            }
            InboxItem::Input(input) => InboxEntry::Input(Box::new(InputView::from(*input))),
        }
    }
}

fn newest_first(approvals: Vec<Approval>, inputs: Vec<InputRequest>, limit: usize) -> Vec<InboxItem> {
    let approvals = approvals.into_iter().map(|one| InboxItem::Approval(Box::new(one)));
    let inputs = inputs.into_iter().map(|one| InboxItem::Input(Box::new(one)));
    let mut all: Vec<InboxItem> = approvals.chain(inputs).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.created_at_ms()));
    all.truncate(limit);
    all
}

/// The position in both lists.
#[derive(Debug, Default, PartialEq, Eq)]
struct InboxCursor {
    approvals: Option<String>,
    inputs: Option<String>,
}

impl InboxCursor {
    fn read(cursor: Option<&str>) -> ApiResult<Self> {
        let Some(cursor) = cursor else { return Ok(Self::default()) };
        let bad = || bad_parameter("cursor", cursor, "a cursor that this list gave out");
        let (approvals, inputs) = cursor.split_once(SEPARATOR).ok_or_else(bad)?;
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Ok(Self { approvals: some(approvals), inputs: some(inputs) })
    }

    fn pass(&mut self, one: &InboxItem) {
        match one {
            InboxItem::Approval(approval) => self.approvals = Some(approval.id.to_string()),
            InboxItem::Input(input) => self.inputs = Some(format!("{}.{}", input.created_at_ms, input.id)),
        }
    }

    fn written(&self) -> String {
        let text = |place: &Option<String>| place.clone().unwrap_or_default();
        format!("{}{SEPARATOR}{}", text(&self.approvals), text(&self.inputs))
    }
}
