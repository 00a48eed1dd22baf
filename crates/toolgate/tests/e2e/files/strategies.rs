//! The six strategies: agents pass an id, and servers get the strategy's form of it.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::archive::{Archive, Storage, code, structure, taken_out, text};
use super::bytes::{base64, nothing_of, pdf, sha256, video};
use super::model::older;

use crate::governed::bank::envelope;
use crate::kit::call;
use crate::live::site::Site;

/// The definition of a tool, as this client sees it.
async fn schema(client: &HttpClient, tool: &str) -> Value {
    let list = client.modern("tools/list", json!({})).await.result();
    let tools = list["tools"].as_array().expect("a list").clone();
    let found = tools.into_iter().find(|one| one["name"] == tool);
    found.unwrap_or_else(|| panic!("no {tool} in {list}"))["inputSchema"].clone()
}

/// Calls over MCP in both eras and over the API; all three answers.
async fn every_way(archive: &Archive, tool: &str, arguments: Value) -> Vec<Value> {
    let newer = archive.site.agent();
    let older = older(&newer).await;
    let wire = format!("docs__{tool}");
    let params = json!({ "name": wire, "arguments": arguments });
    let rest = archive.rest_call(&format!("docs:{tool}"), arguments.clone()).await;
    assert_eq!(rest.status, 200, "{rest:?}");
    vec![
        call(&newer, &wire, arguments).await,
        older.legacy(1, "tools/call", params).await.result(),
        rest.json()["data"].clone(),
    ]
}

async fn picture(archive: &Archive) -> (String, Vec<u8>) {
    let one = taken_out(&call(&archive.site.agent(), "docs__picture", json!({})).await);
    let fetched = archive.fetch(archive.agent(), &format!("/refs/{}/content", text(&one["ref_id"]))).await;
    assert_eq!(fetched.status, 200);
    (archive.file("scan.png", &fetched.bytes).await, fetched.bytes)
}

#[tokio::test]
async fn every_strategy_fills_what_its_tool_takes_over_mcp_and_rest() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let resume = pdf(1, 30_000);
        let file = archive.file("cv.pdf", &resume).await;
        let words = "one two three four five";
        let note = archive.file("note.txt", words.as_bytes()).await;
        let (scan, png) = picture(&archive).await;
        let film = video(1, 30_000);
        let recorded = archive.file("talk.mp4", &film).await;
        let document = json!({ "sha256": sha256(&resume), "bytes": resume.len() });
        for (tool, id, expected) in [
            (
                "parse_document",
                &file,
                json!({ "sha256": document["sha256"], "file_type": "application/pdf" }),
            ),
            ("ocr", &scan, json!({ "sha256": sha256(&png), "image_type": "image/png" })),
            ("classify_text", &note, json!({ "start": words, "characters": words.len() })),
            ("summarize", &note, json!({ "start": words, "words": 5 })),
            ("create_job", &recorded, json!({ "sha256": sha256(&film), "ranges": true })),
        ] {
            for result in every_way(&archive, tool, json!({ "file_id": id })).await {
                let said = structure(&result);
                for (key, value) in expected.as_object().expect("an object") {
                    assert_eq!(&said[key], value, "{storage:?} {tool}: {result}");
                }
                nothing_of(&resume, result.to_string().as_bytes(), tool);
                nothing_of(&png, result.to_string().as_bytes(), tool);
            }
        }
        archive.verify();
    }
}

#[tokio::test]
async fn passthrough_hands_the_id_on_as_it_is_and_says_nothing() {
    let more = "[[tools]]\nname = \"docs:sink\"\n[[tools.files]]\nstrategy = \"passthrough\"\nargument = \"file_data\"\n";
    let archive = Archive::open(more).await;
    let file = archive.file("cv.pdf", &pdf(1, 3_000)).await;
    for result in every_way(&archive, "sink", json!({ "file_data": file })).await {
        assert_eq!(structure(&result)["characters"], file.len(), "{result}");
    }
    let result = call(&archive.site.agent(), "docs__sink", json!({ "file_data": file })).await;
    assert_eq!(envelope(&result)["warnings"], json!([]), "{result}");
    let foreign = archive.upload(archive.admin(), "a.txt", b"mine").await;
    let refused = call(&archive.site.agent(), "docs__sink", json!({ "file_data": foreign["id"] })).await;
    assert_eq!(code(&refused), "unknown_file", "what is not theirs is not handed on either");
}

