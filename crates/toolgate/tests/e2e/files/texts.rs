//! Text strategies: texts in any encoding, and documents that are not text.

use serde_json::json;
use toolgate_testkit::gateway::HttpClient;

use super::archive::{Archive, code, structure, text};
use super::bytes::{noise, pdf};
use crate::kit::call;

const EXTRACTOR: &str = "[files]\nextractor = \"docs:extract_text\"\n";
const WORDS: &str = "Größe ändert sich täglich über Straßen und Bäume hinweg";

/// A document of only letters, so that its conversion is text.
fn document(seed: u32) -> Vec<u8> {
    format!("%PDF-1.7 a document about number {seed}").into_bytes()
}

async fn extractions(client: &HttpClient) -> u64 {
    let counted = call(client, "docs__extract_count", json!({})).await;
    structure(&counted)["count"].as_u64().expect("a number")
}

fn utf16(text: &str, big_endian: Endian) -> Vec<u8> {
    let units = std::iter::once(0xfeff).chain(text.encode_utf16());
    units
        .flat_map(|unit| match big_endian {
            Endian::Big => unit.to_be_bytes(),
            Endian::Little => unit.to_le_bytes(),
        })
        .collect()
}

#[derive(Clone, Copy)]
enum Endian {
    Big,
    Little,
}

#[tokio::test]
async fn a_text_is_read_whatever_it_is_written_in() {
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    let latin: Vec<u8> = WORDS.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin letters")).collect();
    let marked = [&b"\xef\xbb\xbf"[..], WORDS.as_bytes()].concat();
    for (what, bytes) in [
        ("UTF-8", WORDS.as_bytes().to_vec()),
        ("UTF-8 with a mark", marked),
        ("UTF-16, big end first", utf16(WORDS, Endian::Big)),
        ("UTF-16, little end first", utf16(WORDS, Endian::Little)),
        ("Latin-1", latin),
    ] {
        for name in ["note.txt", "note.md"] {
            let file = archive.upload(archive.agent(), name, &bytes).await;
            let kind = if name.ends_with("md") { "text/markdown" } else { "text/plain" };
            assert_eq!(file["media_type"], kind, "{what}");
            for tool in ["docs__classify_text", "docs__summarize"] {
                let result = call(&client, tool, json!({ "file_id": file["id"] })).await;
                let said = structure(&result);
                assert_eq!(said["characters"], WORDS.chars().count(), "{what}: {result}");
                assert!(WORDS.starts_with(text(&said["start"]).trim()), "{what}: {result}");
            }
        }
    }
}

#[tokio::test]
async fn plain_text_and_markdown_need_no_extractor() {
    let archive = Archive::open(EXTRACTOR).await;
    let client = archive.site.agent();
    for (name, content) in [("a.md", "# A title\n\nand *words*"), ("a.txt", "words"), ("a.json", "{\"a\":1}")]
    {
        let file = archive.file(name, content.as_bytes()).await;
        let result = call(&client, "docs__classify_text", json!({ "file_id": file })).await;
        assert_eq!(structure(&result)["characters"], content.len(), "{name}: {result}");
    }
    assert_eq!(extractions(&client).await, 0);
}

#[tokio::test]
async fn a_document_is_extracted_once_for_its_content_however_often_and_by_whom_it_is_read() {
    let archive = Archive::open(EXTRACTOR).await;
    let client = archive.site.agent();
    let bytes = document(1);
    let first = archive.file("a.pdf", &bytes).await;
    let again = archive.file("the same under another name.pdf", &bytes).await;
    let expected = format!("extracted from {} bytes", bytes.len());
    for (tool, file) in [
        ("docs__classify_text", &first),
        ("docs__classify_text", &first),
        ("docs__summarize", &first),
        ("docs__summarize", &again),
    ] {
        let result = call(&client, tool, json!({ "file_id": file })).await;
        assert!(text(&structure(&result)["start"]).starts_with(&expected), "{tool}: {result}");
    }
    let other = archive.site.agent_with(&archive.site.token("--role agent"));
    let theirs = archive.upload(&other.token, "b.pdf", &bytes).await;
    structure(&call(&other, "docs__classify_text", json!({ "file_id": theirs["id"] })).await);
    assert_eq!(extractions(&client).await, 1, "once per digest");
    let file = archive.file("c.pdf", &document(2)).await;
    structure(&call(&client, "docs__classify_text", json!({ "file_id": file })).await);
    assert_eq!(extractions(&client).await, 2);
    // An extraction is a call like every other.
    let read = archive.site.told("tool.call.completed").await;
    let extractions = read.iter().filter(|one| one["tool"] == "docs:extract_text").count();
    assert_eq!(extractions, 2, "{read:?}");
}

