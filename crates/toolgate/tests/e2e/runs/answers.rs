//! Questions in the inbox, and their answers.

use serde_json::{Value, json};

use super::work::{NO_HOLD, Work, answer, asked, choice, question};
use crate::files::archive::{Archive, DOCS, code, data, structure, text};
use crate::files::bytes::pdf;
use crate::governed::bank::pending;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::site::refused;

on_both!(a_question_stands_in_the_inbox_and_its_answer_lets_the_run_go_on, an_answer_has_to_fit_its_question,);

async fn a_question_stands_in_the_inbox_and_its_answer_lets_the_run_go_on(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let question = json!({
        "slot_type": "choice", "slot_id": "tone", "prompt_key": "Which tone?",
        "options": [{ "value": "formal", "label": "Very formal" }, "plain"],
    });
    let id = work.ask(question.clone()).await;
    let listed = archive.site.get("/inputs").await["inputs"][0].clone();
    assert_eq!(
        (&listed["id"], &listed["run"], &listed["state"]),
        (&json!(id), &json!(work.id), &json!("pending"))
    );
    assert_eq!(
        (&listed["prompt_key"], &listed["options"][0]["label"]),
        (&json!("Which tone?"), &json!("Very formal"))
    );
    let inbox = archive.site.get("/inbox").await;
    assert_eq!(
        (&inbox["entries"][0]["kind"], &inbox["entries"][0]["id"]),
        (&json!("input"), &json!(id)),
        "{inbox}"
    );
    assert_eq!(work.show(&archive).await["waiting"]["inputs"][0]["id"], json!(id));
    // Nothing else continues meanwhile.
    for (tool, arguments) in [
        ("docs__extract_count", json!({})),
        ("complete_workflow", json!({ "summary": "x" })),
        ("store_artifact", json!({ "file_name": "a", "content": "a" })),
    ] {
        let held = work.call(tool, arguments).await;
        assert_eq!(code(&held), "run_paused", "{tool}: {held}");
        assert!(text(&held["content"][0]["text"]).contains(&id), "it says what is waited for: {held}");
    }
    assert_eq!(work.ask(question.clone()).await, id, "the same question is the same question");
    let said = answer(&archive, archive.admin(), &id, json!("formal")).await;
    assert_eq!(
        (said.status, &said.json()["state"], &said.json()["via"]),
        (200, &json!("answered"), &json!("api")),
        "{said:?}"
    );
    assert_eq!(work.state(&archive).await, "running");
    let told = work.call("request_user_input", question).await;
    assert_eq!(
        (&data(&told)["answer"], &data(&told)["state"]),
        (&json!("formal"), &json!("answered")),
        "{told}"
    );
    assert_eq!(text(&told["content"][0]["text"]), "formal");
    let second = answer(&archive, archive.admin(), &id, json!("plain")).await;
    refused(&second, 409, "input_answered");
    assert_eq!(archive.site.get("/inbox").await["entries"], json!([]));
    assert_eq!(archive.site.get("/inputs?state=answered").await["inputs"][0]["answer"], "formal");
    structure(&work.call("docs__extract_count", json!({})).await);
    let kinds = |events: &[Value]| -> Vec<String> {
        let told = events.iter().map(|one| text(&one["kind"]).to_owned());
        told.filter(|kind| kind.starts_with("input.") || kind.starts_with("run.")).collect()
    };
    let events = work.told(&archive).await;
    assert_eq!(
        kinds(&events),
        ["run.created", "run.started", "input.requested", "run.paused", "input.resolved", "run.resumed"]
    );
    archive.verify();
}

async fn an_answer_has_to_fit_its_question(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let options = ["a", "b", "c"];
    let file = archive.file("a.txt", b"words").await;
    for (question, wrong, right) in [
        (
            question("text", "t"),
            vec![json!(1), json!(" "), json!(null), json!(["a"]), json!("x".repeat(20_001))],
            json!("Grüße"),
        ),
        (choice("choice", "c", &options), vec![json!("d"), json!(["a"]), json!(""), json!(true)], json!("b")),
        (
            choice("multi_choice", "m", &options),
            vec![json!("a"), json!(["a", "a"]), json!(["d"]), json!([1])],
            json!(["c", "a"]),
        ),
        (question("number", "n"), vec![json!("1"), json!(null), json!([1]), json!(true)], json!(-1.5)),
        (question("boolean", "b"), vec![json!("true"), json!(1), json!(null)], json!(false)),
        (
            question("date", "d"),
            vec![json!("29.2.2028"), json!("2027-02-29"), json!(20_280_229), json!("2028-02-29T00:00:00Z")],
            json!("2028-02-29"),
        ),
        (question("file", "f"), vec![json!(1), json!(["file"])], json!(file)),
    ] {
        let id = work.ask(question.clone()).await;
        for wrong in wrong {
            let said = answer(&archive, archive.admin(), &id, wrong.clone()).await;
            let problem = refused(&said, 422, "bad_answer");
            assert_eq!(problem["expected"]["slot_type"], question["slot_type"], "{wrong}: {problem}");
            assert_eq!(work.state(&archive).await, "paused", "{wrong}");
        }
        let said = answer(&archive, archive.admin(), &id, right.clone()).await;
        assert_eq!(said.status, 200, "{question}: {said:?}");
        let told = work.call("request_user_input", question).await;
        assert_eq!(data(&told)["answer"], right, "{told}");
    }
}

