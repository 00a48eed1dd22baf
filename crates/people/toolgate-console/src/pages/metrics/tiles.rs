//! The sums of the range, and of each group.

use maud::{Markup, html};

use super::picker;
use super::plots::{ASKED, DECIDED, OTHER_NAMES, PointTarget};
use super::scale::PlotUnit;
use crate::pages::counted;
use crate::pages::figures::{FigureSumsData, FiguresData, change};
use crate::pages::filters::PageFilters;
use crate::parts::{self, number, text};

pub(super) fn show(wanted: &PageFilters, figures: &FiguresData) -> Markup {
    let sums = &figures.total.sums;
    let before = figures.before.as_ref().map(|before| &before.total.sums);
    let told = |figure: fn(&FigureSumsData) -> u64| {
        html! { @if let Some(before) = before { (change(figure(sums), figure(before))) } }
    };
    let ran = sums.calls.saturating_sub(sums.refused);
    let of = |count: u64, target: Option<PointTarget>| {
        let list = target.and_then(|target| target.address(wanted, &figures.from, &figures.until));
        counted::shown(count, list)
    };
    let calls = |count: u64, outcomes| of(count, Some(PointTarget::Calls(outcomes)));
    html! {
        div.stats {
            (parts::stat("Calls", calls(sums.calls, counted::ENDED), told(|sums| sums.calls)))
            (parts::stat("Failed", calls(sums.failed, counted::FAILED), html! {
                @if before.is_some() { (told(|sums| sums.failed)) } @else { "of " (number(ran)) " that were not refused" }
            }))
            (parts::stat("Refused", calls(sums.refused, counted::REFUSED), told(|sums| sums.refused)))
            @if let Some(times) = &sums.latency {
                (parts::stat("Median call", html! { (PlotUnit::Ms.told(times.p50_ms)) },
                    html! { "95th percentile: " (PlotUnit::Ms.told(times.p95_ms)) }))
            }
            @if let Some(approvals) = &sums.approvals {
                (parts::stat("Approvals asked for", of(approvals.asked, ASKED), html! {
                    (of(approvals.decided, DECIDED)) " decided"
                    @if let Some(times) = &approvals.time_to_decide { ", median " (PlotUnit::Ms.told(times.p50_ms)) }
                }))
            }
            @if let Some(tokens) = &sums.tokens {
                (parts::stat("Tokens saved", html! { (number(tokens.saved)) }, html! { (number(tokens.results)) " in results" }))
            }
            @if let Some(models) = &sums.models {
                (parts::stat("Cost of models", html! { (PlotUnit::Micros.told(models.cost_micros as f64)) },
                    html! { (number(models.input_tokens + models.output_tokens)) " tokens" }))
            }
        }
    }
}

pub(super) fn groups(wanted: &PageFilters, figures: &FiguresData) -> Markup {
    let by = wanted.get("by").unwrap_or_default();
    let calls = |count: u64, outcomes, name: &str| {
        let list = PointTarget::Calls(outcomes).of_name(Some((by, name)), &figures.from, &figures.until);
        counted::shown(count, list)
    };
    html! {
        section.card aria-labelledby="groups-title" {
            h2 #groups-title { "By " (text::made_visible(by)) }
            table.list {
                thead { tr {
                    th scope="col" { "Name" } th.number scope="col" { "Calls" } th.number scope="col" { "Failed" }
                    th.number scope="col" { "Refused" } th.number scope="col" { "Median" } th.number scope="col" { "95th" }
                    th.number scope="col" { "Cost" }
                } }
                tbody {
                    @for group in &figures.groups {
                        @let times = group.sums.latency.as_ref();
                        tr data-entry=(group.name) {
                            td data-name="Name" {
                                @if group.name == OTHER_NAMES { (group.name) }
                                @else { a href=(picker::grouped(wanted, by, &group.name)) { (text::short(&group.name)) } }
                            }
                            td.number data-name="Calls" { (calls(group.sums.calls, counted::ENDED, &group.name)) }
                            td.number data-name="Failed" { (calls(group.sums.failed, counted::FAILED, &group.name)) }
                            td.number data-name="Refused" { (calls(group.sums.refused, counted::REFUSED, &group.name)) }
                            td.number data-name="Median" { @if let Some(times) = times { (PlotUnit::Ms.told(times.p50_ms)) } @else { "–" } }
                            td.number data-name="95th" { @if let Some(times) = times { (PlotUnit::Ms.told(times.p95_ms)) } @else { "–" } }
                            td.number data-name="Cost" {
                                @if let Some(models) = &group.sums.models { (PlotUnit::Micros.told(models.cost_micros as f64)) } @else { "–" }
                            }
                        }
                    }
                }
            }
        }
    }
}
