//! The way of an application, and the guards on it.

use serde_json::{Value, json};
use toolgate_stage::on_both;

use crate::drive::{World, eventually, moved, recorded};

on_both!(crate::drive::World:
    an_application_goes_from_pending_to_confirmed_and_its_history_says_who_did_it,
    two_runs_never_have_the_same_job,
    two_processes_lease_at_once_and_share_the_jobs_out,
    a_lease_that_ran_out_goes_back_unless_it_may_have_been_sent,
    a_run_that_ended_leaves_its_jobs_to_others,
    every_call_of_a_run_renews_its_leases,
    the_same_facts_again_are_recognised_and_others_are_refused_by_name,
    illegal_moves_name_the_legal_ones,
    a_report_that_it_was_sent_is_taken_from_a_run_that_left_the_announcement_out,
    people_resolve_what_is_unknown_and_runs_do_not,
    withdrawing_is_for_good,
    lists_come_in_pages,
);

async fn an_application_goes_from_pending_to_confirmed_and_its_history_says_who_did_it(world: World) {
    let world = world.with_jobs(1).await;
    let server = world.start().await;
    let job = server.lease("run_1", 5).await.remove(0);
    assert_eq!(job["title"], "Welder 0");
    assert_eq!(job["canonicalKey"], "id:jobs.example:100000");
    let announced = server.update("run_1", &job, "submitting").await;
    assert_eq!(announced["status"], "submitting");
    assert_eq!(announced["changed"], true);
    let done = server.answer("run_1", "record_application", recorded(&job, "submitted_unconfirmed")).await;
    assert_eq!(
        done,
        json!({ "applicationId": job["applicationId"], "status": "submitted_unconfirmed", "created": true, "version": 4 })
    );
    let mut confirm = moved(&json!({ "applicationId": job["applicationId"], "version": 4 }), "confirmed");
    confirm["evidence"] = json!({ "url": "https://mail.example/7" });
    assert_eq!(server.answer("", "update_application_status", confirm).await["status"], "confirmed");
    let listed = server.list(json!({ "history": true })).await;
    let events: Vec<Value> = listed[0]["history"].as_array().unwrap().clone();
    let words: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(words, ["imported", "leased", "updated", "recorded", "updated"]);
    assert_eq!(events[2]["run"], "run_1");
    assert_eq!(events[4].get("run"), None);
    assert_eq!(events[4]["session"], "ses_1");
    assert_eq!(events[4]["evidence"]["url"], "https://mail.example/7");
    assert!(server.lease("run_2", 5).await.is_empty(), "it is done");
}

async fn two_runs_never_have_the_same_job(world: World) {
    let world = world.with_jobs(3).await;
    let server = world.start().await;
    let one = server.lease("run_1", 2).await;
    let other = server.lease("run_2", 5).await;
    assert_eq!((one.len(), other.len()), (2, 1));
    assert!(one.iter().all(|job| job["jobId"] != other[0]["jobId"]));
    assert_eq!(ids(&server.lease("run_1", 2).await), ids(&one), "called again it has the same");
    let (code, text) =
        server.refusal("run_2", "update_application_status", moved(&one[0], "submitting")).await;
    assert_eq!(code, "conflict");
    assert!(text.contains("belongs to another run"), "{text}");
}

fn ids(jobs: &[Value]) -> Vec<&Value> {
    jobs.iter().map(|job| &job["applicationId"]).collect()
}

async fn two_processes_lease_at_once_and_share_the_jobs_out(world: World) {
    const JOBS: usize = 12;
    let world = world.with_jobs(JOBS).await;
    let servers = [world.start().await, world.start().await];
    let take = async |at: usize| {
        let mut taken = Vec::new();
        for round in 0..3 {
            taken.extend(servers[at].lease(&format!("run_{at}_{round}"), 2).await);
        }
        taken
    };
    let (mut all, more) = tokio::join!(take(0), take(1));
    all.extend(more);
    let mut taken: Vec<String> = all.iter().map(|job| job["jobId"].to_string()).collect();
    taken.sort();
    taken.dedup();
    assert_eq!((all.len(), taken.len()), (JOBS, JOBS), "each has one run, and none is left out");
}

