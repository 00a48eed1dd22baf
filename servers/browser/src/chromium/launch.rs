//! Starting Chromium so that its own sandbox works, and saying so where it does not.
//!
//! That sandbox puts each renderer into namespaces of its own and forbids it most system calls. It needs user namespaces, and
//! refuses to run as root: root therefore becomes an ordinary user in a namespace first. A gateway's sandbox lets the server
//! make namespaces if it was told so, which it is for `browser-mcp`.

use std::path::Path;
use std::time::Duration;

use capability_kit::Trouble;
use nix::unistd::geteuid;
use serde_json::json;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::flags::flags;
use super::process::{self, ChromiumProcess};
use crate::cdp::{Cdp, CdpEvent, Session};
use crate::settings::ChromiumSandbox;

/// From its start to its first answer. A machine may be busy.
const START_LIMIT: Duration = Duration::from_secs(20);
/// Any number but root's.
const ORDINARY_USER: [&str; 4] = ["unshare", "--user", "--map-user=1000", "--map-group=1000"];
const NO_SANDBOX: &str = "--no-sandbox";

/// A Chromium that has answered.
pub(crate) struct Launched {
    pub(crate) process: ChromiumProcess,
    pub(crate) cdp: Cdp,
    pub(crate) events: mpsc::Receiver<CdpEvent>,
    pub(crate) gone: CancellationToken,
    pub(crate) version: String,
    pub(crate) level: SandboxLevel,
}

/// What keeps a page that took over its renderer from this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SandboxLevel {
    Own,
    /// Only what confines the server as a whole.
    None,
}

impl SandboxLevel {
    pub(crate) fn sentence(self) -> &'static str {
        match self {
            SandboxLevel::Own => {
                "Chromium's own sandbox is in force: namespaces and a filter of system calls around each page"
            }
            SandboxLevel::None => {
                "Chromium's own sandbox is off: only what confines this server stands between a page and the machine"
            }
        }
    }
}

/// Starts the program; `data` is made for it and removed with it.
pub(crate) async fn launch(
    program: &Path,
    data: &Path,
    wish: ChromiumSandbox,
    tasks: &TaskTracker,
) -> Result<Launched, Trouble> {
    let start = async |level| start(program, data, level, tasks).await;
    let launched = match wish {
        ChromiumSandbox::Off => start(SandboxLevel::None).await?,
        ChromiumSandbox::Required => start(SandboxLevel::Own).await.map_err(|refused| {
            refused.hint("its own sandbox is required, which needs user namespaces: allow them, or turn that setting off")
        })?,
        ChromiumSandbox::Auto => match start(SandboxLevel::Own).await {
            Ok(launched) => launched,
            Err(refused) => {
                tracing::warn!(%refused, "the browser does not start with its own sandbox on this machine");
                start(SandboxLevel::None).await?
            }
        },
    };
    match launched.level {
        SandboxLevel::Own => tracing::info!(version = launched.version, "{}", launched.level.sentence()),
        SandboxLevel::None => tracing::warn!(version = launched.version, "{}", launched.level.sentence()),
    }
    Ok(launched)
}

async fn start(
    program: &Path,
    data: &Path,
    level: SandboxLevel,
    tasks: &TaskTracker,
) -> Result<Launched, Trouble> {
    let failed = |why: String| Trouble::unavailable(format!("the browser could not be started: {why}"));
    let command = command(program, data, level);
    let (process, pipe) = process::spawn(&command, data, tasks).map_err(|error| failed(error.to_string()))?;
    let gone = CancellationToken::new();
    let (output, input) = pipe.into_split();
    let (cdp, events) = Cdp::start(output, input, tasks, gone.clone());
    match cdp.call(&Session::default(), "Browser.getVersion", json!({}), START_LIMIT).await {
        Ok(said) => {
            let version = said["product"].as_str().unwrap_or_default().to_owned();
            Ok(Launched { process, cdp, events, gone, version, level })
        }
        Err(error) => {
            gone.cancel();
            let words = process.last_words();
            process.end().await;
            Err(failed(if words.is_empty() { error.to_string() } else { words }))
        }
    }
}

fn command(program: &Path, data: &Path, level: SandboxLevel) -> Vec<String> {
    let mut command: Vec<String> = Vec::new();
    if level == SandboxLevel::Own && geteuid().is_root() {
        command.extend(ORDINARY_USER.map(str::to_owned));
    }
    command.push(program.display().to_string());
    command.extend(flags(&data.join("profile")));
    if level == SandboxLevel::None {
        command.push(NO_SANDBOX.to_owned());
    }
    command
}
