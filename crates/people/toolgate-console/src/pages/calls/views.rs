//! Saved views: filters under a name, each person their own.

use axum::response::{Redirect, Response};
use http::Method;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};

use super::place::{FILTERS, PLACE};
use crate::address::PageAddress;
use crate::fields::FormFields;
use crate::layout::csrf;
use crate::notice::DoneNotice;
use crate::pages::filters::PageFilters;
use crate::parts::text;
use crate::problem::PageResult;
use crate::visit::PageVisit;

const NAME_CHARS_MAX: usize = 60;

#[derive(Default, Deserialize)]
pub(super) struct SavedViewsData {
    views: Vec<SavedViewData>,
}

#[derive(Deserialize)]
struct SavedViewData {
    name: String,
    query: String,
}

pub(super) async fn saved(visit: &PageVisit) -> PageResult<SavedViewsData> {
    Ok(visit.find(PageAddress::of(["calls", "views"])).await?.unwrap_or_default())
}

/// Only what the page knows, whatever was saved.
fn address_of(query: &str) -> PageAddress {
    let pairs = url::form_urlencoded::parse(query.as_bytes()).into_owned().collect();
    PageFilters::of(pairs, &FILTERS).on(PageAddress::of(PLACE))
}

/// The views as links, and a form that saves the current filter.
pub(super) fn listed(visit: &PageVisit, wanted: &PageFilters, views: &SavedViewsData) -> Markup {
    let here = wanted.on(PageAddress::of(PLACE));
    let query = here.as_str().split_once('?').map_or("", |(_, query)| query);
    let is_here = |view: &SavedViewData| address_of(&view.query) == here;
    html! {
        @if !views.views.is_empty() || !query.is_empty() {
            section.views aria-label="Saved views" {
                @if !views.views.is_empty() {
                    ul.chips {
                        @for view in &views.views {
                            li { a href=(address_of(&view.query)) aria-current=[is_here(view).then_some("true")] { (text::short(&view.name)) } }
                        }
                    }
                }
                @if let Some(view) = views.views.iter().find(|view| is_here(view)) { (removal(visit, &view.name)) }
                @else if !query.is_empty() { (saving(visit, query)) }
            }
        }
    }
}

fn saving(visit: &PageVisit, query: &str) -> Markup {
    html! {
        details #save-view {
            summary { "Save this view" }
            form.row method="post" action="/console/calls/views" {
                (csrf(visit))
                input type="hidden" name="query" value=(query);
                label for="view-name" { "Name" }
                input.grow type="text" #view-name name="name" required maxlength=(NAME_CHARS_MAX) autocomplete="off";
                button.button type="submit" { "Save" }
            }
        }
    }
}

fn removal(visit: &PageVisit, name: &str) -> Markup {
    html! {
        form.row method="post" action="/console/calls/views" {
            (csrf(visit))
            input type="hidden" name="name" value=(name);
            button.plain type="submit" name="remove" value="yes" { "Remove the view " (text::short(name)) }
        }
    }
}

pub(super) async fn change(visit: PageVisit, fields: FormFields) -> PageResult<Response> {
    let address = PageAddress::of(["calls", "views", fields.needed("name")?]);
    if fields.ticked("remove") {
        let request = http::Request::delete(address.as_str()).body(axum::body::Body::empty());
        let _: Value = visit.read(request.expect("addresses are well formed")).await?;
        return Ok(visit.go(PageAddress::of(PLACE), DoneNotice::Removed));
    }
    let query = fields.get("query").unwrap_or_default();
    let _: Value = visit.send(Method::PUT, address, &json!({ "query": query })).await?;
    Ok(visit.go(address_of(query), DoneNotice::Saved))
}

/// After a log-in in between.
pub(super) async fn back() -> Redirect {
    Redirect::to("/console/calls")
}
