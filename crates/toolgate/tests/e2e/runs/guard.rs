//! A person is asked only after the agent has tried for itself: two calls of data tools have completed.

use serde_json::json;

use super::work::{NO_HOLD, Work, question};
use crate::files::archive::{Archive, code, data, text};
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(a_question_comes_after_two_data_tools_and_says_what_is_missing);

async fn a_question_comes_after_two_data_tools_and_says_what_is_missing(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    let ask = async || work.call("request_user_input", question("text", "tone")).await;
    let refused = ask().await;
    assert_eq!(code(&refused), "too_early", "{refused}");
    assert!(text(&refused["content"][0]["text"]).contains("none has, so 2 more are missing"), "{refused}");
    work.call("docs__extract_count", json!({})).await;
    let refused = ask().await;
    let words = text(&refused["content"][0]["text"]);
    assert!(words.contains("1 has (docs:extract_count)") && words.contains("1 more is missing"), "{words}");
    assert_eq!(work.state(&archive).await, "running", "a question that is not asked pauses nothing");
    assert_eq!(archive.site.get("/inputs").await["inputs"], json!([]));
    work.call("docs__slow", json!({ "ms": 1 })).await;
    work.ask(question("text", "tone")).await;
    assert_eq!(work.state(&archive).await, "paused");
    archive.verify();
}

#[tokio::test]
async fn what_failed_was_refused_or_is_no_data_tool_does_not_count() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.call("docs__extract_count", json!({})).await;
    for (tool, arguments) in [
        ("docs__tailor_resume", json!({ "source_ref_id": "nothing", "target_role": "x" })),
        ("docs__parse_document", json!({ "file_id": "file_nothing" })),
        ("docs__slow", json!({ "ms": "soon" })),
    ] {
        assert_eq!(work.call(tool, arguments).await["isError"], true, "{tool}");
    }
    data(&work.call("store_artifact", json!({ "file_name": "a.txt", "content": "words" })).await);
    data(&work.call("file_upload_url", json!({ "file_name": "a.txt" })).await);
    let file = archive.file("a.txt", b"words").await;
    data(&work.call("read_ref", json!({ "ref_id": file })).await);
    let refused = work.call("request_user_input", question("text", "tone")).await;
    assert_eq!(code(&refused), "too_early", "{refused}");
    assert!(text(&refused["content"][0]["text"]).contains("1 has (docs:extract_count)"), "{refused}");
}

#[tokio::test]
async fn two_tools_of_another_run_do_not_count() {
    let archive = Archive::open(NO_HOLD).await;
    Work::start(&archive, json!({})).await.look_around().await;
    let work = Work::start(&archive, json!({})).await;
    let refused = work.call("request_user_input", question("text", "tone")).await;
    assert_eq!(code(&refused), "too_early", "{refused}");
}

#[tokio::test]
async fn a_question_that_nobody_can_answer_is_not_asked() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    for asked in [
        json!({ "slot_type": "choice", "slot_id": "a", "prompt_key": "Which?" }),
        json!({ "slot_type": "choice", "slot_id": "a", "prompt_key": "Which?", "options": ["one"] }),
        json!({ "slot_type": "choice", "slot_id": "a", "prompt_key": "Which?", "options": ["one", "one"] }),
        json!({ "slot_type": "text", "slot_id": "a", "prompt_key": "Which?", "options": ["one", "two"] }),
        json!({ "slot_type": "text", "slot_id": " ", "prompt_key": "Which?" }),
        json!({ "slot_type": "text", "slot_id": "a", "prompt_key": "" }),
        json!({ "slot_type": "colour", "slot_id": "a", "prompt_key": "Which?" }),
        json!({ "slot_type": "text", "slot_id": "a" }),
    ] {
        let refused = work.call("request_user_input", asked.clone()).await;
        assert_eq!(refused["isError"], true, "{asked}: {refused}");
    }
    assert_eq!(work.state(&archive).await, "running");
}
