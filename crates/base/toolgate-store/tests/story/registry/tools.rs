//! Pinned tools.

use toolgate_core::CanonicalName;
use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::registry::{ToolRow, ToolStatus};
use toolgate_core::tool::{Effects, FileStrategy, SlotForm};
use toolgate_store::{
    LedgerOrder, Revisions, Store, StoredTool, ToolRowChange, ToolRowFilter, ToolRowsWritten, ToolTraits,
    VERSIONS_PER_TOOL_MAX,
};

use super::{SEEN_MS, count_of, definition, event, first, name, quarantined, replicas, revisions, tool};
use crate::desk::{books, kinds};
use crate::world::StoreWorld;

crate::on_both!(
    a_tool_comes_back_as_it_was_pinned,
    a_tool_may_have_any_name,
    thousands_of_tools_are_pinned_at_once,
    tools_are_read_by_server_and_by_name,
    of_two_who_see_a_server_first_one_pins_its_tools,
    of_two_who_change_a_tool_one_does,
    one_outdated_row_keeps_all_of_a_change_back,
    a_reading_is_seen_without_a_change,
    the_ledger_finds_what_the_registry_tells,
    every_definition_that_was_seen_is_kept,
    of_very_many_definitions_the_oldest_go,
);

async fn read(store: &Store, row: &ToolRow) -> StoredTool {
    store.read_tool_row(&row.name).await.expect("read").expect("is there")
}

fn update(row: ToolRow, after: u64) -> ToolRowChange {
    ToolRowChange { row, traits: ToolTraits::default(), after: Some(after) }
}

fn described(row: &ToolRow, description: &str, seen_ms: i64) -> ToolRow {
    ToolRow { pinned: definition(&row.own, description), last_seen_ms: seen_ms, ..row.clone() }
}

async fn versions(store: &Store, row: &ToolRow) -> Vec<toolgate_core::Digest> {
    let stored = store.read_tool_versions(&row.name).await.expect("read");
    stored.into_iter().map(|one| one.definition.version).collect()
}

async fn every_definition_that_was_seen_is_kept(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let row = tool("files", "read");
    let write = async |change: ToolRowChange| {
        assert_eq!(one.write_tool_rows(&[change], Vec::new()).await.expect("written"), ToolRowsWritten::All);
    };
    write(first(row.clone())).await;
    let offered = ToolRow { candidate: Some(definition("read", "second")), ..row.clone() };
    write(update(ToolRow { last_seen_ms: SEEN_MS + 1, ..offered }, 1)).await;
    write(update(described(&row, "second", SEEN_MS + 2), 2)).await;
    write(update(described(&row, "third", SEEN_MS + 3), 3)).await;
    write(update(described(&row, "first", SEEN_MS + 4), 4)).await;
    let expected = ["first", "second", "third"].map(|text| definition("read", text).version);
    assert_eq!(versions(&store, &row).await, expected, "each once, as it was first seen");
    assert!(versions(&store, &tool("files", "write")).await.is_empty());
}

async fn of_very_many_definitions_the_oldest_go(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let row = tool("files", "read");
    let written = one.write_tool_rows(&[first(row.clone())], Vec::new()).await.expect("written");
    assert_eq!(written, ToolRowsWritten::All);
    let max = u64::try_from(VERSIONS_PER_TOOL_MAX).expect("small");
    for at in 1..=max + 5 {
        let seen_ms = SEEN_MS + i64::try_from(at).expect("small");
        let change = update(described(&row, &at.to_string(), seen_ms), at);
        assert_eq!(one.write_tool_rows(&[change], Vec::new()).await.expect("written"), ToolRowsWritten::All);
    }
    let kept = versions(&store, &row).await;
    assert_eq!(kept.len() as u64, max);
    assert_eq!(kept[0], definition("read", "6").version, "the first and five more went");
}

fn scan() -> SlotForm {
    SlotForm {
        strategy: FileStrategy::ImageBase64,
        argument: Some("scan".into()),
        content: None,
        media_type: None,
        file_name: Some("name".into()),
    }
}

async fn a_tool_comes_back_as_it_was_pinned(world: StoreWorld) {
    let (store, one, _two) = replicas(&world).await;
    let traits = ToolTraits {
        capabilities: vec!["documents".into()],
        effects: Some(Effects::READ.and(Effects::EXTERNAL)),
        idempotent: true,
        file_strategy: Some(FileStrategy::VideoS3PresignedUrl),
        files: vec![scan()],
        timeout_seconds: Some(2.5),
        aliases: vec!["old".into()],
        wire_name: Some("files__read".into()),
    };
    let pinned = ToolRowChange::first(tool("files", "read"), traits.clone());
    let written =
        one.write_tool_rows(std::slice::from_ref(&pinned), vec![event(EventKind::ToolsPinned)]).await;
    assert_eq!(written.expect("written"), ToolRowsWritten::All);
    let stored = StoredTool { row: pinned.row.clone(), traits: traits.clone(), row_version: 1 };
    assert_eq!(read(&store, &pinned.row).await, stored);
    assert_eq!(pinned.row_version(), 1);

    let changed = ToolRowChange { row: quarantined(&pinned.row, "nul \0"), traits, after: Some(1) };
    let written =
        one.write_tool_rows(std::slice::from_ref(&changed), vec![event(EventKind::ToolQuarantined)]);
    assert_eq!(written.await.expect("written"), ToolRowsWritten::All);
    let reason = Some("nul \u{fffd}".into());
    let row = ToolRow { reason, ..changed.row.clone() };
    let elsewhere = world.open().await;
    let stored = StoredTool { row, traits: changed.traits.clone(), row_version: changed.row_version() };
    assert_eq!(read(&elsewhere, &changed.row).await, stored);
    assert_eq!(stored.row_version, 2);
    assert_eq!(kinds(&store).await, ["registry.tools.pinned", "registry.tool.quarantined"]);
    assert_eq!(revisions(&store).await, Revisions { tools: 2, ..Revisions::default() });
}

