//! Questions to people: visibility, answering, and invalid answers.

use http::{Method, StatusCode};
use serde_json::{Value, json};
use toolgate_core::Role;
use toolgate_core::run::{InputSlot, QuestionPurpose, SlotPicture, SlotType};

use super::file_kit::{agent, operator};
use super::gate::{Gate, Read, approver, somebody};
use super::run_kit::{Started, ask_as, asked, slot, start, told};

async fn question(gate: &Gate, slot_type: SlotType) -> (Started, String) {
    let started = start(gate, "{}").await;
    let input = asked(gate, &started.run(), slot(slot_type, "tone")).await;
    (started, input.to_string())
}

async fn answer(gate: &Gate, id: &str, answer: Value) -> Read {
    let body = json!({ "answer": answer }).to_string();
    gate.post(&approver("ann"), &format!("/inputs/{id}/answer"), &body).await
}

#[tokio::test]
async fn an_answer_lets_the_run_go_on_and_stands() {
    let gate = Gate::open().await;
    let (started, id) = question(&gate, SlotType::Choice).await;
    let shown = gate.get(&agent(), &format!("/inputs/{id}")).await.json();
    for (key, value) in [
        ("state", json!("pending")),
        ("run", json!(started.id)),
        ("principal", json!("agent-7")),
        ("slot_type", json!("choice")),
        ("slot_id", json!("tone")),
        ("prompt_key", json!("Which tone?")),
        ("options", json!([{ "value": "formal" }, { "value": "plain" }])),
    ] {
        assert_eq!(shown[key], value, "{key}");
    }
    let answered = answer(&gate, &id, json!("plain")).await;
    assert_eq!(answered.status, StatusCode::OK, "{answered:?}");
    for (key, value) in [
        ("state", json!("answered")),
        ("answer", json!("plain")),
        ("answered_by", json!("ann")),
        ("via", json!("api")),
    ] {
        assert_eq!(answered.json()[key], value, "{key}");
    }
    assert_eq!(gate.get(&agent(), &started.path("")).await.json()["state"], "running");
    let second = answer(&gate, &id, json!("formal")).await;
    assert_eq!(told(&second), (409, "input_answered".into()));
    assert_eq!(gate.get(&operator(), &format!("/inputs/{id}")).await.json()["answer"], "plain");
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_told_what_does() {
    let gate = Gate::open().await;
    for (slot_type, bad, says, good) in [
        (SlotType::Text, json!(7), "text", json!("because")),
        (SlotType::Choice, json!("loud"), "\"formal\", \"plain\"", json!("plain")),
        (SlotType::MultiChoice, json!("plain"), "a list of some of", json!(["plain"])),
        (SlotType::Number, json!("1"), "a number", json!(1.5)),
        (SlotType::Boolean, json!("yes"), "true or false", json!(true)),
        (SlotType::Date, json!("2027-02-29"), "a date", json!("2028-02-29")),
        (SlotType::File, json!(1), "the id of a file", Value::Null),
    ] {
        let (started, id) = question(&gate, slot_type).await;
        let refused = answer(&gate, &id, bad).await;
        assert_eq!(told(&refused), (422, "bad_answer".into()), "{slot_type:?} {refused:?}");
        let problem = refused.json();
        assert!(problem["detail"].as_str().expect("a text").contains(says), "{problem}");
        assert_eq!(problem["expected"]["slot_type"], slot_type.as_str());
        assert_eq!(gate.get(&agent(), &started.path("")).await.json()["state"], "paused", "it still waits");
        if !good.is_null() {
            assert_eq!(answer(&gate, &id, good).await.status, StatusCode::OK, "{slot_type:?}");
        }
    }
    let (_, id) = question(&gate, SlotType::Text).await;
    for (body, code) in [("{}", "field_invalid"), (r#"{"answer":"a","why":1}"#, "field_unknown")] {
        let refused = gate.post(&approver("ann"), &format!("/inputs/{id}/answer"), body).await;
        assert_eq!(told(&refused), (422, code.to_owned()), "{body}");
    }
}

#[tokio::test]
async fn a_file_that_answers_is_given_to_the_run() {
    let gate = Gate::open().await;
    let (started, id) = question(&gate, SlotType::File).await;
    let foreign = gate.keep(&somebody("agent-8", Role::Agent), "a.txt", "theirs").await;
    assert_eq!(told(&answer(&gate, &id, json!(foreign)).await), (404, "unknown_file".into()));
    let own = gate.keep(&approver("ann"), "a.txt", "mine").await;
    assert_eq!(answer(&gate, &id, json!(own)).await.status, StatusCode::OK);
    let run = gate.get(&agent(), &started.path("")).await.json();
    assert_eq!(
        (&run["input"][0]["path"], &run["input"][0]["file_id"]),
        (&json!("tone"), &json!(own)),
        "{run}"
    );
}

#[tokio::test]
async fn whoever_may_answer_sees_the_picture_of_a_question() {
    let gate = Gate::open().await;
    let started = start(&gate, "{}").await;
    let kept = gate.keep(&operator(), "page.png", "a picture of a page").await;
    let digest = gate.get(&operator(), &format!("/files/{kept}")).await.json()["digest"].clone();
    let picture = SlotPicture {
        id: kept.clone(),
        digest: digest.as_str().and_then(|digest| digest.parse().ok()).expect("a digest"),
        bytes: 19,
        media_type: "image/png".to_owned(),
    };
    let slot = InputSlot {
        purpose: QuestionPurpose::Captcha,
        picture: Some(picture),
        ..slot(SlotType::Text, "letters")
    };
    let id = asked(&gate, &started.run(), slot).await;
    let shown = gate.get(&approver("ann"), &format!("/inputs/{id}")).await.json();
    assert_eq!(shown["purpose"], "captcha", "{shown}");
    assert_eq!(shown["picture"], json!({ "id": kept, "media_type": "image/png", "size": 19 }), "{shown}");
    let path = format!("/inputs/{id}/picture");
    let seen = gate.get(&approver("ann"), &path).await;
    assert_eq!((seen.status, seen.text.as_str()), (StatusCode::OK, "a picture of a page"), "{seen:?}");
    assert_eq!(
        told(&gate.get(&agent(), &path).await),
        (403, "wrong_role".into()),
        "the agent has the ref itself"
    );
    let (_, plain) = question(&gate, SlotType::Text).await;
    let none = gate.get(&approver("ann"), &format!("/inputs/{plain}/picture")).await;
    assert_eq!(told(&none), (404, "not_found".into()));
    assert_eq!(gate.get(&approver("ann"), &format!("/inputs/{plain}")).await.json()["purpose"], "question");
}

#[tokio::test]
async fn who_asks_does_not_answer_and_others_do_not_see_it() {
    let gate = Gate::open().await;
    let (started, id) = question(&gate, SlotType::Text).await;
    let path = format!("/inputs/{id}");
    let body = r#"{"answer":"because"}"#;
    let own = started.holder(&gate).await;
    assert_eq!(ask_as(&gate, &own, Method::GET, &path, "").await.status, StatusCode::OK);
    for refused in [
        gate.post(&agent(), &format!("{path}/answer"), body).await,
        ask_as(&gate, &own, Method::POST, &format!("{path}/answer"), body).await,
        gate.post(&somebody("audit", Role::Auditor), &format!("{path}/answer"), body).await,
    ] {
        assert_eq!(told(&refused), (403, "wrong_role".into()));
    }
    let stranger = gate.get(&somebody("agent-8", Role::Agent), &path).await;
    let unknown = gate.get(&somebody("agent-8", Role::Agent), "/inputs/inp_x").await;
    assert_eq!(told(&stranger), (404, "unknown_input".into()));
    assert_eq!(stranger.text.replace(&id, "inp_x"), unknown.text, "it reads as if there were none");
    assert_eq!(told(&answer(&gate, "inp_x", json!("a")).await), (404, "unknown_input".into()));
    gate.post(&agent(), &started.path("/cancel"), "{}").await;
    assert_eq!(told(&answer(&gate, &id, json!("late")).await), (410, "input_cancelled".into()));
}

#[tokio::test]
async fn questions_are_listed_those_that_wait_first_of_all() {
    let gate = Gate::open().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        gate.clock.advance_ms(10);
        ids.push(question(&gate, SlotType::Text).await);
    }
    answer(&gate, &ids[0].1, json!("because")).await;
    let listed = async |query: &str| {
        let page = gate.get(&approver("ann"), &format!("/inputs{query}")).await.json();
        let inputs = page["inputs"].as_array().unwrap_or_else(|| panic!("{page}")).iter();
        let found: Vec<String> = inputs.map(|one| one["id"].as_str().expect("an id").to_owned()).collect();
        (found, page["next_cursor"].as_str().map(str::to_owned))
    };
    let id = |number: usize| ids[number].1.clone();
    assert_eq!(listed("").await, (vec![id(2), id(1)], None));
    assert_eq!(listed("?state=answered").await.0, [id(0)]);
    let (first, next) = listed("?state=all&limit=2").await;
    assert_eq!(first, [id(2), id(1)]);
    let next = next.expect("there is more");
    assert_eq!(listed(&format!("?state=all&limit=2&cursor={next}")).await, (vec![id(0)], None));
    assert_eq!(listed(&format!("?run={}", ids[1].0.id)).await.0, [id(1)]);
    for (query, status) in [("?state=open", 400), ("?limit=0", 400), ("?slot=a", 400), ("?cursor=x", 422)] {
        let refused = gate.get(&operator(), &format!("/inputs{query}")).await;
        refused.problem();
        assert_eq!(refused.status.as_u16(), status, "{query}");
    }
}

#[tokio::test]
async fn the_inbox_has_approvals_and_questions_newest_first() {
    let gate = Gate::open().await;
    let (_, first) = question(&gate, SlotType::Text).await;
    gate.clock.advance_ms(10_000);
    let approval = gate.ask(r#"{"amount":1}"#).await;
    gate.clock.advance_ms(10_000);
    let (_, last) = question(&gate, SlotType::Number).await;
    let read = async |query: &str| gate.get(&approver("ann"), &format!("/inbox{query}")).await.json();
    let entries = |page: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        let entries = page["entries"].as_array().unwrap_or_else(|| panic!("{page}")).iter();
        entries.map(|one| (text(&one["kind"]), text(&one["id"]))).collect()
    };
    let inbox = read("").await;
    let approval_id = approval.id.to_string();
    let input = |id: &str| ("input".to_owned(), id.to_owned());
    let mut found = entries(&inbox);
    // The store keeps the time of an approval by its own clock, which no test sets forward.
    found.sort();
    assert_eq!(
        found,
        [
            ("approval".to_owned(), approval_id.clone()),
            input(&last).min(input(&first)),
            input(&last).max(input(&first))
        ]
    );
    let questions: Vec<_> = entries(&inbox).into_iter().filter(|(kind, _)| kind == "input").collect();
    assert_eq!(questions, [input(&last), input(&first)]);
    assert_eq!(inbox["more"], false);
    let short = read("?limit=1").await;
    assert_eq!((entries(&short), &short["more"]), (vec![input(&last)], &json!(true)));
    answer(&gate, &last, json!(3)).await;
    assert!(!entries(&read("").await).contains(&input(&last)), "what is answered waits for nobody");
    assert_eq!(told(&gate.get(&agent(), "/inbox").await), (403, "wrong_role".into()));
}
