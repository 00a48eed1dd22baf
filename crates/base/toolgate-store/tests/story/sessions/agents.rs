//! Versions of agents.

use toolgate_core::Digest;
use toolgate_core::event::EventKind;
use toolgate_store::{Books, NewAgentVersion};

use super::{OPENED_MS, agent, count_of, event, id, replicas, revision};
use crate::world::StoreWorld;

crate::on_both!(each_version_is_numbered_once, numbers_have_no_gap_whoever_gives_them);

fn version(name: &str, text: &str) -> NewAgentVersion {
    let definition = toolgate_core::RawJson::from_composed(format!("{{ \"says\": {text:?} }}"));
    let digest = Digest::of(definition.as_str());
    NewAgentVersion { agent: agent(name), digest, definition, seen_at_ms: OPENED_MS }
}

async fn keep(books: &Books, versions: &[NewAgentVersion]) -> usize {
    let told = |_: &NewAgentVersion, _| event(EventKind::AgentDefined, &id("none"));
    books.keep_agent_versions(versions, told).await.expect("kept")
}

async fn each_version_is_numbered_once(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let [first, second] = [version("clerk", "first"), version("clerk", "second")];
    assert_eq!(keep(&one, &[first.clone(), version("cook", "first")]).await, 2);
    assert_eq!(keep(&two, &[first.clone(), second.clone()]).await, 1);
    assert_eq!(keep(&two, std::slice::from_ref(&first)).await, 0, "what comes back is no new version");
    let clerk = store.read_agent_versions(&first.agent).await.expect("read");
    let told: Vec<_> = clerk.iter().map(|one| (one.number, one.definition.as_str(), one.digest)).collect();
    let expected =
        [(1, first.definition.as_str(), first.digest), (2, second.definition.as_str(), second.digest)];
    assert_eq!(told, expected);
    assert_eq!(clerk[0].first_seen_at_ms, OPENED_MS);
    assert_eq!(store.read_agent_versions(&agent("nobody")).await.expect("read"), []);
    assert_eq!(store.read_agent_digests().await.expect("read").len(), 3);
    assert_eq!((count_of(&store, EventKind::AgentDefined).await, revision(&store).await), (3, 0));
}

async fn numbers_have_no_gap_whoever_gives_them(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let keeping = |books: &Books, side: usize| {
        let books = books.clone();
        tokio::spawn(async move {
            for number in 0..8 {
                // Every other version is seen by both.
                let text = if number % 2 == 0 { number.to_string() } else { format!("{number} of {side}") };
                keep(&books, &[version("clerk", &text)]).await;
            }
        })
    };
    for keeping in [keeping(&one, 1), keeping(&two, 2)] {
        keeping.await.expect("no panic");
    }
    let versions = store.read_agent_versions(&agent("clerk")).await.expect("read");
    let numbers: Vec<u64> = versions.iter().map(|one| one.number).collect();
    assert_eq!(numbers, (1..=12).collect::<Vec<_>>());
    assert_eq!(count_of(&store, EventKind::AgentDefined).await, 12);
}
