//! The difference between a request that was not recorded and the nearest one that was.

use serde_json::Value;

use super::Recording;

/// More are counted and not shown.
const DIFFERENCES_SHOWN_MAX: usize = 10;
const VALUE_CHARACTERS_MAX: usize = 120;

pub(super) fn miss(path: &str, request: &Value, recordings: &[Recording]) -> String {
    let nearest = recordings
        .iter()
        .filter(|recording| recording.path == path)
        .map(|recording| differences(&recording.request, request))
        .min_by_key(Vec::len);
    let Some(nearest) = nearest else { return format!("nothing is recorded for {path}") };
    let shown: Vec<&str> = nearest.iter().take(DIFFERENCES_SHOWN_MAX).map(String::as_str).collect();
    format!(
        "the request is not recorded; the nearest one differs in {} places:\n{}",
        nearest.len(),
        shown.join("\n")
    )
}

fn differences(recorded: &Value, asked: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", Some(recorded), Some(asked), &mut found);
    found
}

fn compare(place: &str, recorded: Option<&Value>, asked: Option<&Value>, found: &mut Vec<String>) {
    match (recorded, asked) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let added = other.keys().filter(|name| !one.contains_key(*name));
            for name in one.keys().chain(added) {
                compare(&format!("{place}/{name}"), one.get(name), other.get(name), found);
            }
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            for at in 0..one.len().max(other.len()) {
                compare(&format!("{place}/{at}"), one.get(at), other.get(at), found);
            }
        }
        (recorded, asked) if recorded == asked => {}
        (recorded, asked) => {
            found.push(format!("{place}: recorded {}, asked {}", shown(recorded), shown(asked)));
        }
    }
}

fn shown(value: Option<&Value>) -> String {
    let text = value.map_or_else(|| "nothing".to_owned(), Value::to_string);
    text.chars().take(VALUE_CHARACTERS_MAX).collect()
}
