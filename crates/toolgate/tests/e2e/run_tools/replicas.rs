//! Two gateways on one Postgres: the numbers of a run have no gap, whoever writes.

use serde_json::json;

use super::{AGENTS, begun, contiguous, done, events};
use crate::governed::database::Backing;
use crate::kit::call;
use crate::live::site::{OPEN, Site};

const WRITERS: usize = 32;

#[tokio::test]
async fn many_writers_at_both_leave_no_gap() {
    let one = Site::open_on(Backing::postgres(), AGENTS);
    let database = one.backing.database().expect("a Postgres").clone();
    let mut two = Site::open_as(Backing::Shared(database, "second"), &format!("{OPEN}{AGENTS}"));
    two.gateway.admin.clone_from(&one.gateway.admin);
    two.gateway.agent.clone_from(&one.gateway.agent);
    let run = begun(&one).await;
    let writers: Vec<_> = (0..WRITERS)
        .map(|number| {
            let client = if number % 2 == 0 { one.agent() } else { two.agent() };
            let (tool, arguments) = match number % 4 {
                3 => ("run.checkpoint", json!({ "run_id": run, "state": { "n": number } })),
                _ => (
                    "run.log_step",
                    json!({ "run_id": run, "step_name": number.to_string(), "event": "start" }),
                ),
            };
            tokio::spawn(async move { call(&client, tool, arguments).await })
        })
        .collect();
    let mut given = Vec::new();
    for writer in writers {
        let said = writer.await.expect("answered");
        assert_ne!(said["isError"], true, "{said}");
        given.extend(said["structuredContent"]["data"]["sequence"].as_u64());
    }
    given.sort_unstable();
    assert_eq!(given, (3..3 + WRITERS as u64).collect::<Vec<_>>());
    for site in [&one, &two] {
        let all = events(site, &run).await;
        contiguous(&all);
        assert_eq!(all.len(), 2 + WRITERS);
    }
    done(&two, "run.complete", json!({ "run_id": run })).await;
    one.say(&["ledger", "verify"]);
}
