//! Answers to dialogs, given before they come.

use std::sync::Arc;

use capability_browser::DialogAnswer;
use capability_kit::{ResidentAnswer, ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::define;
use crate::room::BrowserRoom;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DialogArguments {
    accept: bool,
    /// For a prompt.
    #[serde(default)]
    text: Option<String>,
}

pub(super) fn dialog_tool(room: &Arc<BrowserRoom>) -> Tool {
    let description =
        "Decide how the next question or prompt of a page is answered. Without it they are dismissed.";
    define(room, "dialog", "Answer a dialog", description, dialog)
        .aliases(&["HANDLE_DIALOG", "browser_handle_dialog"])
}

async fn dialog(
    room: Arc<BrowserRoom>,
    arguments: DialogArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let (answer, word) = match arguments.accept {
        true => (DialogAnswer::Accept(arguments.text), "accepted"),
        false => (DialogAnswer::Dismiss, "dismissed"),
    };
    visit.context.answer_dialog(answer);
    Ok(visit.said(&format!("The next dialog that asks something will be {word}.")))
}
