//! Pausing, resuming and cancelling a run.

use axum::extract::Path;
use axum::response::Response;
use serde_json::{Value, json};

use crate::address::Address;
use crate::fields::Fields;
use crate::problem::Answered;
use crate::said::Said;
use crate::visit::Visit;

pub(super) async fn pause(visit: Visit, Path(id): Path<String>, _: Fields) -> Answered<Response> {
    step(&visit, &id, "pause", json!({}), Said::Paused).await
}

pub(super) async fn resume(visit: Visit, Path(id): Path<String>, _: Fields) -> Answered<Response> {
    step(&visit, &id, "resume", json!({}), Said::Resumed).await
}

pub(super) async fn cancel(visit: Visit, Path(id): Path<String>, fields: Fields) -> Answered<Response> {
    let body = json!({ "reason": fields.text("reason") });
    step(&visit, &id, "cancel", body, Said::Cancelled).await
}

async fn step(visit: &Visit, id: &str, verb: &str, body: Value, said: Said) -> Answered<Response> {
    let _: Value = visit.post(Address::of(["runs", id, verb]), &body).await?;
    Ok(visit.go(Address::of(["console", "runs", id]), said))
}
