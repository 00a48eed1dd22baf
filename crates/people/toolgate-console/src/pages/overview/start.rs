//! The next steps when there is nothing to see yet.

use maud::{Markup, html};

use super::data::OverviewData;
use crate::parts;

pub(super) fn next_steps(overview: &OverviewData) -> Markup {
    let (Some(servers), Some(traffic)) = (&overview.servers, &overview.traffic) else {
        return html! { p.help { "What waits for your decision is in the " a href="/console/inbox" { "inbox" } "." } };
    };
    let events = overview.ledger.as_ref().map_or(0, |ledger| ledger.events);
    match (servers.is_empty(), traffic.calls) {
        (true, _) => add_server(),
        (false, 0) => connect(servers.iter().map(|server| server.tools).sum(), events),
        (false, _) => html! {},
    }
}

fn add_server() -> Markup {
    let next = html! {
        p { "Servers provide the tools. Import the servers that one of your clients uses:" }
        (parts::copyable("toolgate servers import FILE"))
        p { "or add a " code { "[[servers]]" } " section to " code { "toolgate.toml" } "; the gateway picks it up. "
            a href="/docs/how-to/add-a-server" { "How to add a server" } "." }
    };
    parts::empty("No server is connected yet.", next)
}

fn connect(tools: u64, events: u64) -> Markup {
    let title = match events {
        0..100 => "No calls yet. Connect an agent to see them here.",
        _ => "No calls in the last hour.",
    };
    let next = html! {
        p { (parts::number(tools)) " tools are ready. Connect a client; this command prints or writes the client's configuration:" }
        (parts::copyable("toolgate connect claude-code --write"))
        p { "Also for " code { "claude-desktop" } ", " code { "cursor" } ", " code { "vscode" } " and " code { "generic" } "; "
            a href="/docs/quick-start" { "the quick start" } " explains it. Or "
            a href="/console/tools" { "try a tool yourself" } "." }
    };
    parts::empty(title, next)
}
