//! The agents' names of tools and prompts.

use toolgate_core::CanonicalName;
use toolgate_core::registry::{NamedKind, WireName};
use toolgate_store::Revisions;

use super::{name, replicas, revisions};
use crate::world::StoreWorld;

crate::on_both!(
    a_name_belongs_to_whoever_had_it_first,
    of_two_who_give_a_name_at_once_one_does,
    a_name_may_be_any_text,
);

fn wanted(wire: &str, server: &str, own: &str) -> WireName {
    let server = name(server);
    let owner = CanonicalName::of(&server, own);
    WireName { kind: NamedKind::Tool, name: wire.into(), server, owner }
}

async fn a_name_belongs_to_whoever_had_it_first(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let first = wanted("x__y__z", "x.y", "z");
    let given = one.give_wire_names(std::slice::from_ref(&first)).await.expect("written");
    assert_eq!(given, std::slice::from_ref(&first));
    let prompt = WireName { kind: NamedKind::Prompt, ..wanted("x__y__z", "x", "y__z") };
    let late = [wanted("x__y__z", "x", "y__z"), wanted("x__plain", "x", "plain"), prompt.clone()];
    let mut given = two.give_wire_names(&late).await.expect("written");
    given.sort_by(|one, other| (&one.name, one.kind.as_str()).cmp(&(&other.name, other.kind.as_str())));
    assert_eq!(given, [late[1].clone(), prompt, first]);
    assert_eq!(world.open().await.read_wire_names().await.expect("read").len(), 3);
    assert_eq!(revisions(&store).await, Revisions { tools: 2, ..Revisions::default() }, "others take it up");
}

async fn of_two_who_give_a_name_at_once_one_does(world: StoreWorld) {
    let (_store, one, two) = replicas(&world).await;
    for at in 0..20 {
        let wire = format!("name_{at}");
        let (ours, theirs) = (wanted(&wire, "a", "tool"), wanted(&wire, "b", "tool"));
        let (first, second) = tokio::join!(
            one.give_wire_names(std::slice::from_ref(&ours)),
            two.give_wire_names(std::slice::from_ref(&theirs))
        );
        assert_eq!(first.expect("written"), second.expect("written"));
    }
}

async fn a_name_may_be_any_text(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let long = "x".repeat(20_000);
    let names = ["", "nul\0", "nul\u{fffd}", "größe \"quoted\"\n", &long];
    let all: Vec<WireName> = names.iter().map(|text| wanted(text, "odd", text)).collect();
    one.give_wire_names(&all).await.expect("written");
    let read = store.read_wire_names().await.expect("read");
    assert_eq!(read.len(), names.len());
    assert!(all.iter().all(|one| read.contains(one)), "{read:?}");
}
