//! The process of one target: a limit of memory, a watch on time, and the input at hand in a file.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use nix::sys::resource::{Resource, setrlimit};

use crate::FuzzTarget;
use crate::random::Random;

const MEMORY_BYTES_MAX: u64 = 2 << 30;
/// Far more than anything small should take, even on a busy machine.
const INPUT_TIME_MAX: Duration = Duration::from_secs(20);
/// As in a worker of the kit.
const STACK_BYTES: usize = 64 << 20;
/// The exit code of a process whose input took too long.
const TOO_SLOW: i32 = 3;

/// Tries the seeds, then damaged copies of them until the time is over. Returns how many were tried.
pub(crate) fn run<T: FuzzTarget>(
    target: T,
    seed: u64,
    time: Duration,
    at_hand: &Path,
) -> anyhow::Result<u64> {
    setrlimit(Resource::RLIMIT_AS, MEMORY_BYTES_MAX, MEMORY_BYTES_MAX).context("could not limit memory")?;
    let at_hand = at_hand.to_owned();
    let worker =
        thread::Builder::new().stack_size(STACK_BYTES).spawn(move || work(target, seed, time, &at_hand));
    worker
        .context("could not start a thread")?
        .join()
        .map_err(|_| anyhow::anyhow!("the fuzzer itself failed"))?
}

fn work<T: FuzzTarget>(target: T, seed: u64, time: Duration, at_hand: &Path) -> anyhow::Result<u64> {
    let seeds = target.seeds();
    let mut random = Random::new(seed);
    let watch = Watchdog::start(at_hand.to_owned());
    let began = Instant::now();
    let mut tried = 0;
    let mut whole = seeds.iter();
    // Even with little time, no seed is left out.
    while whole.len() > 0 || began.elapsed() < time {
        let input = whole.next().cloned().unwrap_or_else(|| target.damaged(&seeds, &mut random));
        fs::write(at_hand, &input).context("could not write the input at hand")?;
        watch.tick();
        once(target, &input)?;
        tried += 1;
    }
    watch.stop();
    Ok(tried)
}

/// Runs one input and looks for a panic.
pub(crate) fn once<T: FuzzTarget>(target: T, input: &[u8]) -> anyhow::Result<()> {
    if panic::catch_unwind(AssertUnwindSafe(|| target.try_one(input))).is_err() {
        bail!("a panic");
    }
    Ok(())
}

/// Ends the process after too long without progress: a thread cannot be stopped from outside.
struct Watchdog {
    ticks: Arc<AtomicU64>,
}

const STOPPED: u64 = u64::MAX;

impl Watchdog {
    fn start(at_hand: PathBuf) -> Self {
        let ticks = Arc::new(AtomicU64::new(0));
        let seen = ticks.clone();
        thread::spawn(move || watch(&seen, &at_hand));
        Self { ticks }
    }

    fn tick(&self) {
        self.ticks.fetch_add(1, Ordering::Relaxed);
    }

    fn stop(&self) {
        self.ticks.store(STOPPED, Ordering::Relaxed);
    }
}

fn watch(ticks: &AtomicU64, at_hand: &Path) {
    let mut last = (0, Instant::now());
    loop {
        thread::sleep(Duration::from_millis(200));
        match ticks.load(Ordering::Relaxed) {
            STOPPED => return,
            now if now != last.0 => last = (now, Instant::now()),
            _ if last.1.elapsed() > INPUT_TIME_MAX => {
                eprintln!("{} took longer than {INPUT_TIME_MAX:?}", at_hand.display());
                process::exit(TOO_SLOW);
            }
            _ => {}
        }
    }
}
