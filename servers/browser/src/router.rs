//! Events of the browser, each to the tab or context that it is about. Nothing here waits.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::cdp::{Cdp, CdpEvent, Session};
use crate::context::BrowserContext;
use crate::news::News;
use crate::shelf::{DownloadStage, DownloadVerdict};
use crate::tab::Tab;

/// From the end of a process to the report of it.
const REPORTED_WITHIN: Duration = Duration::from_secs(5);

pub(crate) struct EventRouter {
    cdp: Cdp,
    tasks: TaskTracker,
    routes: Mutex<EventRoutes>,
    /// When a process was ended for its use of memory; its end is reported soon after.
    ended_for_memory: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct EventRoutes {
    contexts: HashMap<String, Arc<BrowserContext>>,
    pages: HashMap<Session, PageRoute>,
    /// The context of a download, by Chromium's name of it.
    downloads: HashMap<String, Arc<BrowserContext>>,
}

#[derive(Clone)]
struct PageRoute {
    context: Arc<BrowserContext>,
    tab: Arc<Tab>,
    kind: PageKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PageKind {
    Page,
    /// A frame of it in another process.
    Frame,
}

impl EventRouter {
    pub(crate) fn new(cdp: Cdp, tasks: TaskTracker) -> Arc<Self> {
        Arc::new(Self { cdp, tasks, routes: Mutex::default(), ended_for_memory: Mutex::default() })
    }

    pub(crate) fn add(&self, context: Arc<BrowserContext>) {
        self.routes.lock().contexts.insert(context.id().to_owned(), context);
    }

    pub(crate) fn remove(&self, id: &str) {
        let mut routes = self.routes.lock();
        routes.contexts.remove(id);
        routes.pages.retain(|_, route| route.context.id() != id);
        routes.downloads.retain(|_, context| context.id() != id);
    }

    pub(crate) fn expect_crash(&self) {
        *self.ended_for_memory.lock() = Some(Instant::now());
    }

    /// Until the browser ends; then every context hears of it.
    pub(crate) async fn run(self: Arc<Self>, mut events: mpsc::Receiver<CdpEvent>) {
        while let Some(event) = events.recv().await {
            self.route(&event);
        }
        let routes = std::mem::take(&mut *self.routes.lock());
        let mut routes: Vec<PageRoute> = routes.pages.into_values().collect();
        routes.retain(|route| route.kind == PageKind::Page);
        routes.iter().for_each(|route| route.tab.end("the browser has ended"));
    }

    fn route(&self, event: &CdpEvent) {
        let CdpEvent { session, method, params } = event;
        let route = self.routes.lock().pages.get(session).cloned();
        match (method.as_str(), route) {
            ("Target.attachedToTarget", route) => self.came(route.as_ref(), params),
            ("Target.detachedFromTarget", _) => self.left(params),
            ("Browser.downloadWillBegin", _) => self.download_begins(params),
            ("Browser.downloadProgress", _) => self.download_goes_on(params),
            ("Inspector.targetCrashed", Some(route)) => self.crashed(session, &route),
            (_, Some(route)) => route.tab.hear(session, method, params),
            (_, None) => {}
        }
    }

    /// Pages and frames are steered. Workers of every kind just run: proxy, permissions and downloads are their context's, and
    /// bind them without us.
    fn came(&self, route: Option<&PageRoute>, params: &Value) {
        match (params["targetInfo"]["type"].as_str(), route) {
            (Some("page"), None) => self.page_came(params),
            (Some("iframe"), Some(route)) => self.frame_came(route, params),
            _ => {
                if let Some(session) = session_in(params) {
                    self.cdp.post(&session, "Runtime.runIfWaitingForDebugger", json!({}));
                }
            }
        }
    }

