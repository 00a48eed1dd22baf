//! What to do next where there is nothing to see yet.

use maud::{Markup, html};

use super::told::Overview;
use crate::parts;

pub(super) fn next_steps(overview: &Overview) -> Markup {
    let (Some(servers), Some(traffic)) = (&overview.servers, &overview.traffic) else {
        return html! { p.help { "What waits for your word is in the " a href="/console/inbox" { "inbox" } "." } };
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
        p { "A server brings the tools. Take over those that a client of yours has:" }
        (parts::copyable("toolgate servers import FILE"))
        p { "or write a " code { "[[servers]]" } " section into " code { "toolgate.toml" } "; the gateway notices. "
            a href="/docs/how-to/add-a-server" { "How to add a server" } "." }
    };
    parts::empty("There is no server behind the gateway yet.", next)
}

fn connect(tools: u64, events: u64) -> Markup {
    let title = match events {
        0..100 => "No calls yet. Connect an agent to see them here.",
        _ => "Nobody called in the last hour.",
    };
    let next = html! {
        p { (parts::number(tools)) " tools wait for their first call. Connect a client: it prints or writes what the client needs." }
        (parts::copyable("toolgate connect claude-code --write"))
        p { "Also for " code { "claude-desktop" } ", " code { "cursor" } ", " code { "vscode" } " and " code { "generic" } "; "
            a href="/docs/quick-start" { "the quick start" } " goes through it. Or "
            a href="/console/tools" { "try a tool yourself" } "." }
    };
    parts::empty(title, next)
}
