//! The servers with each other and with the gateway: texts of documents, refs, and exclusion.

use serde_json::json;

use super::house::{kept, open, pdf_of, toml};
use crate::files::archive::{Archive, structure, text};
use crate::governed::database::Backing;
use crate::kit::call;
use crate::live::site::Site;
use crate::runs::work::Work;

/// Agents get all definitions, at any cost.
const EVERYTHING: &str = "[[agents]]\nname = \"default\"\ntoken_budget = \"off\"\n";

const ALL: &[&str] = &[
    "audit-compliance-mcp",
    "browser-mcp",
    "doc-parser-mcp",
    "image-ocr-mcp",
    "job-app-mcp",
    "job-search-mcp",
    "media-transform-mcp",
    "resume-profile-mcp",
    "social-intelligence-mcp",
    "text-analysis-mcp",
    "video-subtitle-mcp",
];

#[tokio::test]
async fn every_server_in_the_folder_runs_and_agents_see_files_where_the_tools_want_bytes() {
    let archive = open(EVERYTHING, ALL).await;
    let tools = archive.site.agent().modern("tools/list", json!({})).await.result();
    let tools = tools["tools"].as_array().expect("a list").clone();
    let named =
        |name: &str| tools.iter().find(|tool| tool["name"] == name).unwrap_or_else(|| panic!("{name}"));
    let schema = &named("doc-parser-mcp__extract_text")["inputSchema"]["properties"];
    assert!(schema.get("file_id").is_some() && schema.get("file_data").is_none(), "{schema:#}");
    let schema = &named("text-analysis-mcp__summarize_text")["inputSchema"]["properties"];
    assert!(schema.get("file_id").is_some(), "{schema:#}");
    let schema = &named("audit-compliance-mcp__check_pdf")["inputSchema"]["properties"];
    assert!(schema.get("file_id").is_some() && schema.get("file_data").is_none(), "{schema:#}");
    assert!(named("image-ocr-mcp__extract")["inputSchema"]["properties"].get("file_id").is_some());
    let schema = &named("job-search-mcp__parse_job")["inputSchema"]["properties"];
    assert!(schema.get("file_id").is_some() && schema.get("file_data").is_none(), "{schema:#}");
    let leasing = named("job-app-mcp__get_pending_jobs");
    assert!(
        leasing["description"].as_str().is_some_and(|text| text.contains("no database was named")),
        "{leasing:#}"
    );
    assert!(named("media-transform-mcp__convert")["outputSchema"].is_object());
    let schema = &named("browser-mcp__upload")["inputSchema"]["properties"];
    assert!(schema.get("file_id").is_some() && schema.get("file_data").is_none(), "{schema:#}");
    let schema = &named("video-subtitle-mcp__create_job")["inputSchema"]["properties"];
    assert!(schema.get("file_id").is_some() && schema.get("input_url").is_none(), "{schema:#}");
}

#[tokio::test]
async fn one_that_is_left_out_is_not_there() {
    // So few are left that all of their tools are listed.
    let without = ALL.iter().filter(|name| !["doc-parser-mcp", "text-analysis-mcp"].contains(name));
    let without: Vec<&&str> = without.collect();
    let archive = open(&format!("without = {without:?}\n"), &["doc-parser-mcp"]).await;
    let names = crate::kit::names(&archive.site.agent()).await;
    assert!(names.iter().any(|name| name.starts_with("text-analysis-mcp__")), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("image-ocr-mcp__")), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("resume-profile-mcp__")), "{names:?}");
}

#[tokio::test]
async fn one_that_was_left_out_appears_when_the_file_says_so() {
    let site = Site::open_as(Backing::Sqlite, &toml("without = [\"doc-parser-mcp\"]\n"));
    site.server_is("text-analysis-mcp", |about| about["tools"] != 0).await;
    site.write("toolgate.toml", &toml(""));
    site.server_is("doc-parser-mcp", |about| about["tools"].as_u64().is_some_and(|tools| tools > 0)).await;
}

/// The text is longer than one answer of the parser: the tool that analyses it still gets all of it.
#[tokio::test]
async fn a_long_pdf_reaches_a_tool_that_wants_text_as_the_whole_text() {
    let archive = open("", &["doc-parser-mcp", "media-transform-mcp", "text-analysis-mcp"]).await;
    let work = Work::start(&archive, json!({})).await;
    let filler =
        "The committee met again and talked about the roof of the town hall at some length. ".repeat(1_500);
    let markdown = format!("# Minutes\n\n{filler}\n\nWrite to the last.word@example.com about it.\n");
    let pdf = pdf_of(&archive, &work.client, &markdown).await;
    let file = archive.file("minutes.pdf", &pdf).await;
    let found = call(&work.client, "text-analysis-mcp__extract_entities", json!({ "file_id": file })).await;
    assert!(structure(&found).to_string().contains("last.word@example.com"), "{found}");
}

#[tokio::test]
async fn what_one_server_made_another_one_reads() {
    let archive = open("", &["doc-parser-mcp", "media-transform-mcp"]).await;
    let work = Work::start(&archive, json!({})).await;
    let markdown = "# Größe\n\nΚαλημέρα, здравствуй.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n";
    let made =
        call(&work.client, "media-transform-mcp__generate_docx", json!({ "markdown": markdown })).await;
    let docx = kept(&archive, &work.client, &structure(&made)["ref_id"], "made.docx").await;
    let file = archive.file("made.docx", &docx).await;
    let read = call(&work.client, "doc-parser-mcp__extract_text", json!({ "file_id": file })).await;
    let words = text(&structure(&read)["text"]).to_owned();
    assert!(words.contains("Größe") && words.contains("Καλημέρα, здравствуй."), "{words}");
    let tables = call(&work.client, "doc-parser-mcp__extract_tables", json!({ "file_id": file })).await;
    assert_eq!(structure(&tables)["tables"][0]["rows"], json!([["a", "b"], ["1", "2"]]), "{tables}");
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_an_error_that_says_why_and_the_server_lives() {
    let archive = open("", &["doc-parser-mcp"]).await;
    let client = archive.site.agent();
    for (name, bytes) in
        [("cut.pdf", &b"%PDF-1.7\n1 0 obj\n<<"[..]), ("odd.bin", &[0, 1, 2, 3, 4, 250, 0, 7].repeat(50)[..])]
    {
        let file = archive.file(name, bytes).await;
        let read = call(&client, "doc-parser-mcp__extract_text", json!({ "file_id": file })).await;
        assert_eq!(read["isError"], true, "{name}: {read}");
        let said = text(&read["content"][0]["text"]).to_owned();
        assert!(said.contains("hint:"), "{name}: {said}");
    }
    let file = archive.file("good.txt", "a plain text".as_bytes()).await;
    let read = call(&client, "doc-parser-mcp__extract_text", json!({ "file_id": file })).await;
    assert_eq!(structure(&read)["text"], "a plain text");
}

#[tokio::test]
async fn arguments_that_do_not_fit_never_reach_the_server() {
    let archive: Archive = open("", &["doc-parser-mcp"]).await;
    let client = archive.site.agent();
    let read = call(&client, "doc-parser-mcp__extract_text", json!({ "file": "x" })).await;
    assert_eq!(read["_meta"]["dev.toolgate/fault"]["code"], "invalid_arguments", "{read}");
}
