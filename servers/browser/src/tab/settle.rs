//! Waiting until a page has come to rest after an action.

use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::Tab;
use crate::frame::FrameId;

/// Between two looks at a page whose traffic has not been quiet for long enough.
const STEP: Duration = Duration::from_millis(10);

impl Tab {
    /// Waits after an action until document and network have been quiet for `quiet`, at most `max`.
    pub async fn settle(&self, quiet: Duration, max: Duration) {
        let deadline = Instant::now() + max;
        loop {
            if !self.until(deadline, || self.state.lock().has_content()).await {
                return;
            }
            let main = self.state.lock().frames.main().map(|(id, node)| (id.clone(), node.loader.clone()));
            let Some((frame, loader)) = main else { return };
            let rest = async {
                tokio::join!(self.document_quiet(&frame, quiet, deadline), self.traffic_quiet(quiet))
            };
            if timeout_at(deadline, rest).await.is_err() || self.is_ended() {
                return;
            }
            let state = self.state.lock();
            if state.has_content() && state.frames.get(&frame).is_some_and(|node| node.loader == loader) {
                return;
            }
        }
    }

    /// Ends early if the document goes away meanwhile.
    async fn document_quiet(&self, frame: &FrameId, quiet: Duration, deadline: Instant) {
        let max = deadline.saturating_duration_since(Instant::now());
        let expression = format!(
            "new Promise(resolve => {{ let timer; \
             const done = () => {{ seen.disconnect(); clearTimeout(timer); resolve(0); }}; \
             const again = () => {{ clearTimeout(timer); timer = setTimeout(done, {quiet}); }}; \
             const seen = new MutationObserver(again); \
             seen.observe(document, {{ subtree: true, childList: true, attributes: true, characterData: true }}); \
             again(); setTimeout(done, {max}); }})",
            quiet = quiet.as_millis(),
            max = max.as_millis(),
        );
        drop(self.in_our_world(frame, &expression, json!({ "returnByValue": true })).await);
    }

    async fn traffic_quiet(&self, quiet: Duration) {
        while !self.is_ended() && !self.shared.cdp.is_gone() {
            let since = self.state.lock().quiet_since();
            match since.map(|since| since.elapsed()) {
                Some(rest) if rest >= quiet => return,
                Some(rest) => sleep_until(Instant::now() + (quiet - rest)).await,
                None => sleep_until(Instant::now() + STEP).await,
            }
        }
    }
}
