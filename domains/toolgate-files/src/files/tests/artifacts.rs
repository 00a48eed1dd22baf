//! The permanent output of runs.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use toolgate_core::content::ContentHolder;
use toolgate_core::file::Ref;
use toolgate_core::id::{RefId, RunId};
use toolgate_core::{Digest, RefusalKind, Role};

use super::{content, erna, put};
use crate::access::ContentAccess;
use crate::files::{ArtifactSource, StoredKind};
use crate::fixture::{FilesWorld, holder, name, noise, on_every_storage, person};

on_every_storage!(an_artifact_is_made_of_text_of_base64_and_of_what_is_there);

/// A part that was taken out of a result.
async fn take_out(world: &FilesWorld, holder: &ContentHolder, bytes: Bytes) -> Ref {
    let put = world.files.blobs().put_bytes(bytes).await.expect("put");
    let one = Ref {
        id: RefId::new(format!("ref_{}", put.bytes)),
        media_type: "application/pdf".to_owned(),
        bytes: put.bytes,
        digest: Some(put.digest),
        preview: String::new(),
        principal: holder.principal.id.clone(),
        session: holder.session.clone(),
        run: holder.run.clone(),
        call: None,
        tool: None,
        origin: None,
        created_at_ms: 0,
        expires_at_ms: i64::MAX,
    };
    world.store.put_ref(&one).await.expect("kept");
    one
}

async fn an_artifact_is_made_of_text_of_base64_and_of_what_is_there(world: FilesWorld) {
    let files = &world.files;
    let erna = holder("erna", "ses_1", Some("run_1"));
    let by = ContentAccess::Session(&erna);
    let text = ArtifactSource::Text("# Größe".to_owned());
    let text = files.store_artifact(&erna, name("a.md"), text).await.expect("stored");
    assert_eq!(
        (text.media_type.as_str(), text.bytes, text.run.clone()),
        ("text/markdown", 9, erna.run.clone())
    );
    let png = [&b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"[..], &noise(3_000)].concat();
    for (at, encoded) in [
        BASE64_STANDARD.encode(&png),
        BASE64_STANDARD.encode(&png).trim_end_matches('=').to_owned(),
        BASE64_STANDARD
            .encode(&png)
            .as_bytes()
            .chunks(76)
            .map(|line| String::from_utf8_lossy(line).into_owned() + "\r\n")
            .collect(),
    ]
    .into_iter()
    .enumerate()
    {
        let stored =
            files.store_artifact(&erna, name(&format!("{at}.txt")), ArtifactSource::Base64(encoded)).await;
        let stored = stored.expect("stored");
        assert_eq!((stored.media_type.as_str(), stored.digest), ("image/png", Digest::of(&png)));
    }
    let bytes = noise(2_500_000);
    let one = take_out(&world, &erna, bytes.clone()).await;
    let found = files.resolve(&by, one.id.as_str()).await.expect("found");
    assert_eq!((found.what, found.digest), (StoredKind::Ref, Digest::of(&bytes)));
    let stored =
        files.store_artifact(&erna, name("big.pdf"), ArtifactSource::Found(found)).await.expect("stored");
    assert_eq!((stored.digest, stored.media_type.as_str()), (Digest::of(&bytes), "application/pdf"));
    let read = content(files, &by, &stored.digest.to_string()).await.expect("read");
    assert_eq!(read, bytes);
    let names: Vec<String> = files
        .artifacts(&by, &RunId::new("run_1"))
        .await
        .expect("listed")
        .into_iter()
        .map(|one| one.name.to_string())
        .collect();
    assert_eq!(names.len(), 5, "{names:?}");
    assert_eq!(world.told("artifact.stored").await.len(), 5);
}

#[tokio::test]
async fn base64_that_does_not_decode_is_refused() {
    let world = FilesWorld::folder().await;
    let erna = holder("erna", "ses_1", Some("run_1"));
    for bad in ["a", "%%%%", "AAAA=AAA", "-_-_"] {
        let source = ArtifactSource::Base64(bad.to_owned());
        let refused = world.files.store_artifact(&erna, name("a"), source).await.expect_err(bad);
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "bad_base64"), "{bad}");
    }
}

#[tokio::test]
async fn an_artifact_never_changes() {
    let world = FilesWorld::folder().await;
    let erna = holder("erna", "ses_1", Some("run_1"));
    let store = async |holder: &ContentHolder, text: &str| {
        world.files.store_artifact(holder, name("a.txt"), ArtifactSource::Text(text.to_owned())).await
    };
    let first = store(&erna, "one").await.expect("stored");
    world.clock.advance(std::time::Duration::from_secs(1));
    assert_eq!(store(&erna, "one").await, Ok(first.clone()), "the same again is the same");
    let refused = store(&erna, "two").await.expect_err("another content");
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Conflict, "artifact_conflict"));
    assert!(refused.message.contains(&first.digest.to_string()), "{refused}");
    assert!(
        store(&holder("erna", "ses_1", Some("run_2")), "two").await.is_ok(),
        "in another run it is another one"
    );
    assert_eq!(world.told("artifact.stored").await.len(), 2);
}