    fn page_came(&self, params: &Value) {
        let info = &params["targetInfo"];
        let (Some(session), Some(target)) = (session_in(params), info["targetId"].as_str()) else { return };
        let context =
            info["browserContextId"].as_str().and_then(|id| self.routes.lock().contexts.get(id).cloned());
        let opener = info["openerId"].as_str();
        let tab = context.as_ref().and_then(|context| context.adopt(target, &session, opener));
        let (Some(context), Some(tab)) = (context, tab) else {
            // Of nobody's, or one too many. Its opener waits until it runs, so it must before it is closed.
            self.cdp.post(&session, "Runtime.runIfWaitingForDebugger", json!({}));
            self.cdp.post(&Session::default(), "Target.closeTarget", json!({ "targetId": target }));
            return;
        };
        let route = PageRoute { context, tab: Arc::clone(&tab), kind: PageKind::Page };
        self.routes.lock().pages.insert(session, route);
        self.tasks.spawn(async move { tab.set_up().await });
    }

    fn frame_came(&self, route: &PageRoute, params: &Value) {
        let (Some(session), Some(frame)) = (session_in(params), params["targetInfo"]["targetId"].as_str())
        else {
            return;
        };
        let frame_route = PageRoute { kind: PageKind::Frame, ..route.clone() };
        self.routes.lock().pages.insert(session.clone(), frame_route);
        route.tab.adopt_frame(frame, &session);
    }

    fn left(&self, params: &Value) {
        let route = session_in(params).and_then(|session| self.routes.lock().pages.remove(&session));
        if let Some(PageRoute { context, tab, kind: PageKind::Page }) = route {
            context.drop_tab(&tab, "the page closed it");
        }
    }

    fn crashed(&self, session: &Session, route: &PageRoute) {
        let PageRoute { context, tab, kind } = route;
        if !tab.is_stopped() {
            context.journal().push(News::Crashed { tab: Some(tab.id().to_owned()) });
        }
        if *kind == PageKind::Page {
            self.routes.lock().pages.remove(session);
            let was_ended = self.ended_for_memory.lock().is_some_and(|at| at.elapsed() < REPORTED_WITHIN);
            let why = match (tab.is_stopped(), was_ended) {
                (true, _) => "it was stopped for what it did",
                (false, true) => "it used more memory than a page may",
                (false, false) => "its process has crashed",
            };
            context.drop_tab(tab, why);
            self.cdp.post(&Session::default(), "Target.closeTarget", json!({ "targetId": tab.target() }));
        }
    }

    fn download_begins(&self, params: &Value) {
        let (Some(id), Some(frame)) = (params["guid"].as_str(), params["frameId"].as_str()) else { return };
        let name = params["suggestedFilename"].as_str().unwrap_or_default();
        let context = {
            let mut routes = self.routes.lock();
            let mut contexts: Vec<&Arc<BrowserContext>> = routes.contexts.values().collect();
            contexts.retain(|context| context.has_frame(frame));
            let context = contexts.first().map(|context| Arc::clone(context));
            if let Some(context) = &context {
                routes.downloads.insert(id.to_owned(), Arc::clone(context));
            }
            context
        };
        match context {
            Some(context) if context.shelf().begin(id, name) == DownloadVerdict::Continue => {}
            Some(context) => self.break_off(id, &context),
            None => tracing::warn!("a download of an unknown page"),
        }
    }

    fn download_goes_on(&self, params: &Value) {
        let Some(id) = params["guid"].as_str() else { return };
        let bytes = |name: &str| params[name].as_f64().unwrap_or_default() as u64;
        let stage = match params["state"].as_str() {
            Some("completed") => DownloadStage::Completed,
            Some("canceled") => DownloadStage::Canceled,
            _ => DownloadStage::Running { total: bytes("totalBytes"), received: bytes("receivedBytes") },
        };
        let Some(context) = self.routes.lock().downloads.get(id).cloned() else { return };
        if context.shelf().hear(id, stage) == DownloadVerdict::BreakOff {
            self.break_off(id, &context);
        }
        if !matches!(stage, DownloadStage::Running { .. }) {
            self.routes.lock().downloads.remove(id);
        }
    }

    fn break_off(&self, id: &str, context: &BrowserContext) {
        let params = json!({ "guid": id, "browserContextId": context.id() });
        self.cdp.post(&Session::default(), "Browser.cancelDownload", params);
    }
}

fn session_in(params: &Value) -> Option<Session> {
    params["sessionId"].as_str().map(|session| Session(session.into()))
}
