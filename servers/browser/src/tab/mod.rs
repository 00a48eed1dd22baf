//! A page that can be steered. This file has the tab itself and its answers to events; the others have what is done with it.

mod ask;
mod files;
mod frames;
mod listeners;
mod navigate;
mod picture;
mod pointer;
mod settle;
mod state;

use std::sync::Arc;
use std::time::Duration;

use capability_kit::{Trouble, TroubleCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::cdp::{Cdp, CdpError, Session};
use crate::frame::{Frame, FrameId};
use crate::hosts::HostRules;
use crate::journal::{Journal, cut};
use crate::news::{DialogAnswer, DialogKind, News};
use crate::settings::BrowserLimits;
use state::{TabReaction, TabState};

const BLANK: &str = "about:blank";
/// Chromium's words for a tab between two documents, and how long that is waited out.
const BETWEEN_DOCUMENTS: &str = "Not attached to an active page";
const BETWEEN_DOCUMENTS_MAX: usize = 40;
const BETWEEN_DOCUMENTS_STEP: Duration = Duration::from_millis(25);

/// What all tabs of a context share.
#[derive(Clone)]
pub(crate) struct TabShared {
    pub(crate) cdp: Cdp,
    pub(crate) journal: Arc<Journal>,
    pub(crate) limits: Arc<BrowserLimits>,
    pub(crate) hosts: Arc<HostRules>,
}

pub struct Tab {
    id: String,
    /// Chromium's names of the page and of our connection to it.
    target: String,
    session: Session,
    shared: TabShared,
    state: Mutex<TabState>,
    /// Told of every event.
    changed: Notify,
    /// Rules are in place and the page may run.
    ready: CancellationToken,
    ended: CancellationToken,
    why_ended: Mutex<&'static str>,
}

/// How a page is stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PageStop {
    Empty,
    EndProcess,
}

/// The end of a navigation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Navigated {
    pub url: String,
    /// Of the document's answer; `None` where there was none, as within a page.
    pub status: Option<u16>,
    /// False if the document was not complete within the time limit; what there is can be used.
    pub loaded: bool,
}

