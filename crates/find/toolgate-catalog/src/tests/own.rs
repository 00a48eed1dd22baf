//! Tools of the gateway's own beside those of servers.

use std::sync::Arc;

use toolgate_core::Tool;
use toolgate_core::platform::{OldName, PlatformTool, ToolPresence};
use toolgate_core::run::CallKind;

use super::*;
use crate::{Alias, MissingTool};

const UNTIL_MS: i64 = 1_000;
static OLD_NAMES: [OldName; 1] = [OldName { name: "get_run", until_ms: UNTIL_MS }];

fn own() -> Arc<PlatformTool> {
    let name = CanonicalName::recorded("run.get");
    let tool = Tool { name, ..Tool::unread(&server("toolgate"), "run__get") };
    Arc::new(PlatformTool {
        tool: Arc::new(tool),
        wire: "run__get".into(),
        title: "Show a run",
        old_names: &OLD_NAMES,
        definition: definition("run__get").into(),
        output_schema: RawJson::EMPTY,
        presence: ToolPresence::InScope,
        kind: CallKind::Control,
        is_prepared: false,
    })
}

#[test]
fn they_are_found_by_every_name_until_an_old_one_ends() {
    let catalog = Catalog::new().with_own(&[own()]);
    let snapshot = catalog.snapshot();
    for name in ["run.get", "run__get", "get_run"] {
        let found = snapshot.find_tool(name, 0).expect(name);
        assert_eq!(found.entry.canonical.as_str(), "run.get");
        assert_eq!(found.alias.is_some(), name == "get_run");
    }
    assert!(snapshot.find_tool("get_run", UNTIL_MS).is_none());
    assert!(matches!(snapshot.missing_tool("get_run", UNTIL_MS), MissingTool::Sunset { .. }));
}

#[test]
fn an_operators_name_comes_before_a_former_one() {
    let catalog = Catalog::new().with_own(&[own()]);
    let alias = Alias {
        name: "get_run".to_owned(),
        target: CanonicalName::recorded("jobs:read"),
        until_ms: None,
        primary: false,
        owner: "toolgate.toml".to_owned(),
    };
    catalog.update(CatalogUpdate { aliases: Some(vec![alias]), ..world(&[("jobs", &["read"])]) });
    let snapshot = catalog.snapshot();
    assert_eq!(snapshot.find_tool("get_run", 0).expect("an alias").entry.canonical.as_str(), "jobs:read");
    assert!(snapshot.find_tool("run.get", 0).is_some());
}

#[test]
fn a_servers_tool_does_not_take_their_names() {
    let catalog = Catalog::new().with_own(&[own()]);
    catalog.update(world(&[("run", &["get"])]));
    let snapshot = catalog.snapshot();
    assert_eq!(snapshot.find_tool("run__get", 0).expect("ours").entry.canonical.as_str(), "run.get");
    let theirs = snapshot.find_tool("run:get", 0).expect("the server's");
    assert!(theirs.entry.wire.starts_with("run__get_"), "{}", theirs.entry.wire);
}
