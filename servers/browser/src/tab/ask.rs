//! Questions to a page: to our script in a world of its own, which the page's scripts do not see, or to the page's own world.

use capability_kit::{Trouble, TroubleCode};
use serde_json::{Value, json};

use super::{Tab, trouble_of};
use crate::cdp::{CdpError, Session};
use crate::frame::FrameId;
use crate::page::SCRIPT;

const WORLD: &str = "toolgate";
/// The length of an answer, checked within the page.
const ANSWER_CHARS_MAX: usize = 8 << 20;
/// The same for the page's own world, where a page can lie about it.
const VALUE_CHARS_MAX: usize = 1 << 20;

impl Tab {
    /// The answer of `toolgate.<function>(argument)` of the page script, which has a world of its own in each document.
    pub async fn ask(&self, frame: &FrameId, function: &str, argument: &Value) -> Result<Value, Trouble> {
        let expression = format!(
            "(async () => {{ const text = JSON.stringify(await toolgate.{function}({argument})) ?? 'null'; \
             if (text.length > {ANSWER_CHARS_MAX}) throw new Error('the answer is too long'); return text; }})()"
        );
        let answer = self.in_our_world(frame, &expression, json!({ "returnByValue": true })).await?;
        let text = answer["value"].as_str().unwrap_or("null");
        serde_json::from_str(text)
            .map_err(|error| Trouble::internal(format!("the page script's answer cannot be read: {error}")))
    }

    /// The result of an expression in our world, as Chromium describes it. A document that is just being replaced is asked
    /// once more.
    pub(super) async fn in_our_world(
        &self,
        frame: &FrameId,
        expression: &str,
        options: Value,
    ) -> Result<Value, Trouble> {
        for _ in 0..2 {
            let (session, context) = self.world(frame).await?;
            let mut params = json!({ "expression": expression, "contextId": context, "awaitPromise": true });
            params["returnByValue"] = options["returnByValue"].clone();
            params["timeout"] = json!(self.shared.limits.action_time.as_millis() as u64);
            let limit = self.shared.limits.action_time;
            match self.try_call(&session, "Runtime.evaluate", params, limit).await? {
                Ok(answer) => return result(answer),
                Err(CdpError::Refused(words)) if is_replaced(&words) => {
                    self.state.lock().worlds.remove(frame);
                }
                Err(error) => return Err(self.failed(&session, &error)),
            }
        }
        Err(Trouble::new(TroubleCode::Busy, "the page is just being replaced by another")
            .hint("wait for it, then try again"))
    }

    fn failed(&self, session: &Session, error: &CdpError) -> Trouble {
        if *error == CdpError::TimedOut {
            self.shared.cdp.post(session, "Runtime.terminateExecution", json!({}));
        }
        trouble_of(error, "asking the page")
    }

    /// The session and the number of our world in a frame's document, with the script in it.
    pub(super) async fn world(&self, frame: &FrameId) -> Result<(Session, i64), Trouble> {
        let (session, loader, known) = {
            let state = self.state.lock();
            let node = state.frames.get(frame).ok_or_else(no_frame)?;
            let known = state.worlds.get(frame).filter(|(loader, _)| *loader == node.loader);
            (node.session.clone(), node.loader.clone(), known.map(|(_, context)| *context))
        };
        if let Some(context) = known {
            return Ok((session, context));
        }
        let params = json!({ "frameId": frame.as_str(), "worldName": WORLD });
        let made = self.call_on(&session, "Page.createIsolatedWorld", params).await?;
        let context = made["executionContextId"]
            .as_i64()
            .ok_or_else(|| Trouble::internal("the browser made no world for the page script"))?;
        let script = json!({ "expression": SCRIPT, "contextId": context });
        result(self.call_on(&session, "Runtime.evaluate", script).await?)?;
        self.state.lock().worlds.insert(frame.clone(), (loader, context));
        Ok((session, context))
    }

    /// The value of an expression in the page's own world.
    pub async fn evaluate(&self, expression: &str) -> Result<Value, Trouble> {
        let params = json!({
            "expression": expression,
            "awaitPromise": true,
            "returnByValue": true,
            "userGesture": true,
            "timeout": self.shared.limits.action_time.as_millis() as u64,
        });
        let value = result(self.call("Runtime.evaluate", params).await?)?["value"].take();
        match value.to_string().len() {
            length if length > VALUE_CHARS_MAX => {
                let message = format!("the value has {length} characters, more than {VALUE_CHARS_MAX}");
                Err(Trouble::new(TroubleCode::TooLarge, message).hint("return a part of it"))
            }
            _ => Ok(value),
        }
    }
}

/// The result of an evaluation, or what was thrown.
fn result(mut answer: Value) -> Result<Value, Trouble> {
    let thrown = &answer["exceptionDetails"];
    if thrown.is_null() {
        return Ok(answer["result"].take());
    }
    let words = thrown["exception"]["description"].as_str().or(thrown["text"].as_str()).unwrap_or("an error");
    let first = words.lines().next().unwrap_or_default();
    Err(Trouble::new(TroubleCode::Unreadable, format!("the page answered with an error: {first}")))
}

fn no_frame() -> Trouble {
    Trouble::bad_arguments("this frame is no longer on the page").hint("take a new snapshot")
}

/// Chromium's words for a document that is gone.
fn is_replaced(words: &str) -> bool {
    [
        "Cannot find context",
        "uniqueContextId not found",
        "Execution context was destroyed",
        "Inspected target navigated",
    ]
    .iter()
    .any(|known| words.contains(known))
}
