//! Pages as the script tells them, and what is made of them.

mod budget;
mod change;
mod form;
mod words;

use serde_json::{Value, json};

use super::entry::PageAnswer;
use super::snapshot::{Snapshot, SnapshotWish, composed};

/// A page with some entries, as the script would tell it.
fn page(entries: Value) -> PageAnswer {
    let answer = json!({
        "document": "1", "title": "Apply — Example Jobs", "url": "https://jobs.example/apply/7", "next": 9,
        "entries": entries, "scroll": { "x": 0, "y": 0, "height": 900 },
    });
    serde_json::from_value(answer).unwrap()
}

fn wished(entries: Value, wish: &SnapshotWish) -> Snapshot {
    composed(page(entries), wish, |text| text)
}

fn seen(entries: Value) -> Snapshot {
    wished(entries, &SnapshotWish::default())
}

/// The lines below the first.
fn body(entries: Value) -> String {
    let text = seen(entries).text;
    text.split_once('\n').map(|(_, body)| body.to_owned()).unwrap_or_default()
}

fn button(number: u64, name: &str) -> Value {
    json!({ "r": "button", "n": name, "e": number, "i": number, "z": 0 })
}

fn text(identity: u64, words: &str) -> Value {
    json!({ "r": "text", "n": words, "i": identity, "z": 0 })
}
