//! Kinds of agents, their tools, and search.

use insta::assert_snapshot;
use serde_json::{Value, json};
use toolgate_core::scope::{AgentDefinition, AgentName, Capability};

use super::{accepted, refused};

#[test]
fn a_definition_has_every_key_read_as_the_settings_have_it() {
    let config = accepted(
        r#"
        [[capabilities]]
        name = "code"
        description = "Repositories."
        tools = ["github:*", "*:read_file"]
        tags = ["vcs"]
        servers = ["git*"]
        [[agents]]
        name = "reviewer"
        description = "Reviews code."
        capabilities = ["code", "of_the_settings"]
        pinned = ["github:get_*"]
        blocked = ["*:delete_*"]
        mounts = { servers = ["github"], providers = ["slack"], pointers = ["p"], knowledge_bases = ["k"] }
        policy_template = "audit_critical"
        token_budget = 500
        schema_diet = true
        reveal_found = true
        limits = { idle_seconds = 60, lifetime_seconds = 3600, sessions_max = 3 }
        principals = ["bot"]
        groups = ["reviewers"]
        [[agents]]
        name = "default"
        capabilities = []
        token_budget = "off"
        [[agents]]
        name = "plain"
        "#,
    );
    let full = json!({
        "name": "reviewer", "description": "Reviews code.", "capabilities": ["code", "of_the_settings"],
        "pinned": ["github:get_*"], "blocked": ["*:delete_*"],
        "mounts": { "servers": ["github"], "providers": ["slack"], "pointers": ["p"], "knowledge_bases": ["k"] },
        "policy_template": "audit_critical", "token_budget": 500, "schema_diet": true, "reveal_found": true,
        "limits": { "idle_seconds": 60, "lifetime_seconds": 3600, "sessions_max": 3 },
        "principals": ["bot"], "groups": ["reviewers"],
    });
    let agent = |value: Value| serde_json::from_value::<AgentDefinition>(value).expect("a definition");
    let default = agent(json!({ "name": "default", "capabilities": [], "token_budget": "off" }));
    let plain = AgentDefinition::named(AgentName::new("plain").expect("a name"));
    assert_eq!(config.agents, [agent(full), default, plain]);
    let code = json!({
        "name": "code", "description": "Repositories.", "tools": ["github:*", "*:read_file"], "tags": ["vcs"], "servers": ["git*"],
    });
    assert_eq!(config.capabilities, [serde_json::from_value::<Capability>(code).expect("a capability")]);
    let state = config.file_state();
    assert_eq!((state.agents, state.capabilities), (config.agents, config.capabilities));
}

#[test]
fn the_keys_are_those_of_the_settings() {
    let keys = |value: Value| value.as_object().expect("an object").keys().cloned().collect::<Vec<_>>();
    let agent = accepted("[[agents]]\nname = \"x\"").agents.remove(0);
    let written = keys(serde_json::to_value(agent).expect("JSON"));
    assert!(written.iter().all(|key| AgentDefinition::KEYS.contains(&key.as_str())), "{written:?}");
}

