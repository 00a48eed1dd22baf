//! The programs that are compared, as gateways that run, and one round of calls at each.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use toolgate_stage::postgres::Database;

use crate::client::BenchTarget;
use crate::compare::{Behind, Servers};
use crate::gateway::{BenchGateway, Home, Launcher};
use crate::load::{self, Plan, Round};
use crate::report::ReportSettings;
use crate::wire::{BenchEra, Work};

pub(super) struct Programs {
    pub(super) new: PathBuf,
    pub(super) old: Option<PathBuf>,
}

impl Programs {
    /// The program whose passing on is the measure.
    pub(super) fn first(&self) -> &Path {
        self.old.as_deref().unwrap_or(&self.new)
    }
}

/// A gateway that runs, and how to call it.
pub(super) struct Running {
    pub(super) gateway: BenchGateway,
    target: BenchTarget,
    program: PathBuf,
    home: Home,
    /// Dropped when the gateway has ended.
    pub(super) database: Option<Database>,
}

/// The program and the folder of a gateway that has ended.
pub(super) struct EndedGateway {
    pub(super) program: PathBuf,
    pub(super) home: Home,
    pub(super) database: Option<Database>,
}

impl Running {
    pub(super) async fn start(program: &Path, servers: &Servers, settings: &str) -> anyhow::Result<Running> {
        Self::start_on(program, servers, settings, None).await
    }

    pub(super) async fn start_on(
        program: &Path,
        servers: &Servers,
        settings: &str,
        database: Option<Database>,
    ) -> anyhow::Result<Running> {
        let home = Home::with(&servers.entries(), settings)?;
        let gateway = BenchGateway::start(program, &home, &Launcher::default()).await?;
        gateway.ready().await?;
        let target = gateway.target(&home).await?;
        gateway.wait_for_tools(&target, &[Behind::Both.wire_name(Work::Echo)]).await?;
        Ok(Running { gateway, target, program: program.to_owned(), home, database })
    }

    pub(super) async fn round(&self, settings: &ReportSettings, connections: usize) -> anyhow::Result<Round> {
        let tool = Behind::Both.wire_name(Work::Echo);
        let plan = plan(settings, self.target.clone(), tool, connections);
        load::run(plan, &[self.gateway.pid()]).await.with_context(|| self.gateway.last_words())
    }

    pub(super) async fn ended(self) -> anyhow::Result<EndedGateway> {
        self.gateway.end().await?;
        Ok(EndedGateway { program: self.program, home: self.home, database: self.database })
    }
}

/// A round at the server itself. The token is read there too, though it is not needed.
pub(super) async fn direct(
    settings: &ReportSettings,
    servers: &Servers,
    like: &Running,
    connections: usize,
) -> anyhow::Result<Round> {
    let target = BenchTarget { address: servers.both.address, token: like.target.token.clone() };
    let plan = plan(settings, target, Work::Echo.tool().to_owned(), connections);
    load::run(plan, &[servers.both.pid()]).await.context("direct")
}

fn plan(settings: &ReportSettings, target: BenchTarget, tool: String, connections: usize) -> Plan {
    Plan {
        target,
        era: BenchEra::Modern,
        work: Work::Echo,
        tool,
        connections,
        threads: settings.generator_threads,
        warm_up: Duration::from_secs_f64(settings.warm_up_seconds),
        window: Duration::from_secs_f64(settings.window_seconds),
        calls_max: settings.window_calls,
    }
}
