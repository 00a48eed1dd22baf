//! Questions to the page script whose answers may be problems.

use capability_kit::Trouble;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::problem::trouble_of;
use crate::frame::{Frame, FrameId};
use crate::tab::Tab;

/// The answer of a function of the page script. What it could not do is trouble with a hint.
pub async fn ask(tab: &Tab, frame: &FrameId, function: &str, argument: &Value) -> Result<Value, Trouble> {
    let label = tab.frames().await.into_iter().find(|one| one.id == *frame).map(|one| one.label);
    ask_labelled(tab, frame, &label.unwrap_or_default(), function, argument).await
}

pub(super) async fn ask_labelled(
    tab: &Tab,
    frame: &FrameId,
    label: &str,
    function: &str,
    argument: &Value,
) -> Result<Value, Trouble> {
    let answer = tab.ask(frame, function, argument).await?;
    match answer.get("problem") {
        Some(problem) => Err(trouble_of(problem, label, argument["target"].as_str().unwrap_or_default())),
        None => Ok(answer),
    }
}

/// The same, as a type.
pub(super) async fn read_answer<T: DeserializeOwned>(
    tab: &Tab,
    frame: &Frame,
    function: &str,
    argument: &Value,
) -> Result<T, Trouble> {
    let answer = ask_labelled(tab, &frame.id, &frame.label, function, argument).await?;
    serde_json::from_value(answer).map_err(|error| {
        Trouble::internal(format!("the page script's answer to {function} cannot be read: {error}"))
    })
}
