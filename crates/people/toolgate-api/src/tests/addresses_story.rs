//! Addresses that authenticate themselves, refs and artifacts.

use http::{Method, StatusCode};
use serde_json::json;
use toolgate_core::file::{FileName, Ref};
use toolgate_core::id::RefId;
use toolgate_core::{Digest, Role};
use toolgate_files::{ArtifactSource, ContentAccess};

use super::file_kit::{FORM, agent, form, holder, operator, raw, with};
use super::gate::{Gate, PUBLIC_URL, Read, somebody, until};

fn name(text: &str) -> FileName {
    FileName::new(text).expect("a name")
}

/// The address of a place for one upload, on this gateway.
async fn place(gate: &Gate) -> String {
    let offered =
        gate.files.offer_upload(&holder(&agent(), "ses_1", None), name("cv.pdf")).await.expect("offered");
    offered.url.strip_prefix(PUBLIC_URL).expect("an address at the gateway").to_owned()
}

async fn send(gate: &Gate, method: Method, address: &str, body: &'static str) -> Read {
    gate.send(raw(method, address, None, body)).await
}

#[tokio::test]
async fn an_address_takes_one_file_once_and_without_a_token() {
    let gate = Gate::open().await;
    for method in [Method::PUT, Method::POST] {
        let address = place(&gate).await;
        let stored = send(&gate, method.clone(), &address, "%PDF-1.7").await;
        assert_eq!(stored.status, StatusCode::CREATED, "{stored:?}");
        let file = stored.json();
        assert_eq!((&file["name"], &file["owner"]), (&json!("cv.pdf"), &json!("agent-7")));
        assert_eq!(file["media_type"], "application/pdf");
        let used = send(&gate, method, &address, "%PDF-1.7").await;
        assert_eq!((used.status.as_u16(), used.problem().as_str()), (409, "upload_used"));
    }
    let address = place(&gate).await;
    let sent = form(&[("name", None, "ignored.pdf"), ("file", Some("other.pdf"), "hello")]);
    let stored = gate.send(with(raw(Method::POST, &address, None, sent), &[FORM])).await;
    assert_eq!((stored.status, &stored.json()["name"]), (StatusCode::CREATED, &json!("cv.pdf")));
}

#[tokio::test]
async fn an_address_for_an_upload_ends_and_cannot_be_guessed() {
    let gate = Gate::open().await;
    let address = place(&gate).await;
    let (path, _) = address.split_once('?').expect("a key");
    for wrong in [format!("{path}?key=wrong"), "/uploads/upl_none?key=x".to_owned(), format!("{address}x")] {
        let refused = send(&gate, Method::PUT, &wrong, "hello").await;
        assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (404, "unknown_upload"), "{wrong}");
    }
    for bare in [path.to_owned(), format!("{path}?key=")] {
        assert_eq!(send(&gate, Method::PUT, &bare, "hello").await.problem(), "signature_missing");
    }
    assert_eq!(
        send(&gate, Method::PUT, &format!("{address}&more=1"), "").await.problem(),
        "parameter_unknown"
    );
    // None of that has used it up, nor does a broken or oversized upload.
    let broken = gate.send_broken(raw(Method::PUT, &address, None, "half")).await;
    assert_eq!((broken.status.as_u16(), broken.problem().as_str()), (400, "upload_cut_off"));
    let large = once_free(&gate, &address, &"x".repeat(10_001)).await;
    assert_eq!((large.status.as_u16(), large.problem().as_str()), (413, "file_too_large"));
    assert_eq!(once_free(&gate, &address, "hello").await.status, StatusCode::CREATED);
    let late = place(&gate).await;
    gate.clock.advance_ms(15 * 60 * 1000 + 1);
    let expired = send(&gate, Method::PUT, &late, "hello").await;
    assert_eq!((expired.status.as_u16(), expired.problem().as_str()), (410, "upload_expired"));
}

/// A place is given back a moment after its upload has failed.
async fn once_free(gate: &Gate, address: &str, body: &str) -> Read {
    let answer = tokio::sync::Mutex::new(None);
    until("the place is free again", async || {
        let got = gate.send(raw(Method::PUT, address, None, body.to_owned())).await;
        let is_free = got.status != StatusCode::CONFLICT;
        *answer.lock().await = Some(got);
        is_free
    })
    .await;
    answer.into_inner().expect("it was asked")
}

