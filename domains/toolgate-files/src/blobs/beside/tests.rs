//! Named bytes in a folder and in S3.

use super::*;
use crate::fixture::{FilesWorld, on_every_storage};

on_every_storage!(named_bytes_come_back, only_what_was_read_is_replaced, names_are_listed_below_their_folder);

async fn read(blobs: &Blobs, name: &str) -> Option<NamedObject> {
    NamedBytes::read(blobs, name).await.expect("the storage answers")
}

async fn named_bytes_come_back(world: FilesWorld) {
    let blobs = world.files.blobs();
    assert_eq!(read(blobs, "ledger/default/index.json").await, None);
    for text in ["one", "two"] {
        NamedBytes::write(blobs, "ledger/default/index.json", text.into()).await.expect("written");
        let found = read(blobs, "ledger/default/index.json").await.expect("there");
        assert_eq!(found.bytes, text);
    }
}

async fn only_what_was_read_is_replaced(world: FilesWorld) {
    let (blobs, name) = (world.files.blobs(), "ledger/default/index.json");
    assert!(blobs.replace(name, None, "one".into()).await.expect("answered"));
    assert!(!blobs.replace(name, None, "again".into()).await.expect("answered"), "there is one");
    let one = read(blobs, name).await.expect("there");
    assert!(blobs.replace(name, Some(&one), "two".into()).await.expect("answered"));
    assert!(!blobs.replace(name, Some(&one), "three".into()).await.expect("answered"), "it was replaced");
    assert_eq!(read(blobs, name).await.expect("there").bytes, "two");
}

async fn names_are_listed_below_their_folder(world: FilesWorld) {
    let blobs = world.files.blobs();
    for name in ["ledger/default/index.json", "ledger/default/2026-08-01/a.parquet", "other/b"] {
        NamedBytes::write(blobs, name, name.to_owned().into()).await.expect("written");
    }
    let mut found = blobs.list("ledger/default").await.expect("a list");
    found.sort();
    assert_eq!(found, ["ledger/default/2026-08-01/a.parquet", "ledger/default/index.json"]);
}
