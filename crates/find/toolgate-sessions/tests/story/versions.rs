//! Versions of agents.

use serde_json::json;

use crate::gateway::{SessionsGateway, agent, name, until};
use crate::world::SessionsWorld;

crate::on_both!(each_version_of_an_agent_is_recorded_once, a_session_names_a_version_that_is_recorded);

async fn numbers(gateway: &SessionsGateway, agent: &str) -> Vec<u64> {
    let versions = gateway.sessions.versions(&name(agent)).await.expect("read");
    versions.iter().map(|one| one.number).collect()
}

async fn each_version_of_an_agent_is_recorded_once(world: SessionsWorld) {
    let (one, two) =
        (SessionsGateway::start(&world, "one").await, SessionsGateway::start(&world, "two").await);
    until("all are recorded", async || one.ledger("agent.defined").await.len() == 3).await;
    assert_eq!((numbers(&one, "clerk").await, numbers(&one, "default").await), (vec![1], vec![1]));
    let first = json!({ "name": "clerk", "principals": ["erna"], "limits": { "idle_seconds": 600, "sessions_max": 5 } });
    for gateway in [&one, &two] {
        gateway.around.define(&[json!({ "name": "clerk", "blocked": ["bank:*"] })]);
    }
    until("the second is recorded", async || numbers(&one, "clerk").await == [1, 2]).await;
    one.around.define(&[first, json!({ "name": "maid" })]);
    until("another agent is recorded", async || numbers(&two, "maid").await == [1]).await;
    assert_eq!(numbers(&one, "clerk").await, [1, 2], "what comes back is no new version");
    for gateway in [&one, &two] {
        gateway.sessions.stop().await;
    }
    let again = SessionsGateway::start(&world, "three").await;
    again.open(&agent("erna"), "clerk").await.expect("looks at the definitions");
    let told: Vec<_> = again.ledger("agent.defined").await.into_iter().map(|(_, detail)| detail).collect();
    assert_eq!(told.len(), 5, "{told:?}");
    let versions = again.sessions.versions(&name("clerk")).await.expect("read");
    let last = told.iter().find(|detail| detail["number"] == 2).expect("told");
    assert_eq!((&last["agent"], &last["version"]), (&json!("clerk"), &json!(versions[1].digest)));
    assert_eq!(
        versions[1].definition.decode::<serde_json::Value>().expect("JSON")["blocked"],
        json!(["bank:*"])
    );
    again.sessions.stop().await;
}

async fn a_session_names_a_version_that_is_recorded(world: SessionsWorld) {
    let gateway = SessionsGateway::start(&world, "one").await;
    for number in 0..5 {
        // Sooner than the next poll.
        gateway.around.define(&[json!({ "name": "clerk", "description": number.to_string() })]);
        let opened = gateway.open(&agent("bert"), "clerk").await.expect("opened");
        let versions = gateway.sessions.versions(&name("clerk")).await.expect("read");
        assert_eq!(versions.last().map(|one| one.digest), Some(opened.session.agent_version));
    }
    gateway.sessions.stop().await;
}
