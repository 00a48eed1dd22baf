//! Tools of the platform's domains: callable where the scope admits them, and listed where a capability names them.

use toolgate_core::Tool;
use toolgate_core::platform::{OWN_SERVER, PlatformTool, ToolPresence};
use toolgate_core::run::CallKind;
use toolgate_core::scope::MountNeed;

use super::*;

fn own(name: &str, needs: &[MountNeed]) -> Arc<PlatformTool> {
    let wire = name.replace('.', "__");
    let mut tool = Tool::unread(&server(OWN_SERVER), &wire);
    tool.name = toolgate_core::CanonicalName::recorded(name);
    tool.handling.capabilities = name.split('.').take(1).map(str::to_owned).collect();
    tool.handling.needs = needs.iter().cloned().collect();
    Arc::new(PlatformTool {
        tool: Arc::new(tool),
        definition: definition(&wire).into(),
        wire: wire.into(),
        title: "",
        old_names: &[],
        output_schema: RawJson::EMPTY,
        presence: ToolPresence::InScope,
        kind: CallKind::Control,
        is_prepared: false,
    })
}

fn world() -> DiscoveryWorld {
    let own = [own("run.get", &[]), own("substrate.pointer.list", &[MountNeed::Pointer])];
    let (catalog, rules) = (Arc::new(Catalog::new().with_own(&own)), Arc::new(Rules::default()));
    let discovery = Discovery::with_own(catalog.clone(), rules.clone(), &own);
    let mut world = DiscoveryWorld { catalog, rules, discovery, definitions: Definitions::default() };
    world.set(&[("files", &["read"])]);
    for capability in [
        json!({ "name": "run" }),
        json!({ "name": "substrate" }),
        json!({ "name": "patterns", "tools": ["run.*"] }),
        json!({ "name": "all", "tools": ["*"] }),
        json!({ "name": "reading", "tools": ["files:*"] }),
    ] {
        world.capability(capability);
    }
    world
}

fn agent(capabilities: &[&str], pointers: &[&str]) -> Value {
    json!({ "name": "a", "capabilities": capabilities, "mounts": { "pointers": pointers } })
}

#[test]
fn a_capability_that_names_the_domain_lists_its_tools() {
    let world = world();
    for (capability, listed) in [
        ("run", vec!["run__get"]),
        ("patterns", vec!["run__get"]),
        ("all", vec!["files__read"]),
        ("reading", vec!["files__read"]),
    ] {
        assert_eq!(names(&world.list(agent(&[capability], &[]))), listed, "{capability}");
        let finds = world.view(agent(&[capability], &[])).find("run.get", 0).is_some();
        assert_eq!(finds, capability != "reading", "{capability}");
    }
    let everything = world.view(json!({ "name": "a" }));
    assert_eq!(names(&world.list(json!({ "name": "a" }))), ["files__read"]);
    let found = everything.find("run__get", 0).expect("it can be called by name").entry;
    assert_eq!(everything.asking(&found), Some(ApprovalLikelihood::Never));
    let blocked = world.view(json!({ "name": "a", "blocked": ["run.*"] }));
    assert!(blocked.find("run.get", 0).is_none());
}

#[test]
fn search_finds_what_is_listed() {
    let world = world();
    let found = |agent: Value| -> Vec<String> {
        let ranked = world.discovery.rank(&world.view(agent), "run get", None, 5);
        ranked.iter().map(|one| one.entry.canonical.to_string()).collect()
    };
    assert_eq!(found(agent(&["run"], &[])), ["run.get"]);
    assert!(found(json!({ "name": "a" })).iter().all(|name| name != "run.get"));
}

#[test]
fn a_tool_over_pointers_needs_a_mount_unless_its_caller_runs_the_gateway() {
    let world = world();
    assert!(world.view(agent(&["substrate"], &[])).find("substrate.pointer.list", 0).is_none());
    assert_eq!(names(&world.list(agent(&["substrate"], &["project/*"]))), ["substrate__pointer__list"]);
    let mut seat = world.seat(agent(&["substrate"], &[]));
    seat.principal.role = Role::Operator;
    assert!(world.discovery.view(&seat).find("substrate.pointer.list", 0).is_some());
}
