//! Places for one upload each.

use std::time::Duration;

use toolgate_core::id::UploadId;
use url::Url;

use super::content;
use crate::access::ContentAccess;
use crate::files::OfferedUpload;
use crate::fixture::{FilesWorld, abandon, cut, holder, name, noise, on_every_storage, sent};

on_every_storage!(
    a_place_takes_one_file_once,
    a_place_can_be_used_again_after_an_upload_broke_off,
    of_two_that_use_a_place_at_once_one_gets_it,
);

fn key(offered: &OfferedUpload) -> String {
    let url = Url::parse(&offered.url).expect("an address");
    assert_eq!(url.path(), format!("/base/uploads/{}", offered.id));
    let (_, key) = url.query_pairs().find(|(name, _)| name == "key").expect("a key");
    key.into_owned()
}

async fn a_place_takes_one_file_once(world: FilesWorld) {
    let erna = holder("erna", "ses_1", None);
    let offered = world.files.offer_upload(&erna, name("cv.txt")).await.expect("offered");
    let key = key(&offered);
    let wrong = world.files.take_upload(&offered.id, "wrong", sent(&noise(10))).await.expect_err("no key");
    let none = world
        .files
        .take_upload(&UploadId::new("upl_none"), &key, sent(&noise(10)))
        .await
        .expect_err("no place");
    assert_eq!((wrong.code.name, none.code.name), ("unknown_upload", "unknown_upload"));
    let file = world.files.take_upload(&offered.id, &key, sent(&"hello".into())).await.expect("taken");
    assert_eq!((file.name.as_str(), &file.owner), ("cv.txt", &erna.principal.id));
    let by = ContentAccess::Session(&erna);
    assert_eq!(content(&world.files, &by, file.id.as_str()).await.as_deref(), Ok(&b"hello"[..]));
    let again = world.files.take_upload(&offered.id, &key, sent(&noise(10))).await.expect_err("used");
    assert_eq!(again.code.name, "upload_used");
    assert_eq!(world.told("file.stored").await.len(), 1);
}

async fn a_place_can_be_used_again_after_an_upload_broke_off(world: FilesWorld) {
    let erna = holder("erna", "ses_1", None);
    let offered = world.files.offer_upload(&erna, name("cv.txt")).await.expect("offered");
    let key = key(&offered);
    let refused = world.files.take_upload(&offered.id, &key, cut(&noise(3_000_000))).await.expect_err("cut");
    assert_eq!(refused.code.name, "upload_cut_off");
    world.files.settle().await;
    abandon(&noise(10), |stream| world.files.take_upload(&offered.id, &key, stream)).await;
    world.files.settle().await;
    world.files.take_upload(&offered.id, &key, sent(&noise(3_000_000))).await.expect("the third is whole");
}

async fn of_two_that_use_a_place_at_once_one_gets_it(world: FilesWorld) {
    let erna = holder("erna", "ses_1", None);
    let offered = world.files.offer_upload(&erna, name("cv.txt")).await.expect("offered");
    let key = key(&offered);
    let takes = (0..4).map(|number| world.files.take_upload(&offered.id, &key, sent(&noise(1_000 + number))));
    let taken = futures_util::future::join_all(takes).await;
    assert_eq!(taken.iter().filter(|one| one.is_ok()).count(), 1, "{taken:?}");
    assert!(
        taken.iter().all(|one| one.as_ref().err().is_none_or(|refused| refused.code.name == "upload_used"))
    );
}

#[tokio::test]
async fn a_place_expires() {
    let world = FilesWorld::folder().await;
    let offered = world.files.offer_upload(&holder("erna", "ses_1", None), name("a")).await.expect("offered");
    let key = key(&offered);
    world.clock.advance(Duration::from_secs(15 * 60));
    let late = world.files.take_upload(&offered.id, &key, sent(&noise(10))).await.expect_err("too late");
    assert_eq!(late.code.name, "upload_expired");
    world.clock.advance(Duration::from_secs(25 * 60 * 60));
    world.files.collect().await.expect("collected");
    let later = world.files.take_upload(&offered.id, &key, sent(&noise(10))).await.expect_err("forgotten");
    assert_eq!(later.code.name, "unknown_upload");
}

#[tokio::test]
async fn a_gateway_that_does_not_know_its_address_gives_none_out() {
    let world = FilesWorld::with(|settings| settings.public_url = None).await;
    let refused =
        world.files.offer_upload(&holder("erna", "ses_1", None), name("a")).await.expect_err("none");
    assert_eq!(refused.code.name, "no_public_url");
}
