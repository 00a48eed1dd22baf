//! The cost of models by one of four groupings, with the ways to the metrics behind each row.

use maud::{Markup, html};

use super::data::{ModelData, SpendData, SpendRowData, SpendSumsData};
use crate::address::PageAddress;
use crate::pages::task_names::TaskNames;
use crate::parts::money::money;
use crate::parts::{self, links, number, text};

/// The groupings of the API, and their names.
pub(super) const GROUPINGS: [(&str, &str); 4] =
    [("day", "Day"), ("model", "Model"), ("agent", "Agent"), ("task", "Task")];
/// The numbers of days that one can choose.
pub(super) const SPANS: [(i64, &str); 3] = [(7, "7 days"), (30, "30 days"), (90, "90 days")];

/// The names of the models in force, and the currency that all of them have.
pub(super) struct KnownModels<'a> {
    pub(super) names: Vec<&'a str>,
    pub(super) currency: Option<&'a str>,
}

impl<'a> KnownModels<'a> {
    pub(super) fn of(models: &'a [ModelData]) -> Self {
        let currency = models.first().and_then(|model| model.prices.currency.as_deref());
        let is_common = models.iter().all(|model| model.prices.currency.as_deref() == currency);
        let names = models.iter().map(|model| model.name.as_str()).collect();
        Self { names, currency: currency.filter(|_| is_common) }
    }
}

pub(super) fn tiles(sums: &SpendSumsData, currency: Option<&str>) -> Markup {
    let unit = if currency.is_none() { "in the unit of your prices" } else { "by your prices" };
    html! {
        div.stats {
            (parts::stat("Cost", html! { (money(sums.cost_micros, currency)) }, html! { (unit) }))
            (parts::stat("Answers of models", html! { (number(sums.turns)) }, html! {}))
            (parts::stat("Tokens", html! { (number(sums.tokens())) },
                html! { (number(sums.input_tokens)) " input, " (number(sums.output_tokens)) " output" }))
            (parts::stat("From the cache", html! { (sums.cached()) }, html! { "of the input" }))
        }
    }
}

/// The choice of grouping and span. Both stay in the address.
pub(super) fn choice(by: &str, days: i64) -> Markup {
    let place =
        |by: &str, days: i64| PageAddress::of(["console", "models"]).with("by", by).with("days", days);
    html! {
        nav aria-label="Group by" {
            ul.tabs { @for (word, name) in GROUPINGS { li { a href=(place(word, days)) aria-current=[(word == by).then_some("true")] { "By " (name.to_lowercase()) } } } }
        }
        nav aria-label="Range" {
            ul.tabs { @for (count, name) in SPANS { li { a href=(place(by, count)) aria-current=[(count == days).then_some("true")] { (name) } } } }
        }
    }
}

pub(super) fn table(
    by: &str,
    days: i64,
    spend: &SpendData,
    tasks: &TaskNames,
    known: &KnownModels<'_>,
) -> Markup {
    let heading = GROUPINGS.iter().find(|(word, _)| *word == by).map_or("Day", |(_, name)| name);
    html! {
        table.list {
            thead { tr {
                th scope="col" { (heading) } th.number scope="col" { "Runs" } th.number scope="col" { "Answers" }
                th.number scope="col" { "Input tokens" } th.number scope="col" { "From the cache" }
                th.number scope="col" { "Output tokens" } th.number scope="col" { "Cost" } th scope="col" { "Metrics" }
            } }
            tbody {
                @for row in &spend.rows {
                    tr data-entry=(row.key) {
                        td data-name=(heading) { (name(by, row, tasks, known)) }
                        td.number data-name="Runs" { (number(row.runs)) }
                        td.number data-name="Answers" { (number(row.sums.turns)) }
                        td.number data-name="Input tokens" { (number(row.sums.input_tokens)) }
                        td.number data-name="From the cache" { (row.sums.cached()) }
                        td.number data-name="Output tokens" { (number(row.sums.output_tokens)) }
                        td.number data-name="Cost" { (money(row.sums.cost_micros, known.currency)) }
                        td data-name="Metrics" {
                            @if let Some(place) = metrics(by, days, &row.key) { a href=(place) { "See metrics" span.unseen { " of " (text::made_visible(&row.key)) } } }
                            @else { span.soft { "–" } }
                        }
                    }
                }
            }
        }
    }
}

fn name(by: &str, row: &SpendRowData, tasks: &TaskNames, known: &KnownModels<'_>) -> Markup {
    let key = row.key.as_str();
    match by {
        "task" if key.is_empty() => html! { span.soft { "no task" } },
        "task" => tasks.link(key),
        "model" if known.names.contains(&key) => links::model(key),
        "agent" => html! { a href=(PageAddress::of(["console", "agents", key])) { (text::short(key)) } },
        _ => text::short(key),
    }
}

/// The metrics behind a row. Metrics know no tasks.
fn metrics(by: &str, days: i64, key: &str) -> Option<PageAddress> {
    let page = PageAddress::of(["console", "metrics"]);
    match by {
        "day" => Some(
            page.with("from", format!("{key}T00:00:00Z"))
                .with("until", format!("{key}T23:59:59Z"))
                .with("by", "model"),
        ),
        "agent" | "model" => Some(page.with("range", format!("{days}d")).with("by", by).with("name", key)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_leads_to_its_metrics() {
        let place = |by, key| metrics(by, 30, key).map(|place| place.to_string());
        assert_eq!(place("model", "gpt").as_deref(), Some("/console/metrics?range=30d&by=model&name=gpt"));
        let day = place("day", "2026-01-31").expect("a day has metrics");
        assert!(day.starts_with("/console/metrics?from=2026-01-31T00%3A00%3A00Z&until="), "{day}");
        assert_eq!(place("task", "task_1"), None);
    }
}
