//! Metrics: figures over time as plots, each also as a table, and the links to the calls behind them.

mod picker;
mod plot;
mod plots;
mod scale;
mod tiles;

use axum::Router;
use axum::extract::Query;
use axum::response::Response;
use axum::routing::get;
use http::StatusCode;
use maud::{Markup, html};

use super::figures::FiguresData;
use super::filters::{self, PageFilters};
use crate::PageContext;
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::{self, number};
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// A page has many plots, and each point leads to its calls.
const POINTS_MAX: usize = 60;
const FILTERS: [&str; 6] = ["range", "from", "until", "by", "name", "compare"];

pub(crate) fn routes() -> Router<PageContext> {
    Router::new().route("/console/metrics", get(show))
}

async fn show(visit: PageVisit, Query(pairs): Query<Vec<(String, String)>>) -> PageResult<Response> {
    let has_from = pairs.iter().any(|(name, value)| name == "from" && !value.trim().is_empty());
    let pairs = pairs.into_iter().filter(|(name, _)| !(has_from && name == "range"));
    let wanted = PageFilters::of(pairs.collect(), &FILTERS);
    let asked = wanted.for_api(PageAddress::of(["figures"])).with("points", POINTS_MAX);
    let (figures, refused) = match visit.get::<FiguresData>(asked).await {
        Ok(figures) => (Some(figures), None),
        // The form stays, so that it can be mended.
        Err(problem) if problem.is(StatusCode::BAD_REQUEST) => (None, Some(problem)),
        Err(problem) => return Err(problem),
    };
    let body = html! {
        (parts::heading(html! { "Metrics" }, html! { a.button href="/console/models" { "Models and spend" } }))
        (picker::ranges(&wanted))
        (picker::form(&wanted, filters::refused(refused.as_deref())))
        @if let Some(figures) = &figures { (content(&wanted, figures)) }
    };
    Ok(visit.page("Metrics", ConsolePage::Metrics, body).await)
}

fn content(wanted: &PageFilters, figures: &FiguresData) -> Markup {
    html! {
        p.help {
            "From " (plot::moment(&figures.from)) " to " (plot::moment(&figures.until)) ", in UTC. Each point counts "
            (picker::step(figures.step_seconds)) ". A call counts when it ends."
            @if let Some(name) = wanted.get("name") { " Only " strong { (parts::text::short(name)) } "." }
        }
        @if figures.due_blocks > 0 {
            p.help role="status" {
                "Older events are still being counted: about " (number(figures.due_blocks.saturating_mul(256))) " are left."
            }
        }
        (tiles::show(wanted, figures))
        @if !figures.groups.is_empty() { (tiles::groups(wanted, figures)) }
        div.plots { @for one in plots::of(wanted, figures) { (plot::draw(wanted, figures, &one)) } }
    }
}
