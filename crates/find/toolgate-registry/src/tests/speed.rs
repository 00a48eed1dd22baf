//! Operations that must not take seconds.

use std::time::Instant;

use super::kit::*;

/// Far above the normal duration, far below that of a careless loop.
const SECONDS_MAX: u64 = 20;

#[tokio::test]
async fn five_hundred_servers_with_twenty_tools_each_are_pinned_and_shown_soon() {
    let house = RegistryFixture::new().await;
    let names: Vec<String> = (0..500).map(|at| format!("server-{at:03}")).collect();
    let gateway = house.gateway("one", file(&names.iter().map(String::as_str).collect::<Vec<_>>())).await;
    let owns: Vec<String> = (0..20).map(|at| format!("tool_{at:02}")).collect();
    let tools: Vec<(&str, &str)> =
        owns.iter().map(|own| (own.as_str(), "Does something useful with a file.")).collect();
    let listings = || names.iter().map(|server| (name(server), listing(&tools))).collect::<Vec<_>>();
    let all_shown =
        |gateway: &RegistryGateway| gateway.shelf.catalog.snapshot().tools.entries().len() == 10_000;
    let began = Instant::now();
    for (server, listing) in listings() {
        gateway.registry.listed(&server, listing);
    }
    until("all are shown", || all_shown(&gateway)).await;
    let first = began.elapsed();
    let pinned = house.kinds().await.into_iter().filter(|kind| kind == "registry.tools.pinned").count();
    assert_eq!(pinned, 500);
    gateway.registry.stop().await;

    let began = Instant::now();
    let gateway = house.gateway("one", file(&names.iter().map(String::as_str).collect::<Vec<_>>())).await;
    gateway.registry.listed_before(listings()).await;
    assert!(all_shown(&gateway));
    let again = began.elapsed();
    eprintln!("10,000 tools of 500 servers: {first:?} at first sight, {again:?} after a restart");
    assert!(first.as_secs() < SECONDS_MAX && again.as_secs() < SECONDS_MAX, "{first:?}, {again:?}");
    gateway.registry.stop().await;
}
