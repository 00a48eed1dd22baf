//! Many runs at once.

use serde_json::json;

use crate::script::{Reply, ScriptedModels};
use crate::world::{AgentsWorld, until};

const RUNS: usize = 100;

#[tokio::test]
async fn many_runs_at_once_all_come_to_their_end() {
    let world = AgentsWorld::new(ScriptedModels::new(|turn, _| match turn {
        0 => Reply::Call(vec![("write", json!({}))]),
        _ => Reply::Say("Done."),
    }));
    let gateway = world.gateway("one").await;
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        runs.push(gateway.begin().await);
    }
    for run in &runs {
        until("the end of all", async || gateway.state(run).await == "completed").await;
    }
    assert_eq!(world.records.effects("write"), RUNS);
    assert_eq!(world.models.asked(), 2 * RUNS);
}
