//! Sessions, agents, capabilities, search and cost at the command line: the same with a gateway running on the data folder
//! and without.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::tools;
use super::{CliFolder, Said};
use crate::doors::{Stdio, modern_meta};
use crate::{boot, conforming};

/// Two servers, and an agent that sees one of them except for one tool.
fn two_servers() -> String {
    // The first list is complete, however busy the machine is.
    "[limits]\nstart_wait_seconds = 60\n".to_owned()
        + &conforming("one", &[])
        + &conforming("two", &[])
        + r#"
[[capabilities]]
name = "first"
description = "All of server one"
servers = ["one"]

[[capabilities]]
name = "lost"
tools = ["nowhere:*"]

[[agents]]
name = "reader"
description = "Reads"
capabilities = ["first", "lost"]
pinned = ["one:echo"]
blocked = ["one:test_error*"]

[[agents]]
name = "miser"
capabilities = ["first"]
token_budget = 0
"#
}

/// Runs a check both ways, once the servers have listed their tools: a gateway that has just started knows
/// none yet.
fn both_ways(check: impl Fn(&dyn Fn(&[&str]) -> Said)) {
    tools::both_ways(&two_servers(), |run| {
        // Sessions that commands create for themselves are stored if there is a data folder.
        run(&["token", "create", "--role", "agent"]).well();
        run(&["tools", "list"]).well();
        check(run);
    });
}

fn entry<'v>(list: &'v Value, key: &str, name: &str) -> &'v Value {
    let found = list.as_array().into_iter().flatten().find(|one| one[key] == name);
    found.unwrap_or_else(|| panic!("no {name} in {list}"))
}

#[test]
fn a_session_is_opened_explained_and_closed() {
    both_ways(|run| {
        let open =
            ["sessions", "open", "--agent", "reader", "--task", "T-7", "--mount", "server:one", "--json"];
        let opened = run(&open).well();
        assert!(opened.stderr.contains("warning: ") && opened.stderr.contains("nowhere:*"), "{opened:?}");
        let opened = opened.json();
        let id = opened["session"]["id"].as_str().expect("an id");
        assert!(opened["token"].as_str().is_some_and(|token| token.starts_with("tg_")), "{opened}");
        assert!(
            opened["mcp_url"].as_str().is_some_and(|url| url.ends_with(&format!("/mcp/{id}"))),
            "{opened}"
        );

        let list =
            run(&["sessions", "list", "--agent", "reader", "--state", "active", "--json"]).well().json();
        assert_eq!(entry(&list, "id", id)["task"], "T-7", "{list}");
        let shown = run(&["sessions", "show", &id[id.len() - 8..]]).well().stdout;
        assert!(
            shown.contains("agent") && shown.contains("reader") && shown.contains("server:one"),
            "{shown}"
        );

        let said = run(&["sessions", "explain", id]).well();
        assert!(said.stderr.contains("warning: ") && said.stderr.contains("`nowhere:*`"), "{said:?}");
        assert!(said.stderr.contains("tools in, "), "a summary: {said:?}");
        let line = |tool: &str| {
            let line = said.stdout.lines().find(|line| line.split_whitespace().next() == Some(tool));
            line.unwrap_or_else(|| panic!("no {tool} in {said:?}")).to_owned()
        };
        assert!(line("one:echo").contains(" in ") && line("one:echo").contains("servers `one`"), "{said:?}");
        assert!(line("one:echo").ends_with("pinned"), "{said:?}");
        assert!(line("one:test_error_handling").contains("blocks `one:test_error*`"), "{said:?}");
        assert!(line("two:echo").contains(" out "), "{said:?}");
        let out = run(&["sessions", "explain", id, "--server", "one", "--out", "--json"]).well().json();
        let tools: Vec<&str> =
            out["tools"].as_array().into_iter().flatten().filter_map(|one| one["tool"].as_str()).collect();
        assert_eq!(tools, ["one:test_error_handling"], "{out}");

        assert_eq!(run(&["sessions", "close", id]).well().stdout, format!("closed {id}\n"));
        assert_eq!(run(&["sessions", "show", id, "--json"]).well().json()["state"], "closed");
    });
}

