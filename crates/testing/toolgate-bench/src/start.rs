//! The gateway at rest: its start-up time and its memory, with no servers and no load.
//!
//! Lives here: repeated starts and their results. Does not live here: starting (`gateway`), memory under many
//! clients (`memory`).

use std::path::Path;
use std::time::{Duration, Instant};

use crate::gateway::{BenchGateway, Home, Launcher};
use crate::proc;
use crate::report::{ReportTarget, Row, median};

const READY_MS_MAX: f64 = 100.0;
pub(crate) const IDLE_MIB_MAX: f64 = 25.0;
/// The idle time before its memory is read.
const REST: Duration = Duration::from_millis(500);

struct Start {
    ready_ms: f64,
    idle_mib: f64,
}

/// A first start creates the database and tokens, a later one finds them; people see the later one every day.
pub(crate) async fn measure(program: &Path, starts: usize) -> anyhow::Result<Vec<Row>> {
    let (mut first, mut later) = (Vec::new(), Vec::new());
    for _ in 0..starts {
        let home = Home::new(&[])?;
        first.push(start_once(program, &home).await?);
        later.push(start_once(program, &home).await?);
    }
    let ready = |starts: &[Start]| Some(median(starts.iter().map(|start| start.ready_ms)));
    let idle = Some(median(first.iter().chain(&later).map(|start| start.idle_mib)));
    Ok(vec![
        at_rest("ready, first start", "ms", ready(&first), Some(READY_MS_MAX)),
        at_rest("ready, later start", "ms", ready(&later), Some(READY_MS_MAX)),
        at_rest("resident, idle, no servers", "MiB", idle, Some(IDLE_MIB_MAX)),
    ])
}

pub(crate) fn at_rest(
    what: &'static str,
    unit: &'static str,
    gateway: Option<f64>,
    below: Option<f64>,
) -> Row {
    Row::new("gateway process", what, unit).measured(None, gateway).judged(below.map(ReportTarget::Below))
}

async fn start_once(program: &Path, home: &Home) -> anyhow::Result<Start> {
    let spawned = Instant::now();
    let gateway = BenchGateway::start(program, home, &Launcher::default()).await?;
    gateway.ready().await?;
    let ready_ms = spawned.elapsed().as_secs_f64() * 1e3;
    let idle_mib = resident_mib_at_rest(gateway.pid()).await?;
    gateway.end().await?;
    Ok(Start { ready_ms, idle_mib })
}

pub(crate) async fn resident_mib_at_rest(pid: u32) -> anyhow::Result<f64> {
    tokio::time::sleep(REST).await;
    Ok(mib(proc::memory(pid)?.resident_bytes))
}

pub(crate) fn mib(bytes: u64) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}
