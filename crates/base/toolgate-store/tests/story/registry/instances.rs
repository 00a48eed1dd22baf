//! Servers that register themselves, and their heartbeats.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::RawJson;
use toolgate_core::event::EventKind;
use toolgate_core::server::{InstanceId, InstanceSpec};
use toolgate_core::tool::{Effects, FileStrategy, SlotForm, ToolExtra};
use toolgate_store::{
    Books, JoinKind, JoinedInstance, NewInstance, RegisterError, RegistrationLimits, Revisions, Store,
    StoredInstance,
};

use super::{count_of, event, name, replicas, revisions};
use crate::desk::{books, kinds};
use crate::world::StoreWorld;

crate::on_both!(
    an_instance_comes_back_as_it_registered,
    registering_again_replaces_and_keeps_its_place,
    registering_the_same_is_a_sign_of_life,
    a_sign_of_life_is_no_change,
    an_instance_that_gave_a_sign_of_life_stays,
    of_two_who_miss_an_instance_one_takes_it_out,
    an_instance_that_came_back_is_not_taken_for_the_one_that_left,
    a_server_has_so_many_instances,
    there_are_so_many_servers,
    a_server_without_instances_is_still_known,
);

const LIMITS: RegistrationLimits = RegistrationLimits { servers_max: 10, instances_max: 5 };

fn id(id: &str) -> InstanceId {
    InstanceId::new(id).expect("a legal id")
}

fn registering(server: &str, instance: &str) -> NewInstance {
    let spec =
        InstanceSpec { id: id(instance), ..InstanceSpec::only(format!("http://127.0.0.1/{instance}")) };
    NewInstance { server: name(server), spec, lease: Duration::from_secs(30), settings: None }
}

async fn join(books: &Books, registering: &NewInstance) -> Result<JoinedInstance, RegisterError> {
    let joined = |join| match join {
        JoinKind::FirstOfServer => vec![event(EventKind::ServerAdded), event(EventKind::InstanceJoined)],
        _ => vec![event(EventKind::InstanceJoined)],
    };
    books.upsert_instance(registering, LIMITS, joined).await
}

async fn joined(books: &Books, registering: &NewInstance) -> JoinedInstance {
    join(books, registering).await.expect("registered")
}

async fn remove(books: &Books, instance: &str, beat: Option<u64>) -> bool {
    let events = vec![event(EventKind::InstanceLeft)];
    books.remove_instance_if(&name("files"), &id(instance), beat, events).await.expect("asked")
}

async fn ids(store: &Store) -> Vec<String> {
    let all = store.read_instances().await.expect("read");
    all.iter().map(|one| format!("{}/{}", one.server, one.spec.id)).collect()
}

fn stored(registered: &NewInstance, joined: JoinedInstance, found: &StoredInstance) -> StoredInstance {
    StoredInstance {
        server: registered.server.clone(),
        spec: registered.spec.clone(),
        lease: registered.lease,
        registered_at_ms: found.registered_at_ms,
        beat: joined.beat,
    }
}

