//! Three answers at the top: what is wrong, what waits, and what changed since yesterday.

use maud::{Markup, html};

use super::data::{OverviewData, TrafficData, TrafficServerData, WaitingData};
use super::several;
use crate::address::PageAddress;
use crate::pages::counted;
use crate::pages::figures::{FiguresData, change};
use crate::parts::{links, number, text};
use crate::visit::PageVisit;

/// Servers that are named; the list below has all.
const NAMED_MAX: usize = 5;

pub(super) fn show(visit: &PageVisit, overview: &OverviewData, day: Option<&FiguresData>) -> Markup {
    html! {
        div.grid.summary {
            @if let Some(traffic) = &overview.traffic { (wrong(visit, overview, traffic)) }
            (waiting(&overview.waiting))
            @if let Some(day) = day { (changed(day)) }
        }
    }
}

fn wrong(visit: &PageVisit, overview: &OverviewData, traffic: &TrafficData) -> Markup {
    let servers = overview.servers.as_deref().unwrap_or_default();
    let degraded: Vec<&str> =
        servers.iter().filter(|one| one.health == "degraded").map(|one| one.name.as_str()).collect();
    let is_broken = overview
        .ledger
        .as_ref()
        .and_then(|ledger| ledger.verified.as_ref())
        .is_some_and(|found| !found.intact);
    let is_fine =
        degraded.is_empty() && !is_broken && overview.config_refused.is_none() && traffic.failed == 0;
    html! {
        section.card aria-labelledby="wrong-title" data-tone=(if is_fine { "good" } else { "bad" }) {
            h2 #wrong-title { "Is anything wrong?" }
            @if is_fine {
                p { strong { "No." } " " (working(servers)) ", and no call failed in the last hour." }
            } @else {
                ul {
                    @if overview.config_refused.is_some() {
                        li { strong.error { "The configuration file does not load. " } "What it said before is in force." }
                    }
                    @if is_broken { li { strong.error { "The ledger is not intact. " } a href="/console/ledger" { "See where" } } }
                    @if !degraded.is_empty() {
                        li {
                            strong { (several(degraded.len() as u64, "server")) } @if degraded.len() == 1 { " does" } @else { " do" } " not work: "
                            @for (place, name) in degraded.iter().take(NAMED_MAX).enumerate() {
                                @if place > 0 { ", " }
                                @if visit.operates() { (links::server(name)) } @else { (text::short(name)) }
                            }
                            @if degraded.len() > NAMED_MAX { " and " (degraded.len() - NAMED_MAX) " more" }
                        }
                    }
                    @if traffic.failed > 0 {
                        li { a href=(traffic.list(counted::FAILED)) { (several(traffic.failed, "call")) " failed" } " in the last hour, of " (number(traffic.ran())) " that ran. " a href=(errors(traffic)) { "By error" } }
                    }
                }
            }
        }
    }
}

/// A server that was not checked yet does not work so far, and nothing is wrong with it; nor with one that somebody disabled.
fn working(servers: &[TrafficServerData]) -> String {
    let having = |health: &str| servers.iter().filter(|one| one.health == health).count();
    let (starting, disabled) = (having("starting"), having("disabled"));
    let told = match (servers.len() - disabled, starting) {
        (0, _) if disabled > 0 => "No server is in use".to_owned(),
        (0, _) => "There are no servers yet".to_owned(),
        (1, 0) => "The server works".to_owned(),
        (all, 0) => format!("All {all} servers work"),
        (1, _) => "The server is starting".to_owned(),
        (all, starting) => format!("{} of {all} servers work, {starting} are starting", all - starting),
    };
    match disabled {
        0 => told,
        1 => format!("{told}, 1 is disabled"),
        some => format!("{told}, {some} are disabled"),
    }
}

/// The errors and refusals of the last hour, by their codes.
fn errors(traffic: &TrafficData) -> PageAddress {
    let page = PageAddress::of(["console", "metrics"]).with("by", "error");
    page.with("from", counted::brief(traffic.from()))
}

fn waiting(waiting: &WaitingData) -> Markup {
    let rows = [
        (waiting.approvals, "approval", "/console/inbox"),
        (waiting.inputs, "question", "/console/inbox"),
        (waiting.reviews, "tool", "/console/reviews"),
    ];
    html! {
        section.card aria-labelledby="waiting-title" {
            h2 #waiting-title { "What waits for people?" }
            @if rows.iter().all(|(count, ..)| *count == 0) { p { strong { "Nothing." } } } @else {
                ul {
                    @for (count, name, address) in rows.into_iter().filter(|(count, ..)| *count > 0) {
                        li { a href=(address) { (several(count, name)) } @if name == "tool" { " to review" } }
                    }
                }
            }
        }
    }
}

fn changed(day: &FiguresData) -> Markup {
    let Some(before) = &day.before else { return html! {} };
    let (now, before) = (&day.total.sums, &before.total.sums);
    let rows = [
        ("calls", counted::ENDED, now.calls, before.calls),
        ("failed", counted::FAILED, now.failed, before.failed),
        ("refused", counted::REFUSED, now.refused, before.refused),
    ];
    let list = |outcomes| counted::calls(outcomes, &day.from, Some(&day.until));
    html! {
        section.card aria-labelledby="changed-title" {
            h2 #changed-title { "What changed since yesterday?" }
            ul {
                @for (name, outcomes, now, before) in rows {
                    li { strong { (counted::shown(now, list(outcomes))) " " (name) } ": " (change(now, before)) }
                }
            }
            p { a href="/console/metrics?range=24h&compare=before" { "Metrics of the last 24 hours" } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_that_are_starting_or_disabled_do_not_work() {
        let server = |health: &&str| TrafficServerData {
            name: "bank".into(),
            health: (*health).into(),
            reason: None,
            tools: 1,
            instances: 1,
            instances_healthy: 1,
        };
        let told = |states: &[&str]| working(&states.iter().map(server).collect::<Vec<_>>());
        assert_eq!(told(&[]), "There are no servers yet");
        assert_eq!(told(&["healthy"]), "The server works");
        assert_eq!(told(&["starting"]), "The server is starting");
        assert_eq!(told(&["healthy", "healthy"]), "All 2 servers work");
        assert_eq!(told(&["healthy", "starting", "starting"]), "1 of 3 servers work, 2 are starting");
        assert_eq!(told(&["healthy", "disabled"]), "The server works, 1 is disabled");
        assert_eq!(told(&["disabled", "disabled"]), "No server is in use, 2 are disabled");
    }
}
