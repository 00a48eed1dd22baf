//! Options of lists.

use std::sync::Arc;

use capability_browser::Tab;
use capability_kit::{Effect, ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::choosing;
use crate::definition::{define, open_to_other_names};
use crate::elements::element;
use crate::room::BrowserRoom;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = open_to_other_names)]
struct SelectArguments {
    /// Ref or CSS selector of the list.
    #[serde(alias = "selector", alias = "ref", alias = "element")]
    target: String,
    /// Words or values of options.
    #[serde(alias = "values")]
    options: Vec<String>,
}

pub(super) fn select_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "select", "Choose an option", "Choose options of a list or combo box.", select)
        .effect(Effect::External)
        .not_repeatable()
        .aliases(&["SELECT_OPTION_BY_SELECTOR", "SELECT_OPTION", "browser_select_option"])
}

async fn select(
    room: Arc<BrowserRoom>,
    arguments: SelectArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = select_in(&tab, &arguments).await;
    visit.acted(&tab, done).await
}

async fn select_in(tab: &Tab, arguments: &SelectArguments) -> Result<String, Trouble> {
    let list = element(tab, &arguments.target).await?;
    let options: Vec<&str> = arguments.options.iter().map(String::as_str).collect();
    choosing::choose(tab, &list, &options).await
}
