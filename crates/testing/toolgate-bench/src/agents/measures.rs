//! The measurements: a turn, many runs at once, and runs that wait.

use std::time::{Duration, Instant};

use anyhow::ensure;
use http::{Method, StatusCode};
use serde_json::json;

use super::site::{AgentsSite, CROWD, CROWD_TURNS, WALK, WALK_TURNS, tool};
use super::{
    AgentFigure, LIVE_MIB_MAX, LOOP_CPU_MS_MAX, PAUSED_MIB_MAX, PAUSED_MOST, WAKE_UPS_FEW, WAKE_UPS_SHARE,
};
use crate::proc;
use crate::start::{mib, resident_mib_at_rest};

/// The time over which a gateway is watched that has nothing to do.
const IDLE: Duration = Duration::from_secs(10);

/// CPU and wall time of the gateway for a turn. A call of the same tool alone is taken off it: the rest is the loop.
pub(super) async fn turns(site: &mut AgentsSite, walks: usize) -> anyhow::Result<Vec<AgentFigure>> {
    // The first one pays for what is cold.
    site.start(WALK, 1).await?;
    site.rest_as("completed").await?;
    let (begun, before) = (Instant::now(), proc::cpu_time(site.pid())?);
    for _ in 0..walks {
        site.start(WALK, 1).await?;
        site.rest_as("completed").await?;
    }
    let (wall, cpu) = (begun.elapsed(), proc::cpu_time(site.pid())? - before);
    let turns = walks * WALK_TURNS;
    let (turn_ms, call_ms) = (each_ms(cpu, turns), call_ms(site, turns).await?);
    Ok(vec![
        AgentFigure::new("CPU of a turn with one call", turn_ms, "ms").over(call_ms),
        AgentFigure::new("CPU of the loop, per turn", (turn_ms - call_ms).max(0.0), "ms")
            .at_most(LOOP_CPU_MS_MAX),
        AgentFigure::new("wall time of a turn, with that of the model", each_ms(wall, turns), "ms"),
    ])
}

/// The gateway's CPU for a call that no loop makes.
async fn call_ms(site: &AgentsSite, calls: usize) -> anyhow::Result<f64> {
    let mut client = site.client().await?;
    let before = proc::cpu_time(site.pid())?;
    for number in 0..calls {
        let body = json!({ "name": tool(), "arguments": { "text": format!("step {number}") } }).to_string();
        let (status, answer) = client.rest(Method::POST, "/tools/call", &body).await?;
        ensure!(
            status == StatusCode::OK,
            "a call was answered {status}: {}",
            String::from_utf8_lossy(&answer)
        );
    }
    Ok(each_ms(proc::cpu_time(site.pid())? - before, calls))
}

/// Many runs at once, to their end.
pub(super) async fn crowd(site: &mut AgentsSite, runs: usize) -> anyhow::Result<Vec<AgentFigure>> {
    let rest_mib = resident_mib_at_rest(site.pid()).await?;
    let (begun, before) = (Instant::now(), proc::cpu_time(site.pid())?);
    site.start(CROWD, runs).await?;
    site.rest_as("completed").await?;
    let (wall, cpu) = (begun.elapsed(), proc::cpu_time(site.pid())? - before);
    let turns = runs * CROWD_TURNS;
    let peak_mib = mib(proc::memory(site.pid())?.peak_bytes);
    let at_once = site.most_at_once().await?;
    Ok(vec![
        AgentFigure::new("of them at the same time, at most", at_once as f64, ""),
        AgentFigure::new(
            format!("{runs} runs of {CROWD_TURNS} turns, to their end"),
            wall.as_secs_f64(),
            "s",
        ),
        AgentFigure::new("turns a second", turns as f64 / wall.as_secs_f64(), ""),
        AgentFigure::new("CPU of a turn, with its share of the start", each_ms(cpu, turns), "ms"),
        AgentFigure::new("memory at the peak", peak_mib, "MiB").over(rest_mib),
    ])
}

/// Runs that wait for a person: what they hold and what they do meanwhile, also in a gateway that has just started.
pub(super) async fn waiting(mut site: AgentsSite, counts: &[usize]) -> anyhow::Result<Vec<AgentFigure>> {
    let empty = IdleGateway::watch(&site).await?;
    let (mut figures, mut there) = (Vec::new(), 0);
    for count in counts {
        site.start(WALK, count - there).await?;
        site.rest_as("paused").await?;
        there = *count;
        let now = IdleGateway::watch(&site).await?;
        // Nobody has decided on an approval, and none of them may lapse while so many runs are started.
        site.no_approval_has_ended().await?;
        let what = format!("{count} paused runs");
        let added = AgentFigure::new(format!("{what}: memory that they add"), now.added_mib(&empty), "MiB");
        figures.push(if there >= PAUSED_MOST { added.at_most(LIVE_MIB_MAX) } else { added });
        figures.extend(now.figures(&what, &empty));
    }
    let site = site.restarted().await?;
    let again = IdleGateway::watch(&site).await?;
    let added = AgentFigure::new(
        format!("{there} paused runs, after a restart: memory that they add"),
        again.added_mib(&empty),
        "MiB",
    );
    figures.push(if there >= PAUSED_MOST { added.at_most(PAUSED_MIB_MAX) } else { added });
    figures.extend(again.figures(&format!("{there} paused runs, after a restart"), &empty));
    site.close().await?;
    Ok(figures)
}

/// A gateway without work.
struct IdleGateway {
    resident_mib: f64,
    threads: f64,
    /// Of CPU in a second.
    cpu_ms: f64,
    /// Of all threads in a second.
    wake_ups: f64,
}

impl IdleGateway {
    async fn watch(site: &AgentsSite) -> anyhow::Result<IdleGateway> {
        let resident_mib = resident_mib_at_rest(site.pid()).await?;
        let (before, woken) = (proc::cpu_time(site.pid())?, proc::wake_ups(site.pid())?);
        tokio::time::sleep(IDLE).await;
        let cpu = proc::cpu_time(site.pid())? - before;
        // A thread that ends takes its share with it.
        let woken = proc::wake_ups(site.pid())?.saturating_sub(woken);
        Ok(IdleGateway {
            resident_mib,
            threads: proc::threads(site.pid())?,
            cpu_ms: cpu.as_secs_f64() * 1e3 / IDLE.as_secs_f64(),
            wake_ups: woken as f64 / IDLE.as_secs_f64(),
        })
    }

    fn added_mib(&self, empty: &IdleGateway) -> f64 {
        (self.resident_mib - empty.resident_mib).max(0.0)
    }

    /// A little more than those of the empty gateway: what it does by itself differs from one span of time to the next.
    fn wake_ups_max(&self) -> f64 {
        self.wake_ups + (self.wake_ups * WAKE_UPS_SHARE).max(WAKE_UPS_FEW)
    }

    fn figures(&self, what: &str, empty: &IdleGateway) -> Vec<AgentFigure> {
        let figure = |said: &str, now: f64, before: f64, unit: &'static str| {
            AgentFigure::new(format!("{what}: {said}"), now, unit).over(before)
        };
        vec![
            figure("memory", self.resident_mib, empty.resident_mib, "MiB"),
            figure("threads", self.threads, empty.threads, ""),
            figure("CPU in a second without work", self.cpu_ms, empty.cpu_ms, "ms"),
            figure("wake-ups in a second without work", self.wake_ups, empty.wake_ups, "")
                .at_most(empty.wake_ups_max()),
        ]
    }
}

fn each_ms(time: Duration, count: usize) -> f64 {
    time.as_secs_f64() * 1e3 / count as f64
}
