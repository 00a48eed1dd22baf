//! Versions of schemas: numbered without a gap, at most one of a name active, and each step in the ledger.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use toolgate_core::id::SchemaId;
use toolgate_core::schema::{CompatibilityMode, SchemaKind, SchemaState};
use toolgate_core::{Digest, PrincipalId, RawJson};
use toolgate_store::{
    Actor, Books, NewSchema, SchemaChangeError, SchemaDeprecation, SchemaFilter, SchemaPromotion, Store,
};

use crate::desk;
use crate::world::StoreWorld;

crate::on_both!(
    a_version_goes_from_draft_to_active_to_superseded_or_deprecated,
    the_same_definition_is_the_same_version,
    a_name_keeps_its_type_and_its_promise,
    writers_number_versions_without_a_gap,
    of_many_promotions_one_wins,
    a_version_that_came_and_went_was_not_compared,
    versions_are_listed_newest_first,
    a_step_that_fails_leaves_nothing,
);

const NOW_MS: i64 = 1_790_000_000_000;
const WRITERS: u64 = 12;
/// More operations than a step has.
const OPERATIONS_MAX: u64 = 60;

async fn place(world: &StoreWorld) -> (Store, Books) {
    let store = world.open().await;
    let books = desk::books(&store).await;
    (store, books)
}

fn ada() -> Actor {
    Actor::person(&PrincipalId::new("ada"))
}

fn a_schema(name: &str, definition: Value) -> NewSchema {
    let text = definition.to_string();
    NewSchema {
        id: SchemaId::new(format!("sch_{}", &Digest::of(format!("{name}{text}")).to_string()[7..17])),
        namespace: "billing".to_owned(),
        name: name.to_owned(),
        kind: None,
        mode: None,
        digest: Digest::of(&text),
        definition: RawJson::from(definition),
        description: Some("one\0".to_owned()),
        at_ms: NOW_MS,
    }
}

fn promotion(version: u64, active: Option<u64>) -> SchemaPromotion<'static> {
    SchemaPromotion {
        namespace: "billing",
        name: "invoice",
        version,
        active,
        last: active,
        at_ms: NOW_MS + 5,
    }
}

async fn register(books: &Books, number: u64) -> u64 {
    let new = a_schema("invoice", json!({ "maximum": number }));
    books.register_schema(&new, &ada()).await.expect("registered").schema.version
}

async fn state(store: &Store, version: u64) -> SchemaState {
    let found = store.schema_version("billing", "invoice", version).await.expect("read");
    found.expect("it is there").state
}

async fn told(store: &Store) -> Vec<&'static str> {
    desk::ledger(store).await.iter().map(|one| one.event.kind.as_str()).collect()
}

async fn a_version_goes_from_draft_to_active_to_superseded_or_deprecated(world: StoreWorld) {
    let (store, books) = place(&world).await;
    assert_eq!((register(&books, 1).await, register(&books, 2).await), (1, 2));
    assert_eq!(store.active_schema("billing", "invoice").await.expect("read"), None);
    let (first, before) = books.promote_schema(&promotion(1, None), &ada()).await.expect("promoted");
    assert_eq!((first.state, before), (SchemaState::Active, None));
    let (second, before) = books.promote_schema(&promotion(2, Some(1)), &ada()).await.expect("promoted");
    assert_eq!((second.version, before.map(|before| before.version)), (2, Some(1)));
    assert_eq!(
        (state(&store, 1).await, state(&store, 2).await),
        (SchemaState::Superseded, SchemaState::Active)
    );
    assert_eq!(store.schema_by_id(&second.id).await.expect("read"), Some(second.clone()));
    assert_eq!(second.description.as_deref(), Some("one\u{fffd}"), "Postgres takes no NUL");
    let end = SchemaDeprecation {
        namespace: "billing",
        name: "invoice",
        version: 2,
        reason: Some("old"),
        at_ms: NOW_MS + 9,
    };
    let ended = books.deprecate_schema(&end, &ada()).await.expect("deprecated");
    assert_eq!((ended.state, ended.state_since_ms), (SchemaState::Deprecated, NOW_MS + 9));
    assert_eq!(store.active_schema("billing", "invoice").await.expect("read"), None);
    let once: Vec<u64> = store
        .promoted_schemas("billing", "invoice", 10)
        .await
        .expect("read")
        .iter()
        .map(|one| one.version)
        .collect();
    assert_eq!(once, [2, 1]);
    for again in [
        books.promote_schema(&promotion(2, None), &ada()).await,
        books.promote_schema(&promotion(1, None), &ada()).await,
    ] {
        assert!(matches!(again, Err(SchemaChangeError::State { .. })), "{again:?}");
    }
    let twice = books.deprecate_schema(&end, &ada()).await;
    assert!(matches!(twice, Err(SchemaChangeError::State { state: SchemaState::Deprecated })), "{twice:?}");
    let unknown = books.promote_schema(&promotion(7, None), &ada()).await;
    assert!(matches!(unknown, Err(SchemaChangeError::Unknown)), "{unknown:?}");
    let kinds =
        ["schema.registered", "schema.registered", "schema.promoted", "schema.promoted", "schema.deprecated"];
    assert_eq!(told(&store).await, kinds);
    let detail: Value =
        desk::ledger(&store).await[3].event.detail.as_ref().expect("a detail").decode().expect("JSON");
    assert_eq!((&detail["version"], &detail["superseded"]), (&json!(2), &json!(1)), "{detail}");
}