async fn a_lease_that_ran_out_goes_back_unless_it_may_have_been_sent(world: World) {
    let world = world.with_jobs(2).await;
    let server = world.start_with(&["--job-lease-seconds", "2"]).await;
    let jobs = server.lease("run_1", 2).await;
    server.update("run_1", &jobs[0], "submitting").await;
    eventually("the leases are over", async || {
        server.status_of(&jobs[1]["applicationId"]).await == "pending"
    })
    .await;
    assert_eq!(server.status_of(&jobs[0]["applicationId"]).await, "needs_person");
    let again = server.lease("run_2", 5).await;
    assert_eq!(ids(&again), [&jobs[1]["applicationId"]], "what may have been sent is not handed out");
    let listed = server.list(json!({ "status": "needs_person" })).await;
    assert!(listed[0]["reason"].as_str().unwrap().contains("the outcome is unknown"), "{listed:?}");
    let (_, text) = server.refusal("run_1", "update_application_status", moved(&jobs[1], "submitting")).await;
    assert!(text.contains("not at version"), "{text}");
    // The run that sent it comes back with what it saw.
    let done = server.answer("run_1", "record_application", recorded(&jobs[0], "confirmed")).await;
    assert_eq!(done["status"], "confirmed");
}

async fn a_run_that_ended_leaves_its_jobs_to_others(world: World) {
    let world = world.with_jobs(2).await;
    let server = world.start().await;
    let jobs = server.lease("run_1", 2).await;
    server.update("run_1", &jobs[0], "submitting").await;
    server.ended(json!({ "run": "run_9" })).await;
    server.ended(json!({ "run": "run_1" })).await;
    eventually("the job is free", async || server.status_of(&jobs[1]["applicationId"]).await == "pending")
        .await;
    assert_eq!(server.status_of(&jobs[0]["applicationId"]).await, "needs_person");
}

async fn every_call_of_a_run_renews_its_leases(world: World) {
    let world = world.with_jobs(1).await;
    let server = world.start().await;
    let job = server.lease("run_1", 1).await.remove(0);
    let until = async |run: &str| {
        server.answer(run, "get_user_profile", json!({ "user": "ada" })).await;
        server.list(json!({})).await[0]["leaseUntil"].as_str().expect("it is leased").to_owned()
    };
    let first = until("run_2").await;
    assert_eq!(first, job["leaseUntil"], "the calls of others renew nothing");
    eventually("a call renews it", async || until("run_1").await > first).await;
}

async fn the_same_facts_again_are_recognised_and_others_are_refused_by_name(world: World) {
    let world = world.with_jobs(2).await;
    let server = world.start().await;
    let jobs = server.lease("run_1", 2).await;
    server.update("run_1", &jobs[0], "submitting").await;
    let mut facts = recorded(&jobs[0], "confirmed");
    facts["idempotency_key"] = "k1".into();
    let first = server.answer("run_1", "record_application", facts.clone()).await;
    let again = server.answer("run_2", "record_application", facts.clone()).await;
    assert_eq!((&again["applicationId"], &again["created"]), (&first["applicationId"], &json!(false)));
    assert_eq!(again["version"], first["version"], "nothing was written");
    for (pointer, value, field) in [
        ("/status", json!("failed"), "status"),
        ("/evidence/text", json!("Thanks"), "evidence.text"),
        ("/evidence/url", json!("https://jobs.example/done"), "evidence.url"),
        ("/evidence/screenshot_ref", json!("ref_1"), "evidence.screenshot_ref"),
    ] {
        let mut other = facts.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        other.pointer_mut(parent).unwrap()[name] = value;
        let (code, text) = server.refusal("run_1", "record_application", other).await;
        assert_eq!(code, "conflict");
        assert!(text.contains(&format!("another {field}:")), "{text}");
    }
    let mut other = facts;
    other["job_id"] = jobs[1]["jobId"].clone();
    let (_, text) = server.refusal("run_1", "record_application", other).await;
    assert!(text.contains("another job_id"), "{text}");
}

async fn illegal_moves_name_the_legal_ones(world: World) {
    let world = world.with_jobs(1).await;
    let server = world.start().await;
    let job = server.lease("run_1", 1).await.remove(0);
    let (code, text) =
        server.refusal("run_1", "update_application_status", moved(&job, "submitted_unconfirmed")).await;
    assert_eq!(code, "conflict");
    assert!(text.contains("it can become submitting, pending, failed, needs_person"), "{text}");
    let announced = server.update("run_1", &job, "submitting").await;
    let again = server.update("run_1", &job, "submitting").await;
    assert_eq!(
        (&again["changed"], &again["version"]),
        (&json!(false), &announced["version"]),
        "it is recognised"
    );
    let (_, text) = server.refusal("run_1", "update_application_status", moved(&announced, "pending")).await;
    assert!(text.contains("submitted_unconfirmed, confirmed, failed, needs_person"), "{text}");
    let (_, text) = server.refusal("run_2", "update_application_status", moved(&job, "submitting")).await;
    assert!(text.contains("not at version"), "{text}");
    let (_, text) =
        server.refusal("run_1", "withdraw", json!({ "application_id": job["applicationId"] })).await;
    assert!(text.contains("record_application"), "{text}");
    let (code, text) =
        server.refusal("run_1", "update_application_status", moved(&announced, "confirmed")).await;
    assert_eq!(code, "bad_arguments");
    assert!(text.contains("evidence"), "{text}");
}