#[tokio::test]
async fn several_files_go_with_one_call_under_names_that_were_set() {
    let archive = Archive::open("").await;
    let (left, right) = (pdf(1, 10_000), pdf(2, 20_000));
    let (one, two) = (archive.file("a.pdf", &left).await, archive.file("b.pdf", &right).await);
    for result in every_way(&archive, "compare", json!({ "left": one, "right": two })).await {
        let said = structure(&result);
        assert_eq!(said["same"], false, "{result}");
        assert_eq!(
            (&said["left"]["sha256"], &said["right"]["sha256"]),
            (&json!(sha256(&left)), &json!(sha256(&right)))
        );
    }
    let whole = [left.as_slice(), &right, &left].concat();
    for result in every_way(&archive, "merge", json!({ "file_ids": [one, two, one] })).await {
        let said = structure(&result);
        assert_eq!(said["files"], json!([left.len(), right.len(), left.len()]), "{result}");
        assert_eq!(said["sha256"], sha256(&whole), "in the order that was asked for");
    }
    let none = call(&archive.site.agent(), "docs__merge", json!({ "file_ids": [] })).await;
    assert_eq!(structure(&none)["files"], json!([]), "{none}");
    let wrong =
        call(&archive.site.agent(), "docs__merge", json!({ "file_ids": [one, "file_nothing"] })).await;
    assert_eq!(code(&wrong), "unknown_file", "{wrong}");
    let place = &wrong["_meta"]["dev.toolgate/fault"]["argument"];
    assert_eq!(place, "/file_ids/1", "it says which one: {wrong}");
}

#[tokio::test]
async fn what_agents_read_of_a_tool_is_the_id_and_not_what_the_strategy_fills() {
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    for (tool, wanted) in [
        ("docs__parse_document", vec!["file_id"]),
        ("docs__ocr", vec!["file_id"]),
        ("docs__classify_text", vec!["file_id"]),
        ("docs__summarize", vec!["file_id"]),
        ("docs__create_job", vec!["echo", "file_id"]),
        ("docs__compare", vec!["left", "right"]),
        ("docs__merge", vec!["file_ids"]),
        ("docs__sink", vec!["file_data"]),
    ] {
        let schema = schema(&client, tool).await;
        let mut names: Vec<&String> = schema["properties"].as_object().expect("properties").keys().collect();
        names.sort();
        assert_eq!(names, wanted, "{tool}: {schema}");
        let required = schema["required"].as_array().expect("a list");
        let all: Vec<&str> = required.iter().map(text).collect();
        assert!(all.iter().all(|name| wanted.contains(name)), "{tool}: {schema}");
        let described = archive.site.get(&format!("/tools/{}", tool.replace("__", ":"))).await;
        assert!(!described.to_string().contains("Base64") || tool == "docs__sink", "{described}");
    }
    let merge = schema(&client, "docs__merge").await;
    assert_eq!(merge["properties"]["file_ids"]["type"], "array", "{merge}");
    let missing = call(&client, "docs__parse_document", json!({})).await;
    assert_eq!(envelope(&missing)["status"], "invalid", "{missing}");
}

#[tokio::test]
async fn bytes_that_are_given_beside_or_in_place_of_an_id_are_refused() {
    let archive = Archive::open("").await;
    let file = archive.file("cv.pdf", &pdf(1, 3_000)).await;
    let client = archive.site.agent();
    let both = json!({ "file_id": file, "file_data": "JVBERg==", "file_type": "application/pdf" });
    let refused = call(&client, "docs__parse_document", both).await;
    assert_eq!(code(&refused), "given_twice", "{refused}");
    for id in [json!(7), json!(["file_1"]), json!({}), json!("")] {
        let refused = call(&client, "docs__parse_document", json!({ "file_id": id })).await;
        assert_eq!(refused["isError"], true, "{id}: {refused}");
    }
}

#[tokio::test]
async fn a_tool_without_a_strategy_gets_the_id_and_its_caller_a_warning() {
    let archive = Archive::open("").await;
    let file = archive.file("cv.pdf", &pdf(1, 3_000)).await;
    let arguments = json!({ "file_data": "four", "file_id": file });
    let rest = archive.rest_call("docs:sink", arguments.clone()).await.json();
    assert_eq!(rest["warnings"][0]["code"], "file_not_mapped", "{rest}");
    let result = call(&archive.site.agent(), "docs__sink", arguments).await;
    assert_eq!(structure(&result)["characters"], 4, "it reached the server: {result}");
    let warning = &envelope(&result)["warnings"][0];
    assert_eq!(warning["code"], "file_not_mapped", "{result}");
    let message = text(&warning["message"]);
    assert!(message.contains(&file) && message.contains("file_strategy"), "{message}");
    let arguments = json!({ "source_ref_id": file, "target_role": "x" });
    let tailored = call(&archive.site.agent(), "docs__tailor_resume", arguments).await;
    assert!(
        tailored["content"][0]["text"].to_string().contains(&file),
        "the server saw the id itself: {tailored}"
    );
    assert_eq!(envelope(&tailored)["warnings"][0]["code"], "file_not_mapped", "{tailored}");
}

#[tokio::test]
async fn an_image_strategy_refuses_what_is_no_image_whatever_it_is_called() {
    let archive = Archive::open("").await;
    let file = archive.file("scan.png", &pdf(1, 3_000)).await;
    let refused = call(&archive.site.agent(), "docs__ocr", json!({ "file_id": file })).await;
    assert_eq!(code(&refused), "not_an_image", "{refused}");
    assert!(text(&refused["content"][0]["text"]).contains("application/pdf"), "{refused}");
    let rest = archive.rest_call("docs:ocr", json!({ "file_id": file })).await;
    assert_eq!((rest.status, rest.json()["error"]["code"].clone()), (422, json!("not_an_image")), "{rest:?}");
}

