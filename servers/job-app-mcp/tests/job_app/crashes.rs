//! kill -9 at any moment: what was answered is there, what was not is whole or not there, and the same call again is right.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_stage::on_both;

use crate::drive::{Server, World, call_of, moved, recorded};

on_both!(crate::drive::World:
    a_kill_between_any_two_calls_loses_nothing_and_repeats_nothing,
    a_kill_in_the_middle_of_a_call_leaves_it_whole_or_undone,
);

/// The calls of one application, each made of the answers before.
const STEPS: usize = 4;

async fn step(server: &Server, at: usize, job: &Value) -> Value {
    match at {
        0 => server.lease("run_1", 1).await.remove(0),
        1 => server.update("run_1", job, "submitting").await,
        2 => server.answer("run_1", "record_application", recorded(job, "submitted_unconfirmed")).await,
        _ => {
            let mut confirm =
                moved(&json!({ "applicationId": job["applicationId"], "version": 4 }), "confirmed");
            confirm["evidence"] = json!({ "text": "a letter" });
            server.answer("run_1", "update_application_status", confirm).await
        }
    }
}

async fn a_kill_between_any_two_calls_loses_nothing_and_repeats_nothing(world: World) {
    let world = world.with_jobs(1).await;
    let mut server = world.start().await;
    let mut job = Value::Null;
    for at in 0..STEPS {
        let first = step(&server, at, &job).await;
        server.kill().await;
        server = world.start().await;
        // The client does not know whether its call arrived, and sends it again.
        let again = step(&server, at, &job).await;
        assert_eq!(again["applicationId"], first["applicationId"]);
        assert_eq!(again["version"], first["version"], "the second time changes nothing: {again}");
        if at == 0 {
            job = again;
        }
    }
    let listed = server.list(json!({ "history": true })).await;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0]["status"], "confirmed");
    assert_eq!(listed[0]["history"].as_array().unwrap().len(), STEPS + 1, "{listed:?}");
}

async fn a_kill_in_the_middle_of_a_call_leaves_it_whole_or_undone(world: World) {
    const JOBS: usize = 4;
    let world = world.with_jobs(JOBS).await;
    for round in 0..JOBS {
        let run = format!("run_{round}");
        let server = world.start().await;
        let job = server.lease(&run, 1).await.remove(0);
        let call = call_of(&run, "update_application_status", moved(&job, "submitting"));
        let asked = server.client.service.call_tool(call);
        // Somewhere between the request and its answer.
        drop(tokio::time::timeout(Duration::from_millis(round as u64), asked).await);
        server.kill().await;
        let server = world.start().await;
        let listed = server.list(json!({ "application_id": job["applicationId"], "history": true })).await;
        let (status, version) = (&listed[0]["status"], listed[0]["version"].as_i64().unwrap());
        assert!(["leased", "submitting"].iter().any(|word| status == word), "{listed:?}");
        assert_eq!(version, if status == "leased" { 2 } else { 3 });
        assert_eq!(
            listed[0]["history"].as_array().unwrap().len() as i64,
            version,
            "no change without its event"
        );
        assert_eq!(server.update(&run, &job, "submitting").await["version"], 3);
        server.answer(&run, "record_application", recorded(&job, "confirmed")).await;
    }
}
