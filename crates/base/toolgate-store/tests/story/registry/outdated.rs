//! Servers that the registries they came from have in another version.

use toolgate_core::event::EventKind;
use toolgate_store::{Books, OutdatedServer};

use super::{SEEN_MS, count_of, event, name, replicas};
use crate::world::StoreWorld;

crate::on_both!(
    what_two_gateways_find_is_told_once,
    another_version_is_told_again_and_one_that_was_taken_is_forgotten,
    a_server_that_is_gone_takes_its_finding_with_it,
);

fn found(version: &str, latest: Option<&str>) -> OutdatedServer {
    OutdatedServer {
        server: name("weather"),
        version: version.into(),
        state: "outdated".into(),
        latest: latest.map(str::to_owned),
        found_at_ms: SEEN_MS,
    }
}

async fn keep(books: &Books, found: &OutdatedServer) -> bool {
    books.keep_outdated_server(found, vec![event(EventKind::ServerOutdated)]).await.expect("kept")
}

async fn what_two_gateways_find_is_told_once(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let newer = found("1.0.0", Some("2.0.0"));
    let (first, second) = tokio::join!(keep(&one, &newer), keep(&two, &newer));
    assert!(first != second, "one of them tells: {first}, {second}");
    assert!(!keep(&one, &newer).await);
    assert_eq!(count_of(&store, EventKind::ServerOutdated).await, 1);
    assert_eq!(store.read_outdated_servers().await.expect("read"), [newer]);
}

async fn another_version_is_told_again_and_one_that_was_taken_is_forgotten(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    assert!(keep(&one, &found("1.0.0", Some("2.0.0"))).await);
    assert!(keep(&two, &found("1.0.0", Some("3.0.0"))).await);
    assert!(keep(&two, &found("1.0.0", None)).await, "the registry has none any more");
    assert_eq!(store.read_outdated_servers().await.expect("read"), [found("1.0.0", None)]);
    one.forget_outdated_server(&name("weather"), "3.0.0").await.expect("forgotten");
    assert_eq!(
        store.read_outdated_servers().await.expect("read").len(),
        1,
        "that is another gateway's version"
    );
    one.forget_outdated_server(&name("weather"), "1.0.0").await.expect("forgotten");
    assert!(store.read_outdated_servers().await.expect("read").is_empty());
    assert_eq!(count_of(&store, EventKind::ServerOutdated).await, 3);
}

async fn a_server_that_is_gone_takes_its_finding_with_it(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let other = OutdatedServer { server: name("mail"), ..found("1.0.0", None) };
    assert!(keep(&one, &found("1.0.0", Some("2.0.0"))).await && keep(&one, &other).await);
    two.remove_outdated_server(&name("weather")).await.expect("removed");
    assert_eq!(store.read_outdated_servers().await.expect("read"), [other]);
    assert!(keep(&one, &found("1.0.0", Some("2.0.0"))).await, "it is back, and is told of again");
}
