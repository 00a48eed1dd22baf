//! Quotas: what is configured for whom, and how much of it is used.

use axum::response::Response;
use maud::{Markup, html};
use serde::Deserialize;

use super::tabs::{Side, head};
use crate::address::PageAddress;
use crate::layout::ConsolePage;
use crate::parts::money::money;
use crate::parts::{self, links, number, text};
use crate::problem::PageResult;
use crate::visit::PageVisit;

#[derive(Deserialize)]
struct QuotasData {
    rules: Vec<QuotaRuleData>,
    usual: QuotaLimitsData,
    holders: Vec<QuotaHolderData>,
    holders_total: u64,
}

#[derive(Deserialize)]
struct QuotaRuleData {
    #[serde(rename = "for")]
    who: QuotaForData,
    limits: QuotaLimitsData,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum QuotaForData {
    Principal(String),
    Agent(String),
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct QuotaLimitsData {
    calls_max: Option<u64>,
    waiting_max: Option<u64>,
    wait_seconds: Option<u64>,
    rate: Option<String>,
    calls_per_day: Option<u64>,
    spend_per_day_micros: Option<u64>,
    streams_max: Option<u64>,
    sessions_max: Option<u64>,
    approvals_max: Option<u64>,
    stored_bytes_max: Option<u64>,
}

#[derive(Deserialize)]
struct QuotaHolderData {
    #[serde(rename = "for")]
    who: QuotaForData,
    limits: QuotaLimitsData,
    used: QuotaUsedData,
}

#[derive(Deserialize)]
struct QuotaUsedData {
    calls: u64,
    waiting: u64,
    streams: u64,
    #[serde(default)]
    calls_today: Option<u64>,
    #[serde(default)]
    spend_today_micros: Option<u64>,
    #[serde(default)]
    approvals: Option<u64>,
    #[serde(default)]
    stored_bytes: Option<u64>,
}

pub(super) async fn show(visit: PageVisit) -> PageResult<Response> {
    let quotas: QuotasData = visit.get(PageAddress::of(["quotas"])).await?;
    let body = html! {
        (head(Side::Quotas))
        p { "Limits for each principal and each agent. Set them in " code { "[[quotas]]" } " of the configuration file; changes take effect at once. "
            a href="/docs/guide/govern#quotas" { "Quotas" } " explains them." }
        section.card aria-labelledby="rules-title" {
            h2 #rules-title { "Rules" }
            (rules(&quotas))
        }
        section.card #used data-live="tool.call" aria-labelledby="used-title" {
            h2 #used-title { "In use" }
            @if quotas.holders.is_empty() { p.help { "There were no calls since this gateway started." } } @else { (holders(&quotas)) }
        }
    };
    Ok(visit.page("Quotas", ConsolePage::Settings, body).await)
}

fn rules(quotas: &QuotasData) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "For" } th scope="col" { "Limits" } } }
            tbody {
                tr {
                    td data-name="For" { "every principal" div.help { "the default" } }
                    td data-name="Limits" { (limits(&quotas.usual)) }
                }
                @for rule in &quotas.rules {
                    tr {
                        td data-name="For" { (pattern(&rule.who)) }
                        td data-name="Limits" { (limits(&rule.limits)) }
                    }
                }
            }
        }
        @if quotas.rules.len() > 1 { p.help { "If several rules match, the last one applies." } }
    }
}

fn pattern(who: &QuotaForData) -> Markup {
    match who {
        QuotaForData::Principal(pattern) => html! { "principals " code { (text::short(pattern)) } },
        QuotaForData::Agent(pattern) => html! { "agents " code { (text::short(pattern)) } },
    }
}