/// Whatever name one tool has, the others are pinned too.
async fn a_tool_may_have_any_name(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let long = "x".repeat(20_000);
    let owns = ["", "nul\0", "nul\u{fffd}", "a:b", "größe \"quoted\"\n", &long];
    let rows: Vec<_> = owns.iter().map(|own| first(tool("odd", own))).collect();
    let written = books.write_tool_rows(&rows, Vec::new()).await.expect("written");
    assert_eq!(written, ToolRowsWritten::All);
    for change in &rows {
        assert_eq!(read(&store, &change.row).await.row, change.row);
    }
    assert_eq!(store.read_tool_rows().await.expect("read").len(), owns.len());
}

async fn thousands_of_tools_are_pinned_at_once(world: StoreWorld) {
    const COUNT: usize = 2_049;
    let store = world.open().await;
    let books = books(&store).await;
    let rows: Vec<_> = (0..COUNT).map(|number| first(tool("big", &format!("tool_{number:05}")))).collect();
    let written = books.write_tool_rows(&rows, vec![event(EventKind::ToolsPinned)]).await;
    assert_eq!(written.expect("written"), ToolRowsWritten::All);
    let stored = store.read_tool_rows().await.expect("read");
    assert!(stored.iter().map(|stored| &stored.row).eq(rows.iter().map(|change| &change.row)));
    assert_eq!(revisions(&store).await.tools, 1, "one change");
}

async fn tools_are_read_by_server_and_by_name(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let rows = [tool("b", "2"), tool("a.b", "1"), tool("b", "1"), tool("a", "1")];
    let changes: Vec<_> = rows.iter().cloned().map(first).collect();
    assert_eq!(books.write_tool_rows(&changes, Vec::new()).await.expect("written"), ToolRowsWritten::All);
    let names = |stored: Vec<StoredTool>| -> Vec<String> {
        stored.iter().map(|stored| stored.row.name.to_string()).collect()
    };
    assert_eq!(names(store.read_tool_rows().await.expect("read")), ["a.b:1", "a:1", "b:1", "b:2"]);
    let of = async |server: &str| names(store.read_tool_rows_of(&name(server)).await.expect("read"));
    assert_eq!(of("b").await, ["b:1", "b:2"]);
    assert_eq!(of("a").await, ["a:1"]);
    assert!(of("c").await.is_empty());
    let unknown = CanonicalName::of(&name("b"), "3");
    assert_eq!(store.read_tool_row(&unknown).await.expect("read"), None);
    let page = async |filter: ToolRowFilter, limit| {
        let page = store.read_tool_page(&filter, limit).await.expect("read");
        (names(page.tools), page.has_more)
    };
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(page(ToolRowFilter::default(), 3).await, (owned(&["a.b:1", "a:1", "b:1"]), true));
    let next = ToolRowFilter { after: Some("b:1".into()), ..ToolRowFilter::default() };
    assert_eq!(page(next, 3).await, (owned(&["b:2"]), false));
    let of_server = ToolRowFilter { server: Some("b".into()), ..ToolRowFilter::default() };
    assert_eq!(page(of_server, 3).await, (owned(&["b:1", "b:2"]), false));
    let retired = ToolRowFilter { status: Some(ToolStatus::Retired), ..ToolRowFilter::default() };
    assert_eq!(page(retired, 3).await, (Vec::new(), false));
}

async fn of_two_who_see_a_server_first_one_pins_its_tools(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    for round in 0..6 {
        let server = format!("server{round}");
        // Each in another order: two who wait for each other's rows would never end.
        let seen: Vec<_> = (0..150).map(|number| first(tool(&server, &number.to_string()))).collect();
        let other: Vec<_> = seen.iter().rev().cloned().collect();
        let pinned = || vec![event(EventKind::ToolsPinned)];
        let (left, right) =
            tokio::join!(one.write_tool_rows(&seen, pinned()), two.write_tool_rows(&other, pinned()));
        let both = [left.expect("asked"), right.expect("asked")];
        let winners = both.iter().filter(|written| **written == ToolRowsWritten::All).count();
        assert_eq!(winners, 1, "{both:?}");
        let lost = both.iter().find_map(|written| match written {
            ToolRowsWritten::All => None,
            ToolRowsWritten::Nothing { outdated } => Some(outdated.len()),
        });
        assert_eq!(lost, Some(150), "who lost is told of all");
        let stored = store.read_tool_rows_of(&name(&server)).await.expect("read");
        assert!(stored.len() == 150 && stored.iter().all(|stored| stored.row_version == 1));
        assert_eq!(count_of(&store, EventKind::ToolsPinned).await, round + 1, "and it is told once");
    }
}

