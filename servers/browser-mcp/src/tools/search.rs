//! Searching the web with the operator's engine.

use std::sync::Arc;

use capability_kit::{Effect, ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::define;
use crate::options::SearchForm;
use crate::room::BrowserRoom;
use crate::search::SearchHit;
use crate::telling::quoted;
use crate::visit::SNAPSHOT_TOKENS;

const HITS: usize = 10;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WebSearchArguments {
    query: String,
}

pub(super) fn search_tool(room: &Arc<BrowserRoom>) -> Tool {
    let tool = define(room, "search", "Search the web", "Search the web.", search)
        .effect(Effect::External)
        .aliases(&["WEB_SEARCH", "SEARCH_WEB"]);
    match &room.search {
        Some(_) => tool,
        None => tool.off(
            Trouble::unavailable("no search engine is configured")
                .hint("navigate to a page that you know; an operator names an engine with --search-url (BROWSER_SEARCH_URL)"),
        ),
    }
}

async fn search(
    room: Arc<BrowserRoom>,
    arguments: WebSearchArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let Some(engine) = &room.search else {
        return Err(Trouble::unavailable("no search engine is configured"));
    };
    match engine.form {
        SearchForm::Json => {
            let hits = engine.ask(&arguments.query).await?;
            Ok(ResidentAnswer::text(list(&hits)))
        }
        SearchForm::Page => {
            let url = engine.address(&arguments.query)?;
            let visit = room.enter(&call).await?;
            let tab = visit.context.tab().await?;
            let done = tab.navigate(&url).await;
            visit.arrived(&tab, done, SNAPSHOT_TOKENS).await
        }
    }
}

fn list(hits: &[SearchHit]) -> String {
    if hits.is_empty() {
        return "Nothing was found.".to_owned();
    }
    let line = |(at, hit): (usize, &SearchHit)| {
        format!("{}. {} {}\n   {}", at + 1, quoted(&hit.title), hit.url, quoted(&hit.text))
    };
    hits.iter().take(HITS).enumerate().map(line).collect::<Vec<_>>().join("\n")
}
