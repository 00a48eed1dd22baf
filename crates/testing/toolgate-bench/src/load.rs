//! The load generator: clients in a closed loop, each sending its next call when the last was answered and
//! checked.
//!
//! Lives here: threads, the schedule of a round, latency and CPU figures. Does not live here: the call itself
//! (`client`).
//!
//! A round has three parts: every client connects (and opens its session), then all of them call through a
//! warm-up, then calls that end inside the measured window count. Each thread has its own runtime, as in
//! other generators, so that the generator spends no time on moving work between threads.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use hdrhistogram::Histogram;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::timeout_at;

use crate::client::{BenchClient, BenchTarget, Caller};
use crate::proc;
use crate::wire::{BenchEra, Work};

/// The time after the end of the window for the last replies.
const LAST_REPLIES_MAX: Duration = Duration::from_secs(20);
const CONNECT_ALL_MAX: Duration = Duration::from_secs(60);
const LATENCY_NS_MAX: u64 = 60_000_000_000;
const LATENCY_DIGITS: u8 = 3;
/// Ids are unique over all clients of a round: each counts up inside its own range.
const IDS_PER_CLIENT: u64 = 1_000_000_000;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) target: BenchTarget,
    pub(crate) era: BenchEra,
    pub(crate) work: Work,
    /// The name under which the target knows the tool.
    pub(crate) tool: String,
    pub(crate) connections: usize,
    pub(crate) threads: usize,
    pub(crate) warm_up: Duration,
    pub(crate) window: Duration,
    /// Ends the window as soon as so many calls were counted.
    pub(crate) calls_max: Option<u64>,
}

/// The result of one round. CPU is in microseconds per call, in the order of the given process ids.
#[derive(Clone, Debug)]
pub(crate) struct Round {
    pub(crate) calls: u64,
    pub(crate) calls_per_second: f64,
    pub p50_us: f64,
    pub p99_us: f64,
    pub(crate) generator_cpu_us: f64,
    pub(crate) cpu_us: Vec<f64>,
    /// The number of cores busy with other work; a high figure makes the others less reliable.
    pub(crate) other_load_cores: f64,
}

/// CPU time spent inside the window, in all threads of each process.
struct Cpu {
    generator: Duration,
    others: Vec<Duration>,
    machine: Duration,
}

#[derive(Clone, Copy)]
struct Window {
    start: Instant,
    end: Instant,
}

/// The calls that are left of a window that ends with a number of them.
struct CallsLeft {
    left: AtomicU64,
    none_left: Notify,
}

impl CallsLeft {
    fn of(calls: u64) -> Self {
        Self { left: AtomicU64::new(calls), none_left: Notify::new() }
    }

    /// Counts a call. False if it is one too many.
    fn count(&self) -> bool {
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)) {
            Ok(1) => {
                self.none_left.notify_one();
                true
            }
            Ok(_) => true,
            Err(_) => false,
        }
    }

    fn is_used_up(&self) -> bool {
        self.left.load(Ordering::Relaxed) == 0
    }
}

struct LoadTally {
    latency_ns: Histogram<u64>,
    faults: Vec<String>,
}

/// Runs one round; any fault in any call fails it.
pub(crate) async fn run(plan: Plan, pids: &[u32]) -> anyhow::Result<Round> {
    ensure!(plan.connections > 0 && plan.threads > 0, "a load needs at least one connection and one thread");
    let plan = Arc::new(plan);
    let left = plan.calls_max.map(|calls| Arc::new(CallsLeft::of(calls)));
    let (announce, window) = watch::channel(None);
    let threads = plan.threads.min(plan.connections);
    let (connected, mut all_connected) = mpsc::channel(threads);
    let mut outcomes = Vec::new();
    for index in 0..threads {
        let clients = share(plan.connections, threads, index);
        outcomes.push(start_thread(
            LoadClients { plan: plan.clone(), numbers: clients, left: left.clone() },
            connected.clone(),
            window.clone(),
        )?);
    }
    drop(connected);
    for _ in 0..threads {
        let outcome = tokio::time::timeout(CONNECT_ALL_MAX, all_connected.recv()).await;
        outcome
            .context("the clients did not get connected in time")?
            .context("a generator thread died")??;
    }

    let start = Instant::now() + plan.warm_up;
    let window = Window { start, end: start + plan.window };
    announce.send(Some(window)).map_err(|_| anyhow::anyhow!("every generator thread died"))?;
    let (cpu, took) = cpu_in(window, left.as_deref(), pids).await?;

    let mut total = LoadTally::new();
    for outcome in outcomes {
        total.add(outcome.await.context("a generator thread died")??)?;
    }
    total.round(took, &cpu)
}

