//! The agents and capabilities that may be set.

use serde_json::json;

use super::*;
use crate::known::SettingContext;
use crate::settings::{AGENTS, CAPABILITIES, RegistrySettings, check};

fn file() -> FileState {
    let agent = |value: Value| serde_json::from_value(value).expect("an agent");
    let capability = |value: Value| serde_json::from_value(value).expect("a capability");
    FileState {
        agents: vec![
            agent(
                json!({ "name": "reader", "capabilities": ["docs"], "principals": ["ada"], "groups": ["readers"] }),
            ),
            agent(json!({ "name": "coder", "capabilities": ["git"] })),
        ],
        capabilities: vec![capability(json!({ "name": "docs" }))],
        ..FileState::default()
    }
}

/// The earlier content of the settings: agents, capabilities.
fn stored() -> (Value, Value) {
    let agents = json!([
        { "name": "writer", "capabilities": ["git", "docs"], "principals": ["bob"] },
        { "name": "old", "color": "red", "principals": ["eve"] },
        { "name": "reader", "principals": ["kim"] },
    ]);
    (agents, json!([{ "name": "git", "servers": ["github"] }, { "name": "mail" }, { "name": "docs" }]))
}

fn refusal(key: &'static str, value: &Value) -> Result<(), Refusal> {
    let (agents, capabilities) = stored();
    let mut settings = RegistrySettings::default();
    settings.take(AGENTS, &agents).expect("a list");
    settings.take(CAPABILITIES, &capabilities).expect("a list");
    let context = SettingContext { file: file(), ..SettingContext::default() };
    let before = if key == AGENTS { &agents } else { &capabilities };
    check(key, value, &SettingConstraints { context: &context, set: &settings.set, before })
}

/// `code field: message (hint)`, or `fine`.
fn told(key: &'static str, value: &Value) -> String {
    match refusal(key, value) {
        Ok(()) => "fine".into(),
        Err(Refusal { code, field, message, hint, .. }) => {
            let hint = if hint.is_empty() { String::new() } else { format!(" ({hint})") };
            format!("{code} {}: {message}{hint}", field.as_deref().unwrap_or("-"))
        }
    }
}

#[test]
fn everything_that_definitions_may_say_is_taken_and_every_key_is_known() {
    let full = json!({
        "name": "full", "description": "All of it.", "capabilities": ["git", "docs"], "pinned": ["github:*"],
        "blocked": ["*:drop"], "mounts": { "servers": ["github"], "providers": ["slack"], "pointers": ["p"], "knowledge_bases": ["k"] },
        "policy_template": "regulated", "token_budget": "off", "schema_diet": true, "reveal_found": true,
        "limits": { "idle_seconds": 1, "lifetime_seconds": 2, "sessions_max": 3 }, "principals": ["x"], "groups": ["g"],
    });
    assert_eq!(told(AGENTS, &json!([full])), "fine");
    let keys = |value: &Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    let written: AgentDefinition = serde_json::from_value(full).expect("a definition");
    assert_eq!(keys(&serde_json::to_value(written).expect("JSON")), AgentDefinition::KEYS);
    let full =
        json!({ "name": "full", "description": "", "tools": ["a:*"], "tags": ["t"], "servers": ["s"] });
    let (_, mut capabilities) = stored();
    capabilities.as_array_mut().expect("a list").push(full.clone());
    assert_eq!(told(CAPABILITIES, &capabilities), "fine");
    let written: Capability = serde_json::from_value(full).expect("a capability");
    assert_eq!(keys(&serde_json::to_value(written).expect("JSON")), Capability::KEYS);
}

#[test]
fn every_bad_agent_is_refused_at_its_place() {
    let many = vec![json!({}); AGENTS_MAX + 1];
    let known = AgentDefinition::KEYS.join(", ");
    let cases = [
        (json!({}), "invalid_setting value: `value` is not a list".to_owned()),
        (json!(many), "invalid_setting value: `value` has 1001 entries; 1000 are allowed".into()),
        (json!([1]), "invalid_setting value[0]: `value[0]` is not an object".into()),
        (json!([{}]), "invalid_setting value[0].name: `name` is missing".into()),
        (
            json!([{ "name": "a b" }]),
            "invalid_setting value[0].name: `name` cannot be read: \"a b\" is no name for an agent: 1 to 64 letters, \
             digits, `-`, `_` and `.`, not beginning with `ses_`"
                .into(),
        ),
        (
            json!([{ "name": "x", "budget": 1 }]),
            format!("invalid_setting value[0].budget: unknown key `budget` (known are {known})"),
        ),
        (
            json!([{ "name": "y" }, { "name": "x", "token_budget": -1 }]),
            "invalid_setting value[1].token_budget: `token_budget` cannot be read: a budget is a number of tokens, 0 or \
             more, or \"off\""
                .into(),
        ),
        (
            json!([{ "name": "x", "limits": { "idle_seconds": "1" } }]),
            "invalid_setting value[0].limits.idle_seconds: `limits.idle_seconds` cannot be read: invalid type: string \
             \"1\", expected u64"
                .into(),
        ),
        (
            json!([{ "name": "x", "limits": { "idle_seconds": 0 } }]),
            "invalid_setting value[0].limits.idle_seconds: `idle_seconds` is not a number of seconds from 1 to 31536000"
                .into(),
        ),
        (
            json!([{ "name": "x", "principals": [""] }]),
            "invalid_setting value[0].principals[0]: a name in `principals` has 1 to 256 characters and no blanks around it"
                .into(),
        ),
        (
            json!([{ "name": "x", "capabilities": ["git", "doc"] }]),
            "unknown_capability value[0].capabilities[1]: agent \"x\" has the capability \"doc\", which is not \
             defined (did you mean docs?)"
                .into(),
        ),
        (
            json!([{ "name": "x", "capabilities": ["zzz"] }]),
            "unknown_capability value[0].capabilities[0]: agent \"x\" has the capability \"zzz\", which is not \
             defined (define it first, in toolgate.toml or in the setting capabilities)"
                .into(),
        ),
        (
            json!([{ "name": "x" }, { "name": "y" }, { "name": "x" }]),
            "invalid_setting value[2].name: the name \"x\" stands at value[0] too (each name once)".into(),
        ),
        (
            json!([{ "name": "coder" }]),
            "defined_in_file value[0].name: the agent \"coder\" is defined in toolgate.toml (change it there, or choose \
             another name)"
                .into(),
        ),
        (
            json!([{ "name": "x", "principals": ["z", "ada"] }]),
            "two_agents value[0].principals[1]: the agents \"reader\" and \"x\" are both for \"ada\" (remove it from \
                 the other definition first, or leave it out here)"
                .into(),
        ),
        (
            json!([{ "name": "x", "groups": ["g"] }, { "name": "y", "groups": ["g"] }]),
            "two_agents value[1].groups[0]: the agents \"x\" and \"y\" are both for \"g\" (remove it from the other \
                 definition first, or leave it out here)"
                .into(),
        ),
    ];
    for (value, expected) in cases {
        assert_eq!(told(AGENTS, &value), expected, "{value}");
    }
}

