//! What is known of a tab, from events alone. Handlers of events never wait.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use serde_json::Value;

use super::frames::FrameTree;
use crate::cdp::Session;
use crate::frame::FrameId;

/// Requests under way that are counted; a page with more is not quiet anyway.
const REQUESTS_MAX: usize = 1024;
/// Kinds of requests that last as long as they like, and are no sign that a page is busy.
const LASTING: [&str; 5] = ["EventSource", "WebSocket", "Ping", "Media", "Prefetch"];

pub(super) struct TabState {
    pub(super) frames: FrameTree,
    /// Our world in a frame's document: of which document, and Chromium's number for it.
    pub(super) worlds: HashMap<FrameId, (String, i64)>,
    /// Listeners that our world in a frame was told of: which world, and the nodes with the events.
    pub(super) marked: HashMap<FrameId, (i64, HashSet<(i64, String)>)>,
    /// The first ref of the next document.
    pub(super) next_ref: u64,
    /// Documents of the main frame: the last one whose content was there, and its status.
    pub(super) content_of: String,
    pub(super) status: Option<(String, u16)>,
    /// The main frame is about to leave its document.
    pub(super) is_leaving: bool,
    requests: HashSet<String>,
    last_traffic: Instant,
    /// The address that the page last asked a new window for.
    pub(super) wanted_window: String,
    /// The pressed buttons of the mouse, as Chromium's bits.
    pub(super) buttons: u8,
    /// The page was stopped for what it did, since the last navigation of ours.
    pub(super) is_stopped: bool,
}

/// Something that the tab itself has to do about an event.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum TabReaction {
    /// The main frame, or a frame in it, has an address that may not be shown.
    Forbidden { url: String },
}

impl Default for TabState {
    fn default() -> Self {
        Self {
            frames: FrameTree::default(),
            worlds: HashMap::new(),
            marked: HashMap::new(),
            next_ref: 1,
            content_of: String::new(),
            status: None,
            is_leaving: false,
            requests: HashSet::new(),
            last_traffic: Instant::now(),
            wanted_window: String::new(),
            buttons: 0,
            is_stopped: false,
        }
    }
}

impl TabState {
    pub(super) fn apply(&mut self, session: &Session, method: &str, params: &Value) -> Option<TabReaction> {
        match method.split_once('.') {
            Some(("Page", name)) => self.page(session, name, params),
            Some(("Network", name)) => {
                self.network(name, params);
                None
            }
            _ => None,
        }
    }

    fn page(&mut self, session: &Session, name: &str, params: &Value) -> Option<TabReaction> {
        let frame = || params["frameId"].as_str().map(|id| FrameId(id.to_owned()));
        match name {
            "frameAttached" => {
                let parent = params["parentFrameId"].as_str().map(|id| FrameId(id.to_owned()));
                self.frames.attach(frame()?, parent, session);
            }
            "frameNavigated" => return self.navigated(session, &params["frame"]),
            "navigatedWithinDocument" => self.frames.set_url(&frame()?, params["url"].as_str()?),
            // A frame that moves to another process stays a frame.
            "frameDetached" if params["reason"] != "swap" => self.frames.remove(&frame()?),
            "frameRequestedNavigation" if params["disposition"] == "currentTab" => {
                self.is_leaving |= self.frames.is_main(&frame()?);
            }
            "frameStartedNavigating" => self.is_leaving |= self.is_new_document(&frame()?, params),
            "frameStoppedLoading" | "frameClearedScheduledNavigation" if self.frames.is_main(&frame()?) => {
                self.is_leaving = false;
            }
            "lifecycleEvent" => self.lifecycle(&frame()?, params),
            "windowOpen" => self.wanted_window = params["url"].as_str()?.to_owned(),
            _ => {}
        }
        None
    }

    fn is_new_document(&self, frame: &FrameId, params: &Value) -> bool {
        let kind = params["navigationType"].as_str().unwrap_or_default();
        self.frames.is_main(frame) && !kind.to_ascii_lowercase().contains("samedocument")
    }

    /// Seeds the tree from Chromium's description of a page that was there before us.
    pub(super) fn seed(&mut self, session: &Session, tree: &Value) {
        self.frames.navigate(&tree["frame"], session);
        for child in tree["childFrames"].as_array().into_iter().flatten() {
            self.seed(session, child);
        }
    }

    fn navigated(&mut self, session: &Session, frame: &Value) -> Option<TabReaction> {
        let id = self.frames.navigate(frame, session)?;
        self.worlds.remove(&id);
        let node = self.frames.get(&id)?;
        let (url, is_main) = (node.url.clone(), self.frames.is_main(&id));
        if is_main {
            self.is_leaving = false;
            self.requests.clear();
            self.last_traffic = Instant::now();
        }
        let is_forbidden = if is_main { !may_be_shown(&url) } else { may_never_be_shown(&url) };
        is_forbidden.then_some(TabReaction::Forbidden { url })
    }

    fn lifecycle(&mut self, frame: &FrameId, params: &Value) {
        let has_content = matches!(params["name"].as_str(), Some("DOMContentLoaded" | "load"));
        if has_content && self.frames.is_main(frame) {
            self.content_of = params["loaderId"].as_str().unwrap_or_default().to_owned();
        }
    }

