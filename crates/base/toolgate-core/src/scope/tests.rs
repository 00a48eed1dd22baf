//! The tools that a scope admits, and the intersection of two scopes.

use serde_json::{Value, json};

use super::*;
use crate::{Principal, PrincipalId, Role};

fn agent(value: Value) -> AgentDefinition {
    serde_json::from_value(value).expect("a definition")
}

fn capability(value: Value) -> Capability {
    serde_json::from_value(value).expect("a capability")
}

fn definitions(agents: &[Value], capabilities: &[Value]) -> Definitions {
    let agents = agents.iter().cloned().map(agent).map(|one| (one.name.clone(), one.into()));
    let capabilities = capabilities.iter().cloned().map(capability);
    Definitions {
        agents: agents.collect(),
        capabilities: capabilities.map(|one| (one.name.clone(), one.into())).collect(),
    }
}

/// The scope that sessions of the first agent start with.
fn scope(agent_says: Value, capabilities: &[Value]) -> Scope {
    let definitions = definitions(std::slice::from_ref(&agent_says), capabilities);
    definitions.scope(&agent(agent_says)).expect("known capabilities")
}

fn server(name: &str) -> ServerName {
    ServerName::new(name).expect("a name")
}

fn tool(name: &str, tags: &[&str], needs: &[&str]) -> Tool {
    let (of, own) = name.split_once(':').expect("a canonical name");
    let mut tool = Tool::unread(&server(of), own);
    tool.handling.capabilities = tags.iter().map(|tag| (*tag).to_owned()).collect();
    tool.handling.needs = needs.iter().map(|need| need.parse().expect("a need")).collect();
    tool
}

/// A short reason why a tool is in or out.
fn why(scope: &Scope, tool: &Tool) -> String {
    match scope.judge(tool, Role::Agent) {
        ScopeReason::In(admissions) => {
            let rule = |one: &CapabilityMatch<'_>| match one.rule {
                CapabilityRule::Tool(pattern) => format!("{}/{} tool {pattern}", one.agent, one.capability),
                CapabilityRule::Tag(tag) => format!("{}/{} tag {tag}", one.agent, one.capability),
                CapabilityRule::Server(pattern) => {
                    format!("{}/{} server {pattern}", one.agent, one.capability)
                }
            };
            format!("in {}", admissions.iter().map(rule).collect::<Vec<_>>().join(", ")).trim_end().to_owned()
        }
        ScopeReason::NoCapability { agent } => format!("no capability of {agent}"),
        ScopeReason::Blocked { agent, pattern } => format!("blocked by {agent} {pattern}"),
        ScopeReason::NotMounted => "not mounted".into(),
        ScopeReason::Needs(need) => format!("needs {need}"),
        ScopeReason::LaterServer => "later server".into(),
    }
}

#[test]
fn every_reason_is_told_and_the_first_that_holds_wins() {
    let capabilities = [
        json!({ "name": "git", "servers": ["github", "git?"] }),
        json!({ "name": "reading", "tools": ["files:read_*", "*:find"], "tags": ["search"] }),
        json!({ "name": "chat" }),
    ];
    let mut scope = scope(
        json!({
            "name": "writer", "capabilities": ["git", "reading", "chat"], "blocked": ["github:delete_*", "*:drop"],
            "mounts": { "servers": ["github", "gitx", "files", "mail", "late"], "providers": ["slack"] },
        }),
        &capabilities,
    );
    scope.servers = Some(["github", "gitx", "files", "mail", "notes"].map(server).to_vec());
    let cases = [
        (tool("github:open", &[], &[]), "in writer/git server github"),
        (tool("gitx:open", &["search"], &[]), "in writer/git server git?"),
        (tool("files:read_text", &[], &[]), "in writer/reading tool files:read_*"),
        (tool("mail:look", &["other", "search"], &[]), "in writer/reading tag search"),
        (tool("mail:say", &["chat"], &["provider:slack"]), "in writer/chat tag chat"),
        (tool("files:write", &[], &[]), "no capability of writer"),
        (tool("github:delete_all", &[], &[]), "blocked by writer github:delete_*"),
        (tool("files:drop", &[], &[]), "blocked by writer *:drop"),
        (tool("notes:find", &[], &[]), "not mounted"),
        (tool("late:find", &[], &[]), "later server"),
        (tool("mail:say", &["chat"], &["provider:teams", "pointer"]), "needs provider:teams"),
        (tool("mail:find", &[], &["pointer"]), "needs pointer"),
        (tool("mail:find", &[], &["knowledge_base"]), "needs knowledge_base"),
    ];
    for (tool, expected) in &cases {
        assert_eq!(why(&scope, tool), *expected, "{}", tool.name);
    }
}

