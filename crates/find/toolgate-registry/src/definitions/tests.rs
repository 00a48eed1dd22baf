//! The definitions in effect if file and settings conflict.

use serde_json::{Value, json};

use super::*;

fn file(agents: Value, capabilities: Value) -> FileState {
    FileState {
        agents: serde_json::from_value(agents).expect("agents"),
        capabilities: serde_json::from_value(capabilities).expect("capabilities"),
        ..FileState::default()
    }
}

fn set(agents: &Value, capabilities: &Value) -> DefinitionSettings {
    DefinitionSettings {
        agents: read_agents(agents).expect("a list"),
        capabilities: read_capabilities(capabilities).expect("a list"),
    }
}

fn agent<'a>(defined: &'a DefinitionsInForce, name: &str) -> &'a AgentDefinition {
    &defined.definitions.agents[&AgentName::new(name).expect("a name")]
}

fn problems(defined: &DefinitionsInForce) -> Vec<String> {
    defined.problems.iter().map(ToString::to_string).collect()
}

#[test]
fn file_and_settings_add_up_and_the_file_wins() {
    let file = file(
        json!([{ "name": "reader", "description": "of the file", "capabilities": ["git"] }]),
        json!([{ "name": "docs", "description": "of the file" }]),
    );
    let set = set(
        &json!([{ "name": "reader" }, { "name": "writer", "capabilities": ["docs", "git"] }]),
        &json!([{ "name": "docs" }, { "name": "git" }]),
    );
    let defined = DefinitionsInForce::merge(&file, &set);
    assert_eq!(agent(&defined, "reader").description.as_deref(), Some("of the file"));
    let sources: Vec<_> =
        defined.agent_sources.iter().map(|(name, source)| (name.as_str(), *source)).collect();
    assert_eq!(sources, [("reader", DefinitionSource::File), ("writer", DefinitionSource::Settings)]);
    let sources: Vec<_> =
        defined.capability_sources.iter().map(|(name, source)| (name.as_str(), *source)).collect();
    assert_eq!(sources, [("docs", DefinitionSource::File), ("git", DefinitionSource::Settings)]);
    assert_eq!(defined.definitions.check(), Ok(()));
    assert_eq!(
        problems(&defined),
        [
            "agent \"reader\" of the setting agents: it is not used, because toolgate.toml defines it too",
            "capability \"docs\" of the setting capabilities: it is not used, because toolgate.toml defines it too",
        ]
    );
}

#[test]
fn an_agent_whose_capability_is_gone_sees_nothing_by_it() {
    let file = file(json!([{ "name": "coder", "capabilities": ["git"] }]), json!([{ "name": "docs" }]));
    let set = set(&json!([{ "name": "writer", "capabilities": ["docs", "git"] }]), &json!([]));
    let defined = DefinitionsInForce::merge(&file, &set);
    assert_eq!(
        agent(&defined, "coder").capabilities,
        Some(Vec::new()),
        "not none, which would be everything"
    );
    assert_eq!(agent(&defined, "writer").capabilities.as_ref().map(Vec::len), Some(1));
    assert_eq!(defined.definitions.check(), Ok(()));
    assert_eq!(
        problems(&defined),
        [
            "agent \"coder\" of toolgate.toml: the capability \"git\" is not defined, and adds nothing",
            "agent \"writer\" of the setting agents: the capability \"git\" is not defined, and adds nothing",
        ]
    );
}

#[test]
fn a_definition_that_cannot_be_read_takes_no_other_down_and_whomever_it_was_for_sees_nothing() {
    let agents = json!([
        { "name": "newer", "color": "red", "principals": ["ada"], "groups": ["g", 7] },
        { "name": "writer", "capabilities": ["git", "odd"] },
        { "name": "a b" },
        17,
    ]);
    let capabilities = json!([{ "name": "odd", "shape": 1 }, { "name": "git" }]);
    let defined = DefinitionsInForce::merge(&FileState::default(), &set(&agents, &capabilities));
    let ada =
        toolgate_core::Principal::new(toolgate_core::PrincipalId::new("ada"), toolgate_core::Role::Agent);
    let closed = defined.definitions.agent_for(&ada);
    assert_eq!((closed.name.as_str(), &closed.capabilities), ("newer", &Some(Vec::new())));
    assert_eq!(closed.groups, ["g"]);
    assert_eq!(agent(&defined, "writer").capabilities.as_ref().map(Vec::len), Some(1));
    assert_eq!(defined.definitions.agents.len(), 2);
    let told = problems(&defined);
    assert_eq!(told.len(), 5, "{told:#?}");
    assert!(
        told.iter().any(|one| one.contains("\"newer\"") && one.contains("unknown field `color`")),
        "{told:#?}"
    );
    assert!(told.iter().any(|one| one.contains("capability \"odd\"")), "{told:#?}");
    assert!(told.iter().any(|one| one.contains("agent \"value[3]\"")), "{told:#?}");
}

#[test]
fn a_principal_stays_with_the_file_where_both_want_it() {
    let file = file(json!([{ "name": "zero", "principals": ["ada"], "groups": ["g"] }]), json!([]));
    let set = set(&json!([{ "name": "one", "principals": ["bob", "ada"], "groups": ["g"] }]), &json!([]));
    let defined = DefinitionsInForce::merge(&file, &set);
    assert_eq!(agent(&defined, "one").principals, ["bob"]);
    assert!(agent(&defined, "one").groups.is_empty());
    assert_eq!(defined.definitions.check(), Ok(()));
    assert_eq!(
        problems(&defined),
        [
            "agent \"one\" of the setting agents: it is not for the group \"g\": the agent \"zero\" is",
            "agent \"one\" of the setting agents: it is not for the principal \"ada\": the agent \"zero\" is",
        ]
    );
}

#[test]
fn of_two_with_one_name_the_first_counts() {
    let set = set(&json!([{ "name": "x", "schema_diet": true }, { "name": "x" }]), &json!([]));
    let defined = DefinitionsInForce::merge(&FileState::default(), &set);
    assert!(agent(&defined, "x").schema_diet);
    assert_eq!(problems(&defined).len(), 1);
}
