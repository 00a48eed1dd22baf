//! Pointers that move are ingested by themselves, if they have an index whose profile says so.

use serde_json::json;

use super::library::{IndexLibrary, hits, named};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::site::Ending;

on_both!(a_pointer_that_advances_is_ingested_by_itself);

const BARN: &str = "# Barn\n\nThe barn is full of hay. Owls live under its roof.\n";

async fn a_pointer_that_advances_is_ingested_by_itself(backing: Backing) {
    let library = IndexLibrary::filled(backing, "").await;
    library.ingest().await;
    let other = library.manifest(&[("barn.md", BARN.as_bytes())]).await;
    library.pointer("legal", "drafts", &other).await;
    let two = library.edited(&library.head().await, &[("barn.md", BARN.as_bytes())], &["garden.md"]).await;
    library.advance(&two).await;
    let state = library.state_is(|state| state["source_manifest"] == json!(two)).await;
    assert_eq!((&state["behind"], &state["documents"]), (&json!(false), &json!(3)), "{state:#}");
    assert_eq!(hits(&library.search("owls").await)[0]["path"], "barn.md");
    let drafts = library.done("index.status", named("legal", "drafts")).await;
    assert_eq!(drafts["indexes"], json!([]), "nobody ever indexed it: {drafts:#}");
    assert_eq!(library.published().await, 2);

    // A move while no gateway follows is seen by the next one.
    library.done("substrate.pointer.revert", named("legal", "contracts")).await;
    let three = library.edited(&two, &[("late.md", BARN.as_bytes())], &[]).await;
    library.advance(&three).await;
    let library = IndexLibrary { site: library.site.restarted(Ending::Killed) };
    library.state_is(|state| state["source_manifest"] == json!(three)).await;
    library.verify();
}
