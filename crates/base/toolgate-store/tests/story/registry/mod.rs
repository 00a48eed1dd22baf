//! The data of the registry. The common parts of its stories: two gateways, tools, and their events.

mod faults;
mod instances;
mod names;
mod outdated;
mod settings;
mod tools;
mod vault;

use std::sync::Arc;

use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::registry::{Definition, DefinitionFinding, FindingKind, ToolRow, ToolStatus};
use toolgate_core::{CanonicalName, Digest, PrincipalId, RawJson, ServerName};
use toolgate_store::{Books, Revisions, Store, ToolRowChange, ToolTraits};

use crate::desk;
use crate::world::StoreWorld;

const SEEN_MS: i64 = 1_780_000_000_000;

/// Two gateways on one database.
async fn replicas(world: &StoreWorld) -> (Store, Books, Books) {
    let (first, second) = (world.open().await, world.open().await);
    let one = desk::books(&first).await;
    let two = second.books(desk::settings("two")).await.expect("the books open");
    (first, one, two)
}

fn name(name: &str) -> ServerName {
    ServerName::new(name).expect("a legal name")
}

fn event(kind: EventKind) -> Event {
    Event::new(kind, SEEN_MS, PrincipalId::gateway(), Arc::new(EventSubject::default()))
}

fn definition(own: &str, description: &str) -> Definition {
    // With spaces, so that a copy that is not byte for byte is noticed.
    let [own, description] = [own, description].map(|text| serde_json::to_string(text).expect("text"));
    let json = RawJson::from_composed(format!(r#"{{ "name": {own}, "description": {description} }}"#));
    let version = Digest::of(json.as_str());
    Definition { json, version }
}

fn tool(server: &str, own: &str) -> ToolRow {
    let server = name(server);
    ToolRow {
        name: CanonicalName::of(&server, own),
        server,
        own: own.into(),
        status: ToolStatus::Active,
        reason: None,
        pinned: definition(own, "first"),
        candidate: None,
        findings: Vec::new(),
        rejected: None,
        first_seen_ms: SEEN_MS,
        last_seen_ms: SEEN_MS,
        reviewed_by: None,
        reviewed_at_ms: None,
        changes: 0,
        changes_since_ms: SEEN_MS,
    }
}

/// The row after its server offered another definition.
fn quarantined(row: &ToolRow, why: &str) -> ToolRow {
    ToolRow {
        status: ToolStatus::Quarantined,
        reason: Some(why.into()),
        candidate: Some(definition(&row.own, why)),
        findings: vec![DefinitionFinding {
            kind: FindingKind::Instruction,
            place: "description".into(),
            excerpt: "ignore previous".into(),
        }],
        rejected: Some(Digest::of("rejected")),
        reviewed_by: Some(PrincipalId::new("alice")),
        reviewed_at_ms: Some(SEEN_MS + 2),
        changes: row.changes + 1,
        ..row.clone()
    }
}

fn first(row: ToolRow) -> ToolRowChange {
    ToolRowChange::first(row, ToolTraits::default())
}

async fn revisions(store: &Store) -> Revisions {
    store.read_revisions().await.expect("read")
}

async fn count_of(store: &Store, kind: EventKind) -> usize {
    desk::kinds(store).await.into_iter().filter(|told| *told == kind.as_str()).count()
}