async fn the_same_definition_is_the_same_version(world: StoreWorld) {
    let (store, books) = place(&world).await;
    let new = a_schema("invoice", json!({ "type": "object" }));
    let first = books.register_schema(&new, &ada()).await.expect("registered");
    let again = NewSchema { id: SchemaId::new("sch_other"), description: None, ..new.clone() };
    let again = books.register_schema(&again, &ada()).await.expect("registered");
    assert_eq!((first.is_duplicate, again.is_duplicate), (false, true));
    assert_eq!(first.schema, again.schema);
    let elsewhere = a_schema("receipt", json!({ "type": "object" }));
    let elsewhere = books.register_schema(&elsewhere, &ada()).await.expect("registered");
    assert_eq!(
        (elsewhere.is_duplicate, elsewhere.schema.version),
        (false, 1),
        "each name has its own versions"
    );
    assert_eq!(told(&store).await.len(), 2);
}

async fn a_name_keeps_its_type_and_its_promise(world: StoreWorld) {
    let (_store, books) = place(&world).await;
    let first = NewSchema {
        kind: Some(SchemaKind::Enum),
        mode: Some(CompatibilityMode::FullTransitive),
        ..a_schema("colour", json!({ "enum": ["red"] }))
    };
    books.register_schema(&first, &ada()).await.expect("registered");
    let next = a_schema("colour", json!({ "enum": ["red", "blue"] }));
    let kept = books.register_schema(&next, &ada()).await.expect("registered").schema;
    assert_eq!((kept.kind, kept.mode), (SchemaKind::Enum, CompatibilityMode::FullTransitive));
    let other = NewSchema { mode: Some(CompatibilityMode::None), ..a_schema("colour", json!({})) };
    let refused = books.register_schema(&other, &ada()).await;
    assert!(
        matches!(refused, Err(SchemaChangeError::OtherName { kind: SchemaKind::Enum, .. })),
        "{refused:?}"
    );
    // A first registration that is refused leaves no name behind.
    let usual =
        books.register_schema(&a_schema("other", json!({})), &ada()).await.expect("registered").schema;
    assert_eq!((usual.kind, usual.mode), (SchemaKind::StructuredType, CompatibilityMode::Backward));
}

async fn writers_number_versions_without_a_gap(world: StoreWorld) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    let writers = (0..WRITERS).map(|number| {
        let books = if number % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move { register(&books, number).await })
    });
    let mut versions = BTreeSet::new();
    for writer in writers.collect::<Vec<_>>() {
        assert!(versions.insert(writer.await.expect("no panic")));
    }
    assert_eq!(versions, (1..=WRITERS).collect());
    assert_eq!(told(&first).await.len(), versions.len());
}

async fn of_many_promotions_one_wins(world: StoreWorld) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    for number in 0..WRITERS {
        register(&one, number).await;
    }
    let writers = (1..=WRITERS).map(|version| {
        let books = if version % 2 == 0 { one.clone() } else { two.clone() };
        tokio::spawn(async move { books.promote_schema(&promotion(version, None), &ada()).await })
    });
    let (mut won, mut stale) = (Vec::new(), 0);
    for writer in writers.collect::<Vec<_>>() {
        match writer.await.expect("no panic") {
            Ok((schema, _)) => won.push(schema.version),
            Err(SchemaChangeError::Stale { active: Some(_) }) => stale += 1,
            Err(other) => panic!("{other:?}"),
        }
    }
    assert_eq!((won.len() as u64, stale), (1, WRITERS - 1));
    let active = first.active_schema("billing", "invoice").await.expect("read").expect("one is active");
    assert_eq!(won, [active.version]);
}