/// The CPU time of a window, and its length.
async fn cpu_in(window: Window, left: Option<&CallsLeft>, pids: &[u32]) -> anyhow::Result<(Cpu, Duration)> {
    tokio::time::sleep_until(window.start.into()).await;
    let before = Cpu::read(pids)?;
    let none_left = async {
        match left {
            Some(left) => left.none_left.notified().await,
            None => std::future::pending().await,
        }
    };
    let took = tokio::select! {
        () = tokio::time::sleep_until(window.end.into()) => window.end - window.start,
        () = none_left => window.start.elapsed(),
    };
    Ok((Cpu::read(pids)?.since(&before), took))
}

/// The clients of one thread.
struct LoadClients {
    plan: Arc<Plan>,
    numbers: Range<usize>,
    left: Option<Arc<CallsLeft>>,
}

impl Cpu {
    fn read(pids: &[u32]) -> anyhow::Result<Cpu> {
        Ok(Cpu {
            generator: proc::cpu_time(std::process::id())?,
            others: pids.iter().map(|pid| proc::cpu_time(*pid)).collect::<anyhow::Result<_>>()?,
            machine: proc::machine_cpu_time()?,
        })
    }

    fn since(&self, before: &Cpu) -> Cpu {
        let others = self.others.iter().zip(&before.others);
        Cpu {
            generator: self.generator.saturating_sub(before.generator),
            others: others.map(|(after, before)| after.saturating_sub(*before)).collect(),
            machine: self.machine.saturating_sub(before.machine),
        }
    }

    fn foreign(&self) -> Duration {
        self.machine.saturating_sub(self.generator + self.others.iter().sum::<Duration>())
    }
}

/// The clients, by number, that fall to one of `threads` threads.
fn share(connections: usize, threads: usize, index: usize) -> Range<usize> {
    connections * index / threads..connections * (index + 1) / threads
}

type Connected = mpsc::Sender<anyhow::Result<()>>;

fn start_thread(
    clients: LoadClients,
    connected: Connected,
    window: watch::Receiver<Option<Window>>,
) -> anyhow::Result<oneshot::Receiver<anyhow::Result<LoadTally>>> {
    let (done, outcome) = oneshot::channel();
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().context("start a runtime")?;
    thread::Builder::new()
        .name("load".to_owned())
        .spawn(move || {
            let tally = runtime.block_on(run_clients(clients, connected, window));
            // The receiver is gone if the round already failed elsewhere.
            drop(done.send(tally));
        })
        .context("start a generator thread")?;
    Ok(outcome)
}

async fn run_clients(
    LoadClients { plan, numbers, left }: LoadClients,
    connected: Connected,
    mut window: watch::Receiver<Option<Window>>,
) -> anyhow::Result<LoadTally> {
    let first_id = |client: usize| (client as u64 + 1) * IDS_PER_CLIENT;
    let mut callers = Vec::new();
    for client in numbers {
        match BenchClient::open(&plan.target, plan.era).await {
            Ok(opened) => callers.push((first_id(client), opened.into_caller(plan.work, &plan.tool))),
            Err(error) => {
                drop(connected.send(Err(error)).await);
                bail!("client {client} could not connect");
            }
        }
    }
    connected.send(Ok(())).await.context("the round was given up")?;
    let window =
        window.wait_for(Option::is_some).await.context("the round was given up")?.expect("waited for it");

    let mut running: JoinSet<LoadTally> =
        callers.into_iter().map(|(id, caller)| call_until_end(caller, id, window, left.clone())).collect();
    let mut total = LoadTally::new();
    let deadline = (window.end + LAST_REPLIES_MAX).into();
    while let Some(tally) = timeout_at(deadline, running.join_next()).await.with_context(|| {
        format!("{} calls have no reply {LAST_REPLIES_MAX:?} after the end", running.len())
    })? {
        total.add(tally.context("a client panicked")?)?;
    }
    Ok(total)
}

