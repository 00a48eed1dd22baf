//! Alert rules and the dashboard ask for metrics, labels and words that there are.

use serde_json::Value;

use super::{examples, read};
use crate::outside::repository;

/// The names of metrics in an expression.
fn metrics(expression: &str) -> Vec<String> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let words = expression.split(|letter| !is_name(letter));
    words.filter(|word| word.starts_with("toolgate_")).map(str::to_owned).collect()
}

fn assert_known(place: &str, expression: &str, reference: &str) {
    let names = metrics(expression);
    assert!(!names.is_empty(), "{place}: {expression}");
    for name in names {
        let family = name.strip_suffix("_bucket").unwrap_or(&name);
        let row = format!("| `{family}` | {}", if family == name { "" } else { "histogram" });
        assert!(reference.contains(&row), "{place}: there is no {name}");
    }
}

#[test]
fn alert_rules_and_the_dashboard_ask_for_metrics_that_there_are() {
    let reference = read(&repository().join("docs/reference/metrics.md"));
    let rules = read(&examples().join("monitoring/alerts.yml"));
    let (head, rules) = rules.split_once("rules:").expect("there are rules");
    assert!(head.contains("groups:"));
    let rules: Vec<&str> = rules.split("- alert:").skip(1).collect();
    assert!(rules.len() > 5);
    for rule in rules {
        let (name, rest) = rule.split_once('\n').expect("a rule has lines");
        let (_, expression) = rest.split_once("expr:").expect("a rule has an expression");
        let (expression, rest) = expression.split_once("labels:").expect("a rule has labels");
        assert!(rest.contains("summary:"), "{name}");
        assert_known(name.trim(), expression, &reference);
    }
    let board: Value =
        serde_json::from_str(&read(&examples().join("monitoring/grafana.json"))).expect("JSON");
    let panels = board["panels"].as_array().expect("panels");
    assert!(panels.len() > 5);
    for panel in panels {
        for target in panel["targets"].as_array().expect("targets") {
            let title = panel["title"].as_str().expect("a title");
            assert_known(title, target["expr"].as_str().expect("an expression"), &reference);
        }
    }
}