impl Tab {
    pub(crate) fn new(id: String, target: String, session: Session, shared: TabShared) -> Arc<Self> {
        Arc::new(Self {
            id,
            target,
            session,
            shared,
            state: Mutex::default(),
            changed: Notify::new(),
            ready: CancellationToken::new(),
            ended: CancellationToken::new(),
            why_ended: Mutex::new("it was closed"),
        })
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    pub async fn url(&self) -> String {
        self.state.lock().main_url()
    }

    /// The browser knows it even while the page is busy.
    pub async fn title(&self) -> String {
        let params = json!({ "targetId": self.target });
        let info = self.call_on(&Session::default(), "Target.getTargetInfo", params).await;
        info.ok().and_then(|info| Some(info["targetInfo"]["title"].as_str()?.to_owned())).unwrap_or_default()
    }

    /// The main one first, then depth first; with those of other processes.
    pub async fn frames(&self) -> Vec<Frame> {
        self.state.lock().frames.list()
    }

    /// Puts our rules in place, then lets the page run.
    pub(crate) async fn set_up(&self) {
        let focus = json!({ "enabled": true });
        self.shared.cdp.post(&self.session, "Page.enable", json!({}));
        self.watch(&self.session);
        self.shared.cdp.post(&self.session, "Log.enable", json!({}));
        self.shared.cdp.post(&self.session, "Emulation.setFocusEmulationEnabled", focus.clone());
        // A chooser of files would wait for a person.
        self.shared.cdp.post(&self.session, "Page.setInterceptFileChooserDialog", focus);
        // Commands of one session keep their order. A page without an opener has a frame only when it runs, so this does not wait
        // for the answer about frames.
        self.shared.cdp.post(&self.session, "Runtime.runIfWaitingForDebugger", json!({}));
        match self.call("Page.getFrameTree", json!({})).await {
            Ok(tree) => self.state.lock().seed(&self.session, &tree["frameTree"]),
            Err(trouble) => tracing::debug!(%trouble, "a new page could not be looked at"),
        }
        self.ready.cancel();
    }

    /// Frames of other processes tell us the same as the page itself.
    fn watch(&self, session: &Session) {
        let post = |method: &str, params: Value| self.shared.cdp.post(session, method, params);
        post("Page.setLifecycleEventsEnabled", json!({ "enabled": true }));
        post(
            "Network.enable",
            json!({ "maxTotalBufferSize": 0, "maxResourceBufferSize": 0, "maxPostDataSize": 0 }),
        );
        post("Target.setAutoAttach", auto_attach());
    }

    /// Waits until the rules are in place.
    pub(crate) async fn prepared(&self) -> Result<(), Trouble> {
        tokio::select! {
            () = self.ready.cancelled() => Ok(()),
            () = self.ended.cancelled() => Err(self.gone()),
            () = self.shared.cdp.gone() => Err(trouble_of(&CdpError::Gone, "opening a tab")),
        }
    }

    /// A frame of this page runs in another process from now on.
    pub(crate) fn adopt_frame(&self, frame: &str, session: &Session) {
        self.state.lock().frames.move_to(&FrameId(frame.to_owned()), session);
        self.shared.cdp.post(session, "Page.enable", json!({}));
        self.watch(session);
        self.shared.cdp.post(session, "Runtime.runIfWaitingForDebugger", json!({}));
    }

    pub(crate) fn has_frame(&self, frame: &str) -> bool {
        self.state.lock().frames.contains(frame)
    }

    pub(crate) fn wanted_window(&self) -> String {
        self.state.lock().wanted_window.clone()
    }

    /// An event of this page, or of one of its frames.
    pub(crate) fn hear(&self, session: &Session, method: &str, params: &Value) {
        match method {
            "Page.javascriptDialogOpening" => self.dialog(session, params),
            "Log.entryAdded" => self.log_entry(&params["entry"]),
            _ => {}
        }
        let reaction = self.state.lock().apply(session, method, params);
        if let Some(TabReaction::Forbidden { url }) = reaction {
            let why = "pages with this kind of address are not shown".to_owned();
            self.shared.journal.push(News::Blocked { url: cut(&url), why });
            self.shared.cdp.post(&self.session, "Page.navigate", json!({ "url": BLANK }));
        }
        self.changed.notify_waiters();
    }

    fn log_entry(&self, entry: &Value) {
        if entry["level"] == "error" {
            let text = cut(entry["text"].as_str().unwrap_or_default());
            let news = match entry["url"].as_str().filter(|url| !url.is_empty()) {
                Some(url) => format!("{text} ({})", cut(url)),
                None => text,
            };
            self.shared.journal.push_once(News::ConsoleError(news));
        }
    }

    /// Answered at once: a page with an open dialog does nothing else.
    fn dialog(&self, session: &Session, params: &Value) {
        let kind = match params["type"].as_str() {
            Some("confirm") => DialogKind::Confirm,
            Some("prompt") => DialogKind::Prompt,
            Some("beforeunload") => DialogKind::BeforeUnload,
            _ => DialogKind::Alert,
        };
        let message = params["message"].as_str().unwrap_or_default();
        let (answer, count) = self.shared.journal.dialog(kind, message);
        let answer = match answer {
            DialogAnswer::Accept(text) => json!({ "accept": true, "promptText": text.unwrap_or_default() }),
            DialogAnswer::Dismiss => json!({ "accept": false }),
        };
        let limit = self.shared.limits.dialogs;
        if count > limit {
            self.stop(PageStop::EndProcess, &format!("it opened more than {limit} dialogs in a row"));
        }
        self.shared.cdp.post(session, "Page.handleJavaScriptDialog", answer);
    }

    /// Ends what the page is doing and empties the tab. A page that goes on nevertheless loses its process, and so does one with
    /// an open dialog: it could not be left before the dialog is answered, and the next one would be open by then.
    pub(crate) fn stop(&self, means: PageStop, why: &str) {
        let was_stopped = std::mem::replace(&mut self.state.lock().is_stopped, true);
        if !was_stopped {
            let news = News::Stopped { tab: self.id.clone(), why: why.to_owned() };
            self.shared.journal.push(news);
        }
        let post = |method: &str, params: Value| self.shared.cdp.post(&self.session, method, params);
        match means {
            PageStop::Empty if !was_stopped => {
                post("Runtime.terminateExecution", json!({}));
                post("Page.stopLoading", json!({}));
                post("Page.navigate", json!({ "url": BLANK }));
            }
            PageStop::Empty | PageStop::EndProcess => {
                post("Page.crash", json!({}));
                self.end("it was stopped for what it did");
            }
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.state.lock().is_stopped
    }

    /// The page is no more; calls that wait for it end with the reason.
    pub(crate) fn end(&self, why: &'static str) {
        if !self.ended.is_cancelled() {
            *self.why_ended.lock() = why;
            self.ended.cancel();
        }
        self.changed.notify_waiters();
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.is_cancelled()
    }

    fn gone(&self) -> Trouble {
        let message = format!("tab {} is gone: {}", self.id, self.why_ended.lock());
        Trouble::new(TroubleCode::Crashed, message).hint("the next call has an empty tab; navigate again")
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, Trouble> {
        self.call_on(&self.session, method, params).await
    }

    /// A command to the page, or to a frame of it, within the time of a step. While one document replaces another there is a
    /// moment without any.
    async fn call_on(&self, session: &Session, method: &str, params: Value) -> Result<Value, Trouble> {
        let limit = self.shared.limits.action_time;
        let mut answer = self.try_call(session, method, params.clone(), limit).await?;
        for _ in 0..BETWEEN_DOCUMENTS_MAX {
            if !matches!(&answer, Err(CdpError::Refused(words)) if words.contains(BETWEEN_DOCUMENTS)) {
                break;
            }
            tokio::time::sleep(BETWEEN_DOCUMENTS_STEP).await;
            answer = self.try_call(session, method, params.clone(), limit).await?;
        }
        answer.map_err(|error| {
            if error == CdpError::TimedOut {
                // A script in a loop would keep the page for ever.
                self.shared.cdp.post(session, "Runtime.terminateExecution", json!({}));
            }
            trouble_of(&error, method)
        })
    }

    async fn try_call(
        &self,
        session: &Session,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<Result<Value, CdpError>, Trouble> {
        tokio::select! {
            biased;
            answer = self.shared.cdp.call(session, method, params, limit) => Ok(answer),
            () = self.ended.cancelled() => Err(self.gone()),
        }
    }
}

/// To be attached to what a target brings with it, before that runs. It waits for us also where a filter leaves it out, so there
/// is none.
pub(crate) fn auto_attach() -> Value {
    json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true })
}

/// Chromium's words where a page ended between a request and our hearing of its end.
const SESSION_GONE: &str = "Session with given id not found";

pub(crate) fn trouble_of(error: &CdpError, what: &str) -> Trouble {
    match error {
        CdpError::Gone => Trouble::new(TroubleCode::Crashed, "the browser has ended, and its pages with it")
            .hint("the next call starts it again, with an empty tab; navigate again"),
        CdpError::TimedOut => Trouble::new(TroubleCode::TimedOut, "the page did not answer in time")
            .hint("it may be busy; try again, navigate elsewhere, or close the tab"),
        CdpError::TooLong => Trouble::new(TroubleCode::TooLarge, "the page's answer was too long")
            .hint("ask for a smaller part"),
        CdpError::Refused(words) if words.starts_with(SESSION_GONE) => {
            Trouble::new(TroubleCode::Crashed, "the page is gone")
                .hint("the next call has an empty tab; navigate again")
        }
        CdpError::Refused(words) => Trouble::internal(format!("{what}: {words}")),
    }
}
