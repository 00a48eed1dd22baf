//! The database fails at any operation: rows, events and revisions change together or not at all.

use toolgate_core::event::EventKind;
use toolgate_core::registry::ToolRow;
use toolgate_store::{Books, Store, StoreError, ToolRowChange, ToolRowsWritten, ToolTraits};

use super::{count_of, event, first, name, quarantined, revisions, tool};
use crate::desk::books;
use crate::world::StoreWorld;

crate::on_both!(a_change_of_tools_happens_with_its_events_or_not_at_all);

/// More operations than the story has.
const OPERATIONS_MAX: u64 = 60;
/// More than go into one statement.
const TOOLS: usize = 70;

fn rows(server: &str) -> Vec<ToolRow> {
    (0..TOOLS).map(|number| tool(server, &number.to_string())).collect()
}

/// Pins the tools of a server, and withholds them.
async fn story(books: &Books, server: &str) -> Result<(), StoreError> {
    let pinned: Vec<_> = rows(server).into_iter().map(first).collect();
    let written = books.write_tool_rows(&pinned, vec![event(EventKind::ToolsPinned)]).await?;
    assert_eq!(written, ToolRowsWritten::All);
    let withheld = pinned.iter().map(|change| {
        let row = quarantined(&change.row, "drifted");
        ToolRowChange { row, traits: ToolTraits::default(), after: Some(change.row_version()) }
    });
    let withheld: Vec<_> = withheld.collect();
    let written = books.write_tool_rows(&withheld, vec![event(EventKind::ToolQuarantined)]).await?;
    assert_eq!(written, ToolRowsWritten::All);
    Ok(())
}

/// The current state of all servers: pinned, withheld, revision.
async fn told(store: &Store) -> (usize, usize, u64) {
    let pinned = count_of(store, EventKind::ToolsPinned).await;
    (pinned, count_of(store, EventKind::ToolQuarantined).await, revisions(store).await.tools)
}

async fn a_change_of_tools_happens_with_its_events_or_not_at_all(world: StoreWorld) {
    let mut before = (0, 0, 0);
    for n in 1..OPERATIONS_MAX {
        let store = world.open().await;
        let books = books(&store).await;
        let server = format!("s{n}");
        store.fail_nth(n);
        let done = story(&books, &server).await;
        let clean = store.is_fault_to_come();
        store.fail_never();
        assert_eq!(done.is_ok(), clean, "a failure is told: {done:?}");

        let stored = store.read_tool_rows_of(&name(&server)).await.expect("read");
        let version = stored.first().map_or(0, |stored| stored.row_version);
        assert!(stored.iter().all(|stored| stored.row_version == version), "all rows or none");
        assert!(stored.is_empty() || stored.len() == TOOLS, "all rows or none");
        let now = told(&store).await;
        let events = (now.0 - before.0, now.1 - before.1, now.2 - before.2);
        let expected = (usize::from(version > 0), usize::from(version > 1), version);
        assert_eq!(events, expected, "operation {n}");
        before = now;
        if clean {
            assert_eq!(version, 2);
            assert!(n > 15, "the failures were real: {n}");
            return;
        }
    }
    panic!("the story has no end");
}
