//! Artifacts: the output of runs.

use serde_json::json;
use toolgate_core::event::EventKind;
use toolgate_core::file::{Artifact, FileName};
use toolgate_core::id::RunId;
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::{ArtifactOutcome, StoreArtifactError};

use super::{NOW_MS, agent, detail, replicas, touch};
use crate::desk::ledger;
use crate::world::StoreWorld;

crate::on_both!(
    an_artifact_is_stored_and_told_of_once,
    a_run_has_one_artifact_of_each_name,
    of_two_contents_under_one_name_one_wins,
    outside_a_run_nothing_is_in_the_way,
);

pub(super) fn artifact(name: &str, content: &str) -> Artifact {
    Artifact {
        digest: Digest::of(content),
        name: FileName::new(name).expect("a legal name"),
        media_type: "text/plain".into(),
        bytes: content.len() as u64,
        run: Some(RunId::new("run_1")),
        owner: PrincipalId::new("agent"),
        created_at_ms: NOW_MS,
    }
}

async fn an_artifact_is_stored_and_told_of_once(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    touch(&store, "hello").await;
    let made = artifact("CV.md", "hello");
    let storing = (0..8).map(|turn| {
        let (books, made) = (if turn % 2 == 0 { one.clone() } else { two.clone() }, made.clone());
        tokio::spawn(async move { books.store_artifact(&made, &agent()).await.expect("stored") })
    });
    let mut new = 0;
    for storing in storing.collect::<Vec<_>>() {
        new += usize::from(storing.await.expect("no panic") == ArtifactOutcome::New);
    }
    assert_eq!(new, 1);
    assert_eq!(store.artifact_rows(&made.digest).await.expect("read"), std::slice::from_ref(&made));
    assert_eq!(store.run_artifacts(&RunId::new("run_1")).await.expect("read"), std::slice::from_ref(&made));
    assert_eq!(store.run_artifacts(&RunId::new("run_2")).await.expect("read"), []);
    let told = ledger(&store).await;
    assert_eq!(told.len(), 1);
    assert_eq!((told[0].event.kind, told[0].event.at_ms), (EventKind::ArtifactStored, NOW_MS));
    assert_eq!(told[0].event.about.run, made.run);
    let expected = json!({
        "digest": made.digest,
        "name": "CV.md",
        "media_type": "text/plain",
        "bytes": 5,
        "owner": "agent",
    });
    assert_eq!(detail(&told[0]), expected);
}

async fn a_run_has_one_artifact_of_each_name(world: StoreWorld) {
    let (store, books, _) = replicas(&world).await;
    touch(&store, "hello").await;
    touch(&store, "other").await;
    let first = artifact("a", "hello");
    books.store_artifact(&first, &agent()).await.expect("stored");
    let refused = books.store_artifact(&artifact("a", "other"), &agent()).await;
    let Err(StoreArtifactError::Conflict(existing)) = refused else { panic!("{refused:?}") };
    assert_eq!(*existing, first);
    let in_another = Artifact { run: Some(RunId::new("run_2")), ..artifact("a", "other") };
    let by_another_name = Artifact { created_at_ms: NOW_MS + 1, ..artifact("b", "hello") };
    for also in [&in_another, &by_another_name] {
        assert_eq!(books.store_artifact(also, &agent()).await.expect("stored"), ArtifactOutcome::New);
    }
    let of_first = store.artifact_rows(&first.digest).await.expect("read");
    assert_eq!(of_first, [first.clone(), by_another_name.clone()], "the oldest first");
    let of_run = store.run_artifacts(&RunId::new("run_1")).await.expect("read");
    assert_eq!(of_run, [first, by_another_name]);
    assert_eq!(ledger(&store).await.len(), 3);
}

async fn of_two_contents_under_one_name_one_wins(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for turn in 0..5 {
        let name = format!("a{turn}");
        touch(&store, "hello").await;
        touch(&store, "other").await;
        let [hello, other] = [artifact(&name, "hello"), artifact(&name, "other")];
        let by = agent();
        let (here, there) = tokio::join!(one.store_artifact(&hello, &by), two.store_artifact(&other, &by));
        let kept = match (here, there) {
            (Ok(ArtifactOutcome::New), Err(StoreArtifactError::Conflict(kept))) => (kept, hello),
            (Err(StoreArtifactError::Conflict(kept)), Ok(ArtifactOutcome::New)) => (kept, other),
            both => panic!("{both:?}"),
        };
        assert_eq!(*kept.0, kept.1);
    }
    assert_eq!(ledger(&store).await.len(), 5);
}

async fn outside_a_run_nothing_is_in_the_way(world: StoreWorld) {
    let (store, books, _) = replicas(&world).await;
    touch(&store, "hello").await;
    touch(&store, "other").await;
    let loose = |content| Artifact { run: None, ..artifact("a", content) };
    assert_eq!(books.store_artifact(&loose("hello"), &agent()).await.expect("stored"), ArtifactOutcome::New);
    assert_eq!(books.store_artifact(&loose("other"), &agent()).await.expect("stored"), ArtifactOutcome::New);
    assert_eq!(books.store_artifact(&loose("hello"), &agent()).await.expect("stored"), ArtifactOutcome::Same);
    assert_eq!(store.artifact_rows(&Digest::of("hello")).await.expect("read").len(), 1);
}