#[test]
fn the_token_of_a_session_is_printed_alone_and_listed_only_on_demand() {
    let gateway = boot(&two_servers());
    let run = |args: &[&str]| Said::from(gateway.cli(args));
    let said = run(&["sessions", "open", "--agent", "reader", "--principal", "bot"]).well();
    let token = said.stdout.strip_suffix('\n').expect("a line");
    assert!(token.starts_with("tg_") && !token.contains(char::is_whitespace), "{said:?}");
    assert!(!said.stderr.contains(token) && said.stderr.contains("MCP endpoint http://"), "{said:?}");
    let id = said.stderr.split_whitespace().next().expect("the id comes first");
    let usual = run(&["token", "list", "--json"]).well().stdout;
    assert!(!usual.contains(id), "{usual}");
    let all = run(&["token", "list", "--sessions", "--json"]).well().json();
    assert_eq!(entry(&all, "session", id)["principal"], "bot", "{all}");
}

#[tokio::test]
async fn what_is_printed_reaches_the_session_until_it_is_closed() {
    let gateway = boot(&two_servers());
    let opened = Said::from(gateway.cli(&["sessions", "open", "--agent", "reader", "--json"])).well().json();
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let client = HttpClient::new(&text(&opened["mcp_url"]), &text(&opened["token"]));
    let listed = client.modern("tools/list", json!({})).await.result().to_string();
    assert!(listed.contains("one__echo") && !listed.contains("two__echo"), "{listed}");
    Said::from(gateway.cli(&["sessions", "close", &text(&opened["session"]["id"])])).well();
    assert_eq!(client.modern("tools/list", json!({})).await.status, 401);
}

#[test]
fn agents_and_capabilities_are_listed_and_shown() {
    both_ways(|run| {
        let agents = run(&["agents", "list", "--json"]).well().json();
        assert_eq!(entry(&agents, "name", "reader")["source"], "file", "{agents}");
        assert_eq!(entry(&agents, "name", "default")["source"], "built_in", "{agents}");
        let table = run(&["agents", "list"]).well().stdout;
        assert!(table.starts_with("AGENT") && table.contains("every tool"), "{table}");
        let reader = run(&["agents", "show", "reader"]).well();
        assert!(reader.stdout.contains("blocked") && reader.stdout.contains("one:test_error*"), "{reader:?}");
        assert!(reader.stderr.contains("no tool fits `nowhere:*`"), "{reader:?}");
        let versions = run(&["agents", "versions", "default"]).well().stdout;
        assert!(versions.starts_with("NUMBER"), "{versions}");
        let table = run(&["capabilities", "list"]).well().stdout;
        assert!(table.starts_with("CAPABILITY") && table.contains("servers one"), "{table}");
        let first = run(&["capabilities", "show", "first", "--json"]).well().json();
        assert_eq!(first["agents"], json!(["miser", "reader"]), "{first}");
        assert_eq!(entry(&first["tools"], "tool", "one:echo")["rule"], "one", "{first}");
    });
}

