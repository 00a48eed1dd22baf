//! One running Chromium: its process, the pipe to it, and its contexts.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Weak};
use std::time::Duration;

use capability_kit::Trouble;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::cdp::{Cdp, Session};
use crate::chromium::{self, Launched, SandboxLevel};
use crate::context::BrowserContext;
use crate::hosts::HostRules;
use crate::journal::Journal;
use crate::proxy::{EgressProxy, ProxyPorts};
use crate::router::EventRouter;
use crate::settings::{BrowserLimits, BrowserSettings};
use crate::shelf::DownloadShelf;
use crate::tab::{TabShared, auto_attach, trouble_of};

/// Between two looks at the memory of its processes.
const WATCH_EVERY: Duration = Duration::from_secs(1);
const CALL_LIMIT: Duration = Duration::from_secs(10);

pub(crate) struct Engine {
    cdp: Cdp,
    router: Arc<EventRouter>,
    process: tokio::sync::Mutex<Option<chromium::ChromiumProcess>>,
    gone: CancellationToken,
    tasks: TaskTracker,
    hosts: Arc<HostRules>,
    limits: Arc<BrowserLimits>,
    downloads: PathBuf,
    ports: ProxyPorts,
    pub(crate) version: String,
    pub(crate) level: SandboxLevel,
}

impl Engine {
    /// `data` is this Chromium's own folder.
    pub(crate) async fn start(settings: &BrowserSettings, data: PathBuf) -> Result<Arc<Self>, Trouble> {
        let program = chromium::find(settings.program.as_deref())?;
        let tasks = TaskTracker::new();
        let launched = chromium::launch(&program, &data, settings.own_sandbox, &tasks).await?;
        let Launched { process, cdp, events, gone, version, level } = launched;
        let router = EventRouter::new(cdp.clone(), tasks.clone());
        tasks.spawn(Arc::clone(&router).run(events));
        let engine = Arc::new(Self {
            cdp,
            router,
            process: tokio::sync::Mutex::new(Some(process)),
            gone,
            tasks,
            hosts: Arc::new(settings.hosts.clone()),
            limits: Arc::new(settings.limits.clone()),
            downloads: data.join("downloads"),
            ports: ProxyPorts::default(),
            version,
            level,
        });
        engine.call("Target.setAutoAttach", auto_attach()).await?;
        engine.tasks.spawn(watch_memory(Arc::downgrade(&engine), engine.gone.clone()));
        Ok(engine)
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, Trouble> {
        let answer = self.cdp.call(&Session::default(), method, params, CALL_LIMIT).await;
        answer.map_err(|error| trouble_of(&error, method))
    }

    /// Cookies, proxy, downloads and permissions of its own.
    pub(crate) async fn make_context(&self, journal: Arc<Journal>) -> Result<Arc<BrowserContext>, Trouble> {
        let (hosts, ports) = (Arc::clone(&self.hosts), Arc::clone(&self.ports));
        let proxy = EgressProxy::start(Arc::clone(&hosts), Arc::clone(&journal), ports, &self.tasks).await;
        let proxy =
            proxy.map_err(|error| Trouble::internal(format!("a proxy could not be started: {error}")))?;
        let params = json!({
            "disposeOnDetach": true,
            "proxyServer": proxy.address(),
            // Loopback takes the proxy, too.
            "proxyBypassList": "<-loopback>",
        });
        let made = self.call("Target.createBrowserContext", params).await?;
        let id = made["browserContextId"].as_str().unwrap_or_default().to_owned();
        let folder = self.downloads.join(&id);
        let shelf = DownloadShelf::new(
            folder.clone(),
            self.limits.download_bytes,
            self.limits.downloads,
            Arc::clone(&journal),
        );
        let shared = TabShared { cdp: self.cdp.clone(), journal, limits: Arc::clone(&self.limits), hosts };
        let context = BrowserContext::new(id.clone(), shared, shelf, proxy);
        self.router.add(Arc::clone(&context));
        let downloads = json!({
            "behavior": "allowAndName",
            "browserContextId": id,
            "downloadPath": folder,
            "eventsEnabled": true,
        });
        self.call("Browser.setDownloadBehavior", downloads).await?;
        // None is granted, and with that every other is refused.
        let permissions = json!({ "permissions": [], "browserContextId": id });
        self.call("Browser.grantPermissions", permissions).await?;
        Ok(context)
    }

    pub(crate) async fn end_context(&self, context: &BrowserContext) {
        context.end().await;
        self.router.remove(context.id());
    }

    /// The memory of its processes, in bytes, by their numbers.
    pub(crate) async fn memory(&self) -> BTreeMap<i32, (String, u64)> {
        let Ok(said) = self.call("SystemInfo.getProcessInfo", json!({})).await else {
            return BTreeMap::new();
        };
        let processes = said["processInfo"].as_array().into_iter().flatten();
        let measured = processes.filter_map(|process| {
            let id = i32::try_from(process["id"].as_i64()?).ok()?;
            Some((id, (process["type"].as_str()?.to_owned(), resident_bytes(id)?)))
        });
        measured.collect()
    }

    /// Ends renderers that exceed their memory; their tabs then report a crash.
    async fn check_memory(&self) {
        let limit = self.limits.renderer_mib << 20;
        for (id, (kind, bytes)) in self.memory().await {
            if kind == "renderer" && bytes > limit {
                tracing::warn!(mib = bytes >> 20, "a page used too much memory, and its process is ended");
                self.router.expect_crash();
                if let Err(error) = kill(Pid::from_raw(id), Signal::SIGKILL) {
                    tracing::debug!(%error, "it had ended meanwhile");
                }
            }
        }
    }

    /// Ends the process with all that it started.
    pub(crate) async fn end(&self) {
        let process = self.process.lock().await.take();
        if let Some(process) = process {
            process.end().await;
        }
        self.gone.cancel();
    }
}

async fn watch_memory(engine: Weak<Engine>, gone: CancellationToken) {
    loop {
        tokio::select! {
            () = gone.cancelled() => return,
            () = tokio::time::sleep(WATCH_EVERY) => {}
        }
        let Some(engine) = engine.upgrade() else { return };
        engine.check_memory().await;
    }
}

fn resident_bytes(id: i32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kib << 10)
}
