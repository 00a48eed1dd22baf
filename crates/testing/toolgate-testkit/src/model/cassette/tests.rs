//! Strict replay: the order of members does not count, everything else does.

use serde_json::json;

use super::*;

fn recording(request: Value, body: &str) -> Recording {
    Recording {
        digest: digest("/v1/messages", &request),
        path: "/v1/messages".to_owned(),
        request,
        status: 200,
        content_type: "text/event-stream".to_owned(),
        retry_after: None,
        body: body.to_owned(),
    }
}

fn cassette(recordings: Vec<Recording>) -> (tempfile::TempDir, Cassette) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let cassette = Cassette::create(&folder.path().join("one.jsonl")).expect("a new file");
    recordings.into_iter().for_each(|one| cassette.record(one).expect("it is recorded"));
    let again = Cassette::open(&folder.path().join("one.jsonl")).expect("the file can be read");
    (folder, again)
}

#[test]
fn equal_requests_are_answered_in_the_order_of_their_recording_and_no_more_often() {
    let request = json!({ "model": "m", "messages": ["a"] });
    let (_folder, cassette) = cassette(vec![recording(request.clone(), "1"), recording(request, "2")]);
    let turned_round = json!({ "messages": ["a"], "model": "m" });
    for body in ["1", "2"] {
        assert_eq!(cassette.play("/v1/messages", &turned_round).expect("it is recorded").body, body);
    }
    let third = cassette.play("/v1/messages", &turned_round).expect_err("there is no third");
    assert!(third.contains("recorded 2 times"), "{third}");
}

#[test]
fn a_miss_says_what_differs_from_the_nearest_recording() {
    let far = recording(json!({ "model": "other", "messages": ["x", "y"], "seed": 1 }), "far");
    let near = recording(json!({ "model": "m", "messages": ["a", "b"] }), "near");
    let (_folder, cassette) = cassette(vec![far, near]);
    let asked = json!({ "model": "m", "messages": ["a", "c"], "stream": true });
    let miss = cassette.play("/v1/messages", &asked).expect_err("it is not recorded");
    assert!(miss.contains("/messages/1: recorded \"b\", asked \"c\""), "{miss}");
    assert!(miss.contains("/stream: recorded nothing, asked true"), "{miss}");
    assert!(!miss.contains("seed"), "{miss}");
    let elsewhere = cassette.play("/v1/responses", &asked).expect_err("it is not recorded");
    assert!(elsewhere.contains("nothing is recorded for /v1/responses"), "{elsewhere}");
}

#[test]
fn a_recording_that_was_changed_by_hand_is_refused() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("one.jsonl");
    let mut changed = recording(json!({ "model": "m" }), "1");
    changed.request["model"] = json!("n");
    std::fs::write(&path, serde_json::to_string(&changed).expect("JSON")).expect("it is written");
    let error = Cassette::open(&path).err().expect("it is refused");
    assert!(error.to_string().contains("was changed"), "{error}");
}

#[test]
fn the_key_is_taken_out() {
    assert_eq!(scrubbed("{\"a\":\"sk-1\"}", Some("sk-1")), "{\"a\":\"(key)\"}");
    assert_eq!(scrubbed("as it was", Some("")), "as it was");
}
