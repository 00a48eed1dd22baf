//! Processes below a gateway, and chance that can be repeated.

use std::collections::BTreeMap;
use std::time::Duration;

use toolgate_testkit::gateway::signal;

/// A program that is killed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum KillTarget {
    Gateway,
    Browser,
    Jobs,
    Chromium,
}

impl KillTarget {
    const ALL: [KillTarget; 4] =
        [KillTarget::Gateway, KillTarget::Browser, KillTarget::Jobs, KillTarget::Chromium];

    fn is(self, program: &str) -> bool {
        match self {
            KillTarget::Gateway => false,
            KillTarget::Browser => program == "browser-mcp",
            KillTarget::Jobs => program == "job-app-mcp",
            KillTarget::Chromium => program.contains("chrom") || program.contains("headless"),
        }
    }
}

/// Kills the processes of a program below the gateway, and returns how many there were.
pub(super) fn kill(gateway: u32, target: KillTarget) -> usize {
    let all = processes();
    let is_below = |pid: u32| {
        let mut at = pid;
        while let Some((parent, _)) = all.get(&at) {
            if *parent == gateway {
                return true;
            }
            at = *parent;
        }
        false
    };
    let found = all.iter().filter(|(pid, (_, program))| target.is(program) && is_below(**pid));
    let found: Vec<u32> = found.map(|(pid, _)| *pid).collect();
    found.iter().for_each(|pid| signal("-KILL", *pid));
    found.len()
}

/// The parent and the program of each process. Those that Chromium starts for its pages end with it.
fn processes() -> BTreeMap<u32, (u32, String)> {
    let entries = std::fs::read_dir("/proc").expect("Linux").filter_map(Result::ok);
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    pids.filter_map(|pid| Some((pid, (parent(pid)?, program(pid)?)))).collect()
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in brackets and may contain blanks; then come the state and the parent.
    let (_, fields) = stat.rsplit_once(')')?;
    fields.split_whitespace().nth(1)?.parse().ok()
}

fn program(pid: u32) -> Option<String> {
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).into_owned();
    let first = command.split('\0').next()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    Some(if command.contains("--type=") { String::new() } else { name.to_owned() })
}

/// Chance by a number that is printed.
pub(super) struct SeededChance(u64);

impl SeededChance {
    /// The number of `JOB_SEED`, or a new one.
    pub(super) fn open() -> Self {
        let given = std::env::var("JOB_SEED").ok().and_then(|seed| seed.parse().ok());
        let fresh = || u64::from(std::process::id()) ^ 0x9e37_79b9_7f4a_7c15;
        let seed: u64 = given.unwrap_or_else(fresh);
        eprintln!("JOB_SEED={seed}");
        Self(seed | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(super) fn target(&mut self) -> KillTarget {
        let count = KillTarget::ALL.len() as u64;
        KillTarget::ALL[usize::try_from(self.next() % count).expect("a small number")]
    }

    pub(super) fn between(&mut self, from_ms: u64, to_ms: u64) -> Duration {
        Duration::from_millis(from_ms + self.next() % (to_ms - from_ms))
    }
}
