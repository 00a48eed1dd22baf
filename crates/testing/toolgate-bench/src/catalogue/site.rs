//! The crowd, and the gateway that it registers with.
//!
//! Lives here: starting both, registering, heartbeats, killing the gateway and starting it again on its data.
//! Does not live here: any measurement.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use http::{Method, StatusCode};
use parking_lot::Mutex;
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::child::Watched;
use crate::client::{BenchClient, BenchTarget};
use crate::crowd::tools;
use crate::fast::start_own;
use crate::gateway::{BenchGateway, Home, Launcher, PASS_ON};
use crate::wire::BenchEra;

/// The number of concurrent registrations, as after a start of everything.
const REGISTERING_AT_ONCE: usize = 8;
const LEASE_SECONDS: u64 = 30;
/// As the gateway requests: three in each lease.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(LEASE_SECONDS / 3);

/// Servers whose changes are accepted automatically.
pub(super) const ACCEPTED: Range<usize> = 0..10;
/// Servers whose changes wait for a review.
pub(super) const QUARANTINED: Range<usize> = 10..20;
/// Two servers to call a lot: one has one instance, the other three.
pub(super) const ALONE: usize = 20;
pub(super) const THREEFOLD: usize = 21;
/// The minimum for the ranges above.
pub(super) const SERVERS_MIN: usize = 50;

pub(super) fn server_name(server: usize) -> String {
    format!("branch{server:03}")
}

/// The agents' name for a tool of a server.
pub(super) fn wire_name(server: usize, tool: usize) -> String {
    format!("{}__{}", server_name(server), tools::name(tool))
}

/// All servers in one separate process.
pub(super) struct Crowd {
    watched: Watched,
    address: SocketAddr,
    pub(super) servers: usize,
}

impl Crowd {
    pub(super) async fn start(servers: usize) -> anyhow::Result<Crowd> {
        let count = servers.to_string();
        let (watched, address) =
            start_own(&["crowd", "--servers", &count]).await.context("start the crowd of servers")?;
        Ok(Crowd { watched, address, servers })
    }

    pub(super) fn pid(&self) -> u32 {
        self.watched.pid()
    }

    /// Has a server describe its first tool otherwise and announce it.
    pub(super) async fn change(&self, server: usize) -> anyhow::Result<()> {
        let mut client =
            BenchClient::connect(&BenchTarget { address: self.address, token: None }, BenchEra::Modern)
                .await?;
        let (status, _) = client.rest(Method::POST, &format!("/s/{server}/change"), "").await?;
        ensure!(status == StatusCode::OK, "the crowd answered {status}");
        Ok(())
    }
}

/// One instance with its registration and its heartbeat.
#[derive(Clone)]
struct Instance {
    server: usize,
    id: String,
    url: String,
}

impl Instance {
    fn new(crowd: &Crowd, server: usize, number: usize) -> Instance {
        let url = format!("http://{}/s/{server}/mcp?instance={number}", crowd.address);
        Instance { server, id: format!("instance-{number}"), url }
    }

    async fn register(&self, client: &mut BenchClient) -> anyhow::Result<()> {
        let body = json!({
            "name": server_name(self.server), "url": self.url, "instance_id": self.id, "version": "1",
            "lease_seconds": LEASE_SECONDS,
        });
        let (status, answer) = client.rest(Method::POST, "/servers/register", &body.to_string()).await?;
        let answer = String::from_utf8_lossy(&answer);
        ensure!(
            status == StatusCode::OK,
            "registering server {} was answered {status}: {answer}",
            self.server
        );
        Ok(())
    }

    fn heartbeat_path(&self) -> String {
        format!("/servers/{}/instances/{}/heartbeat", server_name(self.server), self.id)
    }
}

pub(super) struct Site {
    pub(super) crowd: Crowd,
    home: Home,
    program: PathBuf,
    pub(super) gateway: BenchGateway,
    /// As an agent.
    pub(super) agent: BenchTarget,
    /// As an admin, who may register any server.
    pub(super) admin: BenchTarget,
    instances: Arc<Mutex<Vec<Instance>>>,
    whereabouts: watch::Sender<BenchTarget>,
    leases_lost: Arc<AtomicU64>,
    _heart: JoinSet<()>,
}

