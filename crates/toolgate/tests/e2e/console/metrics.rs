//! Metrics: what a plot says, the table beside it, and the calls behind a point agree.

use std::collections::BTreeSet;

use serde_json::json;

use super::driven::{self, DrivenWork};
use super::links::attribute;
use super::office::{Office, TRANSFER};
use super::person::Person;
use super::plain::Visitor;
use crate::governed::bank::{money, status};
use crate::kit::call;

/// The rows of a plot's table: where each leads, and its first value.
const ROWS: &str = "return [...document.querySelectorAll('#calls-table tbody tr')] \
    .map(row => [row.querySelector('a').getAttribute('href'), row.querySelector('td.number').textContent])";
/// The points of a plot: where each leads, and what it says.
const POINTS: &str = "return [...document.querySelectorAll('#calls svg.lines a')] \
    .map(point => [point.getAttribute('href'), point.querySelector('title').textContent])";
const CALLS: &str = "return document.querySelectorAll('#calls tbody tr').length";

/// A statement that breaks its schema fails.
const ENFORCED: &str = "[[tools]]\nname = \"bank:statement\"\noutput = \"enforce\"\n";

/// Every link to a list of a time whose text is a number: where it leads, and the number.
fn numbers(html: &str) -> BTreeSet<(String, usize)> {
    let links = html.split("<a ").skip(1).filter_map(|part| part.split_once("</a>"));
    let number = |(link, _): (&str, &str)| {
        let (tag, text) = link.split_once('>')?;
        let list = attribute(&format!("a {tag}"), "href").filter(|list| list.contains("from="))?;
        Some((list, text.parse::<usize>().ok()?))
    };
    links.filter_map(number).collect()
}

#[tokio::test]
async fn a_number_leads_to_a_list_with_as_many_rows() {
    let office = Office::open_with(ENFORCED).await;
    let asked = office.asks(480).await;
    office.asks(481).await;
    let no = json!({ "decision": "deny", "reason": "not today" });
    office.decide(&office.token("approver", "ben"), &asked, no).await;
    let ended = [
        call(&office.helper, TRANSFER, money(480)).await,
        call(&office.helper, "bank__balance", json!({ "account": "DE1" })).await,
        call(&office.helper, "bank__balance", json!({ "account": 7 })).await,
        call(&office.helper, "bank__statement", json!({ "broken": true })).await,
    ];
    assert_eq!(ended.each_ref().map(status), ["denied", "succeeded", "invalid", "failed"]);
    let visitor = Visitor::enters(office.gateway(), &office.admin()).await;
    for page in [
        "/",
        "/console/metrics?range=1h",
        "/console/metrics?range=1h&by=agent",
        "/console/metrics?range=1h&by=error",
        "/console/metrics?range=1h&by=server&name=bank",
    ] {
        let numbers = numbers(&visitor.get(page).await.text);
        let lists = |outcomes: &str| numbers.iter().any(|(list, _)| list.contains(outcomes));
        assert!(lists("outcome=tool_error%2Cfailed%2Cunknown") && lists("invalid"), "{page}: {numbers:?}");
        for (list, number) in &numbers {
            let rows = visitor.get(list).await.text.matches("data-entry=").count();
            assert_eq!(rows, *number, "{page} leads to {list}");
        }
    }
    let all = visitor.get("/console/calls").await.text;
    assert!(all.contains("href=\"/console/calls?error="), "calls are counted by their error: {all}");
}

#[tokio::test]
async fn a_point_of_a_plot_leads_to_the_calls_that_it_counts() {
    let busy = Office::busy().await;
    let person = Person::logged_in(busy.office.gateway(), &busy.office.token("admin", "ada")).await;
    person.open("/console/metrics?range=1h").await;
    person.sees("Call duration").await;
    let (rows, points) = (person.run(ROWS, vec![]).await, person.run(POINTS, vec![]).await);
    let (rows, points) = (rows.as_array().expect("rows"), points.as_array().expect("points"));
    assert!(!rows.is_empty() && rows.len() == points.len(), "{rows:?} {points:?}");
    for row in rows {
        let (address, count) = (row[0].as_str().expect("an address"), row[1].as_str().expect("a number"));
        let said = points.iter().find(|point| point[0] == *address).expect("the same point");
        assert!(said[1].as_str().expect("words").contains(&format!("calls {count}")), "{said}");
        person.open(address).await;
        assert_eq!(person.run(CALLS, vec![]).await.to_string(), count, "{address}");
    }
    person.leaves().await;
}

#[tokio::test]
async fn figures_are_chosen_with_a_form_and_mended_in_it() {
    let busy = Office::busy().await;
    let person = Person::logged_in(busy.office.gateway(), &busy.office.token("admin", "ada")).await;
    person.open("/console/metrics?range=1h&by=tool&compare=before").await;
    person.sees("By tool").await;
    person.click("bank:transfer").await;
    person.sees("Only bank:transfer").await;
    person.open("/console/metrics?from=2026-02-02T00:00&until=2026-01-01T00:00").await;
    person.sees("until").await;
    person.open("/console/metrics?range=7d").await;
    person.click("15 min").await;
    person.gets_to("/console/metrics").await;
    person.sees("Each point counts 1 minute").await;
    person.open("/").await;
    person.sees("What changed since yesterday?").await;
    person.leaves().await;
}

/// The value of a line of the metrics.
fn value(text: &str, series: &str) -> f64 {
    let line = text.lines().find_map(|line| line.strip_prefix(series));
    let value = line.and_then(|rest| rest.trim().parse().ok());
    value.unwrap_or_else(|| panic!("no {series}: {text}"))
}

#[tokio::test]
async fn a_scraper_reads_what_waits_and_what_models_cost() {
    let model = driven::start_model();
    let office = Office::open_with(&driven::toml(&model)).await;
    let _work = DrivenWork::begin(&office, model).await;
    office.asks(480).await;
    office.works().await;
    let answer = office.site().rest(&office.admin(), "GET", "/metrics", None).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    let waiting = |kind: &str| value(&answer.text, &format!("toolgate_waiting{{kind=\"{kind}\"}}"));
    assert_eq!(["approval", "question"].map(waiting), [1.0, 1.0], "{}", answer.text);
    assert!(waiting("review") >= 0.0);
    let of_model = |series: &str, labels: &str| {
        value(&answer.text, &format!("toolgate_model_{series}_total{{model=\"{}\"{labels}}}", driven::MODEL))
    };
    let answered = ",outcome=\"answered\"";
    assert!(of_model("calls", answered) >= 2.0 && of_model("seconds", answered) > 0.0, "{}", answer.text);
    for kind in ["input", "output"] {
        assert!(of_model("tokens", &format!(",kind=\"{kind}\"")) > 0.0, "{}", answer.text);
    }
    assert!(of_model("cost", "") > 0.0, "{}", answer.text);
}