#[test]
fn what_is_wrong_with_an_agent_is_told_at_its_place() {
    assert_snapshot!(refused("[[agents]]\ndescription = \"x\""), @r##"
    toolgate.toml:1:1: an agent has no `name`
    1 | [[agents]]
      | ^^^^^^^^^^
    expected: `name` in every such table
    hint: add a line such as `name = "researcher"`
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"ses_my agent\""), @r##"
    toolgate.toml:2:8: agent "ses_my agent" cannot have that name
    2 | name = "ses_my agent"
      |        ^^^^^^^^^^^^^^
    expected: 1 to 64 letters, digits, `-`, `_` and `.`, not beginning with `ses_`
    hint: for example `name = "my-agent"`
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\ntoken_buget = 5"), @r##"
    toolgate.toml:3:1: unknown key `token_buget` in agent "x"
    3 | token_buget = 5
      | ^^^^^^^^^^^
    expected: `name`, `description`, `capabilities`, `pinned`, `blocked`, `mounts`, `policy_template`, `token_budget`, `schema_diet`, `reveal_found`, `limits`, `principals` or `groups`
    hint: did you mean `token_budget`?
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\ntoken_budget = -1"), @r##"
    toolgate.toml:3:16: `token_budget` in agent "x" is out of range
    3 | token_budget = -1
      |                ^^
    expected: a whole number from 0 to 4294967295
    hint: leave the key out to have the default
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\ntoken_budget = \"8000\""), @r##"
    toolgate.toml:3:16: `token_budget` in agent "x" cannot be "8000"
    3 | token_budget = "8000"
      |                ^^^^^^
    expected: `off`
    hint: a number without quotes, such as `8000`; `0` always searches, `"off"` always lists everything
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\npinned = [\"read_file\", \"[ab]:c\"]"), @r##"
    toolgate.toml:3:11: "read_file" in `pinned` of agent "x" is not a canonical name
    3 | pinned = ["read_file", "[ab]:c"]
      |           ^^^^^^^^^^^
    expected: canonical names such as `bank:transfer`, with `*` for any characters and `?` for one
    hint: write `server:read_file`, or `*:read_file` for any server

    toolgate.toml:3:24: "[ab]:c" in `pinned` of agent "x" is not a pattern
    3 | pinned = ["read_file", "[ab]:c"]
      |                        ^^^^^^^^
    expected: canonical names such as `bank:transfer`, with `*` for any characters and `?` for one
    hint: list several patterns instead of `[…]` or `{…}`; `*` stands for all

    2 problems in toolgate.toml
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\ncapabilities = [\"a b\"]"), @r##"
    toolgate.toml:3:17: "a b" in `capabilities` of agent "x" is not the name of a capability
    3 | capabilities = ["a b"]
      |                 ^^^^^
    expected: names of 1 to 64 letters, digits, `-`, `_` and `.`
    hint: each as the capability itself is called
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\nmounts = { server = [\"a\"] }"), @r##"
    toolgate.toml:3:12: unknown key `server` in `mounts` of agent "x"
    3 | mounts = { server = ["a"] }
      |            ^^^^^^
    expected: `servers`, `providers`, `pointers` or `knowledge_bases`
    hint: did you mean `servers`?
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\nlimits = { idle_seconds = 0, sessions_max = 0 }"), @r##"
    toolgate.toml:3:27: `idle_seconds` in `limits` of agent "x" is out of range
    3 | limits = { idle_seconds = 0, sessions_max = 0 }
      |                           ^
    expected: a whole number from 1 to 31536000
    hint: leave the key out to have the default

    toolgate.toml:3:45: `sessions_max` in `limits` of agent "x" is out of range
    3 | limits = { idle_seconds = 0, sessions_max = 0 }
      |                                             ^
    expected: a whole number from 1 to 1000000
    hint: leave the key out to have the default

    2 problems in toolgate.toml
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\npolicy_template = \"strict\""), @r##"
    toolgate.toml:3:19: `policy_template` in agent "x" cannot be "strict"
    3 | policy_template = "strict"
      |                   ^^^^^^^^
    expected: `exploratory`, `standard`, `regulated` or `audit_critical`
    hint: it can only be stricter than that of `[policy]`
    "##);
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\nprincipals = [\"\"]"), @r##"
    toolgate.toml:3:1: `principals[0]` in agent "x" cannot be so
    3 | principals = [""]
      | ^^^^^^^^^^
    expected: a name in `principals` has 1 to 256 characters and no blanks around it
    hint: `toolgate.example.toml` shows this key in use
    "##);
}