#[tokio::test]
async fn many_who_read_one_document_at_once_have_it_extracted_once() {
    let archive = Archive::open(EXTRACTOR).await;
    let file = archive.file("a.pdf", &document(3)).await;
    let calls: Vec<_> = (0..6)
        .map(|_| {
            let (client, file) = (archive.site.agent(), file.clone());
            tokio::spawn(
                async move { call(&client, "docs__classify_text", json!({ "file_id": file })).await },
            )
        })
        .collect();
    for one in calls {
        structure(&one.await.expect("answered"));
    }
    assert_eq!(extractions(&archive.site.agent()).await, 1);
}

#[tokio::test]
async fn what_was_extracted_is_there_after_a_restart() {
    let archive = Archive::open(EXTRACTOR).await;
    let file = archive.file("a.pdf", &document(4)).await;
    structure(&call(&archive.site.agent(), "docs__classify_text", json!({ "file_id": file })).await);
    let archive = archive.killed().await;
    structure(&call(&archive.site.agent(), "docs__classify_text", json!({ "file_id": file })).await);
    assert_eq!(extractions(&archive.site.agent()).await, 0, "the server began anew, and was not asked");
}

#[tokio::test]
async fn the_usual_extractor_is_found_by_its_name() {
    let archive = Archive::open_with("", &["doc-parser-mcp"]).await;
    let file = archive.file("a.pdf", &document(5)).await;
    let result =
        call(&archive.site.agent(), "doc-parser-mcp__classify_text", json!({ "file_id": file })).await;
    assert!(text(&structure(&result)["start"]).starts_with("extracted from"), "{result}");
}

#[tokio::test]
async fn a_text_strategy_refuses_what_is_no_text_where_nobody_reads_documents() {
    for more in ["", "[files]\nextractor = \"off\"\n", "[files]\nextractor = \"docs:nothing\"\n"] {
        let archive = Archive::open(more).await;
        for (name, bytes) in [("a.pdf", pdf(1, 3_000)), ("a.txt", [&b"\0\0"[..], &noise(1, 3_000)].concat())]
        {
            let file = archive.file(name, &bytes).await;
            let refused =
                call(&archive.site.agent(), "docs__classify_text", json!({ "file_id": file })).await;
            assert_eq!(code(&refused), "not_text", "{more} {name}: {refused}");
            assert!(text(&refused["content"][0]["text"]).contains(&file), "{refused}");
            let rest = archive.rest_call("docs:summarize", json!({ "file_id": file })).await;
            assert_eq!(
                (rest.status, rest.json()["error"]["code"].clone()),
                (422, json!("not_text")),
                "{rest:?}"
            );
        }
    }
}

#[tokio::test]
async fn an_extractor_that_cannot_read_a_file_says_why() {
    // It has no strategy of its own for the bytes: `summarize` takes a text.
    let archive = Archive::open("[files]\nextractor = \"docs:summarize\"\n").await;
    let file = archive.file("a.pdf", &document(6)).await;
    let refused = call(&archive.site.agent(), "docs__classify_text", json!({ "file_id": file })).await;
    assert_eq!(code(&refused), "extractor_failed", "{refused}");
    assert!(text(&refused["content"][0]["text"]).contains("docs:summarize"), "{refused}");
}
