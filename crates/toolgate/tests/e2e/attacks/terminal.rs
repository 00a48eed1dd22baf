//! Text of servers and agents that would repaint a terminal or turn its words round.

use serde_json::json;
use toolgate_testkit::gateway::until;

use super::server::{Stage, printed, tool};
use crate::doors::WAIT;
use crate::kit::{call, listed};

/// Clears the screen, sets a title, reverses the following text, hides a letter.
const PAINT: &str = "ok\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}gnp.exe\u{2066}x\u{200b}y\u{9b}31m\r\u{e0041}";

/// The sequences that no terminal may receive.
fn harmless(text: &str, from: &str) {
    let bad = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || matches!(c, '\u{e0000}'..='\u{e007f}')
    };
    assert_eq!(text.chars().find(|c| bad(*c)), None, "{from}: {text:?}");
}

#[tokio::test]
async fn text_of_servers_does_not_paint_the_terminal() {
    let says = json!({
        "calls_itself": PAINT, "noise": PAINT,
        "tools": [tool("read", PAINT), { "name": "write", "description": PAINT, "inputSchema": { "type": "object" } }],
        "results": { "read": { "content": [{ "type": "text", "text": PAINT }], "isError": true } },
    });
    let gate = "[approvals]\nhold_seconds = 0\n[policy]\ngates = 'forbid (principal, action == Action::\"evil:write\", resource);'\n";
    let gateway = Stage::new(gate).with("evil", &says).open();
    listed(&gateway, "evil__read").await;
    let agent = gateway.client();
    call(&agent, "evil__read", json!({ "note": PAINT })).await;
    let waits = call(&agent, "evil__write", json!({ "note": PAINT, PAINT: 1 })).await;
    let approval =
        waits["structuredContent"]["error"]["details"]["approval_id"].as_str().expect("an approval");
    let read = printed(&gateway, &["--json", "ledger", "tail", "--kind", "tool.call.completed"]);
    let read: serde_json::Value = serde_json::from_str(read.lines().next().expect("a line")).expect("JSON");
    for words in [
        &["tools", "list"][..],
        &["tools", "describe", "evil__read"],
        &["tools", "diff", "evil:read"],
        &["servers", "list"],
        &["servers", "show", "evil"],
        &["approvals", "list"],
        &["approvals", "show", approval],
        &["ledger", "tail"],
        &["ledger", "show", read["call"].as_str().expect("a call")],
        &["policy", "explain", "--tool", "evil:write"],
    ] {
        harmless(&printed(&gateway, words), &words.join(" "));
    }
    gateway.log().iter().for_each(|line| harmless(line, "the log"));
}

#[tokio::test]
async fn a_server_that_fails_in_colours_does_not_paint_the_log() {
    let gateway = Stage::new("").with("evil", &json!({ "refusal": PAINT, "noise": PAINT })).open();
    let told = until(WAIT, || {
        let log = gateway.log();
        log.iter().any(|line| line.contains("evil")).then_some(log)
    });
    for line in told.expect("the log tells of the server") {
        harmless(&line, "the log");
    }
    for words in
        [&["servers", "list"][..], &["servers", "show", "evil"], &["servers", "test", "evil"], &["doctor"]]
    {
        harmless(&printed(&gateway, words), &words.join(" "));
    }
}
