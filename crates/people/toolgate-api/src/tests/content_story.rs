//! Bytes as HTTP sends them.

use http::{Method, StatusCode};
use http_body_util::BodyExt;

use super::file_kit::{agent, raw, with};
use super::gate::{Gate, Read};

const TEXT: &str = "0123456789";

async fn fetch(gate: &Gate, id: &str, headers: &[(&'static str, &str)]) -> Read {
    gate.send(with(raw(Method::GET, &format!("/files/{id}/content"), Some(&agent()), ""), headers)).await
}

#[tokio::test]
async fn content_is_sent_as_something_to_save() {
    let gate = Gate::open().await;
    let path = "/files?name=M%C3%BCller%20%221%22.html";
    let sent = raw(Method::POST, path, Some(&agent()), "<html><script>alert(1)</script></html>");
    let id = gate.send(sent).await.json()["id"].as_str().expect("an id").to_owned();
    let whole = fetch(&gate, &id, &[]).await;
    assert_eq!(whole.status, StatusCode::OK);
    assert_eq!(whole.headers["content-type"], "text/html");
    assert_eq!(whole.headers["content-length"], "38");
    assert_eq!(
        whole.headers["content-disposition"],
        "attachment; filename=\"M_ller _1_.html\"; filename*=UTF-8''M%C3%BCller%20%221%22.html"
    );
    assert_eq!(whole.headers["x-content-type-options"], "nosniff");
    assert_eq!(whole.headers["content-security-policy"], "sandbox; default-src 'none'");
    assert_eq!(whole.headers["accept-ranges"], "bytes");
    let head = gate.send(raw(Method::HEAD, &format!("/files/{id}/content"), Some(&agent()), "")).await;
    assert_eq!((head.status, head.text.as_str()), (StatusCode::OK, ""));
    assert_eq!(head.headers, whole.headers);
}

#[tokio::test]
async fn ranges_are_sent_as_http_has_them() {
    let gate = Gate::open().await;
    let id = gate.keep(&agent(), "a.txt", TEXT).await;
    for (range, text, place) in [
        ("bytes=0-3", "0123", "bytes 0-3/10"),
        ("bytes=7-", "789", "bytes 7-9/10"),
        ("bytes=-2", "89", "bytes 8-9/10"),
        ("bytes=-20", TEXT, "bytes 0-9/10"),
        ("bytes=9-99", "9", "bytes 9-9/10"),
    ] {
        let piece = fetch(&gate, &id, &[("range", range)]).await;
        assert_eq!((piece.status.as_u16(), piece.text.as_str()), (206, text), "{range}");
        assert_eq!(piece.headers["content-range"], place);
        assert_eq!(piece.headers["content-length"], text.len().to_string());
    }
    for range in ["bytes=10-", "bytes=10-11", "bytes=-0"] {
        let refused = fetch(&gate, &id, &[("range", range)]).await;
        assert_eq!((refused.status.as_u16(), refused.problem().as_str()), (416, "bad_range"), "{range}");
        assert_eq!(refused.headers["content-range"], "bytes */10");
    }
    // An invalid range, or several, is ignored.
    for range in ["bytes=4-2", "bytes=a-b", "lines=0-3", "bytes=0-1,3-4", "0-3"] {
        let whole = fetch(&gate, &id, &[("range", range)]).await;
        assert_eq!((whole.status.as_u16(), whole.text.as_str()), (200, TEXT), "{range}");
    }
    let empty = gate.keep(&agent(), "empty", "").await;
    assert_eq!(fetch(&gate, &empty, &[]).await.text, "");
    assert_eq!(fetch(&gate, &empty, &[("range", "bytes=0-")]).await.status.as_u16(), 416);
}

#[tokio::test]
async fn who_has_it_gets_it_not_again() {
    let gate = Gate::open().await;
    let id = gate.keep(&agent(), "a.txt", TEXT).await;
    let tag = fetch(&gate, &id, &[]).await.headers["etag"].to_str().expect("text").to_owned();
    assert_eq!(tag, format!("\"{}\"", toolgate_core::Digest::of(TEXT)));
    let unchanged = fetch(&gate, &id, &[("if-none-match", &tag), ("range", "bytes=0-1")]).await;
    assert_eq!((unchanged.status.as_u16(), unchanged.text.as_str()), (304, ""));
    assert_eq!(unchanged.headers["etag"], tag);
    assert_eq!(fetch(&gate, &id, &[("if-none-match", "\"other\"")]).await.status, StatusCode::OK);
    let meant = fetch(&gate, &id, &[("if-range", &tag), ("range", "bytes=0-1")]).await;
    assert_eq!((meant.status.as_u16(), meant.text.as_str()), (206, "01"));
    let other = fetch(&gate, &id, &[("if-range", "\"other\""), ("range", "bytes=0-1")]).await;
    assert_eq!((other.status.as_u16(), other.text.as_str()), (200, TEXT));
}

/// Bytes that were changed behind our back never arrive as if they were complete.
#[tokio::test]
async fn content_that_is_not_what_it_was_does_not_arrive_whole() {
    let gate = Gate::open().await;
    let id = gate.keep(&agent(), "a.txt", TEXT).await;
    let object = only_object(&gate.folder.path().join("files"));
    std::fs::write(&object, "0123456780").expect("written");
    let request = raw(Method::GET, &format!("/files/{id}/content"), Some(&agent()), "");
    let answer = gate.api.serve(request).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-length"], "10");
    let came = answer.into_body().collect().await.expect("it ends early").to_bytes();
    assert!(came.len() < 10, "so many bytes came: {}", came.len());
    std::fs::remove_file(object).expect("removed");
    let gone = fetch(&gate, &id, &[]).await;
    assert_eq!((gone.status, gone.problem().as_str()), (StatusCode::GONE, "file_changed"));
}

fn only_object(folder: &std::path::Path) -> std::path::PathBuf {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}