/// The limits that are set, in words.
fn limits(limits: &QuotaLimitsData) -> Markup {
    let several = |limit: Option<u64>, what: &str| limit.map(|limit| format!("{} {what}", number(limit)));
    let all = [
        several(limits.calls_max, "calls at once"),
        several(limits.waiting_max, "calls that wait for others"),
        limits.wait_seconds.map(|seconds| format!("a wait of {} s", number(seconds))),
        limits.rate.as_ref().map(|rate| format!("a rate of {rate}")),
        several(limits.calls_per_day, "calls a day"),
        limits.spend_per_day_micros.map(|micros| format!("{} a day for models", money(micros, None))),
        several(limits.streams_max, "open streams"),
        several(limits.sessions_max, "older MCP sessions"),
        several(limits.approvals_max, "calls that wait for people"),
        limits.stored_bytes_max.map(|bytes| format!("{} of files", parts::size(bytes))),
    ];
    html! { (text::long(&all.into_iter().flatten().collect::<Vec<_>>().join(", "))) }
}

fn holders(quotas: &QuotasData) -> Markup {
    html! {
        table.list {
            thead { tr { th scope="col" { "Principal or agent" } th scope="col" { "Used" } } }
            tbody {
                @for one in &quotas.holders {
                    tr {
                        td data-name="Principal or agent" { (holder(&one.who)) }
                        td data-name="Used" { (parts::facts(used(one))) }
                    }
                }
            }
        }
        @if quotas.holders_total > quotas.holders.len() as u64 {
            p.help { "The busiest " (quotas.holders.len()) " of " (number(quotas.holders_total)) "." }
        }
    }
}

fn holder(who: &QuotaForData) -> Markup {
    match who {
        QuotaForData::Principal(name) => html! { (links::principal(name)) div.help { "principal" } },
        QuotaForData::Agent(name) => html! {
            a href=(PageAddress::of(["console", "agents", name])) { (text::short(name)) } div.help { "agent, all who act as it" }
        },
    }
}

fn used(one: &QuotaHolderData) -> impl Iterator<Item = (&'static str, Markup)> {
    let (used, limits) = (&one.used, &one.limits);
    let rows = [
        ("Calls now", Some(share(used.calls, limits.calls_max, number))),
        ("Waiting", (used.waiting > 0).then(|| share(used.waiting, limits.waiting_max, number))),
        ("Calls today", used.calls_today.map(|calls| share(calls, limits.calls_per_day, number))),
        (
            "Models today",
            used.spend_today_micros.map(|micros| share(micros, limits.spend_per_day_micros, amount)),
        ),
        ("Streams", (used.streams > 0).then(|| share(used.streams, limits.streams_max, number))),
        ("Wait for people", used.approvals.map(|count| share(count, limits.approvals_max, number))),
        ("Files", used.stored_bytes.map(|bytes| share(bytes, limits.stored_bytes_max, parts::size))),
    ];
    rows.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

/// Models may have different currencies.
fn amount(micros: u64) -> String {
    money(micros, None)
}

/// A number beside its limit.
fn share(used: u64, limit: Option<u64>, said: impl Fn(u64) -> String) -> Markup {
    html! {
        (said(used))
        @match limit {
            Some(limit) => {
                " of " (said(limit)) " "
                meter min="0" max=(limit.max(1)) value=(used.min(limit)) aria-hidden="true" {}
                @if used >= limit { " " (parts::badge("used up", parts::BadgeTone::Bad)) }
            },
            None => span.soft { ", no limit" },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_up_is_said_beside_its_limit() {
        let full = share(50, Some(50), number).into_string();
        assert!(full.starts_with("50 of 50") && full.contains("used up"), "{full}");
        let free = share(2_000_000, Some(2_500_000), amount).into_string();
        assert!(free.starts_with("2.00 of 2.50") && !free.contains("used up"), "{free}");
        assert!(share(3, None, number).into_string().contains("no limit"));
    }

    #[test]
    fn only_limits_that_are_set_are_told() {
        let set: QuotaLimitsData = serde_json::from_str(r#"{"calls_max":4,"rate":"600/m"}"#).expect("limits");
        assert_eq!(limits(&set).into_string(), "<bdi>4 calls at once, a rate of 600/m</bdi>");
    }
}