#[test]
fn tools_are_searched_as_an_agent_or_a_session_sees_them() {
    both_ways(|run| {
        let names = |found: &Value| -> Vec<String> {
            let results = found["results"].as_array().into_iter().flatten();
            results.filter_map(|one| one["name"].as_str()).map(str::to_owned).collect()
        };
        let all = names(&run(&["tools", "search", "echo", "--json"]).well().json());
        assert!(
            all.iter().any(|name| name == "one:echo") && all.iter().any(|name| name == "two:echo"),
            "{all:?}"
        );
        let own = names(&run(&["tools", "search", "echo", "--agent", "reader", "--json"]).well().json());
        assert!(
            own.iter().any(|name| name == "one:echo") && own.iter().all(|name| name.starts_with("one:")),
            "{own:?}"
        );
        let only = names(
            &run(&["tools", "search", "echo", "--servers", "two", "--limit", "1", "--json"]).well().json(),
        );
        assert_eq!(only, ["two:echo"]);
        let cost = run(&["tools", "cost", "--agent", "reader", "--json"]).well().json();
        let id = cost["session"].as_str().expect("the default session of whoever asks");
        let same = names(&run(&["tools", "search", "echo", "--session", id, "--json"]).well().json());
        assert_eq!(same, own, "the session of the agent sees what the agent sees");
        let table = run(&["tools", "search", "returns", "the", "text"]).well();
        assert!(table.stdout.starts_with("TOOL") && table.stdout.contains("one:echo"), "{table:?}");
        assert!(table.stderr.contains("an agent reads "), "{table:?}");

        let opened = run(&["sessions", "open", "--agent", "reader", "--json"]).well().json();
        let id = opened["session"]["id"].as_str().expect("an id");
        run(&["tools", "search", "echo", "--session", id]).badly(1, &["only its holder", "sessions explain"]);
        let cost = run(&["tools", "cost", "--session", id, "--json"]).well().json();
        assert_eq!((&cost["session"], &cost["agent"]), (&json!(id), &json!("reader")), "{cost}");
    });
}

#[test]
fn tokens_are_told_by_server_and_by_tool_with_what_search_saves() {
    both_ways(|run| {
        let said = run(&["tools", "cost"]).well();
        assert!(said.stdout.starts_with("SERVER") && said.stdout.contains("two"), "{said:?}");
        assert!(said.stderr.contains("o200k") && said.stderr.contains("listed in full"), "{said:?}");
        let tools = run(&["tools", "cost", "--server", "two"]).well().stdout;
        assert!(
            tools.starts_with("TOOL") && tools.contains("two:echo") && !tools.contains("one:"),
            "{tools}"
        );
        let miser = run(&["tools", "cost", "--agent", "miser", "--json"]).well().json();
        assert_eq!((&miser["surface"], &miser["token_budget"]), (&json!("search"), &json!(0)), "{miser}");
        let tokens = |key: &str| miser[key].as_u64().expect("a number");
        assert_eq!(tokens("tokens_saved"), tokens("tokens_full").saturating_sub(tokens("tokens_listed")));
        run(&["tools", "cost", "--agent", "miser", "--server", "two"])
            .badly(1, &["\"two\"", "hint: ", "one"]);
    });
}

#[test]
fn names_that_are_wrong_are_answered_with_hints() {
    both_ways(|run| {
        run(&["agents", "show", "readr"]).badly(1, &["no agent \"readr\"", "hint: did you mean \"reader\"?"]);
        run(&["capabilities", "show", "frist"])
            .badly(1, &["no capability \"frist\"", "hint: did you mean \"first\"?"]);
        run(&["sessions", "show", "zzzz"])
            .badly(1, &["no session \"zzzz\"", "hint: `toolgate sessions list`"]);
        run(&["sessions", "open", "--agent", "readr"])
            .badly(1, &["no agent \"readr\"", "hint: did you mean reader?"]);
        run(&["sessions", "open", "--agent", "reader", "--mount", "server:twoo"])
            .badly(1, &["mounts.servers", "no server \"twoo\"", "hint: did you mean two?"]);
        run(&["sessions", "open", "--agent", "reader", "--mount", "two"])
            .badly(2, &["--mount", "server:NAME"]);
        run(&["tools", "search", "echo", "--agent", "readr"]).badly(1, &["no agent \"readr\""]);
        run(&["tools", "cost", "--session", "zzzz"]).badly(1, &["no session \"zzzz\""]);
    });
}

#[test]
fn a_token_may_be_bound_to_an_agent_that_is_defined_later() {
    let place = CliFolder::new(&two_servers());
    let bound = place.run(&["token", "create", "--role", "agent", "--agent", "reader"]).well();
    assert!(!bound.stderr.contains("warning") && bound.stderr.contains("bound to agent reader"), "{bound:?}");
    let later = place.run(&["token", "create", "--role", "agent", "--agent", "redaer", "--json"]).well();
    assert!(
        later.stderr.contains("no agent \"redaer\"") && later.stderr.contains("did you mean reader?"),
        "{later:?}"
    );
    assert_eq!(later.json()["agent"], "redaer");
    let list = place.run(&["token", "list", "--json"]).well().json();
    assert_eq!(entry(&list, "agent", "reader")["role"], "agent", "{list}");
    place.run(&["token", "create", "--role", "approver", "--agent", "reader"]).badly(1, &["agent", "hint: "]);
}

