//! One browser and one site for all stories, on one runtime that lives as long as the tests. Contexts end with their stories.

use std::future::Future;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use capability_browser::{
    Browser, BrowserContext, BrowserLimits, BrowserSettings, ChromiumSandbox, ContextKey, HostRules, News,
    Tab,
};
use capability_kit::Caller;
use parking_lot::Mutex;
use tokio::runtime::Runtime;

use crate::pages::answer;
use crate::site::Site;

/// A machine with two cores runs all stories at once.
pub(crate) const SOON: Duration = Duration::from_secs(40);
const STEP: Duration = Duration::from_millis(20);

pub(crate) struct Stage {
    pub(crate) browser: Arc<Browser>,
    pub(crate) site: Arc<Site>,
    /// Contexts of this story.
    keys: Mutex<Vec<ContextKey>>,
}

fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
    })
}

pub(crate) fn settings() -> BrowserSettings {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let folder =
        format!("capability-browser-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let allow = ["127.0.0.1", "127.0.0.2"].iter().map(|host| host.parse().expect("a host")).collect();
    BrowserSettings {
        program: None,
        hosts: HostRules { allow, private: true, ports: Vec::new() },
        limits: BrowserLimits {
            tabs: 4,
            renderer_mib: 400,
            download_bytes: 1 << 20,
            downloads: 3,
            dialogs: 3,
            ..BrowserLimits::default()
        },
        data: std::env::temp_dir().join(folder),
        own_sandbox: ChromiumSandbox::Auto,
    }
}

/// Runs a story on the shared browser and site, and ends its contexts.
pub(crate) fn on_stage<F: Future<Output = ()>>(story: impl FnOnce(&'static Stage) -> F) {
    static SHARED: OnceLock<(Arc<Browser>, Arc<Site>)> = OnceLock::new();
    let runtime = runtime();
    let (browser, site) = SHARED.get_or_init(|| {
        let browser = Browser::new(settings());
        if let Some(trouble) = browser.missing() {
            panic!("these stories need a browser: {trouble}");
        }
        (browser, runtime.block_on(Site::start(answer)))
    });
    let stage = Stage { browser: Arc::clone(browser), site: Arc::clone(site), keys: Mutex::default() };
    // A story's closure could not borrow it for its own future otherwise.
    let stage: &'static Stage = Box::leak(Box::new(stage));
    runtime.block_on(async {
        story(stage).await;
        let keys = std::mem::take(&mut *stage.keys.lock());
        for key in keys {
            stage.browser.end(&key).await;
        }
    });
}

pub(crate) fn key(name: &str) -> ContextKey {
    ContextKey::of(&Caller { session: Some(name.to_owned()), run: None })
}

impl Stage {
    /// A context of the story's own.
    pub(crate) async fn context(&self, name: &str) -> Arc<BrowserContext> {
        self.keys.lock().push(key(name));
        self.browser.context(&key(name)).await.expect("a context")
    }

    /// A tab with a page of the site.
    pub(crate) async fn tab_at(&self, name: &str, path: &str) -> (Arc<BrowserContext>, Arc<Tab>) {
        let context = self.context(name).await;
        let tab = context.tab().await.expect("a tab");
        tab.navigate(&self.site.url(path).parse().expect("a URL")).await.expect("the page");
        (context, tab)
    }
}

pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut condition: impl FnMut() -> F) {
    let begun = Instant::now();
    while !condition().await {
        assert!(begun.elapsed() < SOON, "{what}: not within {} s", SOON.as_secs());
        tokio::time::sleep(STEP).await;
    }
}

/// Collects news until one of them fits.
pub(crate) async fn news_with(
    context: &BrowserContext,
    what: &str,
    fits: impl Fn(&News) -> bool,
) -> Vec<News> {
    let mut all = Vec::new();
    let begun = Instant::now();
    loop {
        all.extend(context.news());
        if all.iter().any(&fits) {
            return all;
        }
        assert!(begun.elapsed() < SOON, "{what} is not among {all:?}");
        tokio::time::sleep(STEP).await;
    }
}

pub(crate) fn files_in(folder: &std::path::Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files.extend(files_in(&path)) } else { files.push(path) }
    }
    files
}
