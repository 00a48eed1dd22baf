//! A session sees the pointers that it has mounted. All others are like those that do not exist.

use serde_json::{Value, json};

use super::library::Library;
use crate::files::archive::{data, text};
use crate::governed::database::Backing;
use crate::kit::call;

async fn named_in(library: &Library, namespace: &str, name: &str) {
    library.done("pointer.create", json!({ "namespace": namespace, "name": name })).await;
}

/// The answer without the name and the id of the call.
fn without(result: &Value, name: &str) -> String {
    let mut said = result.clone();
    said["structuredContent"]["tool_call_id"] = Value::Null;
    said["_meta"] = Value::Null;
    said.to_string().replace(name, "NAME")
}

#[tokio::test]
async fn a_pointer_outside_the_mounts_answers_like_one_that_does_not_exist() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    named_in(&library, "secret", "plans").await;
    let client = library.librarian();
    let manifest = library.manifest("one", None).await;
    for (action, more) in [
        ("resolve", json!({})),
        ("history", json!({})),
        ("advance", json!({ "manifest_sha256": manifest })),
        ("promote", json!({ "manifest_sha256": manifest })),
        ("revert", json!({})),
        ("delete", json!({})),
    ] {
        let tool = format!("substrate.pointer.{action}");
        let ask = async |name: &str| {
            let mut arguments = more.clone();
            (arguments["namespace"], arguments["name"]) = (json!("secret"), json!(name));
            call(&client, &tool, arguments).await
        };
        let (theirs, nobodys) = (ask("plans").await, ask("plane").await);
        assert_eq!(theirs["structuredContent"]["error"]["code"], "unknown_pointer", "{theirs}");
        assert_eq!(without(&theirs, "plans"), without(&nobodys, "plane"), "{action}");
    }
    let outside = json!({ "namespace": "secret", "name": "plans" });
    let taken = call(&client, "substrate.pointer.create", outside).await;
    assert_eq!(taken["structuredContent"]["error"]["code"], "unknown_pointer", "{taken}");
}

#[tokio::test]
async fn what_a_source_outside_the_mounts_leads_to_is_not_promoted() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    named_in(&library, "secret", "plans").await;
    library.pointer("handbook", "corpus", None).await;
    let client = library.librarian();
    let ask = async |name: &str| {
        let arguments = json!({ "namespace": "project/a", "name": "handbook", "source_namespace": "secret",
            "source_name": name });
        call(&client, "substrate.pointer.promote", arguments).await
    };
    let (theirs, nobodys) = (ask("plans").await, ask("plane").await);
    assert_eq!(theirs["structuredContent"]["error"]["code"], "unknown_pointer", "{theirs}");
    assert_eq!(without(&theirs, "plans"), without(&nobodys, "plane"));
}

#[tokio::test]
async fn lists_leave_out_what_is_not_mounted_on_every_page() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    for (namespace, name) in
        [("project/a", "x"), ("project/b", "y"), ("project/b", "z"), ("secret", "plans"), ("projects", "x")]
    {
        named_in(&library, namespace, name).await;
    }
    let client = library.librarian();
    let list =
        async |arguments: Value| data(&call(&client, "substrate.pointer.list", arguments).await).clone();
    let names = |page: &Value| -> Vec<String> {
        let all = page["pointers"].as_array().expect("a list").iter();
        all.map(|one| format!("{}:{}", text(&one["namespace"]), text(&one["name"]))).collect()
    };
    assert_eq!(names(&list(json!({})).await), ["project/a:x", "project/b:y", "project/b:z"]);
    assert_eq!(names(&list(json!({ "namespace": "project/b" })).await), ["project/b:y", "project/b:z"]);
    assert_eq!(names(&list(json!({ "namespace": "secret" })).await), Vec::<String>::new());
    assert_eq!(names(&list(json!({ "pointer_type": "corpus" })).await), Vec::<String>::new());
    let (mut seen, mut arguments) = (Vec::new(), json!({ "limit": 1 }));
    loop {
        let page = list(arguments.clone()).await;
        seen.extend(names(&page));
        match page.get("next_cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(seen, ["project/a:x", "project/b:y", "project/b:z"]);
    let all = library.done("pointer.list", json!({})).await;
    assert_eq!(names(&all).len(), 5, "those who run the gateway need no mounts");
    let odd = library.said("pointer.list", json!({ "cursor": "ptr_0" })).await;
    assert_eq!(odd.json()["error"]["code"], "invalid_cursor", "{odd:?}");
}

#[tokio::test]
async fn a_page_of_long_descriptions_stays_an_answer() {
    let library = Library::open(Backing::Sqlite, "exploratory", "");
    for number in 10..30 {
        let wordy = json!({ "namespace": "project/a", "name": format!("p{number}"), "description": "x".repeat(2_000) });
        library.done("pointer.create", wordy).await;
    }
    let (mut names, mut arguments, mut pages) = (Vec::new(), json!({}), 0);
    loop {
        let page = library.done("pointer.list", arguments.clone()).await;
        pages += 1;
        assert!(page.to_string().len() < 32 << 10, "a longer one would become a ref");
        names.extend(
            page["pointers"].as_array().expect("a list").iter().map(|one| text(&one["name"]).to_owned()),
        );
        match page.get("next_cursor") {
            Some(cursor) => arguments["cursor"] = cursor.clone(),
            None => break,
        }
    }
    assert_eq!(names, (10..30).map(|number| format!("p{number}")).collect::<Vec<_>>());
    assert!(pages > 1, "twenty of them do not fit one answer");
}