#[test]
fn a_name_and_a_principal_stand_once() {
    assert_snapshot!(refused("[[agents]]\nname = \"x\"\n[[agents]]\nname = \"x\""), @r##"
    toolgate.toml:4:8: agent "x" stands here twice
    4 | name = "x"
      |        ^^^
    expected: each name once
    hint: remove one of the two, or rename it
    "##);
    assert_snapshot!(refused("[[capabilities]]\nname = \"x\"\n[[capabilities]]\nname = \"x\""), @r##"
    toolgate.toml:4:8: capability "x" stands here twice
    4 | name = "x"
      |        ^^^
    expected: each name once
    hint: remove one of the two, or rename it
    "##);
    assert_snapshot!(
        refused("[[agents]]\nname = \"x\"\nprincipals = [\"ada\"]\n[[agents]]\nname = \"y\"\nprincipals = [\"bob\", \"ada\"]"),
        @r##"
    toolgate.toml:6:22: the agents "x" and "y" are both for the principal "ada"
    6 | principals = ["bob", "ada"]
      |                      ^^^^^
    expected: each principal in one agent
    hint: remove it from one of the two
    "##
    );
}

#[test]
fn what_is_wrong_with_a_capability_is_told_at_its_place() {
    assert_snapshot!(refused("[[capabilities]]\nname = \"x\"\nservers = [\"a:b\"]"), @r##"
    toolgate.toml:3:12: "a:b" in `servers` of capability "x" is not the name of a server
    3 | servers = ["a:b"]
      |            ^^^^^
    expected: names of servers, with `*` for any characters and `?` for one
    hint: tools are named in `tools`
    "##);
    assert_snapshot!(refused("[[capabilities]]\nname = \"x\"\ntool = [\"a:b\"]"), @r##"
    toolgate.toml:3:1: unknown key `tool` in capability "x"
    3 | tool = ["a:b"]
      | ^^^^
    expected: `name`, `description`, `tools`, `tags` or `servers`
    hint: did you mean `tools`?
    "##);
    assert_snapshot!(refused("[capabilities]\nname = \"x\""), @r##"
    toolgate.toml:1:1: `capabilities` in the file has the wrong type: a table
    1 | [capabilities]
      | ^^^^^^^^^^^^^^
    expected: tables that start with `[[capabilities]]`
    hint: write the header with two brackets
    "##);
}

#[test]
fn the_folder_of_a_model_starts_at_the_file() {
    assert_eq!(accepted("").search.model, None);
    let model = accepted("[search]\nmodel = \"models/small\"").search.model;
    assert_eq!(model, Some("/srv/gate/models/small".into()));
    assert_eq!(accepted("[search]\nmodel = \"${HOME}/m\"").search.model, Some("/home/ann/m".into()));
    assert_snapshot!(refused("[search]\nmodel = \"\"\nmodell = 1"), @r##"
    toolgate.toml:2:9: `model` in `[search]` is empty
    2 | model = ""
      |         ^^
    expected: a path, absolute or from the folder of this file
    hint: leave the key out to do without

    toolgate.toml:3:1: unknown key `modell` in `[search]`
    3 | modell = 1
      | ^^^^^^
    expected: `model`
    hint: did you mean `model`?

    2 problems in toolgate.toml
    "##);
}

#[test]
fn what_tools_need_and_what_finds_them_is_checked() {
    assert_snapshot!(refused("[[tools]]\nname = \"a:b\"\nmounts = [\"slack\"]"), @r##"
    toolgate.toml:3:11: "slack" in `mounts` of tool "a:b" cannot be mounted
    3 | mounts = ["slack"]
      |           ^^^^^^^
    expected: `provider:NAME`, `pointer`, `knowledge_base` or `operator`
    hint: what a session must have mounted for the tool to be of use: `mounts = ["provider:slack"]`
    "##);
    assert_snapshot!(refused("[[tools]]\nname = \"a:b\"\nexamples = []"), @r##"
    toolgate.toml:3:1: `examples` in tool "a:b" has 0 texts
    3 | examples = []
      | ^^^^^^^^
    expected: 1 to 20 texts of at most 200 characters
    hint: queries that should find the tool, such as `["send money"]`
    "##);
    assert_snapshot!(refused("[[tools]]\nname = \"a:b\"\nexamples = [\" \"]"), @r##"
    toolgate.toml:3:13: a text in `examples` of tool "a:b" is blank or too long
    3 | examples = [" "]
      |             ^^^
    expected: 1 to 20 texts of at most 200 characters
    hint: write it as a request that the tool should be found for
    "##);
}

#[test]
fn the_names_of_the_gateways_own_tools_are_nobodys() {
    assert_snapshot!(refused("[[servers]]\nname = \"Toolgate\"\ncommand = \"x\""), @r##"
    toolgate.toml:2:8: the server name Toolgate is reserved: Toolgate's own tools have it
    2 | name = "Toolgate"
      |        ^^^^^^^^^^
    expected: a name of its own
    hint: for example `name = "Toolgate-server"`
    "##);
    assert_snapshot!(refused("[[aliases]]\nname = \"search_tools\"\ntool = \"a:b\""), @r##"
    toolgate.toml:2:8: alias "search_tools" is a name of Toolgate's own tools
    2 | name = "search_tools"
      |        ^^^^^^^^^^^^^^
    expected: a name that they do not have
    hint: choose another name
    "##);
}

#[test]
fn agents_and_capabilities_count_at_once_and_a_model_after_a_restart() {
    let before = accepted("");
    let after = accepted("[[agents]]\nname = \"x\"\n[[capabilities]]\nname = \"y\"\n[search]\nmodel = \"m\"");
    assert_ne!(before, after);
    assert_eq!(before.restart_needed(&after), ["[search]"]);
}
