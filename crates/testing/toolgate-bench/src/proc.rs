//! The kernel's data about a process: CPU time used and memory held, read from `/proc`.
//!
//! Lives here: reading and parsing. Does not live here: when to read and what the difference means.

use std::fs;
use std::time::Duration;

use anyhow::Context as _;

/// `/proc/PID/stat` counts in hundredths of a second on every Linux this runs on, regardless of the kernel's
/// own tick.
const TICK_MS: u64 = 10;

fn ticks_long(ticks: u64) -> Duration {
    Duration::from_millis(ticks * TICK_MS)
}

/// User and system time of all threads of the process together.
pub(crate) fn cpu_time(pid: u32) -> anyhow::Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let stat = fs::read_to_string(&path).with_context(|| format!("read {path}"))?;
    cpu_ticks(&stat).map(ticks_long).with_context(|| format!("{path} has no CPU times: {stat}"))
}

/// The command name in parentheses may contain spaces and parentheses, so fields are counted from the last
/// one.
fn cpu_ticks(stat: &str) -> Option<u64> {
    const UTIME_AFTER_NAME: usize = 11;
    let (_, after_name) = stat.rsplit_once(')')?;
    let mut fields = after_name.split_ascii_whitespace().skip(UTIME_AFTER_NAME);
    let user: u64 = fields.next()?.parse().ok()?;
    let system: u64 = fields.next()?.parse().ok()?;
    Some(user + system)
}

/// User, niced and system time of the whole machine, without interrupts because no process is charged for
/// them.
pub(crate) fn machine_cpu_time() -> anyhow::Result<Duration> {
    let stat = fs::read_to_string("/proc/stat").context("read /proc/stat")?;
    machine_cpu_ticks(&stat).map(ticks_long).context("/proc/stat has no CPU times")
}

fn machine_cpu_ticks(stat: &str) -> Option<u64> {
    let fields = stat.lines().next()?.strip_prefix("cpu ")?.split_ascii_whitespace();
    let ticks: Vec<u64> = fields.take(3).map(str::parse).collect::<Result<_, _>>().ok()?;
    if ticks.len() == 3 { Some(ticks.iter().sum()) } else { None }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) resident_bytes: u64,
    pub(crate) peak_bytes: u64,
}

pub(crate) fn memory(pid: u32) -> anyhow::Result<Memory> {
    let path = format!("/proc/{pid}/status");
    let status = fs::read_to_string(&path).with_context(|| format!("read {path}"))?;
    memory_in(&status).with_context(|| format!("{path} has no VmRSS and VmHWM"))
}

fn memory_in(status: &str) -> Option<Memory> {
    Some(Memory { resident_bytes: kib(status, "VmRSS:")? * 1024, peak_bytes: kib(status, "VmHWM:")? * 1024 })
}

/// The number of its threads.
pub(crate) fn threads(pid: u32) -> anyhow::Result<f64> {
    let path = format!("/proc/{pid}/status");
    let status = fs::read_to_string(&path).with_context(|| format!("read {path}"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("Threads:"));
    line.and_then(|line| line.trim().parse().ok()).with_context(|| format!("{path} has no Threads"))
}

/// The number of times that its threads of now went to sleep by themselves, and so were woken up.
pub(crate) fn wake_ups(pid: u32) -> anyhow::Result<u64> {
    let path = format!("/proc/{pid}/task");
    let mut sum = 0;
    for thread in fs::read_dir(&path).with_context(|| format!("read {path}"))? {
        let status = thread.with_context(|| format!("read {path}"))?.path().join("status");
        // A thread that has ended meanwhile is none of those.
        let Ok(status) = fs::read_to_string(&status) else { continue };
        sum += wake_ups_in(&status).with_context(|| format!("{path} has no voluntary_ctxt_switches"))?;
    }
    Ok(sum)
}

fn wake_ups_in(status: &str) -> Option<u64> {
    status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"))?.trim().parse().ok()
}

fn kib(status: &str, field: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The machine, for later readers of the figures.
pub(crate) fn cpu_model() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    model.map_or_else(|| "unknown".to_owned(), |(_, name)| name.trim().to_owned())
}

pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_ticks_are_found_behind_any_command_name() {
        let stat = "4242 (a (b) c) S 1 4242 4242 0 -1 4194304 9999 0 5 0 120 34 0 0 20 0 5 0 100 1 2";
        assert_eq!(cpu_ticks(stat), Some(154));
        assert_eq!(cpu_ticks("garbage"), None);
    }

    #[test]
    fn the_whole_machine_is_the_first_line() {
        assert_eq!(machine_cpu_ticks("cpu  100 20 3 9999 5 6 7 0 0 0\ncpu0 1 1 1 1\n"), Some(123));
        assert_eq!(machine_cpu_ticks("intr 1 2 3\n"), None);
    }

    #[test]
    fn memory_is_read_from_its_two_lines() {
        let status = "Name:\tx\nVmPeak:\t  999 kB\nVmHWM:\t  2048 kB\nVmRSS:\t    1024 kB\n";
        assert_eq!(memory_in(status), Some(Memory { resident_bytes: 1 << 20, peak_bytes: 2 << 20 }));
        assert_eq!(memory_in("Name:\tzombie\n"), None);
    }

    #[test]
    fn wake_ups_are_the_voluntary_switches_alone() {
        let status = "Threads:\t5\nvoluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n";
        assert_eq!(wake_ups_in(status), Some(150));
        assert_eq!(wake_ups_in("nonvoluntary_ctxt_switches:\t545\n"), None);
    }

    #[test]
    fn this_very_process_can_be_read() {
        std::thread::sleep(Duration::from_millis(1));
        assert!(wake_ups(std::process::id()).expect("own threads") > 0);
        assert!(memory(std::process::id()).expect("own status").peak_bytes > 0);
        cpu_time(std::process::id()).expect("own stat");
        assert!(threads(std::process::id()).expect("own status") >= 1.0);
    }
}