#[test]
fn what_stood_there_before_is_in_nobodys_way() {
    let (mut agents, _) = stored();
    agents.as_array_mut().expect("a list").push(json!({ "name": "new", "capabilities": ["git"] }));
    assert_eq!(told(AGENTS, &agents), "fine", "one that cannot be read, and one that the file defines");
    agents[1]["color"] = json!("blue");
    assert!(told(AGENTS, &agents).contains("value[1].color"), "but it cannot be changed");
    agents[1] = json!({ "name": "other", "principals": ["bob"] });
    assert!(told(AGENTS, &agents).starts_with("two_agents value[1].principals[0]"));
    agents[1] = json!({ "name": "old", "principals": ["eve"] });
    assert_eq!(told(AGENTS, &agents), "fine", "mended");
    agents[3] = json!({ "name": "new", "principals": ["kim"] });
    assert_eq!(told(AGENTS, &agents), "fine", "what the file defines otherwise is for nobody");
}

#[test]
fn claims_of_what_cannot_be_read_hold() {
    let (mut agents, _) = stored();
    agents.as_array_mut().expect("a list").push(json!({ "name": "new", "principals": ["eve"] }));
    assert!(told(AGENTS, &agents).contains("the agents \"old\" and \"new\" are both for \"eve\""));
}

#[test]
fn every_bad_capability_is_refused_at_its_place() {
    let with = |value: Value| {
        let (_, mut all) = stored();
        all.as_array_mut().expect("a list").push(value);
        all
    };
    let cases = [
        (json!("git"), "invalid_setting value: `value` is not a list"),
        (
            with(json!({ "name": "x", "tools": ["a b"] })),
            "invalid_setting value[3].tools[0]: `tools[0]` cannot be read: \"a b\" is not a pattern: it has 1 to 256 characters, none of them blank or one of []{}\\",
        ),
        (
            with(json!({ "name": "x", "servers": ["a:b"] })),
            "invalid_setting value[3].servers[0]: the name of a server has no `:`; tools stand in `tools`",
        ),
        (
            with(json!({ "name": "x", "tool": [] })),
            "invalid_setting value[3].tool: unknown key `tool` (known are name, description, tools, tags, servers)",
        ),
        (
            with(json!({ "name": "git" })),
            "invalid_setting value[3].name: the name \"git\" stands at value[0] too (each name once)",
        ),
        (
            json!([{ "name": "docs", "tags": ["x"] }]),
            "defined_in_file value[0].name: the capability \"docs\" is defined in toolgate.toml (change it there, or choose another name)",
        ),
        (
            json!([{ "name": "mail" }]),
            "capability_in_use value: the capability \"git\" is used by agent \"coder\", agent \"writer\" (remove it \
                 from these agents first)",
        ),
        (json!([{ "name": "git" }]), "fine"),
    ];
    for (value, expected) in cases {
        assert_eq!(told(CAPABILITIES, &value), expected, "{value}");
    }
}

#[test]
fn refusals_about_what_there_is_are_conflicts() {
    let kind = |key: &'static str, value: Value| refusal(key, &value).expect_err("refused").kind;
    assert_eq!(kind(AGENTS, json!([{ "name": "coder" }])), RefusalKind::Conflict);
    assert_eq!(kind(AGENTS, json!([{ "name": "x", "principals": ["ada"] }])), RefusalKind::Conflict);
    assert_eq!(kind(CAPABILITIES, json!([])), RefusalKind::Conflict);
    assert_eq!(kind(AGENTS, json!([{ "name": "x", "capabilities": ["y"] }])), RefusalKind::Invalid);
    assert_eq!(
        refusal(AGENTS, &json!([{ "name": "default", "capabilities": [] }])),
        Ok(()),
        "it may be defined"
    );
}