#[test]
fn an_agent_without_capabilities_has_all_tools_and_one_with_an_empty_list_has_none() {
    let any = tool("files:read", &["files"], &[]);
    assert_eq!(why(&scope(json!({ "name": "all" }), &[]), &any), "in");
    assert_eq!(
        why(&scope(json!({ "name": "none", "capabilities": [] }), &[]), &any),
        "no capability of none"
    );
    let bare = json!({ "name": "files" });
    let ruled = json!({ "name": "files", "tools": ["mail:*"] });
    let agent = json!({ "name": "one", "capabilities": ["files"] });
    assert_eq!(why(&scope(agent.clone(), &[bare]), &any), "in one/files tag files");
    assert_eq!(
        why(&scope(agent, &[ruled]), &any),
        "no capability of one",
        "only a bare one goes by its name"
    );
}

fn both(inner: Value, outer: Value) -> Scope {
    let capabilities =
        [json!({ "name": "reading", "tools": ["*:read"] }), json!({ "name": "files", "servers": ["files"] })];
    scope(inner, &capabilities).within(scope(outer, &capabilities))
}

#[test]
fn within_another_scope_tools_intersect_and_what_is_blocked_adds_up() {
    let scope = both(
        json!({ "name": "inner", "capabilities": ["reading"], "blocked": ["x:*"] }),
        json!({ "name": "outer", "capabilities": ["files"], "blocked": ["*:secret"] }),
    );
    let cases = [
        ("files:read", "in outer/files server files, inner/reading tool *:read"),
        ("files:write", "no capability of inner"),
        ("mail:read", "no capability of outer"),
        ("x:read", "blocked by inner x:*"),
        ("files:secret", "blocked by outer *:secret"),
    ];
    for (name, expected) in cases {
        assert_eq!(why(&scope, &tool(name, &[], &[])), expected, "{name}");
    }
    let same = json!({ "name": "one", "capabilities": ["files"] });
    assert_eq!(both(same.clone(), same).layers.len(), 1);
}

#[test]
fn within_another_scope_strictness_never_relaxes_and_the_inner_one_says_how_tools_are_shown() {
    let template = |inner: Option<&str>, outer: Option<&str>| {
        let says = |name: &str, template: Option<&str>| json!({ "name": name, "policy_template": template });
        both(says("inner", inner), says("outer", outer)).template.map(PolicyTemplate::as_str)
    };
    assert_eq!(template(Some("standard"), Some("regulated")), Some("regulated"));
    assert_eq!(template(Some("audit_critical"), Some("standard")), Some("audit_critical"));
    assert_eq!(template(None, Some("standard")), Some("standard"));
    assert_eq!(template(Some("exploratory"), None), Some("exploratory"));
    assert_eq!(template(None, None), None);
    let shown = both(
        json!({ "name": "inner", "token_budget": 7, "pinned": ["a:b"], "schema_diet": true }),
        json!({ "name": "outer", "token_budget": "off", "reveal_found": true }),
    );
    assert_eq!(
        (shown.token_budget, shown.schema_diet, shown.reveal_found),
        (TokenBudget::Tokens(7), true, false)
    );
    assert_eq!(shown.pinned, [NamePattern::new("a:b").expect("a pattern")]);
}

#[test]
fn within_another_scope_mounts_add_up_but_servers_that_it_leaves_out_stay_out() {
    let mounts = |inner: Value, outer: Value| {
        both(json!({ "name": "inner", "mounts": inner }), json!({ "name": "outer", "mounts": outer }))
    };
    let sum = mounts(
        json!({ "providers": ["slack"], "pointers": ["p"] }),
        json!({ "providers": ["teams"], "knowledge_bases": ["k"], "servers": ["a"] }),
    );
    let expected = json!({ "servers": ["a"], "providers": ["slack", "teams"], "pointers": ["p"], "knowledge_bases": ["k"] });
    assert_eq!(serde_json::to_value(&sum.mounts).expect("JSON"), expected);

    let seen = |scope: &Scope| {
        ["a", "b", "c"].into_iter().filter(|name| scope.reaches(&server(name))).collect::<String>()
    };
    let servers = |names: &[&str]| json!({ "servers": names });
    assert_eq!(seen(&mounts(servers(&[]), servers(&[]))), "abc");
    assert_eq!(seen(&mounts(servers(&["a"]), servers(&[]))), "a");
    assert_eq!(seen(&mounts(servers(&[]), servers(&["b"]))), "b");
    assert_eq!(seen(&mounts(servers(&["a", "b"]), servers(&["b", "c"]))), "b");
    assert_eq!(seen(&mounts(servers(&["a"]), servers(&["b"]))), "");
}

