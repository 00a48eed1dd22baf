//! Going to pages.

use std::sync::Arc;

use capability_kit::{Effect, ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use crate::definition::define;
use crate::room::BrowserRoom;

/// Tokens of the new page in the answer.
const ARRIVAL_TOKENS: usize = 600;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct NavigateArguments {
    /// http or https.
    url: String,
    #[serde(default)]
    new_tab: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BackArguments {
    #[serde(default)]
    forward: bool,
}

pub(super) fn navigate_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "navigate", "Open a page", "Open a URL. Returns the beginning of the page.", navigate)
        .effect(Effect::External)
        .aliases(&["NAVIGATE_TO_WEBSITE", "NAVIGATE_TO_URL", "browser_navigate"])
}

pub(super) fn back_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "back", "Go back", "Go back (or forward) in the tab's history.", back)
        .effect(Effect::External)
        .not_repeatable()
        .aliases(&["GO_BACK", "browser_navigate_back"])
}

async fn navigate(
    room: Arc<BrowserRoom>,
    arguments: NavigateArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let url = address(&arguments.url)?;
    let visit = room.enter(&call).await?;
    let tab = if arguments.new_tab { visit.context.open().await? } else { visit.context.tab().await? };
    let done = tab.navigate(&url).await;
    visit.arrived(&tab, done, ARRIVAL_TOKENS).await
}

async fn back(
    room: Arc<BrowserRoom>,
    arguments: BackArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.context.tab().await?;
    let done = tab.history(if arguments.forward { 1 } else { -1 }).await;
    visit.arrived(&tab, done, ARRIVAL_TOKENS).await
}

/// As people write addresses: a host without a scheme means https.
fn address(written: &str) -> Result<Url, Trouble> {
    let written = written.trim();
    let refused = || {
        Trouble::bad_arguments(format!("{written:?} is not an address")).hint("write it as https://host/path")
    };
    match Url::parse(written) {
        Ok(url) if url.has_host() || !is_host_and_port(&url) => Ok(url),
        Ok(_) | Err(url::ParseError::RelativeUrlWithoutBase) => {
            let url = Url::parse(&format!("https://{written}")).map_err(|_| refused())?;
            if url.host_str().is_some_and(|host| host.contains('.') || host == "localhost") {
                Ok(url)
            } else {
                Err(refused())
            }
        }
        Err(_) => Err(refused()),
    }
}

/// `localhost:8080/x` parses as a scheme.
fn is_host_and_port(url: &Url) -> bool {
    let rest = url.path();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    digits > 0 && rest[digits..].chars().next().is_none_or(|next| next == '/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_people_write_them() {
        for (written, read) in [
            ("https://a.example/x", "https://a.example/x"),
            ("a.example", "https://a.example/"),
            (" jobs.example/apply?id=7 ", "https://jobs.example/apply?id=7"),
            ("localhost:8080/x", "https://localhost:8080/x"),
            ("http://[::1]:80/", "http://[::1]/"),
            ("file:///etc/passwd", "file:///etc/passwd"),
            ("view-source:https://a.example", "view-source:https://a.example"),
            ("data:text/html,x", "data:text/html,x"),
            ("javascript:alert(1)", "javascript:alert(1)"),
            ("about:blank", "about:blank"),
        ] {
            assert_eq!(address(written).unwrap().as_str(), read, "{written}");
        }
        for bad in ["", "nonsense", "https://", "http://a b/"] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
