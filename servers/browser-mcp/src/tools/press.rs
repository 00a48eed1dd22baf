//! Keys.

use std::sync::Arc;

use capability_browser::Tab;
use capability_kit::{Effect, ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::acting;
use crate::definition::define;
use crate::elements::element;
use crate::entering;
use crate::guard;
use crate::room::{BrowserRoom, FormGuard};

const TIMES_MAX: u32 = 100;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PressArguments {
    /// Such as Enter, ArrowDown, a, Control+A.
    #[serde(alias = "keys")]
    key: String,
    /// Focus this element first.
    #[serde(default, alias = "selector", alias = "ref")]
    target: Option<String>,
    #[serde(default)]
    times: Option<u32>,
    /// True if it sends a form.
    #[serde(default)]
    submit: bool,
}

pub(super) fn press_tool(room: &Arc<BrowserRoom>) -> Tool {
    define(room, "press", "Press a key", "Press a key or a combination.", press)
        .effect(Effect::External)
        .not_repeatable()
        .aliases(&["PRESS_KEY", "browser_press_key"])
}

async fn press(
    room: Arc<BrowserRoom>,
    arguments: PressArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let times = arguments.times.unwrap_or(1);
    if times == 0 || times > TIMES_MAX {
        return Err(
            Trouble::bad_arguments(format!("times is {times}")).hint(format!("give 1 to {TIMES_MAX}"))
        );
    }
    if room.form_guard == FormGuard::On && !arguments.submit {
        guard::check_key(&arguments.key)?;
    }
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = press_in(&tab, &arguments, times).await;
    visit.acted(&tab, done).await
}

async fn press_in(tab: &Tab, arguments: &PressArguments, times: u32) -> Result<String, Trouble> {
    if let Some(target) = &arguments.target {
        entering::focus(tab, &element(tab, target).await?).await?;
    }
    for _ in 0..times {
        acting::press(tab, &arguments.key).await?;
    }
    let key = &arguments.key;
    Ok(if times == 1 { format!("Pressed {key}.") } else { format!("Pressed {key} {times} times.") })
}
