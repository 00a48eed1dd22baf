//! `check_pdf`, `check_accessibility` and `check_document`.

use capability_testkit::file;
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::{claims, page, stream};

fn rules(answer: &Value) -> Vec<String> {
    let findings = answer["findings"].as_array().unwrap();
    findings.iter().map(|it| it["rule"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_pdf_that_claims_conformance_is_not_believed() {
    let client = start().await;
    let bytes = page(&["Hello"], "/Metadata 7 0 R", "", &[claims()]);
    let answer = client.answer("check_pdf", file(&bytes, json!({}))).await;
    for standard in answer["standards"].as_array().unwrap() {
        assert_eq!(standard["claimed"], true, "{answer}");
        assert_eq!(standard["passes"], false, "{answer}");
        assert!(!standard["not_checked"].as_array().unwrap().is_empty(), "{answer}");
    }
    let rules = rules(&answer);
    for rule in [
        "pdf/ua-1 7.1-3",
        "pdf/ua-1 7.1-11",
        "pdf/ua-1 7.1-10",
        "pdf/ua-1 7.21.4.1-1",
        "pdf/a-2b 6.1.3-1",
        "pdf/a-2b 6.2.11.4.1-1",
        "pdf/a-2b 6.2.4.3-4",
    ] {
        assert!(rules.iter().any(|it| it == rule), "{rule} in {rules:?}");
    }
    let text =
        answer["findings"].as_array().unwrap().iter().find(|it| it["rule"] == "pdf/ua-1 7.1-3").unwrap();
    assert_eq!(text["spots"][0]["page"], 1, "{text}");
    assert!(text["mend"].as_str().unwrap().contains("tag it"), "{text}");
}

#[tokio::test]
async fn an_annotation_is_found_with_its_page_and_box() {
    let client = start().await;
    let annotation = "<< /Type /Annot /Subtype /Square /Rect [100 700 200 750] >>".to_owned();
    let bytes = page(&["Hello"], "", "/Annots [7 0 R]", &[annotation]);
    let answer = client.answer("check_pdf", file(&bytes, json!({ "standards": ["pdf/a-2b"] }))).await;
    let finding =
        answer["findings"].as_array().unwrap().iter().find(|it| it["rule"] == "pdf/a-2b 6.3.3-1").unwrap();
    assert_eq!(finding["spots"][0], json!({ "page": 1, "box": [100.0, 92.0, 200.0, 142.0], "object": 7 }));
}

#[tokio::test]
async fn findings_can_be_read_as_sarif() {
    let client = start().await;
    let bytes = page(&["Hello"], "", "", &[stream("", "")]);
    let answer = client.answer("check_pdf", file(&bytes, json!({ "format": "sarif" }))).await;
    let id = answer["sarif_ref_id"].as_str().unwrap();
    let sarif: Value = serde_json::from_slice(&client.bytes(id).await).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), answer["findings"].as_array().unwrap().len());
    assert!(results.iter().all(|it| it["ruleId"].is_string() && it["locations"][0].is_object()));
}

#[tokio::test]
async fn a_web_page_is_checked_with_its_contrast() {
    let client = start().await;
    let html = "<html><head><style>.pale { color: #bbb }</style></head><body><img src=a.png>\
        <p class=pale>hard to see</p><input type=text><a href=x></a></body></html>";
    let answer = client.answer("check_accessibility", json!({ "html": html })).await;
    assert_eq!(answer["passes"], false);
    let rules = rules(&answer);
    for rule in ["wcag 1.1.1", "wcag 1.3.1", "wcag 1.4.3", "wcag 2.4.2", "wcag 2.4.4", "wcag 3.1.1"] {
        assert!(rules.iter().any(|it| it == rule), "{rule} in {rules:?}");
    }
    let good = "<!doctype html><html lang=en><title>T</title><main><h1>One</h1><img src=a alt=\"A cat\">\
        <label>Name <input name=n></label><p style=\"color:#333\">dark</p></main></html>";
    let answer = client.answer("check_accessibility", json!({ "html": good })).await;
    assert_eq!(answer["findings"], json!([]), "{answer}");
    assert_eq!(answer["passes"], true);
}

#[tokio::test]
async fn one_report_has_the_checks_of_its_profile() {
    let client = start().await;
    let bytes = page(&["My name is Helga Brandt.", "Write to helga@example.org."], "", "", &[]);
    let answer = client.answer("check_document", file(&bytes, json!({ "profile": "privacy" }))).await;
    assert_eq!(answer["checks"], json!(["metadata", "personal data"]), "{answer}");
    let rules = rules(&answer);
    assert!(rules.contains(&"metadata person".to_owned()), "{rules:?}");
    assert!(rules.contains(&"personal-data email_address".to_owned()), "{rules:?}");
    let answer = client.answer("check_document", file(&bytes, json!({ "profile": "archive" }))).await;
    assert_eq!(answer["checks"], json!(["pdf/a-2b", "metadata"]), "{answer}");
}
