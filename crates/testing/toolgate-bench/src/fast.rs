//! The fast server as a child process of the benchmark.
//!
//! Lives here: starting it and knowing where it listens. Does not live here: the server itself (`server`).

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use tokio::process::Command;

use crate::child::Watched;
use crate::server::Eras;

const START_MAX: Duration = Duration::from_secs(20);
/// The text before the server's address.
pub(crate) const ANNOUNCEMENT: &str = "listening on ";

pub(crate) struct Fast {
    watched: Watched,
    pub(crate) address: SocketAddr,
}

impl Fast {
    /// A separate process, so that its CPU time can be distinguished from the generator's.
    pub(crate) async fn start(eras: Eras) -> anyhow::Result<Fast> {
        let arguments = ["server", "--listen", "127.0.0.1:0", "--eras", eras.argument()];
        let (watched, address) = start_own(&arguments).await.context("start the fast server")?;
        Ok(Fast { watched, address })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.watched.pid()
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }
}

/// Starts this very program with other arguments and learns where it listens.
pub(crate) async fn start_own(arguments: &[&str]) -> anyhow::Result<(Watched, SocketAddr)> {
    let mut command = Command::new(std::env::current_exe().context("find this program")?);
    command.args(arguments);
    let mut watched = Watched::spawn(command)?;
    let find = |line: &str| line.strip_prefix(ANNOUNCEMENT)?.parse().ok();
    let address = watched.wait_for_line(START_MAX, find).await?;
    Ok((watched, address))
}
