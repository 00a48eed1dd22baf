//! Kill -9 of the engine, the gateway or both in the middle of an ingest: it is taken up, it ends, the index is right, and nothing is there
//! twice.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{signal, until_async};

use super::engine::{FrozenEngine, engine_of};
use super::library::{IndexLibrary, hits, ingest_of};
use super::places::IndexPlace;
use crate::doors::WAIT;
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::live::site::{Ending, Site};

/// Enough that the engine is in the middle of them for a while.
const MANY: usize = 60;
const FEW: usize = 4;
/// A document and its DocIR lie in the folder of the engine, so a few of them are parsed by then.
const SOME_CONTENTS: usize = 9;

/// Documents of a word of their own each, under `legal:contracts`.
async fn filled(backing: Backing, place: &IndexPlace, count: usize) -> IndexLibrary {
    let library = IndexLibrary::open(backing, &place.still());
    let texts: Vec<(String, String)> = (0..count)
        .map(|number| {
            (
                format!("d{number:02}.md"),
                format!("# Number {number}\n\nOnly here stands the word w{number}x.\n"),
            )
        })
        .collect();
    let documents: Vec<(&str, &[u8])> =
        texts.iter().map(|(path, words)| (path.as_str(), words.as_bytes())).collect();
    let manifest = library.manifest(&documents).await;
    library.pointer("legal", "contracts", &manifest).await;
    library
}

/// The runs of ingests.
fn ingests(page: &Value) -> Vec<&Value> {
    let runs = page["runs"].as_array().unwrap_or_else(|| panic!("no runs: {page:#}"));
    runs.iter().filter(|run| run["run_type"] == "index_ingest").collect()
}

/// The ingest that was interrupted ends by itself, once, with all documents.
async fn ends_once(library: &IndexLibrary, count: usize) {
    let state = library.state_is(|state| state["documents"] == json!(count)).await;
    assert_eq!((&state["behind"], &state["problem_count"]), (&json!(false), &json!(0)), "{state:#}");
    let page = library
        .site
        .becomes("/runs?limit=200", |page| ingests(page).iter().all(|run| run["state"] == "completed"));
    let page = page.await;
    assert_eq!(ingests(&page).len(), 1, "{page:#}");
    assert_eq!(library.published().await, 1);
    let last = library.search(&format!("w{}x", count - 1)).await;
    assert_eq!(hits(&last)[0]["path"], format!("d{:02}.md", count - 1), "{last:#}");
    // An index that was built in one go has as many passages.
    let rebuilt = library.ingest_as(json!({ "mode": "rebuild" })).await;
    assert_eq!(
        (&rebuilt["index"]["documents"], &rebuilt["index"]["chunks"]),
        (&state["documents"], &state["chunks"]),
        "{rebuilt:#}"
    );
    library.verify();
}

#[tokio::test]
async fn an_engine_that_is_killed_in_the_middle_is_started_again_and_the_ingest_ends() {
    engine_killed_in_the_middle(IndexPlace::Files).await;
}

#[tokio::test]
async fn the_same_where_indexes_lie_in_postgres() {
    engine_killed_in_the_middle(IndexPlace::postgres()).await;
}

async fn engine_killed_in_the_middle(place: IndexPlace) {
    let library = filled(Backing::Sqlite, &place, MANY).await;
    let begun = library.ingest_as(json!({ "wait_seconds": 0 })).await;
    let frozen = FrozenEngine::with_contents(&library.site.gateway, SOME_CONTENTS);
    assert!(library.state().await.is_null(), "it was in the middle");
    frozen.die();
    ends_once(&library, MANY).await;
    let run = library.site.get(&format!("/runs/{}", text(&begun["run"]))).await;
    assert_eq!(run["state"], "completed", "{run:#}");
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Victims {
    Gateway,
    GatewayAndEngine,
}

/// Begins an ingest that stops at this point, kills the gateway there, and starts it again.
async fn killed_at(library: IndexLibrary, point: &str, victims: Victims) -> IndexLibrary {
    let site =
        Site { gateway: library.site.gateway.restart_stopping(true, point), backing: library.site.backing };
    let ingest = Some(ingest_of("legal", "contracts"));
    let request = site.request(&site.gateway.admin, "POST", "/tools/index.ingest", ingest);
    let waiting = tokio::spawn(async move { drop(request.send().await) });
    let line = format!("stopped at {point}");
    let stopped = until_async(WAIT, || async { site.gateway.log().contains(&line).then_some(()) });
    assert!(stopped.await.is_some(), "no ingest reached {point:?}");
    waiting.abort();
    if let Some(engine) = engine_of(&site.gateway).filter(|_| victims == Victims::GatewayAndEngine) {
        signal("-KILL", engine);
    }
    IndexLibrary { site: site.restarted(Ending::Killed) }
}

async fn ends_after_a_kill(backing: Backing, place: IndexPlace, point: &str, victims: Victims) {
    let library = killed_at(filled(backing, &place, FEW).await, point, victims).await;
    ends_once(&library, FEW).await;
}

macro_rules! killed_at {
    ($($name:ident: $point:literal, $victims:ident, $backing:expr, $place:expr;)+) => {
        mod when {
            use super::{Backing, IndexPlace, Victims, ends_after_a_kill};
            $(
                #[tokio::test]
                async fn $name() {
                    ends_after_a_kill($backing, $place, $point, Victims::$victims).await;
                }
            )+
        }
    };
}

killed_at!(
    the_work_is_claimed: "work claimed", Gateway, Backing::Sqlite, IndexPlace::Files;
    a_docir_is_stored: "artifact written", Gateway, Backing::Sqlite, IndexPlace::Files;
    a_docir_is_stored_and_the_engine_dies_too: "artifact written", GatewayAndEngine, Backing::Sqlite, IndexPlace::Files;
    the_manifest_is_stored: "manifest written", Gateway, Backing::Sqlite, IndexPlace::Files;
    the_manifest_of_an_index_in_postgres_is_stored: "manifest written", GatewayAndEngine, Backing::Sqlite, IndexPlace::postgres();
    the_pointer_of_the_index_moves: "pointer written", GatewayAndEngine, Backing::postgres(), IndexPlace::Files;
    the_pointer_of_an_index_in_postgres_moves: "pointer written", GatewayAndEngine, Backing::Sqlite, IndexPlace::postgres();
    the_index_is_published: "index kept", Gateway, Backing::Sqlite, IndexPlace::Files;
    the_run_has_ended: "run of work completed", Gateway, Backing::Sqlite, IndexPlace::Files;
);
