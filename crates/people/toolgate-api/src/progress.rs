//! What servers report of the progress of a turn's calls, on its way to those who follow the run. Nobody is waited for, and nothing of it
//! is kept.

use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use serde::{Deserialize, Serialize};
use serde_json::Number;
use toolgate_core::RawJson;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::port::CallListener;
use toolgate_runs::{RunWatchers, next_watched};

/// The maximum length of a message; the rest is cut off.
const MESSAGE_CHARS_MAX: usize = 1_000;

/// A report on one call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub(crate) struct CallProgress {
    call: CallId,
    /// The id that the call was sent with.
    id: String,
    #[serde(flatten)]
    report: ProgressReport,
}

/// The words of the server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct ProgressReport {
    progress: Number,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<Number>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
}

impl ProgressReport {
    /// The report, if it makes sense.
    fn read(params: &RawJson) -> Option<Self> {
        let mut report: Self = params.decode().ok()?;
        report.message = report.message.map(|message| message.chars().take(MESSAGE_CHARS_MAX).collect());
        Some(report)
    }
}

/// The listener of one call of a turn.
#[derive(Debug)]
pub(crate) struct TurnListener {
    watchers: Arc<RunWatchers<CallProgress>>,
    run: RunId,
    id: String,
}

impl TurnListener {
    /// `id` is the one that the call was sent with.
    pub(crate) fn new(watchers: &Arc<RunWatchers<CallProgress>>, run: &RunId, id: &str) -> Self {
        Self { watchers: Arc::clone(watchers), run: run.clone(), id: id.to_owned() }
    }
}

impl CallListener for TurnListener {
    fn progress(&self, call: &CallId, params: RawJson) {
        if let Some(report) = ProgressReport::read(&params) {
            let progress = CallProgress { call: call.clone(), id: self.id.clone(), report };
            self.watchers.tell(&self.run, progress);
        }
    }
}

/// The reports on the calls of a run, as they arrive.
pub(crate) fn watch(watchers: &RunWatchers<CallProgress>, run: &RunId) -> BoxStream<'static, CallProgress> {
    stream::unfold(watchers.watch(run), next_watched).boxed()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn reports_name_their_call_and_its_id_and_are_limited() {
        let (watchers, run) = (Arc::new(RunWatchers::default()), RunId::new("run_1"));
        let mut heard = watchers.watch(&run);
        let listener = TurnListener::new(&watchers, &run, "call_1");
        let mut hears = |params: Value| {
            listener.progress(&CallId::new("tc_1"), params.into());
            heard.try_recv().ok().map(|progress| json!(progress))
        };
        let told = hears(json!({ "progressToken": 7, "progress": 1, "total": 2.5, "message": "half" }));
        let whole = json!({ "call": "tc_1", "id": "call_1", "progress": 1, "total": 2.5, "message": "half" });
        assert_eq!(told, Some(whole));
        let told = hears(json!({ "progress": 3 }));
        assert_eq!(told, Some(json!({ "call": "tc_1", "id": "call_1", "progress": 3 })));
        let told = hears(json!({ "progress": 4, "message": "ä".repeat(MESSAGE_CHARS_MAX + 1) }));
        let message = told.expect("a report")["message"].as_str().map(|message| message.chars().count());
        assert_eq!(message, Some(MESSAGE_CHARS_MAX));
        assert_eq!(hears(json!({ "progress": "much" })), None);
    }
}