async fn an_instance_comes_back_as_it_registered(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let extra = ToolExtra {
        effects: Some(Effects::READ),
        aliases: vec!["nul \0".into()],
        cache_seconds: Some(0.5),
        files: vec![SlotForm {
            strategy: FileStrategy::PlainTextText,
            argument: Some("letter".into()),
            content: Some("body".into()),
            media_type: Some("kind".into()),
            file_name: None,
        }],
        ..ToolExtra::default()
    };
    let extras = BTreeMap::from([("read \"it\"".to_owned(), extra)]);
    let mut full = registering("files", "a-1");
    full.spec.version = Some("1.2".into());
    full.spec.concurrency_max = Some(7);
    full.spec.extras = Arc::new(extras);
    full.settings = Some(RawJson::from_composed(r#"{"a" : 1}"#.into()));
    let said = joined(&one, &full).await;
    assert_eq!(said.join, JoinKind::FirstOfServer);

    let found = world.open().await.read_instances().await.expect("read");
    assert_eq!(found, [stored(&full, said, &found[0])]);
    let servers = store.read_registered_servers().await.expect("read");
    assert_eq!((servers.len(), &servers[0].name), (1, &name("files")));
    assert_eq!(Some(&servers[0].settings), full.settings.as_ref());
    assert_eq!(kinds(&store).await, ["server.added", "server.instance.joined"]);
    assert_eq!(revisions(&store).await, Revisions { registrations: 1, ..Revisions::default() });
}

async fn registering_again_replaces_and_keeps_its_place(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let first = joined(&one, &registering("files", "b")).await;
    // The order is by the millisecond, and then by id.
    let began = store.read_instances().await.expect("read")[0].registered_at_ms;
    assert_eq!(joined(&two, &registering("files", "c")).await.join, JoinKind::New);
    let mut moved = registering("files", "b");
    moved.spec.url = "http://127.0.0.1/elsewhere".into();
    let again = joined(&two, &moved).await;
    assert_eq!(again.join, JoinKind::Changed);
    assert_ne!(again.beat, first.beat, "and it is a sign of life");
    let found = store.read_instances().await.expect("read");
    assert_eq!(found[0], stored(&moved, again, &found[0]));
    assert_eq!((found[0].registered_at_ms, found.len()), (began, 2));
    let longer = NewInstance { lease: Duration::from_secs(60), ..moved.clone() };
    assert_eq!(joined(&one, &longer).await.join, JoinKind::Changed);
    let settings = Some(RawJson::from_composed(r#"{"a":1}"#.into()));
    assert_eq!(joined(&one, &NewInstance { settings, ..longer }).await.join, JoinKind::Changed);
    assert_eq!(revisions(&store).await.registrations, 5);
}

async fn registering_the_same_is_a_sign_of_life(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let first = joined(&one, &registering("files", "a")).await;
    let again = joined(&two, &registering("files", "a")).await;
    assert_eq!((again.join, again.beat), (JoinKind::Unchanged, first.beat + 1));
    assert_eq!(revisions(&store).await.registrations, 1);
    assert_eq!(count_of(&store, EventKind::InstanceJoined).await, 1);
}

async fn a_sign_of_life_is_no_change(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let JoinedInstance { beat, .. } = joined(&one, &registering("files", "a")).await;
    joined(&one, &registering("files", "b")).await;
    let before = revisions(&store).await;
    let bumps = (0..20).map(|number| {
        let store = if number % 2 == 0 { one.store().clone() } else { two.store().clone() };
        tokio::spawn(async move { store.bump_beat(&name("files"), &id("a")).await.expect("noted") })
    });
    let mut beats = Vec::new();
    for bump in bumps.collect::<Vec<_>>() {
        beats.push(bump.await.expect("no panic").expect("it is there"));
    }
    beats.sort_unstable();
    assert!(beats.into_iter().eq(beat + 1..=beat + 20), "none is lost");
    let read = store.read_beats().await.expect("read");
    assert!(read.contains(&(name("files"), id("a"), beat + 20)), "{read:?}");
    assert_eq!((read.len(), revisions(&store).await), (2, before));
    for (server, instance) in [("files", "c"), ("other", "a")] {
        assert_eq!(store.bump_beat(&name(server), &id(instance)).await.expect("asked"), None);
    }
}

async fn an_instance_that_gave_a_sign_of_life_stays(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let JoinedInstance { beat, .. } = joined(&one, &registering("files", "a")).await;
    let alive = store.bump_beat(&name("files"), &id("a")).await.expect("noted").expect("it is there");
    assert!(!remove(&two, "a", Some(beat)).await);
    assert_eq!(
        (ids(&store).await, count_of(&store, EventKind::InstanceLeft).await),
        (vec!["files/a".into()], 0)
    );
    assert!(remove(&two, "a", Some(alive)).await);
    assert!(!remove(&one, "a", None).await);
    assert_eq!((ids(&store).await, count_of(&store, EventKind::InstanceLeft).await), (vec![], 1));
    assert_eq!(revisions(&store).await.registrations, 2);
    joined(&one, &registering("files", "a")).await;
    assert!(remove(&one, "a", None).await, "whatever it did");
}

async fn of_two_who_miss_an_instance_one_takes_it_out(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for round in 1..9 {
        let JoinedInstance { beat, .. } = joined(&one, &registering("files", "a")).await;
        let (left, right) = tokio::join!(remove(&one, "a", Some(beat)), remove(&two, "a", Some(beat)));
        assert!(left != right, "one of them did");
        assert_eq!(count_of(&store, EventKind::InstanceLeft).await, round);
    }
}

async fn an_instance_that_came_back_is_not_taken_for_the_one_that_left(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let JoinedInstance { beat, .. } = joined(&one, &registering("files", "a")).await;
    assert!(remove(&one, "a", None).await);
    let back = joined(&one, &registering("files", "a")).await;
    assert_eq!(back.join, JoinKind::New);
    assert!(!remove(&two, "a", Some(beat)).await, "somebody who saw only the first one");
    assert_eq!(ids(&store).await, ["files/a"]);
}

async fn a_server_has_so_many_instances(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let tries = (0..20).map(|number| {
        let books = if number % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move { join(&books, &registering("files", &number.to_string())).await })
    });
    let mut refused = 0;
    for one in tries.collect::<Vec<_>>() {
        match one.await.expect("no panic") {
            Ok(_) => {}
            Err(RegisterError::TooManyInstances { max: 5 }) => refused += 1,
            Err(other) => panic!("{other}"),
        }
    }
    let known = store.read_instances().await.expect("read");
    assert_eq!((known.len(), refused), (5, 15));
    assert_eq!(count_of(&store, EventKind::InstanceJoined).await, 5);
    let mut moved = registering("files", known[0].spec.id.as_str());
    moved.spec.version = Some("2".into());
    assert_eq!(joined(&one, &moved).await.join, JoinKind::Changed, "those that are there may come again");
    assert_eq!(joined(&one, &registering("other", "1")).await.join, JoinKind::FirstOfServer);
}

async fn there_are_so_many_servers(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    for number in 0..LIMITS.servers_max {
        joined(&books, &registering(&format!("s{number}"), "a")).await;
    }
    let refused = join(&books, &registering("more", "a")).await;
    assert!(matches!(refused, Err(RegisterError::TooManyServers { max: 10 })), "{refused:?}");
    assert_eq!(store.read_registered_servers().await.expect("read").len(), 10);
    assert_eq!(joined(&books, &registering("s3", "b")).await.join, JoinKind::New);
    assert!(books.remove_registered_server(&name("s3"), Vec::new()).await.expect("asked"));
    assert_eq!(joined(&books, &registering("more", "a")).await.join, JoinKind::FirstOfServer);
}

async fn a_server_without_instances_is_still_known(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    joined(&books, &registering("files", "a")).await;
    assert!(remove(&books, "a", None).await);
    let known = store.read_registered_servers().await.expect("read");
    assert_eq!((known.len(), &known[0].name), (1, &name("files")));
    assert_eq!(joined(&books, &registering("files", "b")).await.join, JoinKind::New, "an old acquaintance");
    joined(&books, &registering("other", "b")).await;

    let forget = async || {
        let events = vec![event(EventKind::ServerRemoved)];
        books.remove_registered_server(&name("files"), events).await.expect("asked")
    };
    assert!(forget().await);
    assert!(!forget().await);
    assert_eq!(ids(&store).await, ["other/b"]);
    assert_eq!(store.read_registered_servers().await.expect("read").len(), 1);
    assert_eq!(count_of(&store, EventKind::ServerRemoved).await, 1);
}
