//! Names and kinds of files as callers claim them: neither is believed.

use serde_json::json;

use super::archive::{Archive, encoded, text};
use super::bytes::pdf;
use crate::kit::call;
use crate::live::site::refused;
use crate::runs::work::Work;

/// Paths, control characters, and marks that turn text around.
const BAD: [&str; 14] = [
    "",
    ".",
    "..",
    "../passwd",
    "/etc/passwd",
    "a/b.pdf",
    "a\\b.pdf",
    "a\0b",
    "a\nb",
    "a\rb",
    "a\x1b[31mb",
    "cv\u{202e}fdp.exe",
    " a",
    "a\u{2028}b",
];

#[tokio::test]
async fn a_name_that_is_a_path_or_plays_tricks_is_refused_everywhere() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let long = "x".repeat(256);
    for name in BAD.into_iter().chain([long.as_str()]) {
        let path = format!("/files?name={}", encoded(name));
        refused(&archive.try_upload(archive.agent(), &path, b"a").await, 422, "bad_file_name");
        for (tool, arguments) in [
            ("file_upload_url", json!({ "file_name": name })),
            ("store_artifact", json!({ "file_name": name, "content": "a" })),
        ] {
            let said = work.call(tool, arguments).await;
            assert_eq!(
                said["structuredContent"]["error"]["code"], "bad_file_name",
                "{tool} {name:?}: {said}"
            );
        }
    }
    for path in ["../a", "/a", "a//b", "a/./b", "a\\b", "", "a\u{7}"] {
        let file = archive.file("a.txt", b"a").await;
        let body = json!({ "input": [{ "path": path, "file_id": file }] });
        refused(&archive.site.rest(archive.agent(), "POST", "/runs", Some(body)).await, 422, "bad_input");
    }
    assert!(!archive.site.gateway.folder().join("passwd").exists());
}

#[tokio::test]
async fn names_of_every_script_come_back_as_they_were() {
    let archive = Archive::open("").await;
    for name in [
        "Müller – Lebenslauf.docx",
        "履歴書.pdf",
        "a \"quoted\"; name=x.pdf",
        "100%.pdf",
        "..a",
        "a+b&c=d#e?.pdf",
    ] {
        let file = archive.upload(archive.agent(), name, b"hello there").await;
        assert_eq!(file["name"], name);
        let fetched = archive.fetch(archive.agent(), &format!("/files/{}/content", text(&file["id"]))).await;
        let said = fetched.header("content-disposition");
        assert!(said.starts_with("attachment;") && said.is_ascii() && !said.contains('\n'), "{said}");
    }
}

#[tokio::test]
async fn the_media_type_is_what_the_bytes_say() {
    let archive = Archive::open("").await;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x02\0\0\0";
    let jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF\0\x01\x01\0\0\x01\0\x01\0\0";
    for (name, bytes, kind) in [
        ("virus.txt", pdf(1, 100), "application/pdf"),
        ("cv.pdf", png.to_vec(), "image/png"),
        ("cv.pdf", jpeg.to_vec(), "image/jpeg"),
        ("cv.pdf", b"just words, whatever the name says".to_vec(), "text/plain"),
        ("notes.md", b"# Title\n\nwords".to_vec(), "text/markdown"),
        ("table.csv", b"a,b\n1,2\n".to_vec(), "text/csv"),
        ("a.json", b"{\"a\": 1}".to_vec(), "application/json"),
        ("page.png", b"<!doctype html><html></html>".to_vec(), "text/plain"),
        ("x.mp4", vec![0, 1, 2, 3, 255, 254, 0, 9], "application/octet-stream"),
    ] {
        let request = archive.site.request(archive.agent(), "POST", &format!("/files?name={name}"), None);
        let request = request.header("content-type", "video/mp4").body(bytes);
        let file = toolgate_testkit::gateway::HttpClient::finish(request).await.json();
        assert_eq!(file["media_type"], kind, "{name}: {file}");
    }
    let disguised = archive.file("scan.png", b"<svg onload=alert(1)>").await;
    let refused = call(&archive.site.agent(), "docs__ocr", json!({ "file_id": disguised })).await;
    assert_eq!(refused["structuredContent"]["error"]["code"], "not_an_image", "{refused}");
}
