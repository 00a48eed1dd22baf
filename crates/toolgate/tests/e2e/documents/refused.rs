//! Calls that name nothing, too much, or what is not there.

use serde_json::{Value, json};

use crate::files::bytes::digest;
use crate::governed::database::Backing;
use crate::index::library::{IndexLibrary, STILL, named};

fn with(mut arguments: Value, key: &str, value: Value) -> Value {
    arguments[key] = value;
    arguments
}

#[tokio::test]
async fn calls_that_make_no_sense_are_refused_with_advice() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    library.done("substrate.pointer.create", named("legal", "empty")).await;
    let (head, nowhere) = (library.head().await, digest(b"nowhere"));
    for (arguments, status, code) in [
        (json!({}), 422, "invalid_arguments"),
        (json!({ "artifact": nowhere, "file_id": "file_1" }), 422, "invalid_arguments"),
        (json!({ "artifact": nowhere, "manifest": head }), 422, "invalid_arguments"),
        (json!({ "namespace": "legal" }), 422, "invalid_arguments"),
        (json!({ "name": "contracts" }), 422, "invalid_arguments"),
        (with(named("legal", "contracts"), "manifest", json!(head)), 422, "invalid_arguments"),
        (json!({ "artifact": "abc" }), 422, "invalid_arguments"),
        (json!({ "manifest": "abc" }), 422, "invalid_arguments"),
        (json!({ "artifact": nowhere, "tier": "deepest" }), 422, "invalid_arguments"),
        (with(named("legal", "contracts"), "wait_seconds", json!(100_000)), 422, "invalid_arguments"),
        (named("legal", "empty"), 422, "invalid_arguments"),
        (named("legal", "nothing"), 404, "unknown_pointer"),
        (json!({ "artifact": nowhere }), 404, "unknown_artifact"),
        (json!({ "file_id": "file_nothing" }), 404, "unknown_file"),
        (json!({ "ref_id": "ref_00000000000000000000000000000000" }), 404, "unknown_ref"),
        (json!({ "manifest": nowhere }), 404, "unknown_manifest"),
    ] {
        let refused = library.refused(library.admin(), "document.parse", arguments.clone()).await;
        assert_eq!((refused.0, refused.1.as_str()), (status, code), "{arguments}: {refused:?}");
    }
}