/// The seed of this project shows an agent that only records. What was sent must not be sent again.
async fn a_report_that_it_was_sent_is_taken_from_a_run_that_left_the_announcement_out(world: World) {
    let world = world.with_jobs(2).await;
    let server = world.start().await;
    let listed = server.list(json!({})).await;
    let done =
        server.answer("run_1", "record_application", recorded(&listed[0], "submitted_unconfirmed")).await;
    assert_eq!(done["created"], true);
    assert_eq!(server.lease("run_2", 5).await.len(), 1);
    let job = json!({ "jobId": listed[1]["jobId"] });
    let (code, _) = server.refusal("run_3", "record_application", recorded(&job, "failed")).await;
    assert_eq!(code, "conflict", "that it was not sent is the word of the run that has it");
    // A run that lost its lease sent it all the same: the one that has it now is stopped before its click.
    let taken = server.lease("run_2", 5).await.remove(0);
    server.answer("run_3", "record_application", recorded(&job, "confirmed")).await;
    let (code, _) = server.refusal("run_2", "update_application_status", moved(&taken, "submitting")).await;
    assert_eq!(code, "conflict");
}

async fn people_resolve_what_is_unknown_and_runs_do_not(world: World) {
    let world = world.with_jobs(1).await;
    let server = world.start().await;
    let job = server.lease("run_1", 1).await.remove(0);
    let announced = server.update("run_1", &job, "submitting").await;
    let unknown = server.answer("run_1", "record_application", recorded(&job, "needs_person")).await;
    let mut resolve = moved(&unknown, "pending");
    resolve["reason"] = "the site has no application of hers".into();
    let (_, text) = server.refusal("run_1", "resolve_application", resolve.clone()).await;
    assert!(text.contains("for people"), "{text}");
    let (_, text) = server.refusal("run_2", "record_application", recorded(&job, "confirmed")).await;
    assert!(text.contains("recorded before with another status"), "{text}");
    assert_eq!(announced["status"], "submitting");
    let done = server.answer("", "resolve_application", resolve.clone()).await;
    assert_eq!(done["status"], "pending");
    assert_eq!(server.answer("", "resolve_application", resolve).await["changed"], false);
    // It begins anew: what was recorded before is no longer in the way.
    let job = server.lease("run_2", 1).await.remove(0);
    server.update("run_2", &job, "submitting").await;
    let done = server.answer("run_2", "record_application", recorded(&job, "confirmed")).await;
    assert_eq!((&done["created"], &done["status"]), (&json!(true), &json!("confirmed")));
}

async fn withdrawing_is_for_good(world: World) {
    let world = world.with_jobs(1).await;
    let server = world.start().await;
    let listed = server.list(json!({})).await;
    let withdraw = json!({ "application_id": listed[0]["applicationId"], "reason": "too far" });
    let mut stale = withdraw.clone();
    stale["expected_version"] = 7.into();
    let (code, _) = server.refusal("", "withdraw", stale).await;
    assert_eq!(code, "conflict");
    assert_eq!(server.answer("", "withdraw", withdraw.clone()).await["changed"], true);
    assert_eq!(server.answer("", "withdraw", withdraw).await["changed"], false);
    assert!(server.lease("run_1", 5).await.is_empty());
    // The same job from another board changes nothing.
    let imported = server
        .answer("", "import_jobs", json!({ "user": "ada", "jobs": [{ "title": "Welder 0", "company": "ACME Ltd", "location": "Oslo, Norway" }] }))
        .await;
    assert_eq!(imported["newApplications"], 0);
    assert!(server.lease("run_1", 5).await.is_empty());
}

async fn lists_come_in_pages(world: World) {
    let world = world.with_jobs(5).await;
    let server = world.start().await;
    let mut seen = Vec::new();
    let mut cursor = None;
    for _ in 0..3 {
        let page = server.answer("", "list_applications", json!({ "limit": 2, "cursor": cursor })).await;
        seen.extend(page["applications"].as_array().unwrap().iter().map(|one| one["title"].to_string()));
        cursor = page["next"].as_str().map(str::to_owned);
    }
    assert_eq!(cursor, None);
    let mut unique = seen.clone();
    unique.dedup();
    assert_eq!((seen.len(), unique.len()), (5, 5));
    assert!(server.list(json!({ "user": "nobody" })).await.is_empty());
    assert_eq!(server.list(json!({ "status": "pending", "user": "ada" })).await.len(), 5);
}
