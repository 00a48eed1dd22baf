//! Tabs, and the end of a visit.

use std::sync::Arc;

use capability_browser::TabInfo;
use capability_kit::{Effect, ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::define;
use crate::room::BrowserRoom;
use crate::telling::quoted;
use crate::visit::Visit;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TabsArguments {
    #[serde(default)]
    action: TabAction,
    /// Such as t2; the active one if omitted.
    #[serde(default)]
    tab: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum TabAction {
    #[default]
    List,
    Open,
    Select,
    Close,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CloseArguments {}

pub(super) fn tabs_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "tabs", "Tabs", "List, open, select or close tabs.", tabs)
        .aliases(&["LIST_TABS", "browser_tabs"])
}

pub(super) fn close_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "close", "Close the browser", "Close all tabs and forget cookies and logins.", close)
        .effect(Effect::Write)
        .aliases(&["CLOSE_BROWSER", "browser_close"])
}

async fn tabs(
    room: Arc<BrowserRoom>,
    arguments: TabsArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    match change(&visit, &arguments).await {
        Ok(()) => {
            let lines: Vec<String> = visit.context.tabs().await.iter().map(|tab| line(&visit, tab)).collect();
            let text = if lines.is_empty() {
                "There are no tabs; navigate opens one.".to_owned()
            } else {
                lines.join("\n")
            };
            Ok(visit.said(&text))
        }
        Err(trouble) => Err(visit.trouble(trouble)),
    }
}

async fn change(visit: &Visit, arguments: &TabsArguments) -> Result<(), Trouble> {
    match (arguments.action, &arguments.tab) {
        (TabAction::List, _) => Ok(()),
        (TabAction::Open, _) => visit.context.open().await.map(drop),
        (TabAction::Select, Some(tab)) => visit.context.select(tab).await.map(drop),
        (TabAction::Select, None) => {
            Err(Trouble::bad_arguments("no tab was named").hint("pass tab, such as t2; list shows them"))
        }
        (TabAction::Close, Some(tab)) => visit.context.close_tab(tab).await,
        (TabAction::Close, None) => {
            let active = visit.context.tab().await?;
            visit.context.close_tab(active.id()).await
        }
    }
}

fn line(visit: &Visit, tab: &TabInfo) -> String {
    let active = if tab.active { " (active)" } else { "" };
    format!("{}{active} {} {}", tab.id, quoted(&visit.context.mask(tab.title.clone())), tab.url)
}

async fn close(
    room: Arc<BrowserRoom>,
    _: CloseArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    room.leave(&call).await;
    Ok(ResidentAnswer::text("Closed. The next call starts with nothing."))
}
