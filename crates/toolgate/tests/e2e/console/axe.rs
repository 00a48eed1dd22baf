//! axe-core, which finds barriers for users of a page. Its source comes from npm and runs on the actual page.

use serde_json::{Value, json};

use super::person::Person;
use crate::outside::fetched;

/// axe's words for unacceptable findings.
const SERIOUS: [&str; 2] = ["serious", "critical"];
const RUN: &str = "const done = arguments[arguments.length - 1]; \
    axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations), (error) => done(String(error)))";

/// The findings that are serious or worse, with their places.
pub(crate) async fn findings(person: &Person) -> Vec<String> {
    let source =
        std::fs::read_to_string(fetched("axe/node_modules/axe-core/axe.min.js")).expect("axe is text");
    person.run(&format!("{source}; return true"), vec![]).await;
    let client = &person.browser.client;
    let found = client.execute_async(RUN, vec![json!(null)]).await.expect("axe runs");
    let found = found.as_array().unwrap_or_else(|| panic!("axe did not run: {found}"));
    found.iter().filter(|one| is_serious(one)).map(describe).collect()
}

fn is_serious(violation: &Value) -> bool {
    SERIOUS.iter().any(|impact| violation["impact"] == *impact)
}

fn describe(violation: &Value) -> String {
    let nodes = violation["nodes"].as_array().map(Vec::as_slice).unwrap_or_default();
    let places = nodes.iter().take(4).map(|node| {
        format!(
            "{} {}",
            node["target"],
            node["failureSummary"].as_str().unwrap_or_default().replace('\n', " ")
        )
    });
    let places: Vec<String> = places.collect();
    format!("{} ({}): {}", violation["id"], violation["help"], places.join("; "))
}
