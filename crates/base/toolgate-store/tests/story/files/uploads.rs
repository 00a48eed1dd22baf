//! Places for one upload each.

use toolgate_core::file::FileName;
use toolgate_core::id::{FileId, RunId, SessionId, UploadId};
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::{NewUpload, Store, UploadClaim};

use super::NOW_MS;
use crate::world::StoreWorld;

crate::on_both!(
    one_of_many_gets_the_place,
    a_broken_upload_may_be_tried_again_until_its_time_is_over,
    old_places_are_forgotten,
);

fn place(id: &str, expires_at_ms: i64) -> NewUpload {
    NewUpload {
        id: UploadId::new(format!("upl_{id}")),
        secret_digest: Digest::of("key"),
        name: FileName::new("CV.pdf").expect("a legal name"),
        owner: PrincipalId::new("erna"),
        session: SessionId::new("ses_1"),
        run: Some(RunId::new("run_1")),
        expires_at_ms,
    }
}

async fn claim(store: &Store, id: &UploadId, now_ms: i64) -> UploadClaim {
    store.claim_upload(id, now_ms).await.expect("asked")
}

async fn one_of_many_gets_the_place(world: StoreWorld) {
    let stores = [world.open().await, world.open().await];
    let new = place("1", NOW_MS + 10);
    stores[0].offer_upload(&new).await.expect("offered");
    let claiming = (0..16).map(|turn| {
        let (store, id) = (stores[turn % 2].clone(), new.id.clone());
        tokio::spawn(async move { claim(&store, &id, NOW_MS).await })
    });
    let mut got = Vec::new();
    for claiming in claiming.collect::<Vec<_>>() {
        match claiming.await.expect("no panic") {
            UploadClaim::Ready(upload) => got.push(upload),
            other => assert_eq!(other, UploadClaim::Used),
        }
    }
    assert_eq!(got.len(), 1, "one winner");
    let got = &got[0];
    assert_eq!((&got.id, got.secret_digest, &got.name), (&new.id, new.secret_digest, &new.name));
    assert_eq!((&got.owner, &got.session, &got.run), (&new.owner, &new.session, &new.run));
    assert_eq!((got.expires_at_ms, &got.file), (new.expires_at_ms, &None));
    assert_eq!(claim(&stores[0], &UploadId::new("upl_2"), NOW_MS).await, UploadClaim::Unknown);
}

async fn a_broken_upload_may_be_tried_again_until_its_time_is_over(world: StoreWorld) {
    let store = world.open().await;
    let new = place("1", NOW_MS + 10);
    store.offer_upload(&new).await.expect("offered");
    assert!(matches!(claim(&store, &new.id, NOW_MS).await, UploadClaim::Ready(_)));
    store.release_upload(&new.id).await.expect("given back");
    assert_eq!(claim(&store, &new.id, NOW_MS + 10).await, UploadClaim::Expired);
    assert!(matches!(claim(&store, &new.id, NOW_MS + 9).await, UploadClaim::Ready(_)));
    store.finish_upload(&new.id, &FileId::new("file_1")).await.expect("closed");
    let done = store.upload(&new.id).await.expect("read").expect("is there");
    assert_eq!(done.file, Some(FileId::new("file_1")));
    // A late release has no effect.
    store.release_upload(&new.id).await.expect("asked");
    store.finish_upload(&new.id, &FileId::new("file_2")).await.expect("asked");
    assert_eq!(store.upload(&new.id).await.expect("read"), Some(done));
    assert_eq!(claim(&store, &new.id, NOW_MS).await, UploadClaim::Used);
    assert_eq!(
        claim(&store, &new.id, NOW_MS + 10).await,
        UploadClaim::Used,
        "it was used, whatever the time"
    );
}

async fn old_places_are_forgotten(world: StoreWorld) {
    let store = world.open().await;
    for (id, expires_at_ms) in [("1", NOW_MS - 2), ("2", NOW_MS - 1), ("3", NOW_MS)] {
        store.offer_upload(&place(id, expires_at_ms)).await.expect("offered");
    }
    assert_eq!(store.forget_uploads(NOW_MS, 1).await.expect("forgotten"), 1);
    assert_eq!(claim(&store, &UploadId::new("upl_1"), NOW_MS).await, UploadClaim::Unknown);
    assert_eq!(claim(&store, &UploadId::new("upl_2"), NOW_MS).await, UploadClaim::Expired);
    assert_eq!(store.forget_uploads(NOW_MS, 9).await.expect("forgotten"), 1);
    assert_eq!(claim(&store, &UploadId::new("upl_3"), NOW_MS).await, UploadClaim::Expired);
}