/// Nothing was active before, and nothing is now; but another version was in between.
async fn a_version_that_came_and_went_was_not_compared(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for number in 1..=3 {
        register(&books, number).await;
    }
    let end = |version| SchemaDeprecation {
        namespace: "billing",
        name: "invoice",
        version,
        reason: None,
        // A clock that is behind.
        at_ms: NOW_MS - 9,
    };
    books.promote_schema(&promotion(2, None), &ada()).await.expect("promoted");
    books.deprecate_schema(&end(2), &ada()).await.expect("deprecated");
    let compared = SchemaPromotion { last: Some(2), ..promotion(3, None) };
    let meanwhile = SchemaPromotion { last: Some(2), ..promotion(1, None) };
    books.promote_schema(&meanwhile, &ada()).await.expect("promoted");
    books.deprecate_schema(&end(1), &ada()).await.expect("deprecated");
    let refused = books.promote_schema(&compared, &ada()).await;
    assert!(matches!(refused, Err(SchemaChangeError::Stale { active: None })), "{refused:?}");
    let once = store.promoted_schemas("billing", "invoice", 1).await.expect("read");
    assert_eq!(
        once.iter().map(|one| one.version).collect::<Vec<_>>(),
        [1],
        "it ended last, though it has the lower number"
    );
}

async fn versions_are_listed_newest_first(world: StoreWorld) {
    let (store, books) = place(&world).await;
    for number in 0..3u64 {
        let new =
            NewSchema { at_ms: NOW_MS + number as i64, ..a_schema("invoice", json!({ "maximum": number })) };
        books.register_schema(&new, &ada()).await.expect("registered");
    }
    let other = NewSchema { kind: Some(SchemaKind::Enum), ..a_schema("colour", json!({})) };
    books.register_schema(&other, &ada()).await.expect("registered");
    let of_name = SchemaFilter { name: Some("invoice".to_owned()), ..SchemaFilter::default() };
    let (page, next) = store.schemas(&of_name, None, 2).await.expect("read");
    assert_eq!(page.iter().map(|one| one.version).collect::<Vec<_>>(), [3, 2]);
    let (page, end) = store.schemas(&of_name, next.as_ref(), 2).await.expect("read");
    assert_eq!((page[0].version, end), (1, None));
    let enums = SchemaFilter {
        kind: Some(SchemaKind::Enum),
        state: Some(SchemaState::Draft),
        ..SchemaFilter::default()
    };
    let (page, _) = store.schemas(&enums, None, 10).await.expect("read");
    assert_eq!((page.len(), page[0].name.as_str()), (1, "colour"));
    let nowhere = SchemaFilter { namespace: Some("elsewhere".to_owned()), ..SchemaFilter::default() };
    assert!(store.schemas(&nowhere, None, 10).await.expect("read").0.is_empty());
}

/// Each operation on the database fails once: a step has been, with its event, or it has not.
async fn a_step_that_fails_leaves_nothing(world: StoreWorld) {
    let (store, books) = place(&world).await;
    register(&books, 1).await;
    books.promote_schema(&promotion(1, None), &ada()).await.expect("promoted");
    register(&books, 2).await;
    let mut was_clean = false;
    for operation in 1..OPERATIONS_MAX {
        store.fail_nth(operation);
        let answer = books.promote_schema(&promotion(2, Some(1)), &ada()).await;
        was_clean = store.is_fault_to_come();
        store.fail_never();
        let promotions = told(&store).await.iter().filter(|kind| **kind == "schema.promoted").count();
        let (old, new) = (state(&store, 1).await, state(&store, 2).await);
        match (old, new) {
            (SchemaState::Active, SchemaState::Draft) => assert_eq!(promotions, 1, "{answer:?}"),
            (SchemaState::Superseded, SchemaState::Active) => assert_eq!(promotions, 2, "{answer:?}"),
            other => panic!("half done: {other:?}"),
        }
        if new == SchemaState::Active {
            break;
        }
        assert!(answer.is_err() && !was_clean, "{answer:?}");
    }
    assert_eq!(state(&store, 2).await, SchemaState::Active, "{was_clean}");
    assert_eq!(store.verify_ledger(|_| ()).await.expect("read").fault, None);
}