/// Keeps an artifact of a run, and tells its digest.
async fn artifact(gate: &Gate, run: &str, file: &str, content: &str) -> Digest {
    let holder = holder(&agent(), "ses_1", Some(run));
    let source = ArtifactSource::Text(content.to_owned());
    gate.files.store_artifact(&holder, name(file), source).await.expect("stored").digest
}

#[tokio::test]
async fn an_artifact_is_known_by_its_names_and_runs() {
    let gate = Gate::open().await;
    let digest = artifact(&gate, "run_1", "a.md", "hello").await;
    gate.clock.advance_ms(1);
    artifact(&gate, "run_2", "b.md", "hello").await;
    artifact(&gate, "run_2", "c.md", "other").await;
    let path = format!("/artifacts/{digest}");
    let shown = gate.get(&agent(), &path).await.json();
    assert_eq!((&shown["names"], &shown["runs"]), (&json!(["a.md", "b.md"]), &json!(["run_1", "run_2"])));
    assert_eq!((&shown["digest"], &shown["size"]), (&json!(digest), &json!(5)));
    let hex = digest.to_string().replace("sha256:", "");
    assert_eq!(gate.get(&agent(), &format!("/artifacts/{hex}")).await.json(), shown);
    let listed = gate.get(&agent(), "/artifacts?run=run_2").await.json();
    let names: Vec<_> =
        listed["artifacts"].as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["b.md", "c.md"]);
    assert_eq!(gate.get(&agent(), &format!("{path}/content")).await.text, "hello");

    let auditor = somebody("eve", Role::Auditor);
    assert_eq!(gate.get(&auditor, &path).await.json(), shown, "auditors know of it");
    assert_eq!(gate.get(&auditor, &format!("{path}/content")).await.problem(), "wrong_role");
    let other = somebody("agent-8", Role::Agent);
    for path in [path.clone(), format!("{path}/content")] {
        let foreign = gate.get(&other, &path).await;
        assert_eq!((foreign.status.as_u16(), foreign.problem().as_str()), (404, "unknown_artifact"));
    }
    assert_eq!(gate.post(&other, &format!("{path}/link"), "{}").await.problem(), "unknown_artifact");
    assert_eq!(gate.get(&other, "/artifacts?run=run_2").await.json(), json!({ "artifacts": [] }));
    assert_eq!(gate.get(&agent(), "/artifacts/sha256:0").await.problem(), "parameter_invalid");
    assert_eq!(gate.get(&agent(), "/artifacts").await.problem(), "parameter_invalid");
}

async fn link(gate: &Gate, digest: &Digest, body: &str) -> String {
    let made = gate.post(&agent(), &format!("/artifacts/{digest}/link"), body).await;
    assert_eq!(made.status, StatusCode::OK, "{made:?}");
    assert!(made.json()["expires_at"].is_string());
    let url = made.json()["url"].as_str().expect("an address").to_owned();
    url.strip_prefix(PUBLIC_URL).expect("an address at the gateway").to_owned()
}

#[tokio::test]
async fn a_link_opens_an_artifact_by_itself_for_a_while() {
    let gate = Gate::open().await;
    let digest = artifact(&gate, "run_1", "Müller.md", "hello").await;
    let address = link(&gate, &digest, r#"{"expires_in_seconds":60}"#).await;
    let opened = send(&gate, Method::GET, &address, "").await;
    assert_eq!((opened.status, opened.text.as_str()), (StatusCode::OK, "hello"));
    assert!(opened.headers["content-disposition"].to_str().expect("text").ends_with("M%C3%BCller.md"));
    assert_eq!(opened.headers["x-content-type-options"], "nosniff");
    let head = send(&gate, Method::HEAD, &address, "").await;
    assert_eq!(
        (head.status, head.text.as_str(), &head.headers["content-length"]),
        (StatusCode::OK, "", &"5".parse().expect("a value"))
    );
    let piece = gate.send(with(raw(Method::GET, &address, None, ""), &[("range", "bytes=1-2")])).await;
    assert_eq!((piece.status.as_u16(), piece.text.as_str()), (206, "el"));
    let beyond = gate.send(with(raw(Method::GET, &address, None, ""), &[("range", "bytes=5-")])).await;
    assert_eq!(beyond.problem(), "bad_range");

    let long = link(&gate, &digest, "{}").await;
    gate.clock.advance_ms(61_000);
    let expired = send(&gate, Method::GET, &address, "").await;
    assert_eq!((expired.status.as_u16(), expired.problem().as_str()), (410, "address_expired"));
    assert_eq!(send(&gate, Method::GET, &long, "").await.text, "hello", "an hour, if nobody says");
    for seconds in [0, 604_801] {
        let body = json!({ "expires_in_seconds": seconds }).to_string();
        let refused = gate.post(&agent(), &format!("/artifacts/{digest}/link"), &body).await;
        assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (422, "field_invalid"));
    }
}