#[tokio::test]
async fn a_video_strategy_refuses_what_is_no_video_whatever_it_is_called() {
    let archive = Archive::open("").await;
    for (bytes, kind) in [(pdf(1, 3_000), "application/pdf"), (b"only words".to_vec(), "text/plain")] {
        let file = archive.file("talk.mp4", &bytes).await;
        let refused = call(&archive.site.agent(), "docs__create_job", json!({ "file_id": file })).await;
        assert_eq!(code(&refused), "not_a_video", "{refused}");
        assert!(text(&refused["content"][0]["text"]).contains(kind), "{refused}");
    }
}

#[tokio::test]
async fn a_file_too_large_for_its_strategy_is_refused_with_the_limit() {
    let archive = Archive::open("[files]\nbase64_bytes_max = 4096\ntext_bytes_max = 2048\n").await;
    let client = archive.site.agent();
    let (fits, over) =
        (archive.file("a.pdf", &pdf(1, 4_096)).await, archive.file("b.pdf", &pdf(1, 4_097)).await);
    structure(&call(&client, "docs__parse_document", json!({ "file_id": fits })).await);
    let refused = call(&client, "docs__parse_document", json!({ "file_id": over })).await;
    assert_eq!(code(&refused), "file_too_large", "{refused}");
    let message = text(&refused["content"][0]["text"]);
    assert!(message.contains("4097") && message.contains("4096"), "{message}");
    let long = archive.file("a.txt", "x".repeat(2_049).as_bytes()).await;
    let refused = call(&client, "docs__classify_text", json!({ "file_id": long })).await;
    assert_eq!(code(&refused), "file_too_large", "{refused}");
    // A mere reference has no such limit.
    let film = archive.file("b.mp4", &video(1, 4_097)).await;
    structure(&call(&client, "docs__create_job", json!({ "file_id": film })).await);
}

#[tokio::test]
async fn an_artifact_or_a_ref_goes_wherever_a_file_goes() {
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    let blob = taken_out(&call(&client, "docs__pdf_blob", json!({ "bytes": 5_000 })).await);
    let parsed = call(&client, "docs__parse_document", json!({ "file_id": blob["ref_id"] })).await;
    assert_eq!(structure(&parsed)["sha256"], json!(&text(&blob["digest"])[7..]), "{parsed}");
    let mixed = json!({ "left": blob["ref_id"], "right": archive.file("a.pdf", &pdf(3, 100)).await });
    let compared = call(&client, "docs__compare", mixed).await;
    assert_eq!(structure(&compared)["right"]["sha256"], sha256(&pdf(3, 100)), "{compared}");
    // An argument with any name that ends like an id fills the only slot.
    let loose = call(&client, "docs__parse_document", json!({ "source_ref_id": blob["ref_id"] })).await;
    assert_eq!(loose["isError"], true, "the exposed schema requires file_id: {loose}");
}

#[tokio::test]
async fn what_a_registration_says_of_its_files_counts_and_the_operator_has_the_last_word() {
    let operator = "[[tools]]\nname = \"jobs:read\"\nfile_strategy = \"plain_text_text\"\n";
    let site = Site::open_with(operator);
    let takes = |name: &str, argument: &str| {
        let properties = json!({ argument: { "type": "string" } });
        json!({
            "name": name, "description": "Takes a file",
            "inputSchema": { "type": "object", "properties": properties, "required": [argument] },
            "annotations": { "readOnlyHint": true, "openWorldHint": false },
        })
    };
    site.offer("tools.json", &json!([takes("parse", "payload"), takes("read", "text")]));
    let slot = json!({ "strategy": "binary_base64", "argument": "document", "content": "payload" });
    site.write(
        "extras.json",
        &json!({ "parse": { "files": [slot] }, "read": { "file_strategy": "binary_base64" } }).to_string(),
    );
    let (tools, extras, journal) = (site.word("tools.json"), site.word("extras.json"), site.word("journal"));
    let words = ["--tools", &tools, "--extras", &extras, "--journal", &journal];
    let _worker = site.worker(&site.server_token("jobs"), "jobs", "a", &words);
    site.sees(&site.agent(), &["jobs__parse", "jobs__read"]).await;
    let archive = Archive { site };
    let note = archive.file("note.txt", b"a short note").await;
    for (tool, argument, expected) in [
        ("jobs__parse", "document", base64(b"a short note")),
        ("jobs__read", "file_id", "a short note".to_owned()),
    ] {
        let shown = schema(&archive.site.agent(), tool).await;
        let names: Vec<&String> = shown["properties"].as_object().expect("properties").keys().collect();
        assert_eq!(names, [argument], "{shown}");
        call(&archive.site.agent(), tool, json!({ argument: note })).await;
        let journal = std::fs::read_to_string(archive.site.path("journal")).expect("it was called");
        let last = journal.lines().last().expect("a line");
        assert!(last.contains(&format!("\"{expected}\"")) && !last.contains(&note), "{tool}: {last}");
    }
}
