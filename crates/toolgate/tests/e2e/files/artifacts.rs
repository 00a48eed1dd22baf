//! The permanent output of runs: `store_artifact` in its three modes, and fetching artifacts.

use serde_json::{Value, json};

use super::archive::{Archive, Fetched, Storage, code, data, structure, taken_out, text};
use super::bytes::{base64, digest, pdf};
use crate::live::site::refused;
use crate::runs::work::Work;

async fn content(archive: &Archive, token: &str, digest: &str) -> Fetched {
    archive.fetch(token, &format!("/artifacts/{digest}/content")).await
}

#[tokio::test]
async fn an_artifact_is_text_base64_or_what_a_ref_stands_for() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let work = Work::start(&archive, json!({})).await;
        let bytes = pdf(1, 3_000);
        let file = archive.file("a.pdf", &bytes).await;
        let long = taken_out(&work.call("docs__big_text", json!({ "bytes": 50_000 })).await);
        let minted =
            structure(&work.call("docs__parse_document", json!({ "file_id": file })).await)["ref_id"].clone();
        for (arguments, media_type, expected) in [
            (
                json!({ "file_name": "a.md", "content": "# Größe" }),
                "text/markdown",
                digest("# Größe".as_bytes()),
            ),
            (
                json!({ "file_name": "b.md", "content": "# B", "content_encoding": "utf-8" }),
                "text/markdown",
                digest(b"# B"),
            ),
            (
                json!({ "file_name": "c.pdf", "content": base64(&bytes), "content_encoding": "base64" }),
                "application/pdf",
                digest(&bytes),
            ),
            (json!({ "file_name": "d.pdf", "content_ref_id": file }), "application/pdf", digest(&bytes)),
            (
                json!({ "file_name": "e.txt", "content_ref_id": long["ref_id"] }),
                "text/plain",
                text(&long["digest"]).to_owned(),
            ),
            (json!({ "file_name": "f.pdf", "content_ref_id": minted }), "application/pdf", digest(&bytes)),
            (json!({ "file_name": "empty.txt", "content": "" }), "", digest(b"")),
        ] {
            let stored = work.call("store_artifact", arguments.clone()).await;
            let stored = data(&stored);
            assert_eq!(stored["artifact"], expected, "{storage:?} {arguments}: {stored}");
            if !media_type.is_empty() {
                assert_eq!(stored["media_type"], media_type, "{arguments}: {stored}");
            }
            let fetched = content(&archive, archive.agent(), &expected).await;
            assert_eq!((fetched.status, digest(&fetched.bytes)), (200, expected), "{storage:?} {arguments}");
        }
        let listed = archive.site.get(&format!("/artifacts?run={}", work.id)).await;
        let names: Vec<&str> =
            listed["artifacts"].as_array().expect("a list").iter().map(|one| text(&one["name"])).collect();
        assert_eq!(names, ["a.md", "b.md", "c.pdf", "d.pdf", "e.txt", "f.pdf", "empty.txt"]);
        let shown = archive.site.get(&format!("/artifacts/{}", digest(&bytes))).await;
        assert_eq!(shown["names"], json!(["c.pdf", "d.pdf", "f.pdf"]), "one content, three names: {shown}");
        assert_eq!(archive.site.told("artifact.stored").await.len(), 7);
        archive.verify();
    }
}

#[tokio::test]
async fn two_modes_or_none_and_base64_that_is_none_are_refused() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let file = archive.file("a.pdf", &pdf(1, 300)).await;
    for (arguments, wanted) in [
        (json!({ "content": "a", "content_ref_id": file }), "invalid_arguments"),
        (json!({}), "invalid_arguments"),
        (json!({ "content_encoding": "base64" }), "invalid_arguments"),
        (json!({ "content_ref_id": file, "content_encoding": "base64" }), "invalid_arguments"),
        (json!({ "content": "not Base64!", "content_encoding": "base64" }), "bad_base64"),
        (json!({ "content": "QQ=Q", "content_encoding": "base64" }), "bad_base64"),
        (json!({ "content_ref_id": "file_nothing" }), "unknown_file"),
        (json!({ "content_ref_id": "ref_nothing" }), "unknown_ref"),
        (json!({ "content_ref_id": "anything" }), "unknown_ref"),
    ] {
        let mut arguments = arguments;
        arguments["file_name"] = json!("a.pdf");
        let said = work.call("store_artifact", arguments.clone()).await;
        assert_eq!(code(&said), wanted, "{arguments}: {said}");
    }
    let odd = json!({ "file_name": "a", "content": "a", "content_encoding": "rot13" });
    assert_eq!(work.call("store_artifact", odd).await["isError"], true);
    let listed = archive.site.get(&format!("/artifacts?run={}", work.id)).await;
    assert_eq!(listed["artifacts"], json!([]), "{listed}");
}

