//! `document.classify`: the caller's labels, with the passages that speak for the best one.

use serde_json::{Value, json};

use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::index::library::{IndexLibrary, STILL, hex};

const INVOICE: &str =
    "# From the harbour\n\nHello to all of you. The invoice has to be paid within thirty days of its date.\n";

fn label(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description })
}

#[tokio::test]
async fn a_document_is_told_by_the_sentence_that_speaks_for_it() {
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let artifact = library.entry("letter.md", INVOICE.as_bytes()).await["artifact_sha256"].clone();
    let labels =
        [label("recipe", "cooking, ingredients, oven"), label("invoice", "payment, paid, days, invoice")];
    let said = library.done("document.classify", json!({ "artifact": artifact, "labels": labels })).await;
    let best = &said["scores"][0];
    assert_eq!(
        (&best["label"], said["scores"].as_array().map(Vec::len)),
        (&json!("invoice"), Some(2)),
        "{said:#}"
    );
    let score = |at: usize| said["scores"][at]["score"].as_f64().expect("a number");
    assert!(score(0) > score(1) && (0.0..=1.0).contains(&score(0)), "{said:#}");
    let citation = &best["evidence"][0]["citation"];
    assert_eq!(
        citation["quote"]["exact"], "The invoice has to be paid within thirty days of its date.",
        "{said:#}"
    );
    assert_eq!(text(&citation["artifact"]), hex(text(&artifact)), "{said:#}");
    assert_eq!(format!("sha256:{}", text(&citation["docir"])), text(&said["docir"]), "{said:#}");
}

#[tokio::test]
async fn labels_that_make_no_sense_are_refused_with_advice() {
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let artifact = library.entry("letter.md", INVOICE.as_bytes()).await["artifact_sha256"].clone();
    let many: Vec<Value> = (0..51).map(|number| label(&format!("label {number}"), "one of many")).collect();
    for labels in [
        json!([]),
        json!([label("one", "alone")]),
        json!(many),
        json!([label("same", "x"), label("same", "y")]),
        json!([label(" ", "x"), label("other", "y")]),
        json!([label(&"x".repeat(101), "x"), label("other", "y")]),
        json!([label("one", &"x".repeat(1_001)), label("other", "y")]),
    ] {
        let arguments = json!({ "artifact": artifact, "labels": labels });
        let refused = library.refused(library.admin(), "document.classify", arguments).await;
        assert_eq!((refused.0, refused.1.as_str()), (422, "invalid_arguments"), "{labels}: {refused:?}");
    }
}
