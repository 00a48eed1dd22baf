//! Files into pages and out of them.

use capability_testkit::base64;
use serde_json::{Value, json};

use crate::drive::Stage;

#[tokio::test]
async fn a_file_goes_in_by_its_bytes_and_never_by_a_path() {
    let stage = Stage::open().await;
    stage.go("/apply").await;
    let file = json!({ "target": "input[type=file]", "file_data": base64(b"my resume"), "file_type": "application/pdf", "name": "../cv.pdf" });
    let put = stage.call("upload", file).await;
    assert!(put.starts_with("Put \"cv.pdf\" (9 bytes) into"), "{put}");
    stage.call("type", json!({ "target": "input[name=name]", "text": "Ada", "submit": true })).await;
    let body = stage.site.visits("/sent").pop().unwrap().body;
    let body = String::from_utf8_lossy(&body).into_owned();
    assert!(body.contains("filename=\"cv.pdf\"") && body.contains("my resume"), "{body}");

    stage.go("/apply").await;
    for (arguments, words) in [
        (json!({ "target": "input[type=file]", "path": "/etc/passwd" }), "unknown field `path`"),
        (
            json!({ "target": "input[type=file]", "file_id": "file_somebody_elses" }),
            "unknown field `file_id`",
        ),
        (json!({ "target": "input[type=file]" }), "no file was passed"),
        (json!({ "target": "input[type=file]", "file_data": "?" }), "not Base64"),
        (json!({ "target": "input[name=name]", "file_data": base64(b"x") }), "takes no file"),
    ] {
        let refused = stage.refused("upload", arguments, "bad_arguments").await;
        assert!(refused.contains(words), "{words}: {refused}");
    }
}

#[tokio::test]
async fn downloads_are_returned_once_and_huge_ones_are_refused() {
    let stage = Stage::with(&["--allow-private", "--download-mib", "2"]).await;
    stage.go("/files").await;
    stage.call("click", json!({ "target": "a:first-of-type" })).await;
    let result = stage.client.call("downloads", json!({})).await;
    let result = serde_json::to_value(&result).unwrap();
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("\"report.csv\" (text/csv, 8 bytes): attached"), "{text}");
    let blob = &result["content"][1]["resource"];
    assert_eq!(blob["blob"], json!(base64(b"a,b\n1,2\n")), "{blob}");
    assert_eq!(blob["mimeType"], "text/csv");
    let again = stage.call("downloads", json!({})).await;
    assert!(again.ends_with("There are no downloads."), "{again}");

    stage.call("click", json!({ "target": "a + a" })).await;
    let mut told = String::new();
    for _ in 0..5 {
        told += &stage.call("downloads", json!({})).await;
        if told.contains("refused") {
            break;
        }
    }
    assert!(told.contains("huge.bin") && told.contains("refused"), "{told}");
    let result: Value = serde_json::to_value(stage.client.call("downloads", json!({})).await).unwrap();
    assert_eq!(result["content"].as_array().unwrap().len(), 1, "no bytes of it: {result}");
}
