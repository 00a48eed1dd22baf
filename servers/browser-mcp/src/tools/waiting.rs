//! Waiting for the page.

use std::sync::Arc;
use std::time::Duration;

use capability_browser::{Tab, page};
use capability_kit::{ResidentAnswer, ResidentCall, Tool, Trouble, TroubleCode};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::definition::define;
use crate::room::BrowserRoom;
use crate::telling::quoted;

const WAIT_MS: u64 = 10_000;
const WAIT_MS_MAX: u64 = 30_000;
const LOOK_EVERY: Duration = Duration::from_millis(150);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WaitForArguments {
    /// Until this text is visible.
    #[serde(default)]
    text: Option<String>,
    /// Until this text is gone.
    #[serde(default)]
    gone: Option<String>,
    /// Until this CSS selector matches something visible.
    #[serde(default)]
    selector: Option<String>,
    /// Until the address contains this.
    #[serde(default)]
    url: Option<String>,
    /// Longest wait; 10000 if omitted, 30000 at most. Alone: simply wait.
    #[serde(default)]
    ms: Option<u64>,
}

pub(super) fn wait_for_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "wait_for", "Wait", "Wait until something is true of the page.", wait_for)
        .aliases(&["WAIT_FOR_ELEMENT", "browser_wait_for"])
}

async fn wait_for(
    room: Arc<BrowserRoom>,
    arguments: WaitForArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let ms = arguments.ms.unwrap_or(WAIT_MS);
    if ms > WAIT_MS_MAX {
        return Err(Trouble::bad_arguments(format!("ms is {ms}"))
            .hint(format!("wait at most {WAIT_MS_MAX} milliseconds, then again")));
    }
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = wait_in(&tab, &arguments, Duration::from_millis(ms)).await;
    visit.acted(&tab, done).await
}

async fn wait_in(tab: &Tab, arguments: &WaitForArguments, limit: Duration) -> Result<String, Trouble> {
    let Some(wanted) = arguments.wanted() else {
        if arguments.ms.is_none() {
            return Err(Trouble::bad_arguments("nothing to wait for was passed")
                .hint("pass text, gone, selector, url or ms"));
        }
        tokio::time::sleep(limit).await;
        return Ok(format!("Waited {} ms.", limit.as_millis()));
    };
    let began = Instant::now();
    loop {
        if is_true(tab, arguments).await? {
            return Ok(format!("After {} ms {wanted}.", began.elapsed().as_millis()));
        }
        if began.elapsed() + LOOK_EVERY > limit {
            let message = format!("{} ms passed before {wanted}", limit.as_millis());
            return Err(Trouble::new(TroubleCode::TimedOut, message)
                .hint("take a snapshot to see how the page is, or wait again"));
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

impl WaitForArguments {
    /// The end of the wait, in words.
    fn wanted(&self) -> Option<String> {
        let parts = [
            self.text.as_deref().map(|text| format!("{} was visible", quoted(text))),
            self.gone.as_deref().map(|text| format!("{} was gone", quoted(text))),
            self.selector.as_deref().map(|selector| format!("{} matched", quoted(selector))),
            self.url.as_deref().map(|url| format!("the address had {}", quoted(url))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(" and "))
    }
}

/// All that was named is true now. Text and selectors may be true in any frame; what is to be gone must be gone from all.
async fn is_true(tab: &Tab, arguments: &WaitForArguments) -> Result<bool, Trouble> {
    if let Some(url) = &arguments.url
        && !tab.url().await.contains(url.as_str())
    {
        return Ok(false);
    }
    if let Some(text) = &arguments.text
        && !in_some_frame(tab, &json!({ "text": text })).await?
    {
        return Ok(false);
    }
    if let Some(selector) = &arguments.selector
        && !in_some_frame(tab, &json!({ "selector": selector })).await?
    {
        return Ok(false);
    }
    match &arguments.gone {
        Some(gone) => in_some_frame(tab, &json!({ "text": gone })).await.map(|there| !there),
        None => Ok(true),
    }
}

/// A frame that cannot answer now is loading: it does not have it yet. Bad arguments, such as a selector that is none, end the wait.
async fn in_some_frame(tab: &Tab, predicate: &Value) -> Result<bool, Trouble> {
    for frame in tab.frames().await {
        match page::ask(tab, &frame.id, "wait", predicate).await {
            Ok(told) if told["met"] == true => return Ok(true),
            Err(trouble) if trouble.code == TroubleCode::BadArguments => return Err(trouble),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(false)
}
