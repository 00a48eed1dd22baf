//! The inbox: the waiting items, one page for each approval and each question, and the past decisions.

mod approval;
mod asker;
mod attachments;
mod card;
mod data;
mod deciding;
mod difference;
mod form;
mod history;
mod list;
mod outcome;
mod past;
mod pins;
mod question;
mod risk;
mod several;
mod slot;
mod tabs;
mod ways;

use axum::Router;
use axum::routing::get;

use crate::PageContext;

pub(crate) fn routes() -> Router<PageContext> {
    Router::new()
        .route("/console/inbox", get(list::show).post(several::decide))
        .route("/console/inbox/approvals/{id}", get(approval::show).post(deciding::decide))
        .route("/console/inbox/approvals/{id}/attachments/{number}", get(attachments::content))
        .route("/console/inbox/inputs/{id}", get(question::show).post(question::answer))
        .route("/console/inbox/inputs/{id}/picture", get(question::picture_bytes))
}