    fn network(&mut self, name: &str, params: &Value) {
        let Some(id) = params["requestId"].as_str() else { return };
        match name {
            "requestWillBeSent" => {
                let kind = params["type"].as_str().unwrap_or_default();
                if !LASTING.contains(&kind) && self.requests.len() < REQUESTS_MAX {
                    self.requests.insert(id.to_owned());
                    self.last_traffic = Instant::now();
                }
            }
            "responseReceived" if params["type"] == "Document" => self.answered(params),
            "loadingFinished" | "loadingFailed" => self.request_ended(id),
            _ => {}
        }
    }

    fn request_ended(&mut self, id: &str) {
        if self.requests.remove(id) {
            self.last_traffic = Instant::now();
        }
    }

    fn answered(&mut self, params: &Value) {
        let frame = params["frameId"].as_str().map(|id| FrameId(id.to_owned()));
        let status = params["response"]["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        if let (Some(frame), Some(status)) = (frame, status)
            && self.frames.is_main(&frame)
        {
            let loader = params["loaderId"].as_str().unwrap_or_default().to_owned();
            self.status = Some((loader, status));
        }
    }

    /// True once the main frame's document has its content, and no other is on its way.
    pub(super) fn has_content(&self) -> bool {
        let main = self.frames.main().map(|(_, node)| node.loader.as_str());
        !self.is_leaving && main.is_some_and(|loader| loader == self.content_of)
    }

    /// Since when there has been no traffic; `None` while there is some.
    pub(super) fn quiet_since(&self) -> Option<Instant> {
        self.requests.is_empty().then_some(self.last_traffic)
    }

    pub(super) fn main_url(&self) -> String {
        self.frames.main().map(|(_, node)| node.url.clone()).unwrap_or_default()
    }
}

/// What a tab may show: the web, nothing, and Chromium's page about an error.
pub(super) fn may_be_shown(url: &str) -> bool {
    let scheme = scheme_of(url);
    matches!(scheme.as_str(), "" | "http" | "https" | "chrome-error")
        || url == "about:blank"
        || url.starts_with("about:blank#")
        || url == "about:srcdoc"
}

/// Schemes that lead out of the web, in any frame.
fn may_never_be_shown(url: &str) -> bool {
    matches!(
        scheme_of(url).as_str(),
        "file"
            | "view-source"
            | "chrome"
            | "chrome-untrusted"
            | "chrome-extension"
            | "devtools"
            | "filesystem"
            | "ftp"
    )
}

fn scheme_of(url: &str) -> String {
    url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn state() -> (TabState, Session) {
        let (mut state, session) = (TabState::default(), Session("s".into()));
        state.seed(&session, &json!({ "frame": { "id": "m", "loaderId": "l0", "url": "about:blank" } }));
        (state, session)
    }

    #[test]
    fn a_document_has_content_when_its_own_event_came() {
        let (mut state, session) = state();
        let frame = json!({ "frame": { "id": "m", "loaderId": "l1", "url": "http://a.example/" } });
        let loaded = |loader: &str| json!({ "frameId": "m", "loaderId": loader, "name": "DOMContentLoaded" });
        let starts = json!({ "frameId": "m", "navigationType": "differentDocument" });
        state.apply(&session, "Page.frameStartedNavigating", &starts);
        state.apply(&session, "Page.lifecycleEvent", &loaded("l0"));
        assert!(!state.has_content());
        state.apply(&session, "Page.frameNavigated", &frame);
        assert!(!state.has_content(), "the event was the old document's");
        state.apply(&session, "Page.lifecycleEvent", &loaded("l1"));
        assert!(state.has_content());
    }

    #[test]
    fn a_page_is_quiet_when_its_requests_have_ended_and_lasting_ones_do_not_count() {
        let (mut state, session) = state();
        for (id, kind) in [("1", "Fetch"), ("2", "EventSource"), ("3", "WebSocket")] {
            let sent = json!({ "requestId": id, "type": kind });
            state.apply(&session, "Network.requestWillBeSent", &sent);
        }
        assert!(state.quiet_since().is_none());
        state.apply(&session, "Network.loadingFailed", &json!({ "requestId": "1" }));
        assert!(state.quiet_since().is_some());
    }

    #[test]
    fn schemes_that_lead_out_of_the_web_are_forbidden() {
        let (mut state, session) = state();
        for (url, parent, is_forbidden) in [
            ("http://a.example/", None, false),
            ("about:blank", None, false),
            ("chrome-error://chromewebdata/", None, false),
            ("blob:http://a.example/1", None, true),
            ("data:text/html,x", None, true),
            ("FILE:///etc/passwd", None, true),
            ("view-source:http://a.example/", None, true),
            ("chrome://version/", None, true),
            ("about:version", None, true),
            ("data:text/html,x", Some("m"), false),
            ("blob:http://a.example/1", Some("m"), false),
            ("file:///etc/passwd", Some("m"), true),
        ] {
            let id = if parent.is_some() { "c" } else { "m" };
            let params = json!({ "frame": { "id": id, "parentId": parent, "loaderId": "l", "url": url } });
            let reaction = state.apply(&session, "Page.frameNavigated", &params);
            assert_eq!(reaction.is_some(), is_forbidden, "{url} in {parent:?}");
        }
    }
}
