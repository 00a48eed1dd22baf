//! Looking at the page.

use std::sync::Arc;

use capability_browser::page::{self, SnapshotWish};
use capability_kit::{ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::define;
use crate::room::BrowserRoom;
use crate::visit::SNAPSHOT_TOKENS;

const TOKENS_MIN: usize = 100;
const TOKENS_MAX: usize = 20_000;
const READ_TOKENS: usize = 4_000;
const FOUND: usize = 10;
const FOUND_MAX: usize = 50;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SnapshotArguments {
    /// Only what is in this element.
    #[serde(default)]
    target: Option<String>,
    /// Only what has these words.
    #[serde(default)]
    query: Option<String>,
    /// 2000 if omitted.
    #[serde(default)]
    max_tokens: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FindArguments {
    /// Words of the element's name, text or role.
    #[serde(alias = "query", alias = "words")]
    text: String,
    #[serde(default)]
    max: Option<usize>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadPageArguments {
    /// 4000 if omitted.
    #[serde(default)]
    max_tokens: Option<usize>,
}

pub(super) fn snapshot_tool(room: &Arc<BrowserRoom>) -> Tool {
    let description = "Show the page as a tree: role, \"name\", ref, = value, states. Quotes alone are text. The address is \
        told when it is new; tabs has it. A long page is cut; expand a part with target or query.";
    define(room, "snapshot", "Look at the page", description, snapshot)
        .aliases(&["GET_PAGE_SNAPSHOT", "browser_snapshot"])
}

pub(super) fn find_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "find", "Find elements", "Find elements by words, with their refs.", find)
        .aliases(&["FIND_ELEMENT"])
}

pub(super) fn read_page_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(
        room,
        "read_page",
        "Read the page",
        "The page's main text as Markdown, for reading, not for acting.",
        read_page,
    )
    .aliases(&["GET_PAGE_TEXT", "GET_PAGE_CONTENT"])
}

async fn snapshot(
    room: Arc<BrowserRoom>,
    arguments: SnapshotArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.context.tab().await?;
    let SnapshotArguments { target, query, max_tokens } = arguments;
    let max_tokens = max_tokens.unwrap_or(SNAPSHOT_TOKENS).clamp(TOKENS_MIN, TOKENS_MAX);
    let known_address = visit.told_address(&tab);
    let wish = SnapshotWish { target, query, max_tokens, known_address, ..SnapshotWish::default() };
    match visit.look(&tab, &wish).await {
        Ok(snapshot) => {
            visit.note_address(&tab, &snapshot.url, &snapshot.text);
            Ok(visit.said(&snapshot.text))
        }
        Err(trouble) => Err(visit.trouble(trouble)),
    }
}

async fn find(
    room: Arc<BrowserRoom>,
    arguments: FindArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.context.tab().await?;
    let max = arguments.max.unwrap_or(FOUND).clamp(1, FOUND_MAX);
    match page::find(&tab, &visit.context, &arguments.text, max).await {
        Ok(found) => Ok(visit.said(&found)),
        Err(trouble) => Err(visit.trouble(trouble)),
    }
}

async fn read_page(
    room: Arc<BrowserRoom>,
    arguments: ReadPageArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.context.tab().await?;
    let max_tokens = arguments.max_tokens.unwrap_or(READ_TOKENS).clamp(TOKENS_MIN, TOKENS_MAX);
    match page::read_page(&tab, &visit.context, max_tokens).await {
        Ok(read) => Ok(visit.said(&read.text)),
        Err(trouble) => Err(visit.trouble(trouble)),
    }
}
