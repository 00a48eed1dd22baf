//! Files, refs, artifacts, uploads, and the bytes they share.

mod artifacts;
mod bytes;
mod keeping;
mod refs;
mod uploads;

use toolgate_core::event::RecordedEvent;
use toolgate_core::file::{File, FileName};
use toolgate_core::id::{FileId, RunId, SessionId};
use toolgate_core::{Digest, PrincipalId};
use toolgate_store::{Actor, BlobReservation, Books, Store};

use crate::desk;
use crate::world::StoreWorld;

const NOW_MS: i64 = 1_780_000_000_000;

/// Two gateways on one database.
async fn replicas(world: &StoreWorld) -> (Store, Books, Books) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    (first, one, two)
}

fn file(id: &str, content: &str) -> File {
    File {
        id: FileId::new(format!("file_{id}")),
        name: FileName::new("Müller – CV.pdf").expect("a legal name"),
        media_type: "application/pdf".into(),
        bytes: content.len() as u64,
        digest: Digest::of(content),
        owner: PrincipalId::new("erna"),
        created_at_ms: NOW_MS,
        expires_at_ms: Some(NOW_MS + 1_000),
    }
}

fn erna() -> Actor {
    Actor::person(&PrincipalId::new("erna"))
}

/// A doer in a session of a run.
fn agent() -> Actor {
    Actor {
        principal: PrincipalId::new("agent"),
        session: Some(SessionId::new("ses_1")),
        run: Some(RunId::new("run_1")),
        call: Some(desk::call("1")),
    }
}

async fn touch(store: &Store, content: &str) -> BlobReservation {
    touch_at(store, content, NOW_MS).await
}

async fn touch_at(store: &Store, content: &str, at_ms: i64) -> BlobReservation {
    store.touch_blob(&Digest::of(content), content.len() as u64, at_ms).await.expect("touched")
}

/// Keeps a file as a gateway does, once its bytes are written.
async fn keep(books: &Books, file: &File, content: &str) {
    assert_eq!(touch(books.store(), content).await, BlobReservation::Ready);
    books.store_file(file, &erna()).await.expect("stored");
}

/// The detail of one event, as JSON.
fn detail(recorded: &RecordedEvent) -> serde_json::Value {
    let detail = recorded.event.detail.as_ref().expect("it tells something");
    serde_json::from_str(detail.as_str()).expect("it is JSON")
}