async fn of_two_who_change_a_tool_one_does(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let row = tool("files", "read");
    assert_eq!(
        one.write_tool_rows(&[first(row.clone())], Vec::new()).await.expect("written"),
        ToolRowsWritten::All
    );
    for version in 1..9 {
        let accept = update(quarantined(&row, "accepted"), version);
        let reject = update(quarantined(&row, "rejected"), version);
        let (accepted, rejected) = tokio::join!(
            one.write_tool_rows(std::slice::from_ref(&accept), vec![event(EventKind::ToolAccepted)]),
            two.write_tool_rows(std::slice::from_ref(&reject), vec![event(EventKind::ToolRejected)]),
        );
        let lost = ToolRowsWritten::Nothing { outdated: vec![row.name.clone()] };
        let winner = match (accepted.expect("asked"), rejected.expect("asked")) {
            (ToolRowsWritten::All, other) => {
                assert_eq!(other, lost);
                accept.row
            }
            (other, ToolRowsWritten::All) => {
                assert_eq!(other, lost);
                reject.row
            }
            both => panic!("nobody won: {both:?}"),
        };
        let stored = read(&store, &row).await;
        assert_eq!((stored.row, stored.row_version), (winner, version + 1));
    }
    let told =
        count_of(&store, EventKind::ToolAccepted).await + count_of(&store, EventKind::ToolRejected).await;
    assert_eq!(told, 8);
    assert_eq!(revisions(&store).await.tools, 9, "who lost changed nothing");
}

async fn one_outdated_row_keeps_all_of_a_change_back(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let (known, new) = (tool("files", "read"), tool("files", "write"));
    let written = books.write_tool_rows(&[first(known.clone())], Vec::new()).await;
    assert_eq!(written.expect("written"), ToolRowsWritten::All);
    for outdated in [first(known.clone()), update(quarantined(&known, "no"), 7)] {
        let changes = [first(new.clone()), outdated];
        let written = books.write_tool_rows(&changes, vec![event(EventKind::ToolsPinned)]).await;
        let expected = ToolRowsWritten::Nothing { outdated: vec![known.name.clone()] };
        assert_eq!(written.expect("asked"), expected);
    }
    let gone = update(new.clone(), 1);
    let written = books.write_tool_rows(&[gone], Vec::new()).await.expect("asked");
    assert_eq!(
        written,
        ToolRowsWritten::Nothing { outdated: vec![new.name.clone()] },
        "there is no such row"
    );
    assert_eq!(store.read_tool_rows().await.expect("read").len(), 1);
    assert_eq!(read(&store, &known).await.row, known);
    assert!(kinds(&store).await.is_empty());
    assert_eq!(revisions(&store).await.tools, 1);
}

async fn a_reading_is_seen_without_a_change(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let retired = ToolRow { status: ToolStatus::Retired, ..tool("files", "gone") };
    let (kept, foreign) = (tool("files", "kept"), tool("other", "kept"));
    let changes = [retired.clone(), kept.clone(), foreign.clone()].map(first);
    assert_eq!(books.write_tool_rows(&changes, Vec::new()).await.expect("written"), ToolRowsWritten::All);
    let before = revisions(&store).await;
    for seen_ms in [SEEN_MS + 5, SEEN_MS + 3] {
        store.touch_tool_rows(&name("files"), seen_ms).await.expect("noted");
    }
    assert_eq!(read(&store, &kept).await.row, ToolRow { last_seen_ms: SEEN_MS + 5, ..kept });
    assert_eq!(read(&store, &retired).await.row, retired, "it was not there to be seen");
    assert_eq!(read(&store, &foreign).await.row, foreign);
    assert_eq!(read(&store, &foreign).await.row_version, 1);
    assert_eq!(revisions(&store).await, before);
}

async fn the_ledger_finds_what_the_registry_tells(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let mut told: Vec<_> =
        EventKind::ALL.iter().copied().filter(|kind| is_of_registry(*kind)).map(event).collect();
    assert!(told.len() > 15);
    let changes = [first(tool("files", "a"))];
    assert_eq!(books.write_tool_rows(&changes, told.clone()).await.expect("written"), ToolRowsWritten::All);
    for event in told.drain(..) {
        let filter = EventFilter { kind: Some(event.kind), ..EventFilter::default() };
        let found = store.ledger_page(&filter, None, 10, LedgerOrder::OldestFirst).await.expect("read");
        assert_eq!(found.into_iter().map(|found| found.event).collect::<Vec<_>>(), [event]);
    }
}

fn is_of_registry(kind: EventKind) -> bool {
    let topic = kind.as_str().split('.').next().unwrap_or_default();
    ["setting", "config", "server", "registry", "credential"].contains(&topic)
}