#[tokio::test]
async fn the_call_that_asks_waits_a_while_for_the_answer() {
    let archive = Archive::open("[runs]\ninput_hold_seconds = 20\n").await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let held = {
        let client = work.client.clone();
        tokio::spawn(async move {
            crate::kit::call(&client, "request_user_input", question("text", "tone")).await
        })
    };
    let id = text(&asked(&archive, &work.id).await["id"]).to_owned();
    assert_eq!(answer(&archive, archive.admin(), &id, json!("warm")).await.status, 200);
    let told = held.await.expect("answered");
    assert_eq!(data(&told)["answer"], "warm", "{told}");
}

#[tokio::test]
async fn a_file_that_somebody_answers_with_is_the_runs_to_use() {
    let archive = Archive::open(NO_HOLD).await;
    let ben = archive.site.token("--role agent --principal ben");
    let work = Work::start_by(&archive, &ben, json!({})).await;
    work.look_around().await;
    let id = work.ask(question("file", "photo")).await;
    let file = archive.upload(archive.admin(), "photo.pdf", &pdf(1, 700)).await;
    let before = work.at(&archive);
    refused(&answer(&archive, archive.admin(), &id, json!("file_nothing")).await, 404, "unknown_file");
    assert_eq!(answer(&archive, archive.admin(), &id, file["id"].clone()).await.status, 200);
    let parsed = before.call("docs__parse_document", json!({ "file_id": file["id"] })).await;
    assert_eq!(structure(&parsed)["bytes"], 700, "{parsed}");
    let outside = crate::kit::call(
        &archive.site.agent_with(&ben),
        "docs__parse_document",
        json!({ "file_id": file["id"] }),
    )
    .await;
    assert_eq!(code(&outside), "unknown_file", "and nowhere else: {outside}");
    let run = work.show(&archive).await;
    assert_eq!(run["input"][0]["file_id"], file["id"], "{run}");
}

#[tokio::test]
async fn whoever_asks_does_not_answer_and_strangers_hear_nothing() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let id = work.ask(question("text", "tone")).await;
    for token in [archive.agent(), &work.token] {
        refused(&answer(&archive, token, &id, json!("me")).await, 403, "wrong_role");
    }
    let stranger = archive.site.token("--role agent --principal mallory");
    let show = async |token: &str, id: &str| {
        let answer = archive.site.rest(token, "GET", &format!("/inputs/{id}"), None).await;
        (answer.status, answer.text.replace(id, "ID"))
    };
    assert_eq!(show(archive.agent(), &id).await.0, 200, "agents see the questions of their own runs");
    let never = "inp_00000000000000000000000000000000";
    assert_eq!(show(&stranger, &id).await, show(&stranger, never).await);
    refused(&answer(&archive, archive.admin(), never, json!("x")).await, 404, "unknown_input");
    let auditor = archive.site.token("--role auditor");
    refused(&answer(&archive, &auditor, &id, json!("x")).await, 403, "wrong_role");
    let approver = archive.site.token("--role approver --principal ann");
    assert_eq!(answer(&archive, &approver, &id, json!("warm")).await.status, 200);
    let shown = archive.site.get(&format!("/inputs/{id}")).await;
    assert_eq!(shown["answered_by"], "ann", "{shown}");
}

#[tokio::test]
async fn of_many_who_answer_at_once_one_is_heard() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let id = work.ask(question("number", "n")).await;
    let path = format!("/inputs/{id}/answer");
    let answers: Vec<_> = (0..8)
        .map(|at| {
            let request = archive.site.request(archive.admin(), "POST", &path, Some(json!({ "answer": at })));
            tokio::spawn(toolgate_testkit::gateway::HttpClient::finish(request))
        })
        .collect();
    let mut won = Vec::new();
    for one in answers {
        let said = one.await.expect("answered");
        match said.status {
            200 => won.push(said.json()["answer"].clone()),
            _ => drop(refused(&said, 409, "input_answered")),
        }
    }
    assert_eq!(won.len(), 1, "{won:?}");
    let told = work.call("request_user_input", question("number", "n")).await;
    assert_eq!(data(&told)["answer"], won[0]);
    let resolved = archive.site.told("input.resolved").await;
    assert_eq!(resolved.len(), 1, "{resolved:?}");
}

#[tokio::test]
async fn another_question_needs_another_name() {
    let archive = Archive::open(NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let id = work.ask(question("text", "tone")).await;
    let other = work.call("request_user_input", question("number", "tone")).await;
    assert!(["slot_taken", "run_paused"].contains(&code(&other)), "{other}");
    assert_eq!(answer(&archive, archive.admin(), &id, json!("warm")).await.status, 200);
    let other = work.call("request_user_input", question("number", "tone")).await;
    assert_eq!(code(&other), "slot_taken", "{other}");
    work.ask(question("number", "length")).await;
}

#[tokio::test]
async fn approvals_and_questions_stand_in_one_inbox() {
    let toml = "[network]\nallow_loopback = true\n[policy]\ntemplate = \"exploratory\"\n\
        gates = 'forbid (principal, action == Action::\"docs:picture\", resource);'\n\
        [approvals]\nhold_seconds = 0\n[runs]\ninput_hold_seconds = 0\n";
    let archive = Archive::open_as(Backing::Sqlite, toml, &[DOCS]).await;
    let work = Work::start(&archive, json!({})).await;
    work.look_around().await;
    let approval = pending(&work.call("docs__picture", json!({})).await);
    let input = work.ask(question("text", "tone")).await;
    let inbox = archive.site.get("/inbox").await;
    let entries: Vec<(&str, &str)> = inbox["entries"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (text(&one["kind"]), text(&one["id"])))
        .collect();
    assert_eq!(entries, [("input", input.as_str()), ("approval", approval.as_str())], "newest first");
    let waiting = work.show(&archive).await["waiting"].clone();
    assert_eq!(
        (&waiting["inputs"][0]["id"], &waiting["approvals"][0]["id"]),
        (&json!(input), &json!(approval))
    );
}
