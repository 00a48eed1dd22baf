//! Time and memory of this very process.

use std::fs;
use std::time::{Duration, Instant};

use crate::proc;
use crate::report::median;

pub(super) fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

pub(super) fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

pub(super) fn resident_bytes() -> anyhow::Result<u64> {
    Ok(proc::memory(std::process::id())?.resident_bytes)
}

pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = Instant::now();
    let result = work();
    (ms(start.elapsed()), result)
}

/// The median of several rounds, so that the work is measured and not other load on the machine.
pub(super) fn median_ms<T>(rounds: usize, work: impl Fn() -> T) -> f64 {
    median((0..rounds).map(|_| timed(&work).0))
}

/// The memory of one more of something. The first one goes into memory that was used before.
pub(super) fn weight_of<T>(make: impl Fn() -> T) -> anyhow::Result<u64> {
    const FIRST: usize = 2;
    const MORE: usize = 4;
    let mut made: Vec<T> = (0..FIRST).map(|_| make()).collect();
    let before = resident_bytes()?;
    made.extend((0..MORE).map(|_| make()));
    Ok(resident_bytes()?.saturating_sub(before) / MORE as u64)
}

/// CPU time of all threads together: beside wall-clock time it shows the influence of other load, and that no
/// more than one core was used. Zero if the system does not tell.
pub(super) fn processor_ms() -> f64 {
    let Ok(threads) = fs::read_dir("/proc/self/task") else { return 0.0 };
    let spent = |thread: fs::DirEntry| {
        let line = fs::read_to_string(thread.path().join("schedstat")).ok()?;
        line.split(' ').next()?.parse::<f64>().ok()
    };
    threads.flatten().filter_map(spent).sum::<f64>() / 1e6
}