#[tokio::test]
async fn an_artifact_never_changes() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let store = async |content: &str| {
        work.call("store_artifact", json!({ "file_name": "a.txt", "content": content })).await
    };
    let first = store("one").await;
    assert_eq!(data(&store("one").await), data(&first), "the same again changes nothing");
    let other = store("two").await;
    assert_eq!(code(&other), "artifact_conflict", "{other}");
    assert!(text(&other["content"][0]["text"]).contains(&digest(b"one")), "it says what is there: {other}");
    let fetched = content(&archive, archive.agent(), &digest(b"one")).await;
    assert_eq!(fetched.bytes, b"one");
    // Another run has its own names.
    let another = Work::start(&archive, json!({})).await;
    data(&another.call("store_artifact", json!({ "file_name": "a.txt", "content": "two" })).await);
}

#[tokio::test]
async fn a_session_without_a_run_has_no_tools_of_runs() {
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    for tool in ["store_artifact", "complete_workflow", "request_user_input"] {
        let said = client.modern("tools/call", json!({ "name": tool, "arguments": {} })).await.response();
        assert_eq!(said["error"]["message"], format!("unknown tool: {tool}"), "{said}");
    }
    let list = client.modern("tools/list", json!({})).await.text;
    assert!(!list.contains("store_artifact") && list.contains("read_ref"), "{list}");
    let work = Work::start(&archive, json!({})).await;
    let list = work.client.modern("tools/list", json!({})).await.text;
    assert!(
        list.contains("store_artifact")
            && list.contains("complete_workflow")
            && list.contains("request_user_input")
    );
}

#[tokio::test]
async fn artifacts_are_fetched_by_those_who_may_and_known_to_auditors() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    data(&work.call("store_artifact", json!({ "file_name": "a.txt", "content": "words" })).await);
    let name = digest(b"words");
    let stranger = archive.site.token("--role agent --principal mallory");
    let auditor = archive.site.token("--role auditor --principal ada");
    let operator = archive.site.token("--role operator");
    for (token, metadata, bytes) in
        [(archive.agent(), 200, 200), (&operator, 200, 200), (&stranger, 404, 404), (&auditor, 200, 403)]
    {
        let shown = archive.site.rest(token, "GET", &format!("/artifacts/{name}"), None).await;
        assert_eq!(shown.status, metadata, "{shown:?}");
        assert_eq!(content(&archive, token, &name).await.status, bytes);
    }
    let link = |token: String| {
        let path = format!("/artifacts/{name}/link");
        let site = &archive.site;
        async move { site.rest(&token, "POST", &path, Some(json!({}))).await }
    };
    refused(&link(stranger.clone()).await, 404, "unknown_artifact");
    let url = text(&link(archive.agent().to_owned()).await.json()["url"]).to_owned();
    let anyone = Fetched::of(archive.site.agent().http.get(&url)).await;
    assert_eq!((anyone.status, anyone.bytes.as_slice()), (200, &b"words"[..]), "whoever has the link");
    let never = digest(b"never");
    let (theirs, nobodys) = (
        archive.site.rest(&stranger, "GET", &format!("/artifacts/{name}"), None).await,
        archive.site.rest(&stranger, "GET", &format!("/artifacts/{never}"), None).await,
    );
    assert_eq!(theirs.text.replace(&name, "X"), nobodys.text.replace(&never, "X"));
    for odd in ["sha256:xyz", "abc", "../files"] {
        let path = format!("/artifacts/{}", super::archive::encoded(odd));
        assert_eq!(archive.site.rest(archive.agent(), "GET", &path, None).await.status / 100, 4, "{odd}");
    }
    for seconds in [0, 604_801] {
        let body = json!({ "expires_in_seconds": seconds });
        let path = format!("/artifacts/{name}/link");
        refused(&archive.site.rest(archive.agent(), "POST", &path, Some(body)).await, 422, "field_invalid");
    }
}

#[tokio::test]
async fn an_artifact_stays_when_what_it_was_made_of_is_deleted() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    let bytes = pdf(1, 3_000);
    let file = archive.file("a.pdf", &bytes).await;
    data(&work.call("store_artifact", json!({ "file_name": "a.pdf", "content_ref_id": file })).await);
    let gone = archive.site.rest(archive.agent(), "DELETE", &format!("/files/{file}"), None).await;
    assert_eq!(gone.status, 204);
    assert_eq!(content(&archive, archive.agent(), &digest(&bytes)).await.bytes, bytes);
    // It may be used like a file, by its digest.
    let parsed: Value = work.call("docs__parse_document", json!({ "file_id": digest(&bytes) })).await;
    assert_eq!(structure(&parsed)["bytes"], 3_000, "{parsed}");
    let other =
        Work::start_by(&archive, &archive.site.token("--role agent --principal ben"), json!({})).await;
    let foreign = other.call("docs__parse_document", json!({ "file_id": digest(&bytes) })).await;
    assert_eq!(code(&foreign), "unknown_artifact", "{foreign}");
}
