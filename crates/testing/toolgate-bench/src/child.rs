//! Child processes of the benchmark: started with their output watched, ended on every exit.
//!
//! Lives here: spawning, waiting for a line, ending. Does not live here: the children themselves (`fast`,
//! `gateway`).

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};
use tokio::process::{Child, Command};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

const LINES_KEPT_MAX: usize = 40;
const LINES_WAITING_MAX: usize = 256;
const END_MAX: Duration = Duration::from_secs(60);

/// Killed when dropped; `end` asks politely first.
pub(crate) struct Watched {
    child: Child,
    pid: u32,
    lines: mpsc::Receiver<String>,
    last_lines: Arc<Mutex<VecDeque<String>>>,
    _readers: JoinSet<()>,
}

impl Watched {
    /// stdin stays open for as long as the child is watched, so a child may take its end for ours.
    pub(crate) fn spawn(mut command: Command) -> anyhow::Result<Watched> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command
            .spawn()
            .with_context(|| format!("start {}", command.as_std().get_program().to_string_lossy()))?;
        let pid = child.id().context("the child ended at once")?;
        let (send, lines) = mpsc::channel(LINES_WAITING_MAX);
        let last_lines = Arc::new(Mutex::new(VecDeque::new()));
        let mut readers = JoinSet::new();
        let stdout = child.stdout.take().expect("stdout is piped");
        let stderr = child.stderr.take().expect("stderr is piped");
        readers.spawn(read_lines(stdout, send.clone(), last_lines.clone()));
        readers.spawn(read_lines(stderr, send, last_lines.clone()));
        Ok(Watched { child, pid, lines, last_lines, _readers: readers })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.pid
    }

    /// The first line, of stdout or stderr, that `find` accepts.
    pub(crate) async fn wait_for_line<T>(
        &mut self,
        limit: Duration,
        find: impl Fn(&str) -> Option<T>,
    ) -> anyhow::Result<T> {
        let search = async {
            while let Some(line) = self.lines.recv().await {
                if let Some(found) = find(&line) {
                    return Some(found);
                }
            }
            None
        };
        match timeout(limit, search).await {
            Ok(Some(found)) => Ok(found),
            Ok(None) => bail!("the process ended before it said where it listens\n{}", self.last_words()),
            Err(_) => {
                bail!("the process did not say where it listens within {limit:?}\n{}", self.last_words())
            }
        }
    }

    /// Its last output, indented, for an error message.
    pub(crate) fn last_words(&self) -> String {
        let lines = self.last_lines.lock();
        lines.iter().map(|line| format!("  | {line}")).collect::<Vec<_>>().join("\n")
    }

    /// SIGTERM, then wait.
    pub(crate) async fn end(self) -> anyhow::Result<ExitStatus> {
        self.end_by(Signal::SIGTERM).await
    }

    /// SIGKILL, which leaves it no time to clean up, then wait.
    pub(crate) async fn kill(self) -> anyhow::Result<ExitStatus> {
        self.end_by(Signal::SIGKILL).await
    }

    async fn end_by(mut self, signal: Signal) -> anyhow::Result<ExitStatus> {
        let pid = Pid::from_raw(i32::try_from(self.pid).context("a process id")?);
        kill(pid, signal).with_context(|| format!("end process {pid}"))?;
        timeout(END_MAX, self.child.wait())
            .await
            .with_context(|| format!("process {pid} did not end within {END_MAX:?} of {signal}"))?
            .context("wait for a child")
    }
}

/// Keeps reading to the end even without a waiter: a child whose pipe is full would block.
async fn read_lines(
    from: impl AsyncRead + Unpin,
    send: mpsc::Sender<String>,
    last_lines: Arc<Mutex<VecDeque<String>>>,
) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        {
            let mut last = last_lines.lock();
            if last.len() == LINES_KEPT_MAX {
                last.pop_front();
            }
            last.push_back(line.clone());
        }
        drop(send.try_send(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Watched {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Watched::spawn(command).expect("sh starts")
    }

    #[tokio::test]
    async fn a_line_is_found_on_either_stream() {
        for script in ["echo noise; echo at:7; read x", "echo noise; echo at:7 >&2; read x"] {
            let mut child = shell(script);
            let find = |line: &str| line.strip_prefix("at:").map(str::to_owned);
            assert_eq!(child.wait_for_line(END_MAX, find).await.expect("it says so"), "7");
            child.end().await.expect("SIGTERM ends it");
        }
    }

    #[tokio::test]
    async fn a_child_that_dies_early_is_quoted() {
        let mut child = shell("echo 'no such file' >&2; exit 3");
        let error = child.wait_for_line(END_MAX, |_| None::<()>).await.expect_err("it died");
        assert!(error.to_string().contains("no such file"), "{error}");
    }
}