#[tokio::test]
async fn a_changed_link_opens_nothing() {
    let gate = Gate::open().await;
    let digest = artifact(&gate, "run_1", "a.md", "hello").await;
    let other = artifact(&gate, "run_1", "b.md", "other").await;
    let address = link(&gate, &digest, "{}").await;
    for changed in [
        address.replace("/artifacts/", "/files/"),
        address.replace(&digest.to_string(), &other.to_string()),
        address.replace("a.md", "a.exe"),
        address.replace("expires=1", "expires=9"),
        address.replace("text%2F", "image%2F"),
        format!("{address}A"),
        address[..address.len() - 1].to_owned(),
        address.replace("name=a.md&", ""),
    ] {
        assert_ne!(changed, address);
        let refused = send(&gate, Method::GET, &changed, "").await;
        assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (403, "bad_address"), "{changed}");
    }
    let (bare, _) = address.split_once('?').expect("a query");
    let unsigned = send(&gate, Method::GET, bare, "").await;
    assert_eq!((unsigned.status.as_u16(), unsigned.problem().as_str()), (401, "signature_missing"));
}

async fn keep_ref(gate: &Gate, id: &str, content: Option<&str>) -> String {
    let mut digest = None;
    if let Some(content) = content {
        // The bytes of a file are as good as any.
        let owner = operator();
        let stream = futures_util::stream::iter([Ok::<_, std::io::Error>(bytes::Bytes::copy_from_slice(
            content.as_bytes(),
        ))]);
        let file = gate.files.put(&ContentAccess::Person(&owner), name("bytes"), stream).await.expect("kept");
        digest = Some(file.digest);
    }
    let now_ms = toolgate_core::governance::Clock::now_ms(&*gate.clock);
    let one = Ref {
        id: RefId::new(id),
        media_type: "text/plain".into(),
        bytes: content.map_or(0, |content| content.len() as u64),
        digest,
        preview: content.unwrap_or_default().to_owned(),
        principal: agent().id,
        session: toolgate_core::id::SessionId::new("ses_1"),
        run: None,
        call: Some(toolgate_core::id::CallId::new("tc_1")),
        tool: None,
        origin: None,
        created_at_ms: now_ms,
        expires_at_ms: now_ms + 1_000,
    };
    gate.store.put_ref(&one).await.expect("kept");
    format!("/refs/{id}")
}

#[tokio::test]
async fn a_ref_is_for_whoever_made_it_and_for_a_while() {
    let gate = Gate::open().await;
    let path = keep_ref(&gate, "ref_1", Some("hello")).await;
    let shown = gate.get(&agent(), &path).await.json();
    assert_eq!(
        (&shown["id"], &shown["size"], &shown["preview"]),
        (&json!("ref_1"), &json!(5), &json!("hello"))
    );
    assert_eq!((&shown["session"], &shown["call"]), (&json!("ses_1"), &json!("tc_1")));
    assert_eq!(gate.get(&agent(), &format!("{path}/content")).await.text, "hello");
    let piece =
        with(raw(Method::GET, &format!("{path}/content"), Some(&agent()), ""), &[("range", "bytes=1-")]);
    assert_eq!(gate.send(piece).await.text, "ello");
    assert_eq!(gate.get(&operator(), &format!("{path}/content")).await.text, "hello");
    let other = somebody("agent-8", Role::Agent);
    for path in [path.clone(), format!("{path}/content"), "/refs/ref_none".to_owned()] {
        let foreign = gate.get(&other, &path).await;
        assert_eq!((foreign.status.as_u16(), foreign.problem().as_str()), (404, "unknown_ref"), "{path}");
    }
    let file = gate.keep(&agent(), "a", "hello").await;
    assert_eq!(gate.get(&agent(), &format!("/refs/{file}/content")).await.problem(), "unknown_ref");
    assert_eq!(gate.get(&agent(), "/files/ref_1/content").await.problem(), "unknown_file");
    let unfetched = keep_ref(&gate, "ref_2", None).await;
    assert_eq!(gate.get(&agent(), &unfetched).await.json().get("digest"), None);
    let refused = gate.get(&agent(), &format!("{unfetched}/content")).await;
    assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (409, "ref_not_fetched"));
    gate.clock.advance_ms(1_001);
    assert_eq!(gate.get(&agent(), &path).await.problem(), "unknown_ref");
}
