//! Elements that the page's own scripts listen to. A world of ours does not see their listeners, so Chromium is asked.

use capability_kit::Trouble;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::Tab;
use crate::cdp::Session;
use crate::frame::FrameId;

/// Elements that are told to the script at a time.
const MARKED_MAX: usize = 300;
const GROUP: &str = "toolgate-listeners";
/// Events that make an element something to act on.
const EVENTS: [&str; 13] = [
    "click",
    "mousedown",
    "mouseup",
    "pointerdown",
    "pointerup",
    "touchstart",
    "touchend",
    "dblclick",
    "contextmenu",
    "dragstart",
    "mouseover",
    "mouseenter",
    "pointerenter",
];

impl Tab {
    /// Tells the page script which elements have listeners for the mouse. A page that does not answer is described without.
    pub(crate) async fn mark_listeners(&self, frame: &FrameId) {
        if let Err(trouble) = self.try_mark(frame).await {
            tracing::debug!(%trouble, "the listeners of a page were not told");
        }
    }

    async fn try_mark(&self, frame: &FrameId) -> Result<(), Trouble> {
        let (session, context) = self.world(frame).await?;
        let document = self.document_of_page(&session, context).await?;
        let params = json!({ "objectId": document, "depth": -1, "pierce": true });
        let told = self.call_on(&session, "DOMDebugger.getEventListeners", params).await?;
        let fresh = self.fresh(frame, context, &told["listeners"]);
        if !fresh.is_empty() {
            self.mark(&session, context, &fresh).await?;
        }
        self.shared.cdp.post(&session, "Runtime.releaseObjectGroup", json!({ "objectGroup": GROUP }));
        Ok(())
    }

    /// The document as the page's own world has it. Asked for the listeners of one of our world, Chromium 156 crashes some
    /// pages when it next collects garbage.
    async fn document_of_page(&self, session: &Session, context: i64) -> Result<Value, Trouble> {
        let ours = json!({ "expression": "document", "contextId": context, "objectGroup": GROUP });
        let ours = self.call_on(session, "Runtime.evaluate", ours).await?;
        let node = json!({ "objectId": ours["result"]["objectId"] });
        let node = self.call_on(session, "DOM.describeNode", node).await?;
        let theirs = json!({ "backendNodeId": node["node"]["backendNodeId"], "objectGroup": GROUP });
        let mut theirs = self.call_on(session, "DOM.resolveNode", theirs).await?;
        Ok(theirs["object"]["objectId"].take())
    }

    /// Listeners that this world was not told of yet: the node's number and the event.
    fn fresh(&self, frame: &FrameId, context: i64, listeners: &Value) -> Vec<(i64, String)> {
        let mut state = self.state.lock();
        let (of, known) = state.marked.entry(frame.clone()).or_default();
        if *of != context {
            *of = context;
            known.clear();
        }
        let wanted = listeners.as_array().into_iter().flatten().filter_map(|listener| {
            let kind = listener["type"].as_str().filter(|kind| EVENTS.contains(kind))?;
            Some((listener["backendNodeId"].as_i64()?, kind.to_owned()))
        });
        wanted.filter(|one| known.insert(one.clone())).take(MARKED_MAX).collect()
    }

    async fn mark(&self, session: &Session, context: i64, fresh: &[(i64, String)]) -> Result<(), Trouble> {
        let objects = join_all(fresh.iter().map(|(node, _)| {
            let params =
                json!({ "backendNodeId": node, "executionContextId": context, "objectGroup": GROUP });
            self.call_on(session, "DOM.resolveNode", params)
        }))
        .await;
        let mut kinds = Vec::new();
        let mut arguments = vec![Value::Null];
        for ((_, kind), object) in fresh.iter().zip(objects) {
            // A node that is gone meanwhile, or of another frame's document.
            let Ok(object) = object else { continue };
            kinds.push(kind.as_str());
            arguments.push(json!({ "objectId": object["object"]["objectId"] }));
        }
        arguments[0] = json!({ "value": kinds });
        let params = json!({
            "functionDeclaration": "(...all) => toolgate.mark(...all)",
            "executionContextId": context,
            "arguments": arguments,
            "returnByValue": true,
        });
        self.call_on(session, "Runtime.callFunctionOn", params).await.map(drop)
    }

    /// The first ref of the next document: refs of a tab are never given twice.
    pub(crate) fn next_ref(&self) -> u64 {
        self.state.lock().next_ref.max(1)
    }

    pub(crate) fn keep_next_ref(&self, next: u64) {
        let mut state = self.state.lock();
        state.next_ref = state.next_ref.max(next);
    }
}
