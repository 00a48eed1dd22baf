//! Input that is no advertisement, or cannot be read.

use capability_testkit::file;
use serde_json::json;

use crate::drive::{ADVERT, start};

#[tokio::test]
async fn nothing_empty_and_too_much_are_refused_with_a_hint() {
    let client = start().await;
    for (arguments, code) in [
        (json!({}), "bad_arguments"),
        (json!({ "text": " \n" }), "bad_arguments"),
        (json!({ "text": "a", "file_data": "YQ==" }), "bad_arguments"),
        (json!({ "file_data": "" }), "unreadable"),
        (json!({ "file_data": "%%%" }), "bad_arguments"),
        (json!({ "source_ref_id": "doc_0123" }), "unknown_ref"),
    ] {
        let (said, text) = client.trouble("parse_job", arguments.clone()).await;
        assert_eq!(said, code, "{arguments}: {text}");
        assert!(text.contains("hint:"), "{text}");
    }
    let answer = client.answer("parse_job", json!({ "text": ADVERT })).await;
    assert_eq!(answer["posting"]["title"], "Senior Platform Engineer");
}

#[tokio::test]
async fn damaged_and_mislabelled_files_are_told_apart() {
    let client = start().await;
    let (code, text) = client.trouble("parse_job", file(b"%PDF-1.7\n1 0 obj\n<<", json!({}))).await;
    assert_eq!(code, "unreadable", "{text}");
    let binary: Vec<u8> = (0..=255).cycle().take(4_000).collect();
    let (code, text) = client.trouble("parse_job", file(&binary, json!({}))).await;
    assert!(["unsupported", "unreadable"].contains(&code.as_str()), "{code}: {text}");
    let html = format!("<!doctype html><html><body><h1>Nurse</h1><p>{ADVERT}</p></body></html>");
    let answer =
        client.answer("parse_job", file(html.as_bytes(), json!({ "file_type": "application/pdf" }))).await;
    assert!(answer["warnings"].to_string().contains("was declared as"), "{answer:#}");
}

#[tokio::test]
async fn hostile_data_of_a_page_is_left_alone() {
    let client = start().await;
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    for data in [
        deep.as_str(),
        "{\"@type\":\"JobPosting\",\"title\":",
        "null",
        "{\"@type\":\"JobPosting\",\"title\":{\"a\":1},\"baseSalary\":[[]],\"jobLocation\":7,\"datePosted\":\"yesterday\"}",
    ] {
        let html = format!(
            "<!doctype html><html><head><script type=\"application/ld+json\">{data}</script></head><body><p>{ADVERT}</p></body></html>"
        );
        let answer = client.answer("parse_job", json!({ "text": html })).await;
        assert_eq!(answer["posting"].get("datePosted"), None, "{answer:#}");
    }
}

#[tokio::test]
async fn a_huge_text_is_cut_and_the_cut_is_said() {
    let client = start().await;
    let text = format!("{ADVERT}\n{}", "All work and no play. ".repeat(4_000));
    let answer = client.answer("parse_job", json!({ "text": text })).await;
    assert!(answer["warnings"].to_string().contains("longer than"), "{}", answer["warnings"]);
    let line = "a".repeat(70_000);
    client.answer("parse_job", json!({ "text": line })).await;
    let answer = client.answer("extract_skills", json!({ "text": text })).await;
    assert!(answer["warnings"].to_string().contains("only the first"), "{}", answer["warnings"]);
}

#[tokio::test]
async fn a_text_that_is_no_advertisement_is_doubted() {
    let client = start().await;
    let text =
        "The tide comes in twice a day. Boats wait for it, and so do we.\n\nNobody has counted the gulls.\n";
    let answer = client.answer("parse_job", json!({ "text": text })).await;
    assert!(answer["warnings"].to_string().contains("does not look like a job"), "{answer:#}");
    assert_eq!(answer["posting"].get("baseSalary"), None);
}

#[tokio::test]
async fn bad_arguments_of_the_other_tools_name_what_to_change() {
    let client = start().await;
    let many: Vec<_> = (0..501).map(|at| json!({ "title": format!("Job {at}") })).collect();
    for (tool, arguments, expected) in [
        ("extract_skills", json!({ "text": "" }), "missing or empty"),
        ("match_profile", json!({ "profile": [], "job": "x" }), "not a JSON Resume"),
        ("match_profile", json!({ "profile": {} }), "no advertisement"),
        ("dedupe_jobs", json!({ "jobs": many }), "500"),
        ("normalize_title", json!({ "title": " " }), "title is empty"),
        ("generate_queries", json!({}), "nothing to search for"),
        ("generate_queries", json!({ "title": "x".repeat(200) }), "longer than"),
        ("generate_queries", json!({ "title": "Cook", "dialects": ["gopher"] }), "gopher"),
    ] {
        let (_, said) = client.trouble(tool, arguments).await;
        assert!(said.contains(expected), "{tool}: {said}");
    }
}