/// Stops at its first fault: later measurements of a client would be worthless.
async fn call_until_end(
    mut caller: Caller,
    first_id: u64,
    window: Window,
    left: Option<Arc<CallsLeft>>,
) -> LoadTally {
    let mut tally = LoadTally::new();
    let mut begun = Instant::now();
    let mut id = first_id;
    while begun < window.end && left.as_ref().is_none_or(|left| !left.is_used_up()) {
        if let Err(fault) = caller.call(id).await {
            tally.faults.push(format!("call {id}: {fault}"));
            break;
        }
        let ended = Instant::now();
        let is_inside = ended >= window.start && ended < window.end;
        if is_inside && left.as_ref().is_none_or(|left| left.count()) {
            tally.record(ended - begun);
        }
        begun = ended;
        id += 1;
    }
    tally
}

impl LoadTally {
    fn new() -> LoadTally {
        let latency_ns =
            Histogram::new_with_max(LATENCY_NS_MAX, LATENCY_DIGITS).expect("the bounds are in order");
        LoadTally { latency_ns, faults: Vec::new() }
    }

    fn record(&mut self, latency: Duration) {
        let nanoseconds = u64::try_from(latency.as_nanos()).unwrap_or(u64::MAX);
        self.latency_ns.saturating_record(nanoseconds);
    }

    fn add(&mut self, other: LoadTally) -> anyhow::Result<()> {
        self.latency_ns.add(&other.latency_ns).context("merge latencies")?;
        self.faults.extend(other.faults);
        Ok(())
    }

    fn round(self, window: Duration, cpu: &Cpu) -> anyhow::Result<Round> {
        if let Some(first) = self.faults.first() {
            bail!("{} of the clients met an error; the first: {first}", self.faults.len());
        }
        let calls = self.latency_ns.len();
        ensure!(calls > 0, "not one call ended within {window:?}");
        let per_call = |time: &Duration| time.as_secs_f64() * 1e6 / calls as f64;
        let quantile_us = |quantile| self.latency_ns.value_at_quantile(quantile) as f64 / 1e3;
        Ok(Round {
            calls,
            calls_per_second: calls as f64 / window.as_secs_f64(),
            p50_us: quantile_us(0.5),
            p99_us: quantile_us(0.99),
            generator_cpu_us: per_call(&cpu.generator),
            cpu_us: cpu.others.iter().map(per_call).collect(),
            other_load_cores: cpu.foreign().as_secs_f64() / window.as_secs_f64(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_falls_to_exactly_one_thread() {
        for (connections, threads) in [(64, 2), (1, 1), (7, 3), (8, 8)] {
            let all: Vec<usize> = (0..threads).flat_map(|index| share(connections, threads, index)).collect();
            assert_eq!(all, (0..connections).collect::<Vec<_>>());
        }
    }

    fn cpu([generator, other, machine]: [u64; 3]) -> Cpu {
        let [generator, other, machine] = [generator, other, machine].map(Duration::from_millis);
        Cpu { generator, others: vec![other], machine }
    }

    #[test]
    fn a_round_is_the_sum_of_its_clients() {
        let (mut one, mut two) = (LoadTally::new(), LoadTally::new());
        (0..99).for_each(|_| one.record(Duration::from_micros(100)));
        two.record(Duration::from_millis(5));
        one.add(two).expect("same bounds");
        let cpu = cpu([1, 2, 1003]);
        let round = one.round(Duration::from_secs(2), &cpu).expect("no faults");
        assert_eq!(round.calls, 100);
        assert!((round.calls_per_second - 50.0).abs() < 1e-9);
        assert!((round.p50_us - 100.0).abs() < 1.0 && (round.p99_us - 100.0).abs() < 1.0);
        assert!((round.generator_cpu_us - 10.0).abs() < 1e-9 && (round.cpu_us[0] - 20.0).abs() < 1e-9);
        assert!((round.other_load_cores - 0.5).abs() < 1e-9);
    }

    #[test]
    fn a_window_of_some_calls_counts_no_more() {
        let left = CallsLeft::of(2);
        assert!(left.count() && !left.is_used_up());
        assert!(left.count() && left.is_used_up());
        assert!(!left.count() && left.is_used_up());
    }

    #[test]
    fn one_fault_fails_the_round() {
        let mut tally = LoadTally::new();
        tally.record(Duration::from_micros(1));
        tally.faults.push("call 7: isError".to_owned());
        let error = tally.round(Duration::from_secs(1), &cpu([0, 0, 0])).expect_err("it had a fault");
        assert!(error.to_string().contains("call 7"), "{error}");
    }

    #[test]
    fn a_round_without_calls_is_no_measurement() {
        assert!(LoadTally::new().round(Duration::from_secs(1), &cpu([0, 0, 0])).is_err());
    }
}