#[test]
fn a_client_is_pointed_at_what_an_agent_sees() {
    let place = CliFolder::new(&two_servers());
    let http = place.run(&["connect", "generic", "--agent", "reader", "--token", "t"]).well().stdout;
    assert!(http.contains("/mcp/reader\""), "{http}");
    let stdio = place.run(&["connect", "claude-desktop", "--agent", "reader"]).well().stdout;
    assert!(stdio.contains("\"--agent\", \"reader\""), "{stdio}");
    let unknown = place.run(&["connect", "generic", "--agent", "redaer", "--token", "t"]).well();
    assert!(unknown.stderr.contains("did you mean reader?"), "{unknown:?}");
}

async fn listed(mut stdio: Stdio) -> String {
    let params = json!({ "_meta": modern_meta(&json!({})) });
    let answer = stdio.request(1, "tools/list", params).await.to_string();
    let (rest, status) = stdio.end().await;
    assert!(rest.is_empty() && status.success(), "{rest:?} {status}");
    answer
}

#[tokio::test]
async fn stdio_sees_what_its_agent_sees() {
    let gateway = boot(&two_servers());
    let place = CliFolder::new(&two_servers());
    for own in [false, true] {
        let open =
            |args: &[&str]| Stdio::of(if own { place.command(args) } else { gateway.cli_command(args) });
        let all = listed(open(&["stdio"])).await;
        assert!(all.contains("one__echo") && all.contains("two__echo"), "{all}");
        let reader = listed(open(&["stdio", "--agent", "reader"])).await;
        assert!(reader.contains("one__echo") && !reader.contains("two__echo"), "{reader}");
        let miser = listed(open(&["stdio", "--agent", "miser"])).await;
        assert!(miser.contains("search_tools") && !miser.contains("one__echo"), "{miser}");
        let nobody = listed(open(&["stdio", "--agent", "readr"])).await;
        assert!(nobody.contains("there is no agent"), "{nobody}");
    }
}

#[test]
fn the_socket_of_the_api_is_private_and_ends_with_the_gateway() {
    let mut gateway = boot("");
    let path = gateway.data().join("api.sock");
    assert_eq!(std::fs::metadata(&path).expect("it is there").permissions().mode() & 0o777, 0o600);
    gateway.end(false);
    assert!(!path.exists());
}

#[test]
fn doctor_tells_of_what_does_not_fit_how_search_works_and_where_files_are() {
    let wrong = "\n[[agents]]\nname = \"broken\"\ncapabilities = [\"nobodys\"]\n\
        [[tools]]\nname = \"one:echo\"\nfile_strategy = \"binary_base64\"\n";
    let mut gateway = boot(&(two_servers() + wrong));
    // The listings of servers are known from then on.
    Said::from(gateway.cli(&["tools", "list"])).well();
    gateway.end(false);
    let report = Said::from(gateway.cli(&["doctor", "--json"])).json();
    let findings: Vec<&Value> = report["findings"].as_array().into_iter().flatten().collect();
    let says =
        |word: &str| findings.iter().find(|one| one["says"].as_str().is_some_and(|says| says.contains(word)));
    assert_eq!(says("nobodys").expect("the unknown capability")["ok"], false, "{report}");
    let pattern = says("no tool fits `nowhere:*`").expect("the pattern");
    assert!(pattern["ok"] == true && !pattern["hint"].is_null(), "{report}");
    assert!(says("goes by words").is_some(), "{report}");
    assert!(says("are kept in").is_some(), "{report}");
    assert_eq!(says("one:echo: its schema has no argument").expect("the strategy")["ok"], false, "{report}");
}
