//! Many idle participants: the gateway's memory with two hundred idle clients and fifty servers.
//!
//! Lives here: opening them all, the stated bound. Does not live here: memory at rest (`start`) or under load
//! (`compare`).

use std::path::Path;

use anyhow::Context as _;
use http::Response;
use hyper::body::Incoming;

use crate::client::{BenchClient, BenchTarget};
use crate::fast::Fast;
use crate::gateway::{BenchGateway, Home, Launcher, ServerEntry};
use crate::proc;
use crate::server::Eras;
use crate::start::{mib, resident_mib_at_rest};
use crate::wire::{BenchEra, Work};

const CLIENTS: usize = 200;
const SERVERS: usize = 50;
/// The bound the project states for this many idle clients and servers.
pub(crate) const RESIDENT_MIB_MAX: f64 = 150.0;

pub(crate) struct Weight {
    pub(crate) servers_only_mib: f64,
    pub(crate) resident_mib: f64,
    pub(crate) peak_mib: f64,
}

impl Weight {
    pub(crate) fn within_bound(&self) -> bool {
        self.resident_mib < RESIDENT_MIB_MAX
    }

    pub(crate) fn text(&self) -> String {
        format!(
            "{SERVERS} servers: {:.1} MiB resident\n\
             {SERVERS} servers and {CLIENTS} idle legacy clients: {:.1} MiB resident, {:.1} MiB at the peak\n\
             bound: < {RESIDENT_MIB_MAX} MiB resident: {}",
            self.servers_only_mib,
            self.resident_mib,
            self.peak_mib,
            if self.within_bound() { "pass" } else { "FAIL" }
        )
    }
}

/// A client as it idles: its session's connection, and the stream on which the gateway may speak first.
struct Idle {
    _requests: BenchClient,
    _stream: BenchClient,
    _open: Response<Incoming>,
}

pub(crate) async fn weigh(program: &Path) -> anyhow::Result<Weight> {
    let fast = Fast::start(Eras::Both).await?;
    let home = Home::new(&(0..SERVERS).map(|index| entry(index, &fast)).collect::<Vec<_>>())?;
    let gateway = BenchGateway::start(program, &home, &Launcher::default()).await?;
    let target = gateway.target(&home).await?;
    let wanted: Vec<String> =
        (0..SERVERS).map(|index| format!("{}__{}", server_name(index), Work::Echo.tool())).collect();
    gateway.wait_for_tools(&target, &wanted).await?;
    let servers_only_mib = resident_mib_at_rest(gateway.pid()).await?;

    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        clients.push(idle(&target).await.with_context(|| format!("idle client {number}"))?);
    }
    let resident_mib = resident_mib_at_rest(gateway.pid()).await?;
    let peak_mib = mib(proc::memory(gateway.pid())?.peak_bytes);
    drop(clients);
    gateway.end().await?;
    Ok(Weight { servers_only_mib, resident_mib, peak_mib })
}

/// Initializes, lists the tools once as every client does, opens its stream, and then waits.
async fn idle(target: &BenchTarget) -> anyhow::Result<Idle> {
    let mut requests = BenchClient::open(target, BenchEra::Legacy).await?;
    requests.tool_names().await?;
    let mut stream = requests.another_connection(target).await?;
    let open = stream.listen().await?;
    Ok(Idle { _requests: requests, _stream: stream, _open: open })
}

fn entry(index: usize, fast: &Fast) -> ServerEntry {
    ServerEntry { name: server_name(index), url: fast.url() }
}

fn server_name(index: usize) -> String {
    format!("fast{index:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_said_with_the_verdict() {
        let weight = |resident_mib| Weight { servers_only_mib: 30.0, resident_mib, peak_mib: 160.0 };
        assert!(weight(149.9).text().ends_with("bound: < 150 MiB resident: pass"));
        assert!(weight(150.0).text().ends_with("FAIL"));
    }
}
