//! Builds of indexes.

use engine_protocol::{BeginBuild, EngineKind, IngestDocument};
use toolgate_core::Digest;

use super::kit::{content, listing, profile, scene, until};

fn begin() -> BeginBuild {
    BeginBuild {
        engine: EngineKind::Inside,
        name: "project/a/handbook@docs.default".to_owned(),
        base: Some(listing(&[("old.term", "an old segment")])),
        profile: profile(),
    }
}

fn documents(count: usize) -> Vec<IngestDocument> {
    let document = |at: usize| IngestDocument {
        path: format!("{at}.md"),
        artifact: content("a text"),
        docir: content("the docir"),
        media_type: None,
        metadata: serde_json::Map::new(),
    };
    (0..count).map(document).collect()
}

/// An engine whose finished index has an old and a new file.
fn builder() -> String {
    let finished = listing(&[("new.term", "a new segment"), ("old.term", "an old segment")]);
    let finished = serde_json::json!({ "listing": finished });
    let new = content("a new segment");
    format!(
        r#"answer() {{
  case $method in
    begin_build) result '{{"build":7}}' ;;
    put_documents) result '{{"documents":1,"chunks":2,"embedded":3,"reused":4,"refused":[{{"path":"x","why":"empty"}}]}}' ;;
    drop_documents) result null ;;
    finish_build) printf 'a new segment' >contents/{}; result '{finished}' ;;
  esac
}}
"#,
        new.as_str()
    )
}

#[tokio::test]
async fn many_documents_go_in_parts_and_new_files_are_stored() {
    let scene = scene(&builder()).await;
    let mut build = scene.link.build(begin()).await.expect("begun");
    let summary = build.put(documents(250)).await.expect("put");
    assert_eq!((scene.asked("put_documents"), summary.documents, summary.chunks), (3, 3, 6));
    assert_eq!((summary.embedded, summary.reused, summary.refused.len()), (9, 12, 3));
    build.drop_documents(vec!["gone.md".to_owned()]).await.expect("dropped");
    let listing = build.finish().await.expect("finished");
    assert_eq!(listing.files.len(), 2);
    let stored = scene.blobs.read_whole(Digest::of("a new segment"), 100).await.expect("stored");
    assert_eq!(&stored[..], b"a new segment");
    assert_eq!(scene.asked("abandon_build"), 0);
}

#[tokio::test]
async fn a_build_that_is_dropped_is_abandoned() {
    let scene = scene(&builder()).await;
    drop(scene.link.build(begin()).await.expect("begun"));
    until("the engine hears of it", || scene.asked("abandon_build") == 1).await;
}

#[tokio::test]
async fn a_build_is_lost_with_its_engine_and_the_next_one_begins_in_another() {
    let scene =
        scene("answer() { case $method in begin_build) result '{\"build\":7}' ;; *) exit 1 ;; esac; }\n")
            .await;
    let mut build = scene.link.build(begin()).await.expect("begun");
    assert_eq!(build.put(documents(1)).await.expect_err("it ended").code.name, "engine_failed");
    scene.behave(&builder());
    let mut next = scene.link.build(begin()).await.expect("begun again");
    assert!(next.put(documents(1)).await.is_ok());
    let lost = build.put(documents(1)).await.expect_err("it belongs to the engine before");
    assert_eq!((lost.code.name, scene.starts()), ("engine_failed", 2));
}
