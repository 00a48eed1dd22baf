//! The reaper: a helper process that outlives a killed gateway just long enough to end its children.
//!
//! Nothing inside a process can clean up after `kill -9`. The helper holds the other end of a pipe: when the
//! gateway is gone, for any reason, the pipe ends, and the helper kills every process group on its list.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncWriteExt;
use tokio::process::{ChildStdin, Command};
use tokio::sync::Mutex;

/// The helper only ever reads, so a write that takes this long means it is stuck.
const WRITE_TIMEOUT: Duration = Duration::from_secs(1);

/// The gateway's side of the pipe. The helper is started with the first child.
pub(crate) struct Reaper {
    program: PathBuf,
    args: Vec<String>,
    state: Mutex<ReaperState>,
}

#[derive(Default)]
struct ReaperState {
    input: Option<ChildStdin>,
    groups: BTreeSet<u32>,
}

impl Reaper {
    pub(crate) fn new(program: PathBuf, args: Vec<String>) -> Self {
        Self { program, args, state: Mutex::default() }
    }

    pub(crate) async fn remember(&self, group: u32) {
        let mut state = self.state.lock().await;
        state.groups.insert(group);
        self.tell(&mut state, format!("+{group}\n")).await;
    }

    pub(crate) async fn forget(&self, group: u32) {
        let mut state = self.state.lock().await;
        if state.groups.remove(&group) {
            self.tell(&mut state, format!("-{group}\n")).await;
        }
    }

    /// Writes a line to the helper; starts one, with the whole list, if there is none.
    async fn tell(&self, state: &mut ReaperState, line: String) {
        if let Some(input) = &mut state.input
            && write(input, &line).await
        {
            return;
        }
        state.input = self.start();
        let all: String = state.groups.iter().map(|group| format!("+{group}\n")).collect();
        let told = match &mut state.input {
            Some(input) => write(input, &all).await,
            None => false,
        };
        if !told {
            tracing::warn!("no reaper is running: children of a killed gateway may be left behind");
        }
    }

    fn start(&self) -> Option<ChildStdin> {
        let child = Command::new(&self.program)
            .args(&self.args)
            .env_clear()
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match child {
            Ok(mut child) => child.stdin.take(),
            Err(error) => {
                tracing::warn!(program = %self.program.display(), %error, "could not start the reaper");
                None
            }
        }
    }
}

async fn write(input: &mut ChildStdin, line: &str) -> bool {
    matches!(tokio::time::timeout(WRITE_TIMEOUT, input.write_all(line.as_bytes())).await, Ok(Ok(())))
}

/// The helper itself: reads `+GROUP` and `-GROUP` from standard input, and at its end kills the remaining
/// groups.
pub fn reaper_main() {
    let groups = read_groups(std::io::stdin().lock());
    for group in groups {
        kill_group(group);
    }
}

fn read_groups(input: impl BufRead) -> BTreeSet<u32> {
    let mut groups = BTreeSet::new();
    for line in input.lines() {
        let Ok(line) = line else { break };
        match (line.get(..1), line.get(1..).and_then(|number| number.parse().ok())) {
            (Some("+"), Some(group)) => groups.insert(group),
            (Some("-"), Some(group)) => groups.remove(&group),
            _ => false,
        };
    }
    groups
}

/// Kills every process of a group, if it still has any.
pub(crate) fn kill_group(group: u32) {
    signal_group(group, Signal::SIGKILL);
}

/// Signals every process of a group. `false` if the group has none left.
pub(crate) fn signal_group(group: u32, signal: Signal) -> bool {
    // Group 0 would be our own and group 1 is everything: neither can be a child's.
    let Some(group) = i32::try_from(group).ok().filter(|group| *group > 1).map(Pid::from_raw) else {
        return false;
    };
    killpg(group, None).is_ok() && killpg(group, signal).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_back_is_not_killed() {
        let groups = read_groups(&b"+11\n+12\n-11\nnonsense\n+x\n\n+13\n"[..]);
        assert_eq!(groups, BTreeSet::from([12, 13]));
    }

    #[test]
    fn our_own_group_and_init_are_never_signalled() {
        assert!(!signal_group(0, Signal::SIGTERM));
        assert!(!signal_group(1, Signal::SIGTERM));
    }
}