#[tokio::test]
async fn an_artifact_is_for_its_run_and_its_owner() {
    let world = FilesWorld::folder().await;
    let files = &world.files;
    let owner = holder("erna", "ses_1", Some("run_1"));
    let source = ArtifactSource::Text("secret".to_owned());
    let id = files.store_artifact(&owner, name("a.txt"), source).await.expect("stored").digest.to_string();
    for allowed in [holder("erna", "ses_9", None), holder("bert", "ses_8", Some("run_1"))] {
        assert!(files.resolve(&ContentAccess::Session(&allowed), &id).await.is_ok());
    }
    for stranger in [holder("bert", "ses_1", None), holder("bert", "ses_1", Some("run_2"))] {
        let refused = files.resolve(&ContentAccess::Session(&stranger), &id).await.expect_err("not theirs");
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, "unknown_artifact"));
    }
    let digest: Digest = id.parse().expect("a digest");
    for (role, sees, has) in [
        (Role::Operator, true, Ok(())),
        (Role::Auditor, true, Err("not_allowed")),
        (Role::Agent, false, Err("unknown_artifact")),
    ] {
        let somebody = person("olga", role);
        let by = ContentAccess::Person(&somebody);
        assert_eq!(files.artifact(&by, &digest).await.is_ok(), sees, "{role:?}");
        assert_eq!(content(files, &by, &id).await.map(drop), has, "{role:?}");
    }
    let refused =
        files.resolve(&ContentAccess::Session(&owner), "sha256:short").await.expect_err("no digest");
    assert_eq!(refused.code.name, "unknown_artifact");
    // To know the digest of a file does not make an artifact of it.
    let file = put(files, &erna(), "b.txt", &"only a file".into()).await;
    let refused =
        files.resolve(&ContentAccess::Session(&owner), &file.digest.to_string()).await.expect_err("none");
    assert_eq!(refused.code.name, "unknown_artifact");
}

#[tokio::test]
async fn a_ref_is_for_its_session_and_its_run() {
    let world = FilesWorld::folder().await;
    let files = &world.files;
    let maker = holder("erna", "ses_1", Some("run_1"));
    let one = take_out(&world, &maker, noise(50)).await;
    for allowed in [&maker, &holder("bert", "ses_1", None), &holder("bert", "ses_2", Some("run_1"))] {
        assert!(files.resolve(&ContentAccess::Session(allowed), one.id.as_str()).await.is_ok());
    }
    for stranger in [&holder("erna", "ses_2", None), &holder("erna", "ses_2", Some("run_2"))] {
        let refused =
            files.resolve(&ContentAccess::Session(stranger), one.id.as_str()).await.expect_err("not here");
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, "unknown_ref"));
    }
    assert!(files.resolve(&ContentAccess::Person(&erna()), one.id.as_str()).await.is_ok());
    let bert = person("bert", Role::Agent);
    assert!(files.resolve(&ContentAccess::Person(&bert), one.id.as_str()).await.is_err());
    let away = Ref { id: RefId::new("ref_away"), digest: None, ..one };
    world.store.put_ref(&away).await.expect("kept");
    let refused = files.resolve(&ContentAccess::Session(&maker), "ref_away").await.expect_err("still away");
    assert_eq!(refused.code.name, "ref_not_fetched");
    assert_eq!(files.reference(&ContentAccess::Session(&maker), &away.id).await, Ok(away));
}

#[tokio::test]
async fn an_artifact_without_a_run_is_the_tenants() {
    let world = FilesWorld::folder().await;
    let files = &world.files;
    let share = async |who: &str, file: &str| {
        let by = toolgate_store::Actor::of(&holder(who, "ses_1", Some("run_1")));
        let source = ArtifactSource::Text("for everyone".to_owned());
        files.share_artifact(&by, name(file), source).await.expect("stored")
    };
    let first = share("erna", "a.txt").await;
    let second = share("bert", "b.txt").await;
    assert_eq!((first.is_duplicate, second.is_duplicate), (false, true));
    assert_eq!(second.artifact, first.artifact, "it keeps its first name and owner");
    assert_eq!(world.told("artifact.stored").await.len(), 1);
    let id = first.artifact.digest.to_string();
    let stranger = holder("mallory", "ses_9", None);
    assert!(files.resolve(&ContentAccess::Session(&stranger), &id).await.is_ok());
    let auditor = person("ada", Role::Auditor);
    let refused =
        files.resolve(&ContentAccess::Person(&auditor), &id).await.expect_err("auditors do not read");
    assert_eq!(refused.code.name, "not_allowed");
}
