//! A session finds what it has mounted, scored as if nothing else existed.

use serde_json::{Value, json};

use super::library::{IndexLibrary, STILL, hits, ingest_of, named, paths};
use super::places::{IndexPlace, on_both_engines};
use crate::governed::database::Backing;

on_both_engines!(a_hidden_document_is_never_found_and_changes_no_score);

/// It would be the best hit, and its words would make those of the lease more common.
const LETTER: &str = "# Notice period\n\nA letter about the notice period of the lease. The notice period, the lease, the notice.\n";
const QUERY: &str = "notice period of the lease";

async fn letters(library: &IndexLibrary) {
    let manifest =
        library.manifest(&[("letter.md", LETTER.as_bytes()), ("copy.md", LETTER.as_bytes())]).await;
    library.pointer("letters", "june", &manifest).await;
    library.done("index.ingest", ingest_of("letters", "june")).await;
}

/// All of what a search by this agent says.
async fn heard(library: &IndexLibrary, token: &str, arguments: Value) -> String {
    library.done_by(token, "index.search", arguments).await.to_string()
}

async fn a_hidden_document_is_never_found_and_changes_no_score(backing: Backing, place: IndexPlace) {
    let library = IndexLibrary::filled(backing, &place.still()).await;
    library.ingest().await;
    let lawyer = library.token("lawyer");
    let asked = [
        json!({ "query": QUERY }),
        json!({ "query": QUERY, "scope": { "pointers": [named("legal", "contracts")] } }),
        json!({ "query": QUERY, "filters": { "path_prefix": "le" } }),
    ];
    let mut before = Vec::new();
    for arguments in &asked {
        before.push(heard(&library, &lawyer, arguments.clone()).await);
    }
    letters(&library).await;
    for (arguments, before) in asked.iter().zip(&before) {
        let after = heard(&library, &lawyer, arguments.clone()).await;
        assert_eq!(after, *before, "{arguments}");
        assert!(!after.contains("letter") && !after.contains("copy.md"), "{after}");
    }
    // Whoever sees both has other scores, so the same ones above are no accident.
    let all = library.search(QUERY).await;
    assert!(paths(&all).contains(&"letter.md"), "{all:#}");
    let lease = hits(&all).iter().find(|hit| hit["path"] == "lease.md").expect("it is found");
    let own: Value = serde_json::from_str(&before[0]).expect("JSON");
    let alone = hits(&own).iter().find(|hit| hit["path"] == "lease.md").expect("it is found");
    assert_ne!(lease["score"], alone["score"]);
}

#[tokio::test]
async fn what_is_not_mounted_is_like_what_does_not_exist() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    library.ingest().await;
    letters(&library).await;
    let (lawyer, clerk) = (library.token("lawyer"), library.token("clerk"));
    let without = |said: (u16, String, String), name: &str| (said.0, said.1, said.2.replace(name, "NAME"));
    let scope = |name: &str| json!({ "query": QUERY, "scope": { "pointers": [named("letters", name)] } });
    let filtered = |name: &str| {
        let mut arguments = scope(name);
        arguments["filters"] = json!({ "path_prefix": "letter", "metadata": { "secret": true } });
        arguments
    };
    let explained = |name: &str| {
        let mut arguments = scope(name);
        arguments["hit"] = json!(format!("letters:{name}@docs.default#0"));
        arguments
    };
    let ingested = |name: &str| ingest_of("letters", name);
    let evaluated = |name: &str| json!({ "target": { "pointer": named("letters", name) } });
    let parsed = |name: &str| named("letters", name);
    type Arguments<'a> = &'a dyn Fn(&str) -> Value;
    let asking: [(&str, Arguments<'_>); 6] = [
        ("index.search", &scope),
        ("index.search", &filtered),
        ("index.explain", &explained),
        ("index.ingest", &ingested),
        ("index.evaluate", &evaluated),
        ("document.parse", &parsed),
    ];
    for (tool, arguments) in asking {
        let theirs = library.refused(&lawyer, tool, arguments("june")).await;
        let nobodys = library.refused(&lawyer, tool, arguments("july")).await;
        assert_eq!((theirs.0, theirs.1.as_str()), (404, "unknown_pointer"), "{tool}: {theirs:?}");
        assert_eq!(without(theirs, "june"), without(nobodys, "july"), "{tool}");
    }
    // A hit of a pointer that is not mounted is no hit, also where the scope does not name it.
    let hit = json!({ "query": QUERY, "hit": "letters:june@docs.default#0" });
    let theirs = library.refused(&lawyer, "index.explain", hit).await;
    let nobodys = json!({ "query": QUERY, "hit": "letters:july@docs.default#0" });
    let nobodys = library.refused(&lawyer, "index.explain", nobodys).await;
    assert_eq!(without(theirs, "june"), without(nobodys, "july"));

    let shown = library.done_by(&lawyer, "index.status", json!({})).await;
    assert!(!shown["indexes"].to_string().contains("letters"), "{shown:#}");
    assert_eq!(shown["indexes"][0]["pointer"], named("legal", "contracts"), "{shown:#}");
    let found = library.done_by(&clerk, "index.search", json!({ "query": QUERY })).await;
    assert!(hits(&found).iter().all(|hit| hit["pointer"] == named("letters", "june")), "{found:#}");
    assert!(!hits(&found).is_empty());
}

#[tokio::test]
async fn a_pointer_that_is_deleted_is_found_no_more() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    library.ingest().await;
    letters(&library).await;
    library.done("substrate.pointer.delete", named("letters", "june")).await;
    let found = library.search(QUERY).await;
    assert!(hits(&found).iter().all(|hit| hit["pointer"] == named("legal", "contracts")), "{found:#}");
    let clerk = library.token("clerk");
    let refused = library.refused(&clerk, "index.search", json!({ "query": QUERY })).await;
    assert_eq!(refused.1, "no_index", "{refused:?}");
}
