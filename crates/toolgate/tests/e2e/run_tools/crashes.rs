//! A gateway that is killed between the bytes of a state, its row and its event: all of it is there, or nothing.

use serde_json::json;
use toolgate_testkit::gateway::until_async;

use super::{AGENTS, begun, contiguous, done, events};
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::site::{Ending, Site};

on_both!(a_kill_within_a_report_leaves_nothing_half,);

async fn a_kill_within_a_report_leaves_nothing_half(backing: Backing) {
    let mut site = Site::open_on(backing, AGENTS);
    let run = begun(&site).await;
    done(&site, "run.checkpoint", json!({ "run_id": run, "state": { "turn": 0 }, "checkpoint_id": "0" }))
        .await;
    let points = [
        ("run noted", "run.log_step", json!({ "run_id": run, "step_name": "a", "event": "start" })),
        (
            "state stored",
            "run.checkpoint",
            json!({ "run_id": run, "state": { "turn": 1 }, "checkpoint_id": "1" }),
        ),
        (
            "state saved",
            "run.checkpoint",
            json!({ "run_id": run, "state": { "turn": 2 }, "checkpoint_id": "2" }),
        ),
    ];
    for (point, tool, arguments) in points {
        site = Site { gateway: site.gateway.restart_stopping(true, point), backing: site.backing };
        let path = format!("/tools/{tool}");
        let request = site.request(&site.gateway.agent, "POST", &path, Some(arguments.clone()));
        let cut_off = tokio::spawn(request.send());
        let line = format!("stopped at {point}");
        let stopped = until_async(WAIT, || async { site.gateway.log().contains(&line).then_some(()) });
        stopped.await.unwrap_or_else(|| panic!("it never came to {point}"));
        site = site.restarted(Ending::Killed);
        cut_off.abort();
        let before = events(&site, &run).await;
        contiguous(&before);
        let latest = done(&site, "run.checkpoint_latest", json!({ "run_id": run })).await;
        let saved = before.iter().rfind(|one| one["type"] == "run.checkpoint").expect("one was saved");
        assert_eq!(latest["checkpoint"]["sequence"], saved["sequence"], "{point}: {latest}");
        done(&site, tool, arguments).await;
        let after = events(&site, &run).await;
        contiguous(&after);
        assert_eq!(after.len(), before.len() + 1, "{point}: the same again is done once");
    }
    let latest = done(&site, "run.checkpoint_latest", json!({ "run_id": run })).await;
    assert_eq!(latest["checkpoint"]["state"], json!({ "turn": 2 }), "{latest}");
    done(&site, "run.complete", json!({ "run_id": run })).await;
    site.say(&["ledger", "verify"]);
}
