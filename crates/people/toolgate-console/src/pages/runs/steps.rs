//! Pausing, resuming and cancelling a run.

use axum::extract::Path;
use axum::response::Response;
use serde_json::{Value, json};

use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::notice::DoneNotice;
use crate::problem::PageResult;
use crate::visit::PageVisit;

pub(super) async fn pause(visit: PageVisit, Path(id): Path<String>, _: FormFields) -> PageResult<Response> {
    step(&visit, &id, "pause", json!({}), DoneNotice::Paused).await
}

pub(super) async fn resume(visit: PageVisit, Path(id): Path<String>, _: FormFields) -> PageResult<Response> {
    step(&visit, &id, "resume", json!({}), DoneNotice::Resumed).await
}

pub(super) async fn cancel(
    visit: PageVisit,
    Path(id): Path<String>,
    fields: FormFields,
) -> PageResult<Response> {
    let body = json!({ "reason": fields.text("reason") });
    step(&visit, &id, "cancel", body, DoneNotice::Cancelled).await
}

async fn step(
    visit: &PageVisit,
    id: &str,
    verb: &str,
    body: Value,
    said: DoneNotice,
) -> PageResult<Response> {
    let _: Value = visit.post(PageAddress::of(["runs", id, verb]), &body).await?;
    Ok(visit.go(PageAddress::of(["console", "runs", id]), said))
}