impl Site {
    /// An empty gateway, and a crowd that has not registered yet.
    pub(super) async fn open(program: &Path, servers: usize) -> anyhow::Result<Site> {
        let crowd = Crowd::start(servers).await?;
        let home = Home::with(&[], &settings())?;
        let gateway = BenchGateway::start(program, &home, &Launcher::default()).await?;
        gateway.ready().await?;
        let agent = gateway.target(&home).await?;
        let admin = gateway.target_as(&home, "admin").await?;
        let (whereabouts, found) = watch::channel(admin.clone());
        let (instances, leases_lost) = <(Arc<Mutex<Vec<Instance>>>, Arc<AtomicU64>)>::default();
        let mut heart = JoinSet::new();
        heart.spawn(beat(found, instances.clone(), leases_lost.clone()));
        let program = program.to_owned();
        Ok(Site {
            crowd,
            home,
            program,
            gateway,
            agent,
            admin,
            instances,
            whereabouts,
            leases_lost,
            _heart: heart,
        })
    }

    /// Registers one instance of every server. Returns when every one of them was answered.
    pub(super) async fn register_all(&self) -> anyhow::Result<()> {
        let mut registering = JoinSet::new();
        for first in 0..REGISTERING_AT_ONCE {
            let numbers = (first..self.crowd.servers).step_by(REGISTERING_AT_ONCE);
            let mine: Vec<Instance> = numbers.map(|server| Instance::new(&self.crowd, server, 0)).collect();
            registering.spawn(register(self.admin.clone(), mine));
        }
        while let Some(registered) = registering.join_next().await {
            self.remember(&registered.context("a registration panicked")??);
        }
        Ok(())
    }

    /// Registers more instances of one server.
    pub(super) async fn scale(&self, server: usize, instances: usize) -> anyhow::Result<()> {
        let more = (1..instances).map(|number| Instance::new(&self.crowd, server, number)).collect();
        self.remember(&register(self.admin.clone(), more).await?);
        Ok(())
    }

    /// From now on they send heartbeats.
    fn remember(&self, instances: &[Instance]) {
        self.instances.lock().extend_from_slice(instances);
    }

    /// Kills the gateway and starts it again on its data. Returns the time of the new start.
    pub(super) async fn restart(self) -> anyhow::Result<(Site, Instant)> {
        self.gateway.kill().await?;
        let begun = Instant::now();
        let gateway = BenchGateway::start(&self.program, &self.home, &Launcher::default()).await?;
        gateway.ready().await?;
        let agent = BenchTarget { address: gateway.address, ..self.agent };
        let admin = BenchTarget { address: gateway.address, ..self.admin };
        self.whereabouts.send_replace(admin.clone());
        Ok((Site { gateway, agent, admin, ..self }, begun))
    }

    /// Ends the gateway. A lease that was lost on the way makes all figures worthless.
    pub(super) async fn close(self) -> anyhow::Result<()> {
        let lost = self.leases_lost.load(Ordering::Relaxed);
        ensure!(lost == 0, "{lost} heartbeats were refused\n{}", self.gateway.last_words());
        self.gateway.end().await
    }
}

async fn register(admin: BenchTarget, instances: Vec<Instance>) -> anyhow::Result<Vec<Instance>> {
    let mut client = BenchClient::connect(&admin, BenchEra::Modern).await?;
    for instance in &instances {
        instance.register(&mut client).await?;
    }
    Ok(instances)
}

fn settings() -> String {
    let mut text =
        format!("[network]\nallow_loopback = true\n\n[registry]\ndrift = \"accept\"\n\n{PASS_ON}\n");
    for server in QUARANTINED {
        let name = server_name(server);
        writeln!(text, "[[servers]]\nname = {name:?}\nregistered = true\ndrift = \"quarantine\"\n")
            .expect("a String grows");
    }
    text
}

/// Sends heartbeats for every instance, one after the other, forever. While the gateway is down nothing is
/// sent.
async fn beat(
    found: watch::Receiver<BenchTarget>,
    instances: Arc<Mutex<Vec<Instance>>>,
    lost: Arc<AtomicU64>,
) {
    loop {
        let all = instances.lock().clone();
        let pause = HEARTBEAT_EVERY / u32::try_from(all.len().max(1)).expect("thousands at most");
        let target = found.borrow().clone();
        let Ok(mut client) = BenchClient::connect(&target, BenchEra::Modern).await else {
            tokio::time::sleep(pause).await;
            continue;
        };
        let mut next = tokio::time::interval(pause);
        for instance in &all {
            next.tick().await;
            match client.rest(Method::POST, &instance.heartbeat_path(), "").await {
                Ok((StatusCode::OK, _)) => {}
                Ok(_) => drop(lost.fetch_add(1, Ordering::Relaxed)),
                Err(_) => break,
            }
        }
        next.tick().await;
    }
}