#[test]
fn within_another_scope_servers_that_came_later_for_either_stay_out() {
    let frozen = |names: Option<&[&str]>| Scope {
        servers: names.map(|names| names.iter().map(|name| server(name)).collect()),
        ..scope(json!({ "name": "one" }), &[])
    };
    let left = |inner: Option<&[&str]>, outer: Option<&[&str]>| frozen(inner).within(frozen(outer)).servers;
    assert_eq!(left(None, None), None);
    assert_eq!(left(Some(&["a"]), None), Some(vec![server("a")]));
    assert_eq!(left(None, Some(&["b"])), Some(vec![server("b")]));
    assert_eq!(left(Some(&["a", "b"]), Some(&["b", "c"])), Some(vec![server("b")]));
}

#[test]
fn a_server_is_reached_only_where_all_of_it_is_in() {
    let reached = |agent: Value, capabilities: &[Value]| {
        let scope = scope(agent, capabilities);
        ["files", "mail"]
            .into_iter()
            .filter(|name| scope.reaches(&server(name)))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let with = |rules: Value| reached(json!({ "name": "one", "capabilities": ["c"] }), &[rules]);
    assert_eq!(with(json!({ "name": "c", "servers": ["f*"] })), "files");
    assert_eq!(with(json!({ "name": "c", "tools": ["mail:send", "*:read_*"] })), "");
    assert_eq!(with(json!({ "name": "c", "tools": ["*"] })), "files mail");
    assert_eq!(with(json!({ "name": "c", "tools": ["m?il:*", "fil*:x"] })), "mail");
    assert_eq!(with(json!({ "name": "c", "tags": ["files"] })), "", "a tag is about tools alone");
    let without = |blocked: &str| reached(json!({ "name": "one", "blocked": [blocked] }), &[]);
    assert_eq!(without("files:*"), "mail");
    assert_eq!(without("*"), "");
    assert_eq!(without("files:read_*"), "files mail");
    assert_eq!(reached(json!({ "name": "one", "mounts": { "servers": ["mail"] } }), &[]), "mail");
}

#[test]
fn a_server_that_could_hold_nothing_of_a_scope_is_told_apart() {
    let could = |rules: Value| {
        let scope = scope(json!({ "name": "one", "capabilities": ["c"] }), &[rules]);
        (scope.could_hold(&server("files")), scope.could_hold(&server("mail")))
    };
    assert_eq!(could(json!({ "name": "c", "tools": ["mail:send"] })), (false, true));
    assert_eq!(could(json!({ "name": "c", "tools": ["*:read_*"] })), (true, true));
    assert_eq!(could(json!({ "name": "c", "servers": ["f*"] })), (true, false));
    assert_eq!(could(json!({ "name": "c" })), (true, true), "any tool may be tagged");
}

#[test]
fn definitions_and_scopes_read_back_as_they_were_written() {
    let full = json!({
        "name": "writer", "description": "Writes.", "capabilities": ["git"], "pinned": ["github:*"], "blocked": ["*:drop"],
        "mounts": { "servers": ["github"], "providers": ["slack"], "pointers": ["p"], "knowledge_bases": ["k"] },
        "policy_template": "audit_critical", "token_budget": 500, "schema_diet": true, "reveal_found": true,
        "limits": { "idle_seconds": 60, "lifetime_seconds": 3600, "sessions_max": 3 },
        "principals": ["ada"], "groups": ["writers"],
    });
    assert_eq!(serde_json::to_value(agent(full.clone())).expect("JSON"), full);
    let git = json!({ "name": "git", "description": "Code.", "tools": ["a:b"], "tags": ["vcs"], "servers": ["git*"] });
    assert_eq!(serde_json::to_value(capability(git.clone())).expect("JSON"), git);

    let scope = Scope { servers: Some(vec![server("github")]), ..scope(full, &[git]) };
    let text = serde_json::to_string(&scope).expect("JSON");
    let again: Scope = serde_json::from_str(&text).expect("a scope");
    assert_eq!((&again, again.id()), (&scope, scope.id()));

    let bare = agent(json!({ "name": "x" }));
    assert_eq!(bare, AgentDefinition::named(AgentName::new("x").expect("a name")));
    assert_ne!(bare.version(), agent(json!({ "name": "x", "schema_diet": true })).version());
    for (what, unknown) in [
        ("agent", json!({ "name": "x", "color": 1 })),
        ("mounts", json!({ "name": "x", "mounts": { "disks": [] } })),
    ] {
        assert!(serde_json::from_value::<AgentDefinition>(unknown).is_err(), "an unknown key of {what}");
    }
}

#[test]
fn a_budget_is_a_number_or_off() {
    let read = |value: Value| serde_json::from_value::<TokenBudget>(value).map_err(|error| error.to_string());
    assert_eq!(read(json!(8000)), Ok(TokenBudget::default()));
    assert_eq!(read(json!(0)), Ok(TokenBudget::Tokens(0)));
    assert_eq!(read(json!("off")), Ok(TokenBudget::Off));
    for budget in [TokenBudget::Tokens(12), TokenBudget::Off] {
        assert_eq!(read(serde_json::to_value(budget).expect("JSON")), Ok(budget));
    }
    for wrong in [
        json!(-1),
        json!(1.5),
        json!("on"),
        json!("8000"),
        json!(null),
        json!([]),
        json!(4_294_967_296_u64),
        json!(u64::MAX),
    ] {
        let said = read(wrong.clone()).expect_err("no budget");
        assert_eq!(said, "a budget is a number of tokens, 0 or more, or \"off\"", "{wrong}");
    }
}

#[test]
fn definitions_that_do_not_go_together_are_told() {
    let check = |agents: &[Value]| {
        let told = definitions(agents, &[json!({ "name": "git" })]).check();
        told.map_or_else(|bad| bad.to_string(), |()| "fine".into())
    };
    let cases = [
        (
            vec![
                json!({ "name": "a", "capabilities": ["git"], "principals": ["x", "x"], "groups": ["g", "g"] }),
            ],
            "fine",
        ),
        (
            vec![json!({ "name": "a", "capabilities": ["git", "gti"] })],
            "agent \"a\" has the capability \"gti\", which is not defined",
        ),
        (
            vec![
                json!({ "name": "a", "principals": ["x"] }),
                json!({ "name": "b", "principals": ["y", "x"] }),
            ],
            "the agents \"a\" and \"b\" are both for the principal \"x\"",
        ),
        (
            vec![json!({ "name": "a", "groups": ["g"] }), json!({ "name": "b", "groups": ["g"] })],
            "the agents \"a\" and \"b\" are both for the group \"g\"",
        ),
        (vec![json!({ "name": "a", "groups": ["g"] }), json!({ "name": "b", "principals": ["g"] })], "fine"),
    ];
    for (agents, expected) in cases {
        assert_eq!(check(&agents), expected);
    }
}

#[test]
fn a_principal_has_the_agent_that_is_for_it_else_for_a_group_of_it_else_the_default() {
    let definitions = definitions(
        &[
            json!({ "name": "a-group", "groups": ["writers"] }),
            json!({ "name": "one", "principals": ["ada"] }),
            json!({ "name": "z-group", "groups": ["all"] }),
        ],
        &[],
    );
    let agent = |id: &str, groups: &[&str]| {
        let mut principal = Principal::new(PrincipalId::new(id), Role::Agent);
        principal.groups = groups.iter().map(|group| (*group).to_owned()).collect();
        definitions.agent_for(&principal).name.to_string()
    };
    assert_eq!(agent("ada", &["writers"]), "one");
    assert_eq!(agent("bob", &["all", "writers"]), "a-group");
    assert_eq!(agent("bob", &["all"]), "z-group");
    assert_eq!(agent("bob", &[]), "default");
}

#[test]
fn the_default_agent_is_always_there_and_may_be_defined() {
    let name = AgentName::default_agent();
    let built_in = Definitions::default().agent(&name).expect("it is always there");
    assert_eq!((&built_in.capabilities, built_in.token_budget), (&None, TokenBudget::Tokens(8_000)));
    assert_eq!(Definitions::default().agent(&AgentName::new("other").expect("a name")), None);
    let written = definitions(&[json!({ "name": "default", "capabilities": [] })], &[]);
    let nobody = Principal::new(PrincipalId::new("ada"), Role::Agent);
    assert_eq!(written.agent_for(&nobody).capabilities, Some(Vec::new()));
}

#[test]
fn names_are_plain_and_never_like_those_of_sessions() {
    let long = "x".repeat(64);
    for good in ["a", "code-review", "v1.2_x", "読者", "default", "..a", long.as_str()] {
        assert_eq!(AgentName::new(good).map(|name| name.to_string()), Ok(good.to_owned()));
        assert!(CapabilityName::new(good).is_ok(), "{good}");
    }
    let longer = "x".repeat(65);
    for bad in ["", " ", "a b", "a:b", "a/b", "a*", ".", "..", "ses_1", "ses_", longer.as_str()] {
        let said = AgentName::new(bad).expect_err("no name");
        assert!(said.contains("is no name for an agent"), "{said}");
        assert!(serde_json::from_value::<CapabilityName>(json!(bad)).is_err(), "{bad:?}");
    }
}

#[test]
fn patterns_and_needs_read_back_and_others_are_refused() {
    for text in ["*", "a:?b*", "読:*"] {
        assert_eq!(NamePattern::new(text).map(|pattern| pattern.to_string()), Ok(text.to_owned()));
    }
    let long = "x".repeat(257);
    for bad in ["", "a b", "a[b]", "{a}", "a\\b", "a\tb", long.as_str()] {
        assert!(NamePattern::new(bad).is_err(), "{bad:?}");
    }
    for text in ["provider:slack", "pointer", "knowledge_base", "operator"] {
        assert_eq!(text.parse::<MountNeed>().map(|need| need.to_string()), Ok(text.to_owned()));
    }
    for bad in ["", "provider:", "provider:a b", "slack", "Pointer"] {
        assert!(bad.parse::<MountNeed>().is_err(), "{bad:?}");
    }
}

#[test]
fn what_is_beyond_its_limits_is_told_with_its_place() {
    let told = |value: Value| {
        let mut definition = json!({ "name": "x" });
        definition.as_object_mut().expect("an object").extend(value.as_object().expect("an object").clone());
        agent(definition).check().map_or_else(|bad| bad.field, |()| "fine".into())
    };
    let many: Vec<String> = (0..1001).map(|at| at.to_string()).collect();
    assert_eq!(told(json!({})), "fine");
    assert_eq!(told(json!({ "description": "x".repeat(2001) })), "description");
    assert_eq!(told(json!({ "capabilities": many })), "capabilities");
    assert_eq!(told(json!({ "pinned": many })), "pinned");
    assert_eq!(told(json!({ "blocked": many })), "blocked");
    assert_eq!(told(json!({ "principals": ["a", ""] })), "principals[1]");
    assert_eq!(told(json!({ "groups": [" a"] })), "groups[0]");
    assert_eq!(told(json!({ "mounts": { "providers": many } })), "mounts.providers");
    assert_eq!(told(json!({ "mounts": { "pointers": ["x".repeat(257)] } })), "mounts.pointers[0]");
    assert_eq!(told(json!({ "limits": { "idle_seconds": 0 } })), "limits.idle_seconds");
    assert_eq!(told(json!({ "limits": { "lifetime_seconds": 0 } })), "limits.lifetime_seconds");
    assert_eq!(told(json!({ "limits": { "sessions_max": 0 } })), "limits.sessions_max");
    let rules = |value: Value| capability(value).check().map_or_else(|bad| bad.field, |()| "fine".into());
    assert_eq!(rules(json!({ "name": "x", "tags": ["t"], "servers": ["s*"] })), "fine");
    assert_eq!(rules(json!({ "name": "x", "tools": many })), "tools");
    assert_eq!(rules(json!({ "name": "x", "tags": ["a\nb"] })), "tags[0]");
    assert_eq!(rules(json!({ "name": "x", "servers": ["a", "a:b"] })), "servers[1]");
}

#[test]
fn pointers_of_an_inner_scope_are_those_that_the_outer_one_contains() {
    let reach = |inner: &[&str], outer: &[&str], role: Role| {
        let mounts = |all: &[&str]| json!({ "pointers": all });
        let scope = both(
            json!({ "name": "inner", "mounts": mounts(inner) }),
            json!({ "name": "outer", "mounts": mounts(outer) }),
        );
        let reach = scope.pointer_reach(role);
        ["a", "b", "c"].into_iter().filter(|namespace| reach.covers(namespace, "x")).collect::<String>()
    };
    assert_eq!(reach(&["a", "b"], &["b", "c"], Role::Agent), "b");
    assert_eq!(reach(&["a"], &["*"], Role::Agent), "a");
    assert_eq!(reach(&[], &["c"], Role::Agent), "c");
    assert_eq!(reach(&[], &[], Role::Agent), "");
    assert_eq!(reach(&[], &[], Role::Operator), "abc");
    assert_eq!(reach(&["a"], &["b"], Role::Operator), "", "nothing in common is nothing");
}
