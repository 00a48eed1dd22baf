//! Scripts of an agent, in the page's own world. Off unless the operator switched it on.

use std::sync::Arc;

use capability_kit::{Effect, ResidentAnswer, ResidentCall, Tool, Trouble, TroubleCode};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::definition::define;
use crate::room::BrowserRoom;

const ANSWER_CHARS_MAX: usize = 8_000;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EvaluateArguments {
    /// JavaScript; its value is returned as JSON.
    #[serde(alias = "script", alias = "code")]
    expression: String,
}

pub(super) fn evaluate_tool(room: &Arc<BrowserRoom>, is_on: bool) -> Tool {
    let tool = define(room, "evaluate", "Run a script", "Run JavaScript in the page.", evaluate)
        .effect(Effect::Destructive)
        .not_repeatable()
        .aliases(&["EXECUTE_JAVASCRIPT", "browser_evaluate"]);
    match is_on {
        true => tool,
        false => {
            tool.off(Trouble::unavailable("scripts of agents are switched off").hint(
                "use the other tools; an operator can allow it with --evaluate (BROWSER_EVALUATE=true)",
            ))
        }
    }
}

async fn evaluate(
    room: Arc<BrowserRoom>,
    arguments: EvaluateArguments,
    call: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let visit = room.enter(&call).await?;
    let tab = visit.tab().await?;
    let done = tab.evaluate(&arguments.expression).await.and_then(|value| written(&value.to_string()));
    visit.acted(&tab, done).await
}

fn written(json: &str) -> Result<String, Trouble> {
    match json.chars().count() <= ANSWER_CHARS_MAX {
        true => Ok(format!("The script returned {json}")),
        false => {
            Err(Trouble::new(TroubleCode::TooLarge, "the script ran, and its value is too long to return")
                .hint(format!("return at most {ANSWER_CHARS_MAX} characters of JSON")))
        }
    }
}
