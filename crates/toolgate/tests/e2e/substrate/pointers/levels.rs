//! Levels of care find the tools over pointers by what they do, without a list of names.

use serde_json::json;

use super::library::{Library, named};
use crate::governed::bank::status;
use crate::governed::database::Backing;
use crate::kit::call;

/// The levels, and how each answers an advance of a bundle and a promotion to a corpus.
const LEVELS: [(&str, &str, &str); 4] = [
    ("exploratory", "succeeded", "tool_error"),
    ("standard", "succeeded", "pending_approval"),
    ("regulated", "succeeded", "pending_approval"),
    ("audit_critical", "pending_approval", "pending_approval"),
];

#[tokio::test]
async fn a_promotion_is_gated_from_standard_on_and_every_move_at_the_last_level() {
    // The first gateway makes what the others find: at the last level even a manifest needs a person.
    let mut library = Library::open(Backing::Sqlite, "exploratory", "");
    let manifest = library.manifest("one", None).await;
    library.pointer("draft", "bundle", None).await;
    library.pointer("handbook", "corpus", None).await;
    for (level, advanced, promoted) in LEVELS {
        let toml = std::fs::read_to_string(library.site.path("toolgate.toml")).expect("it is there");
        let template = toml.lines().find(|line| line.starts_with("template = ")).expect("a level").to_owned();
        library.site.write("toolgate.toml", &toml.replace(&template, &format!("template = {level:?}")));
        library.site = library.site.restarted(crate::live::site::Ending::Asked);
        let client = library.librarian();
        for (tool, name, expected) in [("advance", "draft", advanced), ("promote", "handbook", promoted)] {
            let arguments = named(name, json!({ "manifest_sha256": manifest }));
            let answer = call(&client, &format!("substrate.pointer.{tool}"), arguments).await;
            assert_eq!(status(&answer), expected, "{level} {tool}: {answer}");
        }
        for tool in ["list", "resolve", "history"] {
            let arguments = if tool == "list" { json!({}) } else { named("draft", json!({})) };
            let answer = call(&client, &format!("substrate.pointer.{tool}"), arguments).await;
            assert_eq!(status(&answer), "succeeded", "{level} {tool}: {answer}");
        }
    }
    library.verify();
}
